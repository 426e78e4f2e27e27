"""Subtype rows beside their parent's fields: the discriminator tells which are there, as nothing, one value or an array."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from nestling.ir.paths.write_path import (
    Cell,
    Constant,
    DocumentChange,
    FieldMatch,
    Set,
    UpdateDocuments,
    WriteStep,
    WrittenValue,
)
from nestling.ir.storage.layout import Node, Place
from nestling.planner.writes.draft.cells import GIVEN_NULL, ID
from nestling.planner.writes.draft.gaps import write_gap

MOST_SUBTYPES = 6
"""How many subtypes one collection may have before there is a command for too many sets of them."""


def with_subtype(place: Place, node: Node, changes: Sequence[DocumentChange]) -> tuple[WriteStep, ...]:
    """The steps that add the row to its parent's document, whose `_id` is known."""
    return _chained(place, node, changes, comes=True)


def without_subtype(place: Place, node: Node, changes: Sequence[DocumentChange]) -> tuple[WriteStep, ...]:
    """The row leaves its parent's document."""
    return _chained(place, node, changes, comes=False)


def _chained(place: Place, node: Node, changes: Sequence[DocumentChange], *, comes: bool) -> tuple[WriteStep, ...]:
    """One command for each set of other subtypes the document may hold: the first that fits is done, larger sets first."""
    where = (FieldMatch("_id", Cell(ID)),)
    variant = place.store.collection.variant
    if node.presence is None or variant is None:
        return (UpdateDocuments(place.store.name, where, tuple(changes)),)
    own, field = node.presence.value, node.presence.path
    fixed = [place.nodes[0].presence.value] if place.nodes[0].presence is not None else []
    kinds = [value for _, value in variant.subtypes]
    others = [value for value in kinds if value != own]
    if len(others) > MOST_SUBTYPES:
        raise write_gap(f"writes to one of {len(kinds)} subtypes in `{place.store.name}`")
    steps: tuple[WriteStep, ...] = ()
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            present = [value for value in kinds if value in chosen or value == own]
            without = [*fixed, *(value for value in present if value != own)]
            before, after = (without, [*fixed, *present]) if comes else ([*fixed, *present], without)
            matches = (*where, FieldMatch(field, _form(before)))
            steps = (UpdateDocuments(place.store.name, matches, (*changes, Set(field, _form(after))), otherwise=steps),)
    return steps


def _form(values: Sequence[str]) -> WrittenValue:
    if not values:
        return GIVEN_NULL
    return Constant(values[0]) if len(values) == 1 else Constant(list(values))
