"""Keeping copies right in the background: the plan of what follows from which change, and running it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event
from typing import TYPE_CHECKING, Any

from nestling.ir.proposal import Proposal
from nestling.pipeline.arguments import checks_arguments

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.executors.sync import Metrics, SyncReport, SyncState
    from nestling.ir.design import Design
    from nestling.ir.drift import Check
    from nestling.ir.programs.route import (
        BackgroundUpkeep,
        CompiledRoute,
        CompiledSearch,
        CompiledShared,
        IdSearch,
        Route,
        SyncPlan,
    )
    from nestling.ir.upkeep import Upkeep

SEARCHED_AT_ONCE = (1, 16, 256)
"""Anchors a search takes: few for a trickle of changes, many for a flood."""


@checks_arguments
def sync_plan(design: Design) -> SyncPlan:
    """Compile what a background sync keeps right for a design. Raises `GapError` for what it cannot keep right."""
    from nestling.ir.digest import stored_digest
    from nestling.ir.drift import DriftKind
    from nestling.ir.freshness import Level
    from nestling.ir.programs.route import SyncPlan
    from nestling.ir.values import Policy
    from nestling.planner.checks import checks_of
    from nestling.planner.routes import routes_of
    from nestling.planner.upkeep import upkeeps_of

    upkeeps = [upkeep for upkeep in upkeeps_of(design) if upkeep.freshness.level is not Level.SNAPSHOT]
    upkept = (DriftKind.COPY, DriftKind.COMPUTED, DriftKind.REFERENCE)
    checks = {check.id: check for check in checks_of(design).checks if check.kind in upkept}
    kept = tuple(_followed(design, upkeep, checks) for upkeep in upkeeps)
    routes = tuple(map(_compiled_route, routes_of(design)))
    return SyncPlan(design.model.name, stored_digest(design, Policy()), kept, routes)


def not_followed(design: Design) -> Iterator[str]:
    """Say what a background sync cannot follow: what depends on time series, and what is not a copy."""
    from nestling.ir.drift import DriftKind
    from nestling.ir.freshness import Level
    from nestling.ir.primitives import CollectionKind
    from nestling.planner.checks import checks_of
    from nestling.planner.upkeep import upkeeps_of

    series = {
        entity
        for entity, places in design.places.items()
        if any(each.copy is None and each.store.options.kind is CollectionKind.TIME_SERIES for each in places)
    }
    for upkeep in upkeeps_of(design):
        sources = {trigger.entity for trigger in upkeep.triggers if trigger.back} & series
        if sources and upkeep.freshness.level not in (Level.SNAPSHOT, Level.SCHEDULED):
            yield (
                f"`{upkeep.id}` is not followed: MongoDB has no change streams for time series (`{min(sources)}`). Make it "
                "scheduled(…) in the design, or repair it with `nestling check --repair`."
            )
    if any(check.kind in (DriftKind.SUMMARY, DriftKind.OVERFLOW) for check in checks_of(design).checks):
        yield (
            "Numbers and summaries of buckets, and flags of arrays with further pages, are kept up to date only by "
            "nestling's own writes: after writes by other programs, run `nestling check --repair`."
        )


def _followed(design: Design, upkeep: Upkeep, checks: dict[str, Check]) -> BackgroundUpkeep:
    from nestling.ir.programs.route import BackgroundUpkeep
    from nestling.pipeline.checking import compiled_check
    from nestling.planner.routes import anchor_path, search
    from nestling.planner.upkeep import implied_read

    check = checks.get(upkeep.id)
    if check is None:
        implied_read(upkeep, design, with_found=True)  # raises the gap
        raise AssertionError(f"`{upkeep.id}` has no check")
    path = anchor_path(design, upkeep)
    widths = SEARCHED_AT_ONCE if path is None else ()
    searches = tuple(_compiled_search(search(design, upkeep, width)) for width in widths)
    shared, homes = _shared(design, upkeep), _copied_from(design, upkeep)
    return BackgroundUpkeep(compiled_check(check), upkeep.freshness, path, searches, shared, homes)


def _copied_from(design: Design, upkeep: Upkeep) -> frozenset[str]:
    from nestling.ir.primitives import Copy
    from nestling.ir.storage.layout import Role

    if not isinstance(upkeep.what, Copy):
        return frozenset()
    entities = (hop.target(design.model) for hop in upkeep.what.path)
    places = (place for entity in entities for place in design.places[entity])
    return frozenset(place.store.name for place in places if place.store.role is Role.HOME)


def _shared(design: Design, upkeep: Upkeep) -> CompiledShared | None:
    from nestling.emitters.mql.read import compiled_read
    from nestling.emitters.mql.write import compiled_write
    from nestling.ir.paths.write_path import WritePlan
    from nestling.ir.programs.route import CompiledShared
    from nestling.planner.routes import shared

    found = shared(design, upkeep)
    if found is None:
        return None
    command = compiled_write(WritePlan((found.change,), ())).command
    assert command is not None
    return CompiledShared(compiled_read(found.read, name=upkeep.id, find=False), found.path, command)


def _compiled_route(route: Route) -> CompiledRoute:
    from nestling.emitters.mql.read import compiled_read
    from nestling.ir.programs.route import CompiledRoute, CompiledWalk

    links = compiled_read(route.links, name=route.upkeep, find=False) if route.links is not None else None
    walk = None
    if route.walk is not None:
        read = compiled_read(route.walk.read, name=route.upkeep, find=False)
        walk = CompiledWalk(read, route.walk.parameters, route.walk.columns)
    return CompiledRoute(route, links, walk)


def _compiled_search(search: IdSearch) -> CompiledSearch:
    from nestling.emitters.mql.read import compiled_read
    from nestling.ir.programs.route import CompiledSearch

    return CompiledSearch(compiled_read(search.read, name=search.upkeep, find=False), search.parameters)


@checks_arguments
def sync(
    proposal: Proposal,
    database: Database[Any],
    *,
    once: bool = False,
    wait: bool = True,
    restart: bool = False,
    images: bool = False,
    remove: bool = False,
    lease_seconds: float = 15.0,
    stop: Event | None = None,
    metrics: Metrics | None = None,
    say: Callable[[str], None] | None = None,
) -> SyncReport:
    """Keep every copy, computed value and array of ids right until `stop` is set, or as the options of `SyncOptions` say.

    `metrics` counts what is done; `say` is called with a sentence about each event. Raises the errors of `executors.sync.sync`,
    `MigrationError` if the documents have another design since a migration, and `VerifyError` if they have an unrelated one.
    """
    from nestling.executors.migrate import check_in_use
    from nestling.executors.sync import SyncOptions
    from nestling.executors.sync import sync as keep
    from nestling.pipeline.checking import require_design

    plan = sync_plan(proposal.design)
    check_in_use(database, plan.fingerprint)
    require_design(proposal, database)
    if say is not None:
        for told in not_followed(proposal.design):
            say(told)
    options = SyncOptions(
        once=once, wait=wait, restart=restart, images=images, remove=remove, lease_seconds=lease_seconds
    )
    return keep(database, plan, options, stop=stop, metrics=metrics, say=say)


@checks_arguments
def sync_standing(proposal: Proposal, database: Database[Any]) -> SyncState | None:
    """Return the state of the sync of a design in a database, or None if it never ran there."""
    from nestling.executors.sync import standing

    return standing(database, proposal.design.model.name)
