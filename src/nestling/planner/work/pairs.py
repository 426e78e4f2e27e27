"""The work of lists of pairs (attribute pattern): values found in them by an index, and taken out of them."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.paths import work_of
from nestling.ir.paths.access_path import DocumentOf, FieldPath, NullAsMissing, PairValue, PathExpression, WithLast
from nestling.ir.paths.row_steps import Add, WherePair
from nestling.ir.statements.expression import InList
from nestling.ir.storage.names import join
from nestling.planner.known.ranges import SampleValues, items_in
from nestling.planner.known.selectivity import share
from nestling.planner.known.values import PathStatistics
from nestling.planner.work.average_documents import AverageDocuments
from nestling.planner.work.expressions import size, weight
from nestling.planner.work.facts import WorkFacts
from nestling.planner.work.stream import Condition, Stream, Use

PAIR_SIZE = 12.0
"""Operators, fields and constants the server takes in to take one value out of a list."""
NAME_SIZE = 4.0
"""Operators, fields and constants parsed to test a name together with a value."""


LIST_SIZE, FIELD_SIZE = 4.0, 2.0
"""Operators, fields and constants parsed to append an element to a list, and for each of its fields."""


def in_pairs(step: WherePair, stream: Stream, facts: WorkFacts) -> Stream:
    """Asked of the pairs: two conditions that one index serves."""
    if stream.leading is None:
        known = stream.known.get(join(step.array, step.name), PathStatistics())
        kept = share(step.predicate, lambda _: known, facts.values)
        elements = stream.arrays.get(step.array, 1.0)
        return stream.then(work_of.ask(stream.rows, elements + weight(step.predicate)), rows=stream.rows * kept)
    found = _conditions(step, stream.leading.documents, facts.values)
    leading = replace(stream.leading, conditions=(*stream.leading.conditions, *found))
    return replace(stream, leading=leading).parsing(size(step.predicate) + NAME_SIZE)


def added(step: Add, stream: Stream) -> Stream:
    """The stream with values taken out of where they are: in a list of pairs each is searched among all."""
    known, elements, taken_in = dict[str, PathStatistics](), 0.0, 0.0
    for name, value in step.fields:
        known[name] = _shown(value, stream)
        if isinstance(value, PairValue) and isinstance(value.array, FieldPath):
            known[name] = stream.known.get(join(value.array.path, value.name), PathStatistics())
            elements += stream.arrays.get(value.array.path, 1.0)
            taken_in += PAIR_SIZE
        if isinstance(value, WithLast) and isinstance(value.element, DocumentOf):
            taken_in += LIST_SIZE + FIELD_SIZE * len(value.element.fields)
    work = work_of.pass_on(stream.rows) + work_of.project(stream.rows, len(step.fields))
    work += work_of.unwind(stream.rows * elements) + work_of.parse(taken_in)
    return replace(stream, known={**stream.known, **known}).then(work)


def _shown(value: PathExpression, stream: Stream) -> PathStatistics:
    """What is known of a field's values, which are shown under another name."""
    match value:
        case FieldPath(path):
            return stream.known.get(path, PathStatistics())
        case NullAsMissing(inner):
            return _shown(inner, stream)
        case _:
            return PathStatistics()


def _conditions(step: WherePair, documents: AverageDocuments, values: SampleValues) -> tuple[Condition, ...]:
    """Documents that have a pair of that name, and of these the ones whose value fits."""
    known = documents.known.get(join(step.array, step.name), PathStatistics())
    kept = share(step.predicate, lambda _: known, values)
    there = max(1 - known.missing, kept, 1e-9)
    elements = documents.arrays.get(step.array, 1.0)
    seeks = float(len(items_in(step.predicate, values))) if isinstance(step.predicate, InList) else 1.0
    fits, asked = kept / there, weight(step.predicate)
    return (
        Condition(join(step.array, step.key), Use.EQUAL, there, entries=there, weight=elements),
        Condition(join(step.array, step.value), Use.EQUAL, fits, seeks, fits, asked),
    )
