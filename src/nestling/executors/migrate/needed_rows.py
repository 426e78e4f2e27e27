"""The parts of the old design's rows that a target's documents need: for a merely copied entity, key and copied attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nestling.executors.migrate.unit import MigrationUnit
from nestling.ir.model import Entity, Model

Needed = Mapping[str, frozenset[str]]
"""By entity, the attributes that are read of its rows."""


def needed_attributes(model: Model, target: MigrationUnit) -> Needed:
    """The attributes of every entity that the target's documents depend on."""
    found: dict[str, set[str]] = {target.entity.name: {*target.entity.attribute_names}}
    for reach in target.reaches:
        end = reach.path[-1].target(model) if reach.path else target.entity.name
        entity = model.entity(end)
        wanted = found.setdefault(end, {*entity.key})
        if reach.attributes is None or not entity.key:  # rows without a key are told apart by all that they hold
            wanted |= {*entity.attribute_names}
        else:
            wanted |= reach.attributes
        for hop in reach.path:
            link = model.relationship(hop.relationship)
            found.setdefault(link.parent, {*model.entity(link.parent).key}).update(link.parent_attributes)
            found.setdefault(link.child, {*model.entity(link.child).key}).update(link.child_attributes)
    return {name: frozenset(names) for name, names in found.items()}


def needed_model(model: Model, *targets: MigrationUnit) -> Model:
    """The model of what the targets need. It allows any value of a type, and NULL outside keys; validity is checked elsewhere."""
    found: dict[str, frozenset[str]] = {}
    for each in targets:
        for name, names in needed_attributes(model, each).items():
            found[name] = found.get(name, frozenset()) | names
    return _of(model, found)


def _of(model: Model, of: Needed) -> Model:
    links = tuple(
        link
        for link in model.relationships
        if {*link.parent_attributes} <= of.get(link.parent, frozenset())
        and {*link.child_attributes} <= of.get(link.child, frozenset())
    )
    referred = {(link.parent, frozenset(link.parent_attributes)) for link in links}
    entities = tuple(_narrowed(each, of[each.name], referred) for each in model.entities if each.name in of)
    return Model(model.name, entities, links, strict_types=model.strict_types)


def _narrowed(entity: Entity, names: frozenset[str], referred: set[tuple[str, frozenset[str]]]) -> Entity:
    attributes = tuple(
        replace(each, allowed=None, nullable=each.nullable or each.name not in entity.key)
        for each in entity.attributes
        if each.name in names
    )
    uniques = tuple(each for each in entity.uniques if (entity.name, frozenset(each)) in referred)
    return Entity(entity.name, attributes, entity.key, uniques)
