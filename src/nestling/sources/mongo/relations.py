"""From entities and links to the tables a model is shaped from: foreign keys follow from where rows lie, and from links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from nestling.ir.facts.structure import FieldPlace, Link
from nestling.ir.model import Attribute, Model, OnDelete, Relationship
from nestling.ir.types import COMPOSITE, TypeName
from nestling.sources.mongo.entities import EntityOf
from nestling.sources.mongo.entity_names import free, reference_name
from nestling.sources.mongo.seen import NodeRole
from nestling.sources.mongo.survey import Survey
from nestling.sources.mongo.types import JSON
from nestling.sources.tables import ForeignKey, Table

Entities = Mapping[FieldPlace, EntityOf]
LEAST_RESOLVED = 0.5


def add_listed(survey: Survey, found: Entities) -> None:
    """Rows whose ids their parent lists get the foreign key only that list tells."""
    for seen in survey.seen.values():
        if seen.role is NodeRole.LISTED and seen.link is not None and seen.above is not None and seen.back is None:
            parent, child = found[seen.above.place], found[seen.link.target, seen.link.target_node]
            taken = {attribute.name.casefold() for attribute in child.attributes()} | set(child.listed.values())
            names = parent.by_steps
            for steps in parent.seen.key:
                child.listed[seen.place, steps] = free(reference_name(parent.name, names[steps]), taken)


def without_parts_as_kinds(model: Model, found: Entities) -> Model:
    """The model without sub-documents among its subtypes: they are parts of a document, and only a discriminator tells kinds."""
    parts = {entity.name for entity in found.values() if entity.above is not None and not entity.seen.kind}
    kept = []
    for each in model.hierarchies:
        kinds = tuple(name for name in each.subtypes if model.relationship(name).child not in parts)
        kept += [replace(each, subtypes=kinds)] if kinds else []
    return replace(model, hierarchies=tuple(kept))


def tables(survey: Survey, found: Entities) -> tuple[Table, ...]:
    """A table for each entity."""
    keys = {place: list(_foreign_keys(place, survey, found)) for place in found}
    return tuple(_table(entity, keys[place], keys) for place, entity in found.items())


def _table(entity: EntityOf, own: list[ForeignKey], keys: Mapping[FieldPlace, list[ForeignKey]]) -> Table:
    referred = {key.referenced_columns for every in keys.values() for key in every if key.table == entity.name}
    told = {frozenset(columns): columns for columns in (*_declared(entity), *referred)}
    uniques = tuple(sorted(columns for group, columns in told.items() if group != set(entity.key)))
    columns = (*entity.attributes(), *_listed_attributes(entity))
    return Table(entity.name, columns, entity.key, uniques, tuple(own), where=entity.seen.collection.name)


def _declared(entity: EntityOf) -> Iterator[tuple[str, ...]]:
    """The attributes of each unique index over whole documents that are rows of this entity, and of no other."""
    if entity.seen.node.steps or entity.seen.kind:
        return
    kinds = {attribute.name: attribute.type.name for attribute in entity.attributes()}
    usual = next((index.collation for index in entity.seen.collection.indexes if index.is_id), "")
    for index in entity.seen.collection.indexes:
        whole = bool(index.present) or not (index.partial or index.sparse)
        if index.unique and not index.is_id and whole and index.collation == usual:
            names = entity.names(tuple(tuple(field.split(".")) for field, _ in index.keys))
            if names is not None and not any(kinds[name] in COMPOSITE for name in names):
                yield names


def _listed_attributes(entity: EntityOf) -> Iterator[Attribute]:
    return (Attribute(name, JSON) for name in entity.listed.values())


def _foreign_keys(place: FieldPlace, survey: Survey, found: Entities) -> Iterator[ForeignKey]:
    entity = found[place]
    if entity.above is not None and (referenced := entity.above.key):
        yield ForeignKey(tuple(entity.implied.values()), entity.above.name, referenced, on_delete=OnDelete.CASCADE)
    for link in survey.links:
        if owner(link, survey, found) is entity:
            yield from _reference(link, entity, found)
    for seen in survey.seen.values():
        listed = seen.link is not None and (seen.link.target, seen.link.target_node) == place
        if seen.role is NodeRole.LISTED and listed and seen.above is not None and seen.back is None:
            parent = found[seen.above.place]
            columns = tuple(name for (at, _), name in entity.listed.items() if at == seen.place)
            yield ForeignKey(columns, parent.name, parent.key, enforced=False)


def owner(link: Link, survey: Survey, found: Entities) -> EntityOf | None:
    """The entity whose rows a link is of: a bucket's are its events, a merged sub-document's the rows around."""
    seen = survey.seen.get((link.collection, link.node))
    if seen is None:
        return None
    if seen.role is NodeRole.MERGED and seen.around is not None:
        seen = seen.around
    if seen.role is NodeRole.BUCKET:
        seen = next(each for each in survey.seen.values() if each.above is seen and each.role is NodeRole.ENTITY)
    entity = found.get(seen.place)
    if entity is None or entity.names(link.columns) is not None:
        return entity
    kinds = (each for each in found.values() if each.seen.kind and each.above is entity)
    return next((each for each in kinds if each.names(link.columns) is not None), entity)


def _reference(link: Link, entity: EntityOf, found: Entities) -> Iterator[ForeignKey]:
    target = found.get((link.target, link.target_node))
    columns = entity.names(link.columns)
    referenced = target.names(link.target_columns) if target is not None else None
    if target is not None and columns and referenced and link.resolved >= LEAST_RESOLVED * link.checked:
        yield ForeignKey(columns, target.name, referenced, enforced=False)


def typed(model: Model) -> Model:
    """The model with the types that foreign keys take from what they refer to, where nothing else tells them."""
    entities = []
    for entity in model.entities:
        kinds = {
            child: model.entity(link.parent).attribute(parent).type
            for link in model.parents_of(entity.name)
            for child, parent in zip(link.child_attributes, link.parent_attributes, strict=True)
        }
        attributes = tuple(
            replace(each, type=kinds[each.name]) if each.type == JSON and each.name in kinds else each
            for each in entity.attributes
        )
        entities.append(replace(entity, attributes=attributes))
    return replace(model, entities=tuple(entities))


def with_strict_types(model: Model) -> Model:
    """The model, which says where there are attributes of several types, or decimals, that these are what MongoDB has."""
    every = [each for entity in model.entities for each in entity.attributes]
    return replace(
        model, strict_types=any(each.is_of_several_types or each.type.name is TypeName.DECIMAL for each in every)
    )


def relationship(model: Model, parent: str, child: str, attributes: tuple[str, ...]) -> Relationship | None:
    """The relationship of a foreign key."""
    return next(
        (
            link
            for link in model.parents_of(child)
            if link.parent == parent and set(link.child_attributes) == set(attributes)
        ),
        None,
    )
