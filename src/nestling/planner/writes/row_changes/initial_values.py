"""Copies and computed values that a new row has right from its insert, so that no later step makes them."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.primitives import Computed, Copy, Form
from nestling.ir.storage.layout import Node, NodeKind
from nestling.planner.writes.places.initial_copies import copied_fields, is_always_found
from nestling.planner.writes.places.placing import is_event, is_paged


def filled_whole(design: Design, entity: Entity) -> tuple[Copy | Computed, ...]:
    """What a new row of the entity, which has one place, holds from the beginning.

    These are copies of what every row has, and values derived from children, if an enforced key prevents them from existing
    before it.
    """
    node = _whole(design, entity)
    if node is None:
        return ()
    above = (copy for copy in copied_whole(design, entity) if is_always_found(design, copy))
    derived: tuple[Copy | Computed, ...] = (*node.body.copies, *node.body.computed)
    return (*above, *(each for each in derived if _is_of_nothing_yet(design, each)))


def copied_whole(design: Design, entity: Entity) -> tuple[Copy, ...]:
    """The copies that a new row gets from the beginning, whether or not there is something to copy.

    For a parent with nothing but NULL an object is stored, for a missing one nothing: an INSERT distinguishes them by one value.
    """
    node = _whole(design, entity)
    copies = dict.fromkeys(each.copy for each in copied_fields(node)) if node is not None else ()
    return tuple(
        copy
        for copy in copies
        if copy.form is Form.INLINE or is_always_found(design, copy) or _has_value(design, copy, entity)
    )


def _has_value(design: Design, copy: Copy, entity: Entity) -> bool:
    """Whether something of what is copied is never NULL."""
    for hop in copy.path:
        entity = design.model.entity(design.model.relationship(hop.relationship).parent)
    return any(not entity.attribute(each.attribute).nullable for each in copy.attributes)


def _whole(design: Design, entity: Entity) -> Node | None:
    """The one place of the entity's rows, where a new one is put there whole."""
    places = design.places[entity.name]
    node = places[0].node
    is_whole = node.kind in (NodeKind.ROOT, NodeKind.EMBEDDED) and not is_paged(places[0]) and not is_event(places[0])
    return None if len(places) > 1 or not is_whole or places[0].store.collection.splits else node


def _is_of_nothing_yet(design: Design, derived: Copy | Computed) -> bool:
    link = design.model.relationship(derived.path[0].relationship)
    is_below = not derived.path[0].up and link.enforced and not link.is_self
    return is_below and (isinstance(derived, Computed) or not (derived.home or derived.closure))
