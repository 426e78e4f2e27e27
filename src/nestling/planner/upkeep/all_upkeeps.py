"""What a design keeps that follows from something else, and which changes make it differ."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.primitives import Holder, Reference
from nestling.ir.rows import Hop
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.ir.storage.names import join
from nestling.ir.upkeep import Trigger, Upkeep
from nestling.planner.upkeep.triggers import triggers_of


def upkeeps_of(design: Design) -> tuple[Upkeep, ...]:
    """Every copy, computed value and array of ids that follows from homes, at every place that holds it.

    Data that is itself a home (copies that are one, ids that only the parent holds) is not included, nor are buckets' summaries
    and overflow flags, which follow from the same documents and change with their rows.
    """
    return tuple(
        upkeep
        for places in design.places.values()
        for place in places
        if place.copy is None and place.node.kind is not NodeKind.GROUP
        for upkeep in _at(design, place)
    )


def _at(design: Design, place: Place) -> Iterator[Upkeep]:
    body, where = place.node.body, join(_collection(place), place.path)
    for copy in body.copies:
        if not copy.home:
            yield Upkeep(join(where, copy.name), place, copy, copy.freshness, triggers_of(design.model, copy))
    for computed in body.computed:
        triggers = triggers_of(design.model, computed)
        yield Upkeep(join(where, computed.field), place, computed, computed.freshness, triggers)
    for reference in body.references:
        if reference.holder is Holder.PARENT and (triggers := _id_triggers(design, reference)):
            yield Upkeep(join(where, reference.field), place, reference, reference.freshness, triggers)


def _collection(place: Place) -> str:
    """The collection's name, with the entity where it is not the collection's own."""
    store, root = place.store, place.nodes[0]
    is_member = store.role in (Role.HOME, Role.ARCHIVE) and root.entity != store.collection.root
    return f"{store.name}({root.entity})" if is_member else store.name


def _id_triggers(design: Design, reference: Reference) -> tuple[Trigger, ...]:
    """Ids follow from the children where these tell their parent; else only what is copied beside the ids does."""
    link = design.model.relationship(reference.relationship)
    if not design.only_listed(link):
        return triggers_of(design.model, reference)
    copied = frozenset(field.attribute for field in reference.copied)
    return (Trigger(link.child, rows=False, attributes=copied, back=(Hop(link.name, up=True),)),) if copied else ()
