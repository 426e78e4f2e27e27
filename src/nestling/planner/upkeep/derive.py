"""What a design keeps that follows from something else, and which changes make it differ."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.design import Design
from nestling.ir.layout import NodeKind, Place, Role
from nestling.ir.model import Model, Relationship
from nestling.ir.names import join
from nestling.ir.primitives import Copy, Holder, Reference
from nestling.ir.rows import Hop, Path, down
from nestling.ir.upkeep import Derived, Trigger, Upkeep


def upkeeps_of(design: Design) -> tuple[Upkeep, ...]:
    """Every copy, computed value and array of ids that follows from homes, at every place that holds it.

    What is a home itself (copies that are one, ids that only the parent holds) is none, nor are buckets' summaries and overflow
    flags, which follow from the same documents and change with their rows.
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
            yield Upkeep(join(where, copy.name), place, copy, copy.freshness, _copy_triggers(design.model, place, copy))
    for computed in body.computed:
        wanted = {computed.attribute} - {None}
        triggers = _path_triggers(design.model, computed.path, frozenset(str(name) for name in wanted))
        yield Upkeep(join(where, computed.field), place, computed, computed.freshness, triggers)
    for reference in body.references:
        if reference.holder is Holder.PARENT and (triggers := _id_triggers(design, reference)):
            yield Upkeep(join(where, reference.field), place, reference, reference.freshness, triggers)


def _collection(place: Place) -> str:
    """The collection's name, with the entity where it is not the collection's own."""
    store, root = place.store, place.nodes[0]
    is_member = store.role in (Role.HOME, Role.ARCHIVE) and root.entity != store.collection.root
    return f"{store.name}({root.entity})" if is_member else store.name


def path_of(model: Model, what: Derived) -> Path:
    """The way from a holder to what the derived thing is made of."""
    return (down(model.relationship(what.relationship)),) if isinstance(what, Reference) else what.path


def is_to_one(model: Model, copy: Copy) -> bool:
    """Whether there is at most one source row."""
    return not copy.closure and all(hop.to_one(model) for hop in copy.path)


def _copy_triggers(model: Model, place: Place, copy: Copy) -> tuple[Trigger, ...]:
    wanted = {field.attribute for field in copy.attributes}
    if copy.closure:
        return _closure_triggers(model, place.node.entity, copy, frozenset(wanted))
    if not is_to_one(model, copy):
        source = model.entity(copy.path[-1].target(model))
        wanted |= {order.attribute for order in copy.order}
        wanted |= set(source.key or source.attribute_names)  # the order of equal ones
    return _path_triggers(model, copy.path, frozenset(wanted))


def _closure_triggers(model: Model, entity: str, copy: Copy, wanted: frozenset[str]) -> tuple[Trigger, ...]:
    """A row's own link, and those of its ancestors: `back` leads to all that are below."""
    link = model.relationship(copy.path[0].relationship)
    own = Trigger(entity, rows=True, attributes=frozenset(link.child_attributes), back=())
    linked = frozenset((*link.child_attributes, *link.parent_attributes))
    above = Trigger(entity, rows=True, attributes=wanted | linked, back=(Hop(link.name, up=not copy.path[0].up),))
    return own, above


def _id_triggers(design: Design, reference: Reference) -> tuple[Trigger, ...]:
    """Ids follow from the children where these tell their parent; else only what is copied beside the ids does."""
    link = design.model.relationship(reference.relationship)
    child = design.model.entity(link.child)
    copied = frozenset(field.attribute for field in reference.copied)
    if not is_only_listed(design, link):
        return _path_triggers(design.model, (down(link),), copied | frozenset(child.key))
    if not copied:
        return ()
    return (Trigger(link.child, rows=False, attributes=copied, back=(Hop(link.name, up=True),)),)


def is_only_listed(design: Design, link: Relationship) -> bool:
    """Whether some place of the child does not tell its whole foreign key: the parent's array of ids is its home."""
    nodes = (place.node for place in design.places[link.child] if place.copy is None and link.name in place.node.listed)
    for node in nodes:
        told = {field.attribute for field in node.stored}
        told |= {item.attribute for item in node.implied}
        told |= {name for pairs in node.body.pairs for name in pairs.attributes}
        if not told.issuperset(link.child_attributes):
            return True
    return False


def _path_triggers(model: Model, path: Path, wanted: frozenset[str]) -> tuple[Trigger, ...]:
    """The holder's own link, then every entity on the way with the links it stands between, the last with what is wanted."""
    found = [Trigger(path[0].start(model), rows=True, attributes=frozenset(near(model, path[0])), back=())]
    for place, hop in enumerate(path, start=1):
        attributes = frozenset(far(model, hop))
        if place < len(path):
            attributes |= frozenset(near(model, path[place]))
        else:
            attributes |= wanted
        back = tuple(Hop(each.relationship, up=not each.up) for each in reversed(path[:place]))
        found.append(Trigger(hop.target(model), _comes_and_goes(model, hop), attributes, back))
    return tuple(found)


def _comes_and_goes(model: Model, hop: Hop) -> bool:
    """Whether a row at the end of the hop may come or go while rows at its start stay as they are."""
    link = model.relationship(hop.relationship)
    return not (hop.up and model.is_total(link))


def near(model: Model, hop: Hop) -> tuple[str, ...]:
    """The attributes of the row a hop leaves from that it goes by."""
    link = model.relationship(hop.relationship)
    return link.child_attributes if hop.up else link.parent_attributes


def far(model: Model, hop: Hop) -> tuple[str, ...]:
    """The attributes of the row a hop arrives at that it goes by, in the same order."""
    link = model.relationship(hop.relationship)
    return link.parent_attributes if hop.up else link.child_attributes
