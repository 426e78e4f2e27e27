"""Indexes that keep values unique or delete expired rows. A new design keeps them, whether or not a read uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from nestling.ir.candidate import Archived, Bucketed, Candidate, Indexed, Nested, Paired
from nestling.ir.design import Design
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.primitives import CollectionKind, Index
from nestling.ir.statements.clause import imply
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import index_collation
from nestling.ir.storage.layout import Place, Role
from nestling.planner.options.structures.in_place import indexed


@dataclass(frozen=True, slots=True)
class Constraint:
    """An index of a design, and the attributes it is on: no two rows share their values, or rows go after some seconds.

    `collation`: how it compares their texts.
    """

    index: Index
    on: Indexed
    collation: Collation = Collation.BINARY

    def __str__(self) -> str:
        names = ", ".join(name for name, _ in self.on.keys)
        if self.index.unique:
            return f"that {names} of `{self.on.entity}` is unique"
        return f"that rows of `{self.on.entity}` go {self.index.expire_after_seconds:,} s after {names}"


def constraints(design: Design, indexes: Iterable[Index]) -> Iterator[Constraint]:
    """Yield the constraints of unique and TTL indexes whose fields are attributes of one entity."""
    for index in indexes:
        if index.unique or index.expire_after_seconds is not None:
            store = design.store(index.collection)
            on = indexed(store, index)
            if on is not None:
                paths = [path for path, _ in index.keys]
                yield Constraint(index, on, index_collation(design, store, paths, unique=index.unique))


def is_kept(design: Design, constraint: Constraint) -> bool:
    """Whether the server keeps it under a design, of all rows it is kept of."""
    there, wanted = _root(design, constraint), constraint.index
    if there is None:
        return False
    if wanted.unique and {name for name, _ in constraint.on.keys} == {*there.store.collection.id}:
        return True
    rows = {replace(one, name=there.path_of(one.name) or "") for one in constraint.on.rows}
    return any(
        constraint.collation in (each.collation, Collation.BINARY)
        and imply(rows, each.partial)
        and (wanted.expire_after_seconds is None or imply(each.partial, rows))
        for each in _on_the_same(design, constraint, there)
    )


def kept_of_fewer(design: Design, constraint: Constraint) -> tuple[PlannedIndex, ...]:
    """The indexes by which the server refuses some of what the constraint does, where it does not keep it."""
    there = _root(design, constraint)
    return () if there is None or is_kept(design, constraint) else tuple(_on_the_same(design, constraint, there))


def _on_the_same(design: Design, constraint: Constraint, there: Place) -> Iterator[PlannedIndex]:
    """The indexes of a design on the constraint's fields that refuse or remove as it does, be it of other documents."""
    wanted, paths = constraint.index, {there.path_of(name) for name, _ in constraint.on.keys}
    for each in planned_indexes(design):
        is_there = each.collection == there.store.name and {path for path, _ in each.keys} == paths
        if is_there and each.unique >= wanted.unique and each.expire_after_seconds == wanted.expire_after_seconds:
            yield each


def with_constraints(design: Design, kept: Iterable[Constraint]) -> tuple[Design, tuple[Constraint, ...]]:
    """The design with an index for each constraint that lacks one, and the constraints that no index of it can enforce."""
    more, lost = list[Index](), list[Constraint]()
    for each in kept:
        if is_kept(design, each):
            continue
        there = _root(design, each)
        keys = [(there.path_of(name), way) for name, way in each.on.keys] if there is not None else []
        only = [(there.path_of(one.name), one) for one in each.on.rows] if there is not None else []
        if there is None or None in (path for path, _ in (*keys, *only)):
            lost.append(each)
            continue
        more.append(
            replace(
                each.index,
                collection=there.store.name,
                keys=tuple((path or "", way) for path, way in keys),
                partial=tuple(replace(one, name=path or "") for path, one in only),
                serves=(),
            )
        )
    return replace(design, indexes=(*_others(design.indexes, more), *_serving(design.indexes, more))), tuple(lost)


def _others(indexes: Sequence[Index], more: Sequence[Index]) -> Iterator[Index]:
    """The indexes but those on the same keys as one of the others: a collection has one on each, and one whatever the case."""
    taken = {(each.collection, each.keys) for each in more}
    return (each for each in indexes if each.any_case or (each.collection, each.keys) not in taken)


def _serving(indexes: Sequence[Index], more: Sequence[Index]) -> Iterator[Index]:
    """The indexes of `more`, those over all documents serving what the indexes that they replace serve."""
    for one in more:
        plain = (each for each in indexes if not each.any_case)
        alike = [each for each in plain if (each.collection, each.keys) == (one.collection, one.keys)]
        served = dict.fromkeys(name for each in alike for name in each.serves)
        yield one if one.partial else replace(one, serves=tuple(served))


def spoiling(kept: Iterable[Constraint], candidates: Iterable[Candidate]) -> Iterator[str]:
    """The structures under which no index could keep one of the constraints, by their ids."""
    every = tuple(kept)
    entities = {each.on.entity for each in every}
    unique = {each.on.entity for each in every if each.index.unique}
    named = {(each.on.entity, name) for each in every for name, _ in each.on.keys}
    for candidate in candidates:
        match candidate.part:
            case Nested(entity) | Bucketed(entity) if entity in entities:
                yield candidate.id
            case Archived(entity) if entity in unique:
                yield candidate.id
            case Paired(entity, attributes) if any((entity, name) in named for name in attributes):
                yield candidate.id
            case _:
                pass


def _root(design: Design, constraint: Constraint) -> Place | None:
    """Where the entity's rows are documents of their own, all of them in one collection as far as it has to be one."""
    home = next(place for place in design.places[constraint.on.entity] if place.store.role is Role.HOME)
    store = home.store
    is_apart = len(home.nodes) == 1 and home.copy is None and store.collection.bucket is None
    is_split = any(split.rows is not None for split in store.collection.splits)
    is_series = store.options.kind is CollectionKind.TIME_SERIES
    return home if is_apart and not is_series and not (is_split and constraint.index.unique) else None
