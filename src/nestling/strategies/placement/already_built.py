"""What was weighed and is not there: keys, references and upkeep have indexes that no statement paid for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from nestling.ir.candidate import Candidate
from nestling.ir.design import Design
from nestling.ir.indexes.planned_indexes import PlannedIndex, planned_indexes
from nestling.ir.layout import Place, Role
from nestling.ir.primitives import Index
from nestling.ir.proposal import Weighed
from nestling.strategies.placement.indexes import chosen_indexes, indexed_rows

Keys = tuple[tuple[str, int], ...]


def without_built(weighed: Iterable[Weighed], candidates: Iterable[Candidate], design: Design) -> tuple[Weighed, ...]:
    """What was weighed, but for the indexes that were not chosen and are built all the same."""
    planned = planned_indexes(design)
    built = {each.id for each in candidates if any(_is_built(planned, index) for index in as_indexes(design, each))}
    return tuple(each for each in weighed if each.chosen or each.structure not in built)


def built_anyway(candidates: Iterable[Candidate], design: Design) -> frozenset[str]:
    """The indexes that keys, references and upkeep have in a design, though it named none."""
    planned = planned_indexes(replace(design, indexes=()))
    return frozenset(
        each.id for each in candidates if any(_is_built(planned, index) for index in as_indexes(design, each))
    )


def as_indexes(design: Design, candidate: Candidate) -> Iterator[Index]:
    """The index a candidate would be, where the rows lie."""
    name = indexed_rows(candidate.part)
    if name is not None and (place := _home(design, name)) is not None:
        yield from chosen_indexes((candidate,), design.model, design.model.entity(name), place)


def _home(design: Design, entity: str) -> Place | None:
    return next((p for p in design.places[entity] if p.store.role is Role.HOME and p.copy is None), None)


def _is_built(planned: Iterable[PlannedIndex], index: Index) -> bool:
    """Whether the server's own, one that is built with the same fields, or one nobody weighed that begins with them is there."""
    if not index.partial and index.keys in _either_way((("_id", 1),)):
        return True
    here = (each for each in planned if each.collection == index.collection)
    return any(_does_for(each, index) for each in here if each.partial == index.partial)


def _does_for(built: PlannedIndex, index: Index) -> bool:
    keys = built.keys if built.named else built.keys[: len(index.keys)]
    return index.keys in _either_way(keys)


def _either_way(keys: Keys) -> tuple[Keys, Keys]:
    """An index is read from both ends."""
    return keys, tuple((path, -direction) for path, direction in keys)
