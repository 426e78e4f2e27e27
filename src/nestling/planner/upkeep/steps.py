"""The steps that keep everything right after rows of an entity have changed in their homes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.paths.write_path import Each, Fetch, WriteStep
from nestling.ir.primitives import CollectionKind, Copy
from nestling.ir.reading import GapKind
from nestling.ir.types import COMPOSITE
from nestling.ir.upkeep import Derived, Trigger, Upkeep
from nestling.planner.reads.gaps import read_gap
from nestling.planner.upkeep.affected import anchors_read, direct_anchors, linked_values
from nestling.planner.upkeep.all_upkeeps import upkeeps_of
from nestling.planner.upkeep.change import RowChange, new
from nestling.planner.upkeep.descendants import descendants_read
from nestling.planner.upkeep.refresh import refresh_steps
from nestling.planner.upkeep.shortcuts import shortcut
from nestling.planner.upkeep.triggers import fired_triggers, path_of


@dataclass(frozen=True, slots=True)
class UpkeepSteps:
    """The steps, and the ids of the upkeeps that are left to the background sync."""

    steps: tuple[WriteStep, ...]
    left: tuple[str, ...] = ()


def upkeep_steps(
    design: Design, change: RowChange, *, filled: Collection[Derived] = (), copied: Collection[Derived] = ()
) -> UpkeepSteps:
    """The steps once the homes have changed. New rows already hold what is `filled`, and what is `copied` as far as it exists.

    If several row sets have changed, the caller orders the steps so that those that read homes come last: their result stands.

    Raises `ReadGap` if no steps are known.
    """
    steps: list[WriteStep] = []
    left: list[str] = []
    for upkeep in upkeeps_of(design):
        due = fired_triggers(design.model, upkeep.freshness, upkeep.triggers, change)
        held = copied if upkeep.freshness.is_left else filled
        due = tuple(trigger for trigger in due if trigger.back or upkeep.what not in held)
        if not due:
            continue
        if upkeep.freshness.is_left:
            left.append(upkeep.id)
        else:
            steps += _upkeep_in_order(design, upkeep, due, change)
    return UpkeepSteps(tuple(steps), tuple(left))


def _upkeep_in_order(design: Design, upkeep: Upkeep, due: Sequence[Trigger], change: RowChange) -> Iterator[WriteStep]:
    """Operators that add to what is there come first: a refresh after them reads the homes, and has the last word."""
    _refuse_fixed(upkeep)
    quick = {trigger: shortcut(design, upkeep, trigger, change) for trigger in due}
    for trigger in due:
        if (steps := quick[trigger]) is not None:
            yield Each(change.rows, steps)
    for number, trigger in enumerate(due):
        if quick[trigger] is None:
            rows = f"{change.rows}: {upkeep.id} {number}"
            anew = tuple(_refreshed(design, upkeep, trigger, change, rows))
            yield from (Each(change.rows, anew),) if anew else ()


def _refuse_fixed(upkeep: Upkeep) -> None:
    """Documents of some collections cannot change together with others."""
    kind = upkeep.place.store.options.kind
    if kind in (CollectionKind.CAPPED, CollectionKind.TIME_SERIES):
        raise read_gap(
            f"updating `{upkeep.id}` in a {kind} collection, which cannot take part in transactions", GapKind.NEVER
        )


def _refreshed(design: Design, upkeep: Upkeep, trigger: Trigger, change: RowChange, rows: str) -> Iterator[WriteStep]:
    path = path_of(design.model, upkeep.what)
    if not trigger.back:
        own = {name: new(name) for name in _identity(design, upkeep)}
        yield from refresh_steps(upkeep, design, own, rows, is_identity=True)
    elif isinstance(upkeep.what, Copy) and upkeep.what.closure:
        yield from _below(design, upkeep, change, rows)
    elif len(trigger.back) == 1:
        for number, given in enumerate(direct_anchors(design, path, change)):
            yield from refresh_steps(upkeep, design, given, f"{rows}.{number}")
    else:
        yield from _far(design, upkeep, len(trigger.back), change, rows)


def _far(design: Design, upkeep: Upkeep, position: int, change: RowChange, rows: str) -> Iterator[WriteStep]:
    path = path_of(design.model, upkeep.what)
    plan, parameters, names = anchors_read(design, path, position)
    for number, columns in enumerate(linked_values(change, tuple(parameters))):
        anchors = f"{rows}.{number} anchors"
        yield Fetch(anchors, plan, tuple((parameter, columns[name]) for name, parameter in parameters.items()))
        yield Each(anchors, refresh_steps(upkeep, design, names, f"{rows}.{number}"))


def _below(design: Design, upkeep: Upkeep, change: RowChange, rows: str) -> Iterator[WriteStep]:
    """The rows below the changed one, found by the server's walk; all holders where it cannot walk."""
    assert isinstance(upkeep.what, Copy)
    link = design.model.relationship(upkeep.what.path[0].relationship)
    stays = change.has_new and not change.attributes & set(link.parent_attributes)
    found = descendants_read(design, upkeep.what, stays=stays)
    if found is None:
        yield from refresh_steps(upkeep, design, {}, rows)
        return
    plan, parameters, names = found
    for number, columns in enumerate(linked_values(change, tuple(parameters))):
        below = f"{rows}.{number} below"
        yield Fetch(below, plan, tuple((parameter, columns[name]) for name, parameter in parameters.items()))
        own = {name: names[name] for name in link.parent_attributes}
        yield Each(below, refresh_steps(upkeep, design, own, f"{rows}.{number}"))


def _identity(design: Design, upkeep: Upkeep) -> tuple[str, ...]:
    """What tells the holder's row: its key, else all values that can be asked for."""
    entity = design.model.entity(upkeep.holder)
    plain = tuple(a.name for a in entity.attributes if a.type.name not in COMPOSITE)
    return entity.key or plain or entity.attribute_names
