"""A new design whose new attributes have the values that somebody gives for the rows there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from nestling.common.errors import InputError, Problem, unknown
from nestling.ir.amendments import filled_value
from nestling.ir.constraints.defaults import constant
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.planner.migration.renaming import split_name


def with_values(design: Design, before: Model, values: Mapping[str, str]) -> Design:
    """The design with these constants, by `entity.attribute`, as defaults of attributes that `before` does not have.

    Raises `InputError` for unknown names, attributes that are not new, and texts that are not values of their type.
    """
    given: dict[str, dict[str, str]] = {}
    for name, value in values.items():
        entity, attribute = split_name(design.model, name)
        given.setdefault(entity, {})[attribute] = value
    if problems := tuple(_mistakes(design.model, before, given)):
        raise InputError(*problems)
    entities = tuple(_entity(each, given.get(each.name, {})) for each in design.model.entities)
    return replace(design, model=replace(design.model, entities=entities))


def _mistakes(model: Model, before: Model, given: Mapping[str, Mapping[str, str]]) -> Iterator[Problem]:
    for name, values in given.items():
        if not model.has_entity(name):
            known = [each.name for each in model.entities]
            yield replace(unknown("entity", name, known), what=f"the new design has no entity `{name}`")
            continue
        entity = model.entity(name)
        for attribute, value in values.items():
            if attribute not in entity:
                yield entity.no_attribute(attribute)
            elif not before.has_entity(name) or attribute in before.entity(name):
                what = f"`{name}.{attribute}` is not new: existing rows already have a value for it, or there are none"
                yield Problem(what, next_move="change it with UPDATE, before or after the migration")
            elif filled_value(_with_default(entity.attribute(attribute), value)) is None:
                what = f"`{value}` is not a value for `{name}.{attribute}`, which is {entity.attribute(attribute).type}"
                yield Problem(what, next_move="give a value of that type; dates and timestamps as 2026-01-31 10:00:00")


def _entity(entity: Entity, values: Mapping[str, str]) -> Entity:
    if not values:
        return entity
    attributes = (_with_default(each, values[each.name]) if each.name in values else each for each in entity.attributes)
    return replace(entity, attributes=tuple(attributes))


def _with_default(attribute: Attribute, value: str) -> Attribute:
    return replace(attribute, default=constant(value, attribute.type))
