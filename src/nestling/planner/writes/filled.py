"""Copies a new row holds right from the beginning, so that nothing has to be made of them once more."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.layout import NodeKind
from nestling.ir.model import Entity
from nestling.ir.primitives import Copy
from nestling.planner.writes.copied import copied_fields, is_always_found
from nestling.planner.writes.placing import is_event, is_paged


def filled_whole(design: Design, entity: Entity) -> tuple[Copy, ...]:
    """The copies a new row of the entity holds right from the beginning: every row has what they are of, and one place."""
    places = design.places[entity.name]
    node = places[0].node
    is_whole = node.kind in (NodeKind.ROOT, NodeKind.EMBEDDED) and not is_paged(places[0]) and not is_event(places[0])
    if len(places) > 1 or not is_whole or places[0].store.collection.splits:
        return ()
    copies = dict.fromkeys(each.copy for each in copied_fields(node))
    return tuple(copy for copy in copies if is_always_found(design, copy))
