"""Statements that read far more than they return.

Why: without an index that fits, the server reads documents only to throw them away – all of them, in the worst case.

Example: `find({city: …}).sort({date: -1})` examines 80,000 documents to return 12.

Remedy: an index on the fields compared for equality, then those sorted by, then those compared by range.

Ignore when: the statement runs once a night.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, Seen, Threshold
from nestling.doctor.words import create_index
from nestling.ir.facts import Collection, Statement
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import count
from nestling.ir.work import Work

RULE = Rule(
    "Missing index",
    Severity.WARNING,
    (
        Threshold(
            "ratio",
            "documents examined for each returned",
            "documents examined for each returned",
            {"indexwright": 10},
        ),
        Threshold(
            "documents",
            "documents one execution examines, below which it does not matter",
            "documents",
            {"nestling": 100},
        ),
    ),
)


def findings(seen: Seen) -> Iterator[Finding]:
    """Shapes of statements that examine too much and that no index serves."""
    for statement in seen.facts.statements:
        target = seen.facts.collection(statement.database, statement.collection)
        keys = _keys(statement)
        if target is None or not target.holds_documents or not keys or _is_served(target, statement, keys):
            continue
        each = statement.documents_examined / max(statement.count, 1)
        ratio = statement.documents_examined / max(statement.returned, 1)
        if ratio > seen.limits["ratio"].value and each > seen.limits["documents"].value:
            yield _finding(seen, target, statement, keys, ratio)


def _keys(statement: Statement) -> list[tuple[str, int | str]]:
    """Equalities, then what is sorted by, then ranges; each field once."""
    equal, ranged = statement.filters[: statement.equalities], statement.filters[statement.equalities :]
    sort = [(field, 1 if direction > 0 else -1) for field, direction in statement.sort]
    keys: dict[str, int | str] = {}
    for field, direction in (*((f, 1) for f in equal), *sort, *((f, 1) for f in ranged)):
        keys.setdefault(field, direction)
    return list(keys.items())


def _is_served(target: Collection, statement: Statement, keys: list[tuple[str, int | str]]) -> bool:
    """Whether an index begins with the fields compared for equality, or with the first field when there are none."""
    wanted = {field for field, _ in keys[: max(statement.equalities, 1)]}
    return any(
        {field for field, _ in index.keys[: len(wanted)]} == wanted for index in target.indexes if not index.hidden
    )


def _finding(
    seen: Seen, target: Collection, statement: Statement, keys: list[tuple[str, int | str]], ratio: float
) -> Finding:
    each = statement.documents_examined / statement.count
    wasted = max(statement.documents_examined - statement.returned, 0) / statement.count
    mean = target.storage.mean_bytes if target.storage else 0.0
    return seen.finding(
        target,
        ", ".join(field for field, _ in keys),
        f"{statement.operation}, seen {count(statement.count)} times, examines {count(each)} documents"
        f" to return {count(statement.returned / statement.count)}",
        number=ratio,
        limit="ratio",
        cost=f"{statement.seconds:.1f} s of the server's time in what was captured",
        remedy="Index what is compared for equality, then what is sorted by, then ranges.",
        commands=(create_index(target.database, target.name, keys),),
        evidence={
            "examined": statement.documents_examined,
            "returned": statement.returned,
            "seconds": statement.seconds,
        },
        work=Work(scanned=wasted, read_bytes=wasted * mean),
    )
