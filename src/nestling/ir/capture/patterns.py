"""Captured shapes as the doctor's rules read them: fields compared, sorted by and taken, joins, patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from nestling.ir.capture.branches import FieldTest, parts_of
from nestling.ir.capture.capture import Capture, CaptureKind, ShapeTotals, latest
from nestling.ir.capture.clauses import REGEX
from nestling.ir.capture.indexable import field_tests, indexable_part
from nestling.ir.capture.shape import MAP_REDUCE, CommandOperation, CommandShape
from nestling.ir.capture.used_fields import taken_by
from nestling.ir.facts.joins import joins_of
from nestling.ir.facts.statement import ConditionBranch, FieldPattern, Projection, StatementFacts

SCRIPTS = {
    "$where": "$where",
    "$function": "$function",
    "$accumulator": "$accumulator",
    MAP_REDUCE: "mapReduce",
}
"""Operators that run JavaScript, and what people call them."""
_GATHERING = {"$group", "$count", "$sortByCount", "$bucket", "$bucketAuto", "$facet", "$out", "$merge", MAP_REDUCE}
"""Stages that answer with one document for many, or with none."""
_LEAVING_OUT = {"$ne", "$nin", "$not"}
_NAMES = {CommandOperation.DELETE: "remove", CommandOperation.FIND_AND_MODIFY: "update"}


def statements_of(capture: Capture, databases: Container[str]) -> tuple[StatementFacts, ...]:
    """Captured statements of some databases as those of facts; those that differ in nothing a rule reads are one."""
    found: dict[StatementFacts, list[ShapeTotals]] = {}
    for each in capture.seen:
        if each.shape.database in databases:
            found.setdefault(_without_sums(each), []).append(each)
    followed = _followed(capture)
    made = (_summed(statement, all_seen, followed) for statement, all_seen in found.items())
    return tuple(replace(each, by_client=capture.kind is CaptureKind.RECORDER) for each in made)


def _followed(capture: Capture) -> dict[CommandShape, Counter[str]]:
    """For each shape of read, the collections that were asked next for values of its answers, and how often."""
    counts = {each.shape: each.count for each in capture.seen}
    found: dict[CommandShape, Counter[str]] = {}
    for each in capture.follows:
        times = round(min(each.share * counts.get(each.second, 0), counts.get(each.first, 0)))
        known = found.setdefault(each.first, Counter())
        name = each.second.collection
        if each.second.database == each.first.database and name != each.first.collection:
            known[name] = max(known[name], times)  # several statements, or paths, may follow the same read
    return found


def _without_sums(seen: ShapeTotals) -> StatementFacts:
    shape, clauses = seen.shape, seen.shape.clauses
    pipeline = clauses.get("pipeline", [])
    condition, order = indexable_part(pipeline) if pipeline else (_condition(clauses), clauses.get("sort", {}))
    parts = parts_of(condition)
    filters, branches = _filters(parts.common), tuple(dict.fromkeys(map(_filters, parts.branches)))
    if len(branches) == 1:  # branches that differ in values alone
        filters, branches = _filters((*parts.common, *parts.branches[0])), ()
    return StatementFacts(
        shape.database,
        shape.collection,
        _NAMES.get(shape.operation, shape.operation.value),
        0,
        filters=filters.filters,
        equalities=filters.equalities,
        branches=branches,
        sort=tuple((path, way) for path, way in order.items() if way and not path.startswith("$")),
        joins=tuple(joins_of(pipeline)),
        patterns=_patterns(condition),
        collation=int(clauses.get("collation", 0)),
        scripts=tuple(sorted(set(_scripts(clauses)))),
        gathers=gathers(shape),
    )


def gathers(shape: CommandShape) -> bool:
    """Whether an answer is made of many documents, so that what is returned does not tell how many matched."""
    stages = shape.clauses.get("pipeline", []) if shape.operation is CommandOperation.AGGREGATE else []
    return shape.operation in (CommandOperation.COUNT, CommandOperation.DISTINCT) or any(
        not _GATHERING.isdisjoint(stage) for stage in stages
    )


def _scripts(clauses: object) -> Iterator[str]:
    """The operators that run JavaScript, wherever in the clauses they are."""
    if isinstance(clauses, Mapping):
        for name, inner in clauses.items():
            if name in SCRIPTS:
                yield SCRIPTS[name]
            yield from _scripts(inner)
    elif isinstance(clauses, list):
        for each in clauses:
            yield from _scripts(each)


def _summed(
    statement: StatementFacts, seen: list[ShapeTotals], followed: Mapping[CommandShape, Counter[str]]
) -> StatementFacts:
    after = sum((followed[each.shape] for each in seen if each.shape in followed), Counter[str]())
    return replace(
        statement,
        count=round(sum(each.count for each in seen)),
        documents_examined=round(sum(each.documents_examined for each in seen)),
        keys_examined=round(sum(each.keys_examined for each in seen)),
        returned=round(sum(each.returned + each.written for each in seen)),
        seconds=sum(each.seconds for each in seen),
        collection_scans=round(sum(each.collection_scans for each in seen)),
        followed=tuple(sorted(after.items())),
        taken=_taken(seen),
        last=latest(each.last for each in seen),
        matched=_matched(seen),
    )


def _matched(seen: list[ShapeTotals]) -> float | None:
    """The share of documents let through, in the mean of the executions it is known of."""
    known = [(each.matched, each.count) for each in seen if each.matched is not None and each.count]
    return sum(share * times for share, times in known) / sum(times for _, times in known) if known else None


def _taken(seen: list[ShapeTotals]) -> tuple[tuple[Projection, int], ...]:
    """What reads took of a document, the most frequent first."""
    counts: Counter[Projection] = Counter()
    for each in seen:
        if (found := taken_by(each.shape)) is not None:
            counts[found] += round(each.count)
    return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0].fields, each[0].but)))


def _condition(clauses: dict[str, Any]) -> dict[str, Any]:
    """The filter documents are found by."""
    found: object = next((clauses[name] for name in ("filter", "query", "q") if name in clauses), {})
    return found if isinstance(found, dict) else {}


def _filters(tests: Iterable[FieldTest]) -> ConditionBranch:
    """Fields compared for equality, then those compared otherwise; each once, sorted.

    Last come those of which a test leaves out a few values: they narrow least.
    """
    equal: set[str] = set()
    ranged: dict[str, bool] = {}
    for name, test in tests:
        if not _regexes(test) and set(test) <= {"$eq", "$in"}:
            equal.add(name)
        else:
            ranged[name] = ranged.get(name, True) and set(test) <= _LEAVING_OUT
    others = sorted(ranged.keys() - equal, key=lambda name: (ranged[name], name))
    return ConditionBranch((*sorted(equal), *others), len(equal))


def _patterns(condition: dict[str, Any]) -> tuple[FieldPattern, ...]:
    """The patterns of a condition, wherever in it they are."""
    found = {
        FieldPattern(name, text.endswith("i"), "^" in text)
        for name, test in field_tests(condition)
        for text in _regexes(test)
    }
    return tuple(sorted(found, key=lambda each: (each.field, each.ignores_case, each.anchored)))


def _regexes(test: dict[str, Any]) -> list[str]:
    return [str(each) for each in (test.get("$regex"), *_words(test.get("$in"))) if str(each).startswith(REGEX)]


def _words(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
