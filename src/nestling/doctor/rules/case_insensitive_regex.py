r"""Case-insensitive patterns where a collation would do.

Why: a pattern with the flag `i` cannot seek in an index. It holds the pattern against every key, or every document.

Example: `find({email: /^ada@example\.org$/i})`.

Remedy: an index with a collation of strength 2, and the same collation on a query for equality; a text or search
index for parts of words.

Ignore when: the collection is small, or the pattern looks for parts of words now and then.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, Seen, Threshold
from nestling.doctor.words import create_index
from nestling.ir.facts import Collection, Statement
from nestling.ir.finding import Finding, Severity
from nestling.ir.literals import quoted
from nestling.ir.quantity_words import count, counted
from nestling.ir.work import Work

RULE = Rule(
    "Case-insensitive pattern",
    Severity.WARNING,
    (Threshold("statements", "statements captured with such a pattern", "statements", {"atlas": 0}),),
)
IGNORES_CASE = (1, 2)
COLLATION = '{locale: "en", strength: 2}'


def findings(seen: Seen) -> Iterator[Finding]:
    """Fields that case-insensitive patterns are held against."""
    found: dict[tuple[str, str, str], list[Statement]] = {}
    for statement in seen.facts.statements:
        for pattern in statement.patterns:
            if pattern.ignores_case:
                found.setdefault((statement.database, statement.collection, pattern.field), []).append(statement)
    for (database, name, field), statements in sorted(found.items()):
        target = seen.facts.collection(database, name)
        if target is not None and sum(each.count for each in statements) > seen.limits["statements"].value:
            yield _finding(seen, target, field, statements)


def _finding(seen: Seen, target: Collection, field: str, statements: list[Statement]) -> Finding:
    times, examined = sum(each.count for each in statements), sum(each.documents_examined for each in statements)
    has_index = any(index.keys[0][0] == field and index.strength in IGNORES_CASE for index in target.indexes)
    use = "Ask for equality with the collation of the index that is there."
    make = "Create an index with a collation that ignores case, and ask for equality with the same collation."
    keys = examined + sum(each.keys_examined for each in statements)
    return seen.finding(
        target,
        field,
        f"a pattern that ignores case is held against it in {counted(times, 'statement')} captured",
        number=times,
        limit="statements",
        cost=f"{count(keys / times)} keys and documents looked at each time",
        remedy=use if has_index else make,
        commands=() if has_index else (_to_create(target, field),),
        evidence={"statements": times, "examined": examined},
        work=Work(tests=keys / times),
    )


def _to_create(target: Collection, field: str) -> str:
    """The index under a name of its own: the server's name for it is that of an index of the same field which heeds case."""
    options = f"{{name: {quoted(f'{field}_ignoring_case')}, collation: {COLLATION}}}"
    return create_index(target.database, target.name, [(field, 1)], options)
