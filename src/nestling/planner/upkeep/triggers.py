"""Which changes make a derived thing differ: asked by prices before there is a design, and by all that keep one right."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import assert_never

from nestling.ir.freshness import Freshness, Level
from nestling.ir.model import Model
from nestling.ir.primitives import Computed, Copy, Reference
from nestling.ir.rows import Hop, RowPath, down, reversed_path
from nestling.ir.upkeep import Derived, Trigger
from nestling.planner.upkeep.change import ChangeKind, RowChange


def triggers_of(model: Model, what: Derived) -> tuple[Trigger, ...]:
    """The changes of what it is made of, and of the links that lead there; of ids, where children tell their parent."""
    match what:
        case Copy(closure=True):
            return _closure_triggers(model, what)
        case Copy(path=path, attributes=attributes):
            wanted = {field.attribute for field in attributes}
            if not what.is_to_one(model):
                source = model.entity(path[-1].target(model))
                wanted |= {order.attribute for order in what.order}
                wanted |= set(source.identity)  # the order of equal ones
            return _path_triggers(model, path, wanted)
        case Computed(path=path):
            return _path_triggers(model, path, set() if what.attribute is None else {what.attribute})
        case Reference(relationship):
            link = model.relationship(relationship)
            copied = {field.attribute for field in what.copied}
            return _path_triggers(model, (down(link),), copied | set(model.entity(link.child).key))
        case _:
            assert_never(what)


def fired_triggers(
    model: Model, freshness: Freshness, triggers: Iterable[Trigger], change: RowChange
) -> tuple[Trigger, ...]:
    """The triggers of a derived value that a change of a row fires, so that the value must be made again.

    A snapshot is made once and never again: only the INSERT of the row that holds it fires its triggers.
    """
    found = tuple(trigger for trigger in triggers if _fires(model, trigger, change))
    if freshness.level is not Level.SNAPSHOT:
        return found
    return tuple(trigger for trigger in found if not trigger.back and change.kind is ChangeKind.INSERT)


def _fires(model: Model, trigger: Trigger, change: RowChange) -> bool:
    """Whether the change can make the derived value of some document wrong.

    An INSERT or DELETE of a row fires no trigger that leads to its children by an enforced foreign key: at that time the row
    has no children.
    """
    if trigger.entity != change.entity:
        return False
    if change.kind is ChangeKind.UPDATE:
        return bool(trigger.attributes & change.attributes)
    if not trigger.back:
        return trigger.rows and change.kind is ChangeKind.INSERT
    first = trigger.back[0]
    return trigger.rows and (first.up or not model.relationship(first.relationship).enforced)


def path_of(model: Model, what: Derived) -> RowPath:
    """The way from a holder to what the derived thing is made of."""
    return (down(model.relationship(what.relationship)),) if isinstance(what, Reference) else what.path


def _closure_triggers(model: Model, copy: Copy) -> tuple[Trigger, ...]:
    """A row's own link, and those of its ancestors: `back` leads to all that are below."""
    link = model.relationship(copy.path[0].relationship)
    wanted = {field.attribute for field in copy.attributes}
    own = Trigger(link.child, rows=True, attributes=frozenset(link.child_attributes), back=())
    linked = frozenset({*wanted, *link.child_attributes, *link.parent_attributes})
    return own, Trigger(link.child, rows=True, attributes=linked, back=(Hop(link.name, up=not copy.path[0].up),))


def _path_triggers(model: Model, path: RowPath, wanted: Collection[str]) -> tuple[Trigger, ...]:
    """The holder's own link, then every entity on the way with the links it stands between, the last with what is wanted."""
    found = [Trigger(path[0].start(model), rows=True, attributes=frozenset(path[0].near(model)), back=())]
    for place, hop in enumerate(path, start=1):
        onwards = path[place].near(model) if place < len(path) else wanted
        attributes = frozenset((*hop.far(model), *onwards))
        back = reversed_path(path[:place])
        found.append(Trigger(hop.target(model), _comes_and_goes(model, hop), attributes, back))
    return tuple(found)


def _comes_and_goes(model: Model, hop: Hop) -> bool:
    """Whether a row at the end of the hop may come or go while rows at its start stay as they are."""
    link = model.relationship(hop.relationship)
    return not (hop.up and model.is_total(link))
