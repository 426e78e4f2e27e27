"""Considered indexes that are built anyway: keys, references and upkeep have indexes that no statement pays for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from nestling.ir.candidate import Candidate, IndexKeys
from nestling.ir.design import Design
from nestling.ir.indexes.any_case import finds_any_case
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.primitives import Index
from nestling.ir.proposal import Weighed
from nestling.ir.storage.layout import Place, Role
from nestling.strategies.placement.indexes import chosen_indexes, indexed_rows


def without_built(weighed: Iterable[Weighed], candidates: Iterable[Candidate], design: Design) -> tuple[Weighed, ...]:
    """The considered structures, except indexes that are built anyway although not chosen.

    Chosen indexes that are the beginning of a longer one are omitted too, as only the longer one is built.
    """
    candidates = tuple(candidates)
    built = {each.id for each in candidates if any(_is_built(design, index) for index in as_indexes(design, each))}
    begun = {each.id for each in candidates if any(_is_begun(design, index) for index in as_indexes(design, each))}
    return tuple(each for each in weighed if each.structure not in (begun if each.chosen else built))


def built_anyway(candidates: Iterable[Candidate], design: Design) -> Mapping[str, frozenset[str]]:
    """The indexes that a design has for keys, references and upkeep without naming them.

    Each comes with the candidates that begin with its keys, and are built in its place.
    """
    unnamed = replace(design, indexes=())
    indexes = [(each.id, index) for each in candidates for index in as_indexes(design, each)]
    return {
        name: frozenset(other for other, longer in indexes if longer.extends(index))
        for name, index in indexes
        if _is_built(unnamed, index)
    }


def as_indexes(design: Design, candidate: Candidate) -> Iterator[Index]:
    """The index that a candidate would be, at the place of its rows."""
    name = indexed_rows(candidate.part)
    if name is not None and (place := _home(design, name)) is not None:
        yield from chosen_indexes((candidate,), design.model, design.model.entity(name), place)


def _home(design: Design, entity: str) -> Place | None:
    return next((p for p in design.places[entity] if p.store.role is Role.HOME and p.copy is None), None)


def _alike(design: Design, index: Index) -> Iterator[PlannedIndex]:
    """The indexes on the same documents that are built, and find texts as this one does."""
    for each in planned_indexes(design):
        is_here = each.collection == index.collection and each.partial == index.partial
        if is_here and finds_any_case(design, each) == index.any_case:
            yield each


def _is_built(design: Design, index: Index) -> bool:
    """Whether there is an index that begins with its fields: the server's own, an equal one, or one not considered."""
    if not index.partial and index.keys in _either_way((("_id", 1),)):
        return True
    return any(_does_for(each, index) for each in _alike(design, index))


def _is_begun(design: Design, index: Index) -> bool:
    """Whether a longer index begins with the same fields, and none has exactly these."""
    here = [*_alike(design, index)]
    begin = [each for each in here if each.keys[: len(index.keys)] in _either_way(index.keys)]
    return bool(begin) and all(len(each.keys) > len(index.keys) for each in begin)


def _does_for(built: PlannedIndex, index: Index) -> bool:
    keys = built.keys if built.named else built.keys[: len(index.keys)]
    return index.keys in _either_way(keys)


def _either_way(keys: IndexKeys) -> tuple[IndexKeys, IndexKeys]:
    """An index is read from both ends."""
    return keys, tuple((path, -direction) for path, direction in keys)
