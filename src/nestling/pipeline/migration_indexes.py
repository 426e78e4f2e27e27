"""Decides what happens to a database's indexes: in the new design, carried over, dropped as planned, or lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from nestling.ir.indexes.index_form import IndexShape, does_work_of, index_form, with_free_name
from nestling.ir.programs.command import CreateIndex

if TYPE_CHECKING:
    from nestling.executors.migrate.job import IndexMoves
    from nestling.ir.design import Design
    from nestling.ir.indexes.planned_index import PlannedIndex
    from nestling.ir.model import AttributeName
    from nestling.ir.primitives import Index


_Found: TypeAlias = "tuple[str, tuple[tuple[str, int], ...]]"


@dataclass(frozen=True, slots=True)
class Fates:
    """`carried`: built on the collection's successor. `going`: in the old design and not in the new one.

    `lost`: of all indexes, those that nothing replaces and that somebody may need.
    """

    carried: tuple[CreateIndex, ...]
    going: tuple[CreateIndex, ...]
    lost: tuple[CreateIndex, ...]


def index_moves(
    old: Design,
    new: Design,
    alone: Design,
    own: Design,
    today: Sequence[CreateIndex],
    usual: Mapping[str, object],
    names: Mapping[str, str],
    finals: Mapping[str, str],
    stays: frozenset[str],
) -> IndexMoves:
    """What happens to the existing indexes `today`, and to those of the new design; everything else is as in `fates`.

    `names` are the collections' names while they are built, `finals` the reverse; `stays` are not rebuilt.
    """
    from nestling.executors.migrate.job import IndexMoves
    from nestling.planner.migration import renamed

    fate = fates(old, new, alone, own, today, usual, stays)
    carried = [_renamed(index, names) for index in fate.carried]
    gone = [index for index in fate.going if index.collection in stays]
    beside = [index for index in today if index.collection in stays and index not in gone]
    hidden = {index_form(each, usual.get(each.collection)) for each in today if each.options.get("hidden")}
    wanted = [
        _as_hidden(index, finals[index.collection], usual, hidden)
        for index in _indexes(renamed(alone, names))
        if index.collection in finals
    ]
    indexes = [*to_build(wanted, beside, usual), *carried]
    taken = {(index.collection, index.name) for index in gone}
    late = [i for i in indexes if "expireAfterSeconds" in i.options or (i.collection, i.name) in taken]
    return IndexMoves(
        built=[index for index in indexes if index not in late],
        late=[_renamed(index, finals) for index in late],
        gone=gone,
        seen=[index for index in today if index.collection not in stays],
        carried=[index for index in carried if index not in late],
        going=[index for index in fate.going if index not in fate.lost],
        lost=fate.lost,
    )


def _indexes(design: Design) -> Iterator[CreateIndex]:
    from nestling.emitters.commands import index_commands
    from nestling.executors.load.units import gridfs_indexes

    yield from index_commands(design)
    yield from gridfs_indexes(design)


def _as_hidden(
    index: CreateIndex, final: str, usual: Mapping[str, object], hidden: Collection[IndexShape]
) -> CreateIndex:
    """The index of a collection that gets this name; hidden if today's is: whoever tries life without it goes on."""
    is_hidden = index_form(replace(index, collection=final), usual.get(final)) in hidden
    return replace(index, options={**index.options, "hidden": True}) if is_hidden else index


def _renamed(index: CreateIndex, names: Mapping[str, str]) -> CreateIndex:
    return replace(index, collection=names.get(index.collection, index.collection))


def fates(
    old: Design,
    new: Design,
    alone: Design,
    own: Design,
    today: Sequence[CreateIndex],
    usual: Mapping[str, object],
    kept: frozenset[str],
) -> Fates:
    """Decide what happens to each index.

    `usual`: the default collations of collections. `kept`: collections that are not rebuilt. `alone`: the new design without
    what only the old model has; its indexes are built. `own`: the old design over its own model; indexes on attributes that are
    gone go with them.
    """
    from nestling.ir.indexes.index_paths import index_paths
    from nestling.planner.migration import same_paths

    known, coming, before = _planned(old, usual), _planned(alone, usual), _planned(own, usual)
    carried, going, lost = list[CreateIndex](), list[CreateIndex](), list[CreateIndex]()
    for index in today:
        form = index_form(index, usual.get(index.collection))
        if form in coming or _is_of_series(old, index):
            continue
        if form in known:
            going.append(index)
            if not _is_replaced(old, new, known[form]):
                lost.append(index)
        elif form in before:
            going.append(index)
        elif index.collection not in kept:
            is_same = same_paths(old, new, index.collection, index_paths(index))
            (carried if is_same else lost).append(index)
    taken = {(each.collection, each.name) for each in coming.values()}
    return Fates(tuple(with_free_name(each, taken) for each in carried), tuple(going), tuple(lost))


def to_build(
    wanted: Iterable[CreateIndex], there: Sequence[CreateIndex], usual: Mapping[str, object]
) -> Iterator[CreateIndex]:
    """Yield wanted indexes that no remaining index replaces, each under a name that none of these has."""
    taken = {(each.collection, each.name) for each in there}
    beside = dict[str, list[CreateIndex]]()
    for each in there:
        beside.setdefault(each.collection, []).append(each)
    for index in wanted:
        collection = index.collection
        if not any(does_work_of(each, index, usual.get(collection)) for each in beside.get(collection, ())):
            yield with_free_name(index, taken)


def _planned(design: Design, usual: Mapping[str, object]) -> dict[IndexShape, PlannedIndex | CreateIndex]:
    """Return a design's indexes, including named ones that it omits because another index starts with their fields."""
    from nestling.executors.load.units import gridfs_indexes
    from nestling.ir.indexes.planned_indexes import named_indexes, planned_indexes

    def form(index: CreateIndex) -> IndexShape:
        return index_form(index, usual.get(index.collection))

    found: dict[IndexShape, PlannedIndex | CreateIndex] = {form(each): each for each in gridfs_indexes(design)}
    return found | {form(each.command()): each for each in (*named_indexes(design), *planned_indexes(design))}


def _is_of_series(design: Design, index: CreateIndex) -> bool:
    """Whether the server itself gives a time series this index."""
    from nestling.ir.primitives import CollectionKind

    store = next((each for each in design.stores if each.name == index.collection), None)
    if store is None or store.options.kind is not CollectionKind.TIME_SERIES:
        return False
    paths = {store.roots[0].path_of(name) for name in (store.options.meta, store.options.time) if name}
    return {path for path, _ in index.keys} == paths


# --- what the new design has instead -------------------------------------------------------------------------------------


def _is_replaced(old: Design, new: Design, index: PlannedIndex | CreateIndex) -> bool:
    """Whether the new design replaces an index: it enforces the same constraint, or finds rows in the same way.

    An index that a design has for its own structure, or for statements, goes with these.
    """
    from nestling.ir.indexes.any_case import finds_any_case
    from nestling.ir.primitives import Index
    from nestling.planner.options.structures.constraints import constraints, is_kept
    from nestling.planner.options.structures.in_place import indexed

    if isinstance(index, CreateIndex):
        return True
    named = Index(index.collection, index.keys, index.unique, index.partial, index.expire_after_seconds)
    if index.unique or index.expire_after_seconds is not None:
        return any(is_kept(new, each) for each in constraints(old, [named])) or _is_beside_rows(old, new, index)
    named = replace(named, any_case=finds_any_case(old, index))
    if index.about or _serves(old, named):
        return True
    on = indexed(old.store(index.collection), named)
    return on is not None and any(
        entity == on.entity and keys[: len(on.keys)] == on.keys
        for entity, keys in _finding(new, any_case=named.any_case)
    )


def _is_beside_rows(old: Design, new: Design, index: PlannedIndex) -> bool:
    """Whether the new design has an index that enforces the same for the same rows inside another collection's documents."""
    from nestling.ir.indexes.planned_indexes import planned_indexes

    wanted = _attributes(old, index)
    return bool(wanted) and any(
        (each.unique, each.sparse, each.expire_after_seconds) == (True, index.sparse, index.expire_after_seconds)
        and _attributes(new, each) == wanted
        for each in planned_indexes(new)
    )


def _attributes(design: Design, index: PlannedIndex) -> tuple[AttributeName, ...]:
    """Return the attributes in an index's keys; empty if a key is no attribute or the index covers only some documents."""
    from nestling.ir.storage.stored_names import stored_names

    at = dict(stored_names(design.model, design.store(index.collection)))
    if any(path not in at for path, _ in index.keys) or (index.partial and not index.sparse):
        return ()
    return tuple(at[path] for path, _ in index.keys)


def _serves(design: Design, index: Index) -> bool:
    return any(each.serves for each in design.indexes if replace(each, serves=()) == index)


def _finding(design: Design, *, any_case: bool) -> Iterator[_Found]:
    """Yield the entities and attributes by which a design finds rows quickly; `any_case`: texts whatever their case."""
    from nestling.ir.storage.layout import every_document

    found = [*_indexed(design, any_case=any_case)]
    for link in (
        design.model.relationship(e.relationship) for d in every_document(design.collections) for e in d.embeddings
    ):
        own = dict(zip(link.parent_attributes, link.child_attributes, strict=True))
        found += [  # what lies inside a row is found with it
            (link.child, tuple((own[name], way) for name, way in keys))
            for entity, keys in found
            if entity == link.parent and own.keys() >= {name for name, _ in keys}
        ]
    yield from found


def _indexed(design: Design, *, any_case: bool) -> Iterator[_Found]:
    """Yield the entities and attributes by which a design's indexes find rows."""
    from nestling.ir.indexes.any_case import finds_any_case
    from nestling.ir.indexes.planned_indexes import planned_indexes
    from nestling.ir.primitives import Index
    from nestling.planner.options.structures.in_place import indexed

    for each in planned_indexes(design):
        on = indexed(design.store(each.collection), Index(each.collection, each.keys)) if not each.partial else None
        if on is not None and finds_any_case(design, each) == any_case:
            yield on.entity, on.keys
    for store in design.stores if not any_case else ():
        if len(store.roots) == 1 and len(store.id) == 1:
            yield store.roots[0].entity, ((store.id[0], 1),)
