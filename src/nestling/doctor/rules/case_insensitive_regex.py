r"""Case-insensitive patterns where a collation would do.

Why: a pattern with the flag `i` cannot seek in an index. It is matched against every key, or every document.

Example: `find({email: /^ada@example\.org$/i})`.

Remedy: if the pattern stands for the whole text, an index with a collation of strength 2, and the same collation on a query for
equality. If it searches for a part of the text, a text or search index: no query for equality finds a part.

Ignore when: the collection is small, or the pattern searches for parts of words now and then.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import create_index
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import CollectionFacts, StatementFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.programs.compiled import Mql
from nestling.ir.quantity_words import count, counted

RULE = Rule(
    "Case-insensitive pattern",
    Severity.WARNING,
    (
        Threshold("statements", "statements captured with such a pattern", "statements", {"atlas": 0}),
        Threshold(
            "examined",
            "keys and documents examined per execution; fewer do not matter",
            "keys and documents",
            {"nestling": 100},
        ),
    ),
)
IGNORES_CASE = (1, 2)
COLLATION: Mql = {"locale": "en", "strength": 2}


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Fields that case-insensitive patterns are matched against."""
    found: dict[tuple[str, str, str], list[StatementFacts]] = {}
    for statement in seen.facts.statements:
        for pattern in statement.patterns:
            if pattern.ignores_case:
                found.setdefault((statement.database, statement.collection, pattern.field), []).append(statement)
    for (database, name, field), statements in sorted(found.items()):
        target = seen.facts.collection(database, name)
        times, examined = sum(each.count for each in statements), sum(map(_examined, statements))
        is_much = examined > seen.limits["examined"].value * times
        if target is not None and is_much and times > seen.limits["statements"].value:
            yield _finding(seen, target, field, statements)


def _examined(statement: StatementFacts) -> int:
    return statement.documents_examined + statement.keys_examined


def _finding(seen: RuleInput, target: CollectionFacts, field: str, statements: list[StatementFacts]) -> Finding:
    times, examined = sum(each.count for each in statements), sum(map(_examined, statements))
    means_all = any(
        each.anchored for one in statements for each in one.patterns if each.field == field and each.ignores_case
    )
    has_index = any(index.keys[0][0] == field and index.strength in IGNORES_CASE for index in target.indexes)
    use = "Query for equality with the collation of the existing index"
    make = "Create an index with a collation that ignores case, and query for equality with the same collation"
    whole = f"{use if has_index else make}, where the pattern stands for the whole text."
    part = "Use a text or search index to find words: the pattern searches for a part of the text, which equality does not find."
    return seen.finding(
        target,
        field,
        f"matched against a case-insensitive pattern in {counted(times, 'captured statement')}",
        number=times,
        limit="statements",
        cost=f"each examines {count(examined / times)} keys and documents",
        remedy=whole if means_all else part,
        commands=() if has_index or not means_all else (_to_create(target, field),),
        evidence={"statements": times, "examined": examined},
        work=Work(tests=examined / times),
        mean_seconds=sum(each.seconds for each in statements) / times,
    )


def _to_create(target: CollectionFacts, field: str) -> str:
    """The index with a name of its own: the server's default name is taken by a case-sensitive index of the same field."""
    name = f"{field}_ignoring_case"
    return create_index(target.database, target.name, [(field, 1)], name=name, collation=COLLATION)
