"""Copies, computed values and ids that follow from homes, compared with these; snapshots are what they were, and not compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.drift import Check, Compared, DriftKind, Screen
from nestling.ir.freshness import Level
from nestling.ir.primitives import Computed, Copy, Reference
from nestling.ir.reading import Gap
from nestling.ir.rows import AggregateKind
from nestling.ir.upkeep import Upkeep
from nestling.planner.checks.comparing import differing, guarded, way_to
from nestling.planner.checks.screens import screen_of
from nestling.planner.reads import ReadGap
from nestling.planner.upkeep import Implied, implied, stored, upkeeps_of


def kept_checks(design: Design) -> Iterator[Check | Gap]:
    """A check for every upkeep that follows its source; a gap for what no read is known for."""
    for upkeep in upkeeps_of(design):
        if upkeep.freshness.level is Level.SNAPSHOT:
            continue
        try:
            found = implied(upkeep, design, with_found=True)
            yield _check(found, screen_of(upkeep, design, [path for path, _ in found.values]))
        except ReadGap as error:
            yield replace(error.gap, where=error.gap.where or upkeep.id)


def _check(found: Implied, screen: Screen | None) -> Check:
    upkeep = found.upkeep
    pairs = zip(found.values, found.found, strict=True)
    values = tuple(Compared(path, expected, there) for (path, expected), there in pairs)
    repair = guarded(stored(found), upkeep.place, found.locators, values)
    return Check(
        upkeep.id,
        _kind(upkeep),
        upkeep.place.store.name,
        replace(found.plan, step=differing(found.plan.step, values)),
        values,
        way_to(upkeep.place, found.locators),
        repair,
        freshness=upkeep.freshness,
        screen=screen,
        inexact=isinstance(upkeep.what, Computed) and upkeep.what.function in (AggregateKind.SUM, AggregateKind.AVG),
    )


def _kind(upkeep: Upkeep) -> DriftKind:
    match upkeep.what:
        case Copy():
            return DriftKind.COPY
        case Computed():
            return DriftKind.COMPUTED
        case Reference():
            return DriftKind.REFERENCE
