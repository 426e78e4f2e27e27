"""What becomes of the indexes a database has: the new design has them, they are carried over, they go, or they are lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nestling.ir.command import CreateIndex

if TYPE_CHECKING:
    from nestling.ir.design import Design
    from nestling.ir.planned_indexes import PlannedIndex
    from nestling.ir.primitives import Index

Form = tuple[object, ...]
"""What makes two indexes of one collection the same, whatever they are called."""


@dataclass(frozen=True, slots=True)
class Fates:
    """`carried` are built on the collection's successor, `going` are what the old design has and the new one has not, `lost`
    those of all indexes that nothing replaces, and that somebody may want.
    """

    carried: tuple[CreateIndex, ...]
    going: tuple[CreateIndex, ...]
    lost: tuple[CreateIndex, ...]


def fates(
    old: Design,
    new: Design,
    alone: Design,
    today: Sequence[CreateIndex],
    usual: Mapping[str, object],
    kept: frozenset[str],
) -> Fates:
    """What becomes of each; `usual` are the collections' own collations, `kept` the collections that are not built anew.

    `alone`: the new design without what the old one's model knows besides, whose indexes are built.
    """
    from nestling.ir.index_paths import index_paths
    from nestling.planner.migration import same_paths

    known, coming = _planned(old), _planned(alone)
    carried, going, lost = list[CreateIndex](), list[CreateIndex](), list[CreateIndex]()
    for index in today:
        form = _form(index, usual.get(index.collection))
        if form in coming or _is_of_series(old, index):
            continue
        if form in known:
            going.append(index)
            if not _is_replaced(old, new, known[form]):
                lost.append(index)
        elif index.collection not in kept:
            is_same = same_paths(old, new, index.collection, index_paths(index))
            (carried if is_same else lost).append(index)
    taken = {(form[0], each.name) for form, each in coming.items()}
    return Fates(tuple(_renamed(each, taken) for each in carried), tuple(going), tuple(lost))


def _renamed(index: CreateIndex, taken: set[tuple[object, str]]) -> CreateIndex:
    """The index by a name that no index of the new design has."""
    if (index.collection, index.name) not in taken:
        return index
    return replace(index, options={**index.options, "name": f"{index.name}_carried"})


def _planned(design: Design) -> dict[Form, PlannedIndex | CreateIndex]:
    from nestling.executors.load.units import gridfs_indexes
    from nestling.ir.planned_indexes import planned_indexes

    found: dict[Form, PlannedIndex | CreateIndex] = {_form(each, None): each for each in gridfs_indexes(design)}
    return found | {_form(each.command(), None): each for each in planned_indexes(design)}


def _form(index: CreateIndex, usual: object) -> Form:
    told = index.options
    collation = told.get("collation")
    texts = None if collation is None or collation == usual else _collation(collation)
    others = sorted((name, repr(each)) for name, each in told.items() if name not in _KNOWN)
    seconds = told.get("expireAfterSeconds")
    expires = round(seconds) if isinstance(seconds, int | float) else None
    return (index.collection, index.keys, bool(told.get("unique")), expires, texts, repr(_only(index)), tuple(others))


_KNOWN = frozenset(("name", "unique", "sparse", "expireAfterSeconds", "collation", "partialFilterExpression", "hidden"))


def _collation(collation: object) -> object:
    """What designs say of one; the server tells all that it takes for granted besides."""
    return (collation.get("locale"), collation.get("strength", 3)) if isinstance(collation, Mapping) else collation


def _only(index: CreateIndex) -> Any:
    """Of which documents it is; a type asked for and a sparse index of one field only ask whether there is a value."""
    asked = index.options.get("partialFilterExpression")
    if index.options.get("sparse") and len(index.keys) == 1:
        return {index.keys[0][0]: {"$exists": True}}
    if not isinstance(asked, Mapping):
        return "sparse" if index.options.get("sparse") else None
    here = {path for path, _ in index.keys}
    return {
        path: {"$exists": True} if path in here and isinstance(each, Mapping) and [*each] == ["$type"] else each
        for path, each in sorted(asked.items())
    }


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
    """Whether the new design has what an index is for: it keeps what this one keeps, or it finds rows as this one does.

    An index that a design has for its own structure, or for statements, goes with these.
    """
    from nestling.ir.primitives import Index
    from nestling.planner.options.constraints import constraints, is_kept
    from nestling.planner.options.in_place import indexed

    if isinstance(index, CreateIndex):
        return True
    named = Index(index.collection, index.keys, index.unique, index.partial, index.expire_after_seconds)
    if index.unique or index.expire_after_seconds is not None:
        return any(is_kept(new, each) for each in constraints(old, [named]))
    if index.about or _serves(old, named):
        return True
    on = indexed(old.store(index.collection), named)
    return on is not None and any(
        entity == on.entity and keys[: len(on.keys)] == on.keys for entity, keys in _finding(new)
    )


def _serves(design: Design, index: Index) -> bool:
    return any(each.serves for each in design.indexes if replace(each, serves=()) == index)


def _finding(design: Design) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """By which attributes indexes of a design find rows of which entity."""
    from nestling.ir.planned_indexes import planned_indexes
    from nestling.ir.primitives import Index
    from nestling.planner.options.in_place import indexed

    for each in planned_indexes(design):
        on = indexed(design.store(each.collection), Index(each.collection, each.keys)) if not each.partial else None
        if on is not None:
            yield on.entity, on.keys
    for store in design.stores:
        if len(store.roots) == 1 and len(store.id) == 1:
            yield store.roots[0].entity, ((store.id[0], 1),)
