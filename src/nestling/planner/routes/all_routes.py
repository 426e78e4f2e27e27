"""The routes of a design: one for each trigger of each upkeep and each place the trigger's rows live at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.freshness import Level
from nestling.ir.paths.access_path import FieldPath, ProjectDocuments
from nestling.ir.primitives import Copy, Holder, Reference
from nestling.ir.programs.compiled import OutputColumn, ReadPlan
from nestling.ir.programs.route import Route, RouteWalk
from nestling.ir.statements.expression import ANY
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join
from nestling.ir.upkeep import Trigger, Upkeep
from nestling.planner.reads.gaps import ReadGap
from nestling.planner.routes.stored import paths_of, presence_of, split_off, without_places
from nestling.planner.upkeep.affected import anchors_read
from nestling.planner.upkeep.all_upkeeps import upkeeps_of
from nestling.planner.upkeep.descendants import descendants_read
from nestling.planner.upkeep.holder import holder_rows
from nestling.planner.upkeep.source import HOLDER, column, homes_context
from nestling.planner.upkeep.triggers import path_of


def routes_of(design: Design) -> tuple[Route, ...]:
    """Every way in which a change of a document makes a copy, computed value or array of ids differ; snapshots never do."""
    return tuple(
        dict.fromkeys(
            route
            for upkeep in upkeeps_of(design)
            if upkeep.freshness.level is not Level.SNAPSHOT
            for trigger in upkeep.triggers
            for route in _of_trigger(design, upkeep, trigger)
        )
    )


def _of_trigger(design: Design, upkeep: Upkeep, trigger: Trigger) -> Iterator[Route]:
    places = design.places[trigger.entity] if trigger.back else (upkeep.place,)
    for place in places:
        if place.copy is not None:  # rows whose only home is copies: which change when, no path tells
            yield Route(upkeep.id, place.store.name, _of_copies(place), frozenset(presence_of(place)))
            continue
        route = _route(design, upkeep, trigger, place)
        yield route
        for part, paths in split_off(place, trigger.attributes):
            yield replace(_without_links(route), collection=part, paths=paths, nodes=frozenset())
        yield from _listed(design, upkeep, trigger, place)


def _of_copies(place: Place) -> frozenset[str]:
    assert place.copy is not None
    named = (join(place.path, place.copy.name), *(join(place.path, each.path) for each in place.copy.attributes))
    return frozenset(map(without_places, named))


def _route(design: Design, upkeep: Upkeep, trigger: Trigger, place: Place) -> Route:
    paths = frozenset(paths_of(place, sorted(trigger.attributes)))
    plain = Route(upkeep.id, place.store.name, paths, frozenset(presence_of(place)))
    if not trigger.back:
        return replace(plain, own=True, paths=paths | _own_ids(upkeep))
    walk = _walk(design, upkeep, trigger)
    if _needs_walk(upkeep, trigger) and walk is None:
        return plain
    links = _links(design, upkeep, trigger)
    stored = [path for name in links if (path := place.path_of(name)) is not None]
    is_stored = len(stored) == len(links)
    if is_stored and all(map(_in_id, stored)):
        return replace(plain, by_id=tuple(path.removeprefix("_id").removeprefix(".") for path in stored), walk=walk)
    read = _links_read(design, place, links)
    if read is None:
        return plain
    moving = frozenset(map(without_places, stored))
    return replace(plain, moving=moving, links=read, images=is_stored, walk=walk)


def _without_links(route: Route) -> Route:
    """A route for a collection whose documents share only the `_id` with the rows."""
    return (
        route if route.own or route.by_id else replace(route, links=None, images=False, moving=frozenset(), walk=None)
    )


def _in_id(path: str) -> bool:
    return path == "_id" or path.startswith("_id.")


def _own_ids(upkeep: Upkeep) -> frozenset[str]:
    """An array of ids that is a home itself, with what is copied beside: who changes it may leave the copies out."""
    if not isinstance(upkeep.what, Reference) or not upkeep.what.copied:
        return frozenset()
    return frozenset({without_places(join(upkeep.place.path, upkeep.what.field))})


def _links(design: Design, upkeep: Upkeep, trigger: Trigger) -> tuple[str, ...]:
    """The attributes of the changed row that lead on towards the holders."""
    path = path_of(design.model, upkeep.what)
    if _is_closure(upkeep):
        return design.model.relationship(path[0].relationship).parent_attributes
    return path[len(trigger.back) - 1].far(design.model)


def _is_closure(upkeep: Upkeep) -> bool:
    return isinstance(upkeep.what, Copy) and upkeep.what.closure


def _needs_walk(upkeep: Upkeep, trigger: Trigger) -> bool:
    return _is_closure(upkeep) or len(trigger.back) > 1


def _walk(design: Design, upkeep: Upkeep, trigger: Trigger) -> RouteWalk | None:
    """From link values to the values holders are found by; None where they are the same, or no walk is known."""
    if not _needs_walk(upkeep, trigger):
        return None
    path = path_of(design.model, upkeep.what)
    try:
        if _is_closure(upkeep):
            assert isinstance(upkeep.what, Copy)
            found = descendants_read(design, upkeep.what, stays=False)
        else:
            found = anchors_read(design, path, len(trigger.back))
    except ReadGap:
        return None
    if found is None:
        return None
    plan, parameters, names = found
    links = _links(design, upkeep, trigger)
    anchors = path[0].near(design.model)
    return RouteWalk(plan, tuple(parameters[name] for name in links), tuple(names[name] for name in anchors))


def _links_read(design: Design, place: Place, links: tuple[str, ...]) -> ReadPlan | None:
    """The link values of the rows in some documents; None where their place cannot tell."""
    columns = [column(design.model, place.node.entity, HOLDER, name) for name in links]
    context = homes_context(design, columns)
    try:
        rows = holder_rows(place, columns, context)
    except (DesignError, ReadGap):
        return None
    names = [f"link {number}" for number in range(len(links))]
    fields = [(name, FieldPath(rows.layout.path(each))) for name, each in zip(names, columns, strict=True)]
    return ReadPlan(ProjectDocuments(rows.step, tuple(fields)), tuple(OutputColumn(name, name, ANY) for name in names))


def _listed(design: Design, upkeep: Upkeep, trigger: Trigger, place: Place) -> Iterator[Route]:
    """Foreign keys that only the parents' arrays of ids tell: who changes such an array changes the children's rows."""
    for name in place.node.listed:
        link = design.model.relationship(name)
        if trigger.attributes.isdisjoint(link.child_attributes):
            continue
        for parent in design.places[link.parent]:
            for reference in parent.node.body.references if parent.copy is None else ():
                if reference.relationship == name and reference.holder is Holder.PARENT:
                    path = without_places(join(parent.path, reference.field))
                    yield Route(upkeep.id, parent.store.name, frozenset({path}))
