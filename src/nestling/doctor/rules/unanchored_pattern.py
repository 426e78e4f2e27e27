r"""Patterns that may match anywhere in a text.

Why: only a pattern that begins with `^` and plain characters can seek in an index. Any other is matched against every key, or
every document if no index contains the field.

Example: `find({title: /rings/})`, and what an ORM makes of `contains` and `LIKE '%rings%'`.

Remedy: begin the pattern with `^` if you mean the beginning; for words use a text or search index; for parts of words an
indexed array of them.

Ignore when: the collection is small, or another condition of the statement leaves few documents.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import CollectionFacts, StatementFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import count, counted

RULE = Rule(
    "Unanchored pattern",
    Severity.WARNING,
    (
        Threshold("statements", "statements captured with such a pattern", "statements", {"indexwright": 0}),
        Threshold(
            "examined",
            "keys and documents examined per execution; fewer do not matter",
            "keys and documents",
            {"nestling": 100},
        ),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Fields that such patterns are matched against; those that ignore case have a rule of their own."""
    found: dict[tuple[str, str, str], list[StatementFacts]] = {}
    for statement in seen.facts.statements:
        for pattern in statement.patterns:
            if not pattern.anchored and not pattern.ignores_case:
                found.setdefault((statement.database, statement.collection, pattern.field), []).append(statement)
    for (database, name, field), statements in sorted(found.items()):
        target, times = seen.facts.collection(database, name), sum(each.count for each in statements)
        examined = sum(each.documents_examined + each.keys_examined for each in statements) / max(times, 1)
        is_much = times > seen.limits["statements"].value and examined > seen.limits["examined"].value
        if target is not None and is_much:
            yield _finding(seen, target, field, statements, examined)


def _finding(
    seen: RuleInput, target: CollectionFacts, field: str, statements: list[StatementFacts], examined: float
) -> Finding:
    times = sum(each.count for each in statements)
    return seen.finding(
        target,
        field,
        f"matched against a pattern that may match anywhere in {counted(times, 'captured statement')}",
        number=times,
        limit="statements",
        cost=f"each examines {count(examined)} keys and documents",
        remedy="Start the pattern with `^` and plain characters if it is to match the beginning: behind a `^` alone, or"
        " `^(?:…)`, the whole index is read. Use a text or search index to find words.",
        evidence={"statements": times, "examined_each": examined},
        work=Work(tests=examined),
        mean_seconds=sum(each.seconds for each in statements) / times,
    )
