"""What was weighed and is not there: keys, references and upkeep have indexes that no statement paid for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from nestling.ir.candidate import Candidate, IndexKeys
from nestling.ir.design import Design
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.primitives import Index
from nestling.ir.proposal import Weighed
from nestling.ir.storage.layout import Place, Role
from nestling.strategies.placement.indexes import chosen_indexes, indexed_rows


def without_built(weighed: Iterable[Weighed], candidates: Iterable[Candidate], design: Design) -> tuple[Weighed, ...]:
    """What was weighed, but for the indexes that were not chosen and are built all the same, and those that were chosen and are
    the beginning of a longer one: that is built alone.
    """
    planned, candidates = planned_indexes(design), tuple(candidates)
    built = {each.id for each in candidates if any(_is_built(planned, index) for index in as_indexes(design, each))}
    begun = {each.id for each in candidates if any(_is_begun(planned, index) for index in as_indexes(design, each))}
    return tuple(each for each in weighed if each.structure not in (begun if each.chosen else built))


def built_anyway(candidates: Iterable[Candidate], design: Design) -> Mapping[str, frozenset[str]]:
    """The indexes that keys, references and upkeep have in a design, though it named none; each with the candidates that begin
    with its keys, and are built in its place.
    """
    planned = planned_indexes(replace(design, indexes=()))
    indexes = [(each.id, index) for each in candidates for index in as_indexes(design, each)]
    return {
        name: frozenset(other for other, longer in indexes if _is_begun_by(index, longer))
        for name, index in indexes
        if _is_built(planned, index)
    }


def _is_begun_by(index: Index, longer: Index) -> bool:
    """Whether another index does all that this one does."""
    begins = longer.keys[: len(index.keys)] == index.keys and len(longer.keys) > len(index.keys)
    return begins and (longer.collection, longer.partial) == (index.collection, index.partial)


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


def _is_begun(planned: Iterable[PlannedIndex], index: Index) -> bool:
    """Whether a longer index begins with the same fields, and none has these alone."""
    here = [each for each in planned if each.collection == index.collection and each.partial == index.partial]
    begin = [each for each in here if each.keys[: len(index.keys)] in _either_way(index.keys)]
    return bool(begin) and all(len(each.keys) > len(index.keys) for each in begin)


def _does_for(built: PlannedIndex, index: Index) -> bool:
    keys = built.keys if built.named else built.keys[: len(index.keys)]
    return index.keys in _either_way(keys)


def _either_way(keys: IndexKeys) -> tuple[IndexKeys, IndexKeys]:
    """An index is read from both ends."""
    return keys, tuple((path, -direction) for path, direction in keys)
