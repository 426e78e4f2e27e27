"""What a new row holds right from the beginning, so that nothing has to be made of it once more."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.layout import NodeKind
from nestling.ir.model import Entity
from nestling.ir.primitives import Computed, Copy
from nestling.planner.writes.copied import copied_fields, is_always_found
from nestling.planner.writes.placing import is_event, is_paged


def filled_whole(design: Design, entity: Entity) -> tuple[Copy | Computed, ...]:
    """What a new row of the entity, which has one place, holds right from the beginning: copies of what every row has, and
    what is kept of children, of which a key that is enforced lets none be there before it.
    """
    places = design.places[entity.name]
    node = places[0].node
    is_whole = node.kind in (NodeKind.ROOT, NodeKind.EMBEDDED) and not is_paged(places[0]) and not is_event(places[0])
    if len(places) > 1 or not is_whole or places[0].store.collection.splits:
        return ()
    copies = dict.fromkeys(each.copy for each in copied_fields(node))
    above = (copy for copy in copies if is_always_found(design, copy))
    derived: tuple[Copy | Computed, ...] = (*node.body.copies, *node.body.computed)
    return (*above, *(each for each in derived if _is_of_nothing_yet(design, each)))


def _is_of_nothing_yet(design: Design, derived: Copy | Computed) -> bool:
    link = design.model.relationship(derived.path[0].relationship)
    is_below = not derived.path[0].up and link.enforced and not link.is_self
    return is_below and (isinstance(derived, Computed) or not (derived.home or derived.closure))
