"""Finds the documents that depend on changes: for each upkeep ids, values by which holders are found, or all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nestling.executors.batches import batches, small_batches
from nestling.executors.changes import ChangeEvent, EventKind
from nestling.executors.sync.asking import DatabaseSession
from nestling.executors.sync.narrowed import DistinctValues, of_documents, of_ids, with_values
from nestling.executors.sync.touched import replaces, touches, without_places
from nestling.ir.programs.route import CompiledRoute, SyncPlan
from nestling.ir.storage.names import value_at

DOCUMENTS_AT_ONCE = 1_000
_Values = list[object]


@dataclass
class Holders:
    """The documents concerned by one upkeep: some by `_id`, those found by anchors, or `every` one."""

    ids: DistinctValues = field(default_factory=DistinctValues)
    anchors: DistinctValues = field(default_factory=DistinctValues)
    every: bool = False


@dataclass
class _Seen:
    """What a batch says about one route: link values, documents to read them from, earlier versions of documents."""

    links: DistinctValues = field(default_factory=DistinctValues)
    present: DistinctValues = field(default_factory=DistinctValues)
    before: list[Mapping[str, Any]] = field(default_factory=list)


class Affected:
    """Finds the holders for batches of changes."""

    def __init__(self, plan: SyncPlan) -> None:
        self._routes: dict[str, list[CompiledRoute]] = defaultdict(list)
        for each in plan.routes:
            self._routes[each.route.collection].append(each)

    def holders(self, changes: Iterable[ChangeEvent], view: DatabaseSession) -> dict[str, Holders]:
        """The holders for each upkeep's id. Link values are read as they are now, and from earlier versions of documents."""
        found: dict[str, Holders] = defaultdict(Holders)
        seen: dict[int, tuple[CompiledRoute, _Seen]] = {}
        for change in changes:
            changed = without_places(change.changed) if change.changed is not None else None
            for compiled in self._of(change):
                if changed is None or touches(changed, compiled.route.paths) or replaces(changed, compiled.route.nodes):
                    _, notes = seen.setdefault(id(compiled), (compiled, _Seen()))
                    _note(compiled, change, changed, notes, found[compiled.route.upkeep])
        for compiled, notes in seen.values():
            holders = found[compiled.route.upkeep]
            if not holders.every:
                holders.anchors.update(_anchors(compiled, notes, view))
        return found

    def _of(self, change: ChangeEvent) -> list[CompiledRoute]:
        if change.kind is EventKind.DROP_DATABASE:
            return [route for routes in self._routes.values() for route in routes]
        return [*self._routes.get(change.collection, ()), *self._routes.get(change.to, ())]


def _note(
    compiled: CompiledRoute, change: ChangeEvent, changed: frozenset[str] | None, notes: _Seen, holders: Holders
) -> None:
    """Record what one change means for a route."""
    route = compiled.route
    if not change.kind.of_document:
        holders.every = True
    elif route.own:
        if change.kind is not EventKind.DELETE:
            holders.ids.add(change.id)
    elif route.by_id:
        notes.links.add([value_at(change.id, path) for path in route.by_id])
    elif compiled.links is None:
        holders.every = True
    else:
        if change.kind is not EventKind.DELETE:
            notes.present.add(change.id)
        if _may_move(compiled, change, changed):
            if change.before is None or not route.images:
                holders.every = True
            else:
                notes.before.append(_said_of(compiled, change.before))


def _said_of(compiled: CompiledRoute, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of a document that the route reads, because the rest may be large."""
    route = compiled.route
    fields = {path.split(".")[0] for path in (*route.paths, *route.moving, *route.nodes)} | {"_id"}
    return {name: value for name, value in document.items() if name in fields}


def _may_move(compiled: CompiledRoute, change: ChangeEvent, changed: frozenset[str] | None) -> bool:
    """Whether rows may have been linked to others before the change."""
    if change.kind is EventKind.INSERT:
        return False
    if changed is None:
        return True
    return touches(changed, compiled.route.moving) or replaces(changed, compiled.route.nodes)


def _anchors(compiled: CompiledRoute, notes: _Seen, view: DatabaseSession) -> Iterator[_Values]:
    links = DistinctValues()
    links.update(each for each in notes.links.values if None not in each)
    if compiled.links is not None:
        reads = [of_ids(compiled.links, some) for some in batches(notes.present.values, DOCUMENTS_AT_ONCE)]
        reads += [of_documents(compiled.links, some) for some in small_batches(notes.before)]
        names = [column.field for column in compiled.links.columns]
        for read in reads:
            links.update(_rows(view.ask(read), names))
    if compiled.walk is None:
        yield from links.values
        return
    for values in links.values:
        read = with_values(compiled.walk.read, compiled.walk.parameters, values)
        yield from _rows(view.ask(read), compiled.walk.columns)


def _rows(documents: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Iterator[list[object]]:
    """The documents' values; NULL links nothing."""
    for document in documents:
        values = [document.get(name) for name in names]
        if None not in values:
            yield values
