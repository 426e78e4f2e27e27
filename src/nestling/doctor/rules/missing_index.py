"""Statements that read far more than they return.

Why: without an index that fits, the server reads documents only to throw them away – all of them, in the worst case.

Example: `find({city: …}).sort({date: -1})` examines 80,000 documents to return 12.

Remedy: an index on the fields compared for equality, then those sorted by, then those compared by range. Where one index serves
several statements, as it is read from both ends and a range has no direction, it is the one proposed for all of them.

Ignore when: the statement runs once a night.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import create_index
from nestling.ir.facts import Collection, Statement
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import count, counted, duration
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


_Keys = Sequence[tuple[str, int | str]]


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Shapes of statements that examine too much and that no index serves; one index is proposed for all that it serves."""
    found = [(statement, target) for statement in seen.facts.statements if (target := _target(seen, statement))]
    proposed: dict[str, list[_Keys]] = {}
    for statement, target in sorted(found, key=lambda pair: (-len(_keys(pair[0])), _keys(pair[0]))):
        indexes = proposed.setdefault(target.namespace, [])
        if not any(_serves(keys, statement) for keys in indexes):
            indexes.append(_keys(statement))
    for statement, target in found:
        keys = next(keys for keys in proposed[target.namespace] if _serves(keys, statement))
        yield _finding(seen, target, statement, keys)


def _target(seen: RuleInput, statement: Statement) -> Collection | None:
    """The collection that lacks an index for a statement; None where none is lacking."""
    target, keys = seen.facts.collection(statement.database, statement.collection), _keys(statement)
    if target is None or not target.holds_documents or not keys or _is_served(target, statement, keys):
        return None
    each = statement.documents_examined / max(statement.count, 1)
    return target if _ratio(statement) > seen.limits["ratio"].value and each > seen.limits["documents"].value else None


def _ratio(statement: Statement) -> float:
    return statement.documents_examined / max(statement.returned, 1)


def _keys(statement: Statement) -> list[tuple[str, int | str]]:
    """Equalities, then what is sorted by, then ranges; each field once."""
    equal, sort, ranged = _parts(statement)
    return [*((field, 1) for field in equal), *sort, *((field, 1) for field in ranged)]


def _parts(statement: Statement) -> tuple[list[str], list[tuple[str, int]], list[str]]:
    """The fields compared for equality, those sorted by with their direction, and those compared by range; each once."""
    equal = list(dict.fromkeys(statement.filters[: statement.equalities]))
    sort = {field: 1 if direction > 0 else -1 for field, direction in statement.sort if field not in equal}
    ranged = dict.fromkeys(field for field in statement.filters[statement.equalities :] if field not in {*equal, *sort})
    return equal, list(sort.items()), list(ranged)


def _serves(keys: _Keys, statement: Statement) -> bool:
    """Whether an index of these keys does for a statement what one of its own would: an index is read from both ends."""
    equal, sort, ranged = _parts(statement)
    after, end = len(equal) + len(sort), len(equal) + len(sort) + len(ranged)
    middle = list(keys[len(equal) : after])
    return (
        {field for field, _ in keys[: len(equal)]} == set(equal)
        and middle in (sort, [(field, -direction) for field, direction in sort])
        and {field for field, _ in keys[after:end]} == set(ranged)
    )


def _is_served(target: Collection, statement: Statement, keys: _Keys) -> bool:
    """Whether an index begins with the fields compared for equality, or with the first field when there are none."""
    wanted = {field for field, _ in keys[: max(statement.equalities, 1)]}
    return any(
        {field for field, _ in index.keys[: len(wanted)]} == wanted for index in target.indexes if not index.hidden
    )


def _finding(seen: RuleInput, target: Collection, statement: Statement, keys: _Keys) -> Finding:
    each = statement.documents_examined / statement.count
    wasted = max(statement.documents_examined - statement.returned, 0) / statement.count
    mean = target.storage.mean_bytes if target.storage else 0.0
    return seen.finding(
        target,
        ", ".join(field for field, _ in _keys(statement)),
        f"{statement.operation}, seen {counted(statement.count, 'time')}, examines {counted(each, 'document')}"
        f" to return {count(statement.returned / statement.count)}",
        number=_ratio(statement),
        limit="ratio",
        cost=f"{duration(statement.seconds)} of the server's time in what was captured",
        remedy="Index what is compared for equality, then what is sorted by, then ranges.",
        commands=(create_index(target.database, target.name, keys),),
        index=keys,
        evidence={
            "examined": statement.documents_examined,
            "returned": statement.returned,
            "seconds": statement.seconds,
        },
        work=Work(scanned=wasted, read_bytes=wasted * mean),
        mean_seconds=statement.seconds / statement.count,
    )
