"""One model for two designs whose models differ only in relationships that statements imply."""

from __future__ import annotations

from dataclasses import replace

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.model import Entity, Model, Relationship
from nestling.ir.primitives import Document, Holder, Reference


def over_one_model(old: Design, new: Design) -> tuple[Design, Design]:
    """Return both designs over the relationships of either, or unchanged if the models differ in more than attribute order.

    The old design decides the order of attributes, because reading a database at another time may give another order. It also
    decides the fractional digits of times, which do not affect what is stored and are missing in older models. A relationship
    that no foreign key enforces does not affect how a design without it stores the data: its foreign key is an ordinary
    attribute.
    """
    new = _in_order_of(old, new)
    if (old.model.name, old.model.entities) != (new.model.name, new.model.entities):
        return old, new
    links = {link.name: link for link in (*old.model.relationships, *new.model.relationships)}
    both = tuple(links.values())
    one, other = (replace(design.model, relationships=both) for design in (old, new))
    if one != other or any(
        link.enforced or link.required for each in (old, new) for link in _unknown(each.model, both)
    ):
        return old, new
    try:
        return _over(old, one), _over(new, one)
    except DesignError:
        return old, new


def _in_order_of(old: Design, new: Design) -> Design:
    """The new design with the attribute order and fractional digits of the old one, for entities with the same attributes."""
    known = {each.name: each for each in old.model.entities}
    entities = tuple(_ordered(each, known.get(each.name, each)) for each in new.model.entities)
    return new if entities == new.model.entities else replace(new, model=replace(new.model, entities=entities))


def _ordered(entity: Entity, known: Entity) -> Entity:
    if {*entity.attribute_names} != {*known.attribute_names}:
        return entity
    pairs = ((entity.attribute(each.name), each) for each in known.attributes)
    return replace(entity, attributes=tuple(replace(own, fraction=other.fraction) for own, other in pairs))


def _unknown(model: Model, links: tuple[Relationship, ...]) -> tuple[Relationship, ...]:
    return tuple(link for link in links if not model.has_relationship(link.name))


def _over(design: Design, model: Model) -> Design:
    """The design with its new relationships held by the child. Raises `DesignError` if that is impossible."""
    added = _unknown(design.model, model.relationships)
    collections = tuple(
        replace(
            each,
            body=_with_references(each.body, added),
            variant=each.variant
            and replace(
                each.variant,
                members=tuple(replace(m, body=_with_references(m.body, added)) for m in each.variant.members),
            ),
        )
        for each in design.collections
    )
    return replace(design, model=model, collections=collections)


def _with_references(body: Document, links: tuple[Relationship, ...]) -> Document:
    own = tuple(Reference(link.name, Holder.CHILD) for link in links if link.child == body.entity)
    inner = tuple(replace(each, body=_with_references(each.body, links)) for each in body.embeddings)
    return replace(body, references=(*body.references, *own), embeddings=inner)
