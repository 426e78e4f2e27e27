"""The work of lists of pairs (attribute pattern): values found in them by an index, and taken out of them."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir import accesses
from nestling.ir.access_path import FieldPath, PairValue
from nestling.ir.expression import InList
from nestling.ir.names import join
from nestling.ir.row_steps import Add, Prefilter
from nestling.planner.work.documents import Documents, Known
from nestling.planner.work.expressions import size, weight
from nestling.planner.work.selectivity import share
from nestling.planner.work.spans import Values
from nestling.planner.work.stream import Condition, Leading, Stream, Use

PAIR_SIZE = 12.0
"""Operators, fields and constants the server takes in to find one pair in a list."""


def in_pairs(step: Prefilter, stream: Stream, leading: Leading, values: Values) -> Stream:
    """Asked of the pairs: two conditions that one index serves."""
    found = _conditions(step, leading.documents, values)
    asked = {**stream.asked, step.predicate: found[0].share * found[1].share}
    leading = replace(leading, conditions=(*leading.conditions, *found))
    return replace(stream, asked=asked, leading=leading).parsing(size(step.predicate) + PAIR_SIZE)


def added(step: Add, stream: Stream) -> Stream:
    """Values taken out of where they are: of a list of pairs each is looked for among all."""
    known, elements, taken_in = dict[str, Known](), 0.0, 0.0
    for name, value in step.fields:
        known[name] = Known()
        if isinstance(value, PairValue) and isinstance(value.array, FieldPath):
            known[name] = stream.known.get(join(value.array.path, value.name), Known())
            elements += stream.arrays.get(value.array.path, 1.0)
            taken_in += PAIR_SIZE
    work = accesses.pass_on(stream.rows) + accesses.project(stream.rows, len(step.fields))
    work += accesses.unwind(stream.rows * elements) + accesses.parse(taken_in)
    return replace(stream, known={**stream.known, **known}).then(work)


def _conditions(step: Prefilter, documents: Documents, values: Values) -> tuple[Condition, ...]:
    """What must hold of a pair: documents that have one of that name, and of these the ones whose value fits.

    Both are served by an index over names and values.
    """
    assert step.pair is not None
    key, name = step.pair
    known = documents.known.get(join(step.array, name), Known())
    one = share(step.predicate, lambda _: known, values)
    there = max(1 - known.missing, one, 1e-9)
    elements = documents.arrays.get(step.array, 1.0)
    (value,) = (path for _, path in step.layout.entries)
    seeks = float(len(step.predicate.items)) if isinstance(step.predicate, InList) else 1.0
    return (
        Condition(join(step.array, key), Use.EQUAL, there, entries=there, weight=elements),
        Condition(value, Use.EQUAL, one / there, seeks, one / there, weight(step.predicate)),
    )
