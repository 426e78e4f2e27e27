"""A reading in which timestamps keep only milliseconds, so that all are dates; finer digits are cut off in reads and writes.

They are cut off rather than rounded, so a timestamp stays in its second, day and month, and `at >= :from AND at < :to` finds
the same rows for bounds of whole milliseconds. Timestamps that identify rows – in keys, unique groups and foreign keys – are
not changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from nestling.ir.distribution import Distribution
from nestling.ir.fraction import Fraction
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.reading import Reading
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.statistics import EntityStatistics, Statistics
from nestling.ir.types import BSON_DIGITS, MOMENTS, TEXT
from nestling.ir.value_forms.instants import cut_to_millisecond

OF_SOURCE = Fraction(BSON_DIGITS, cut=True, source_is_finer=True)


def with_milliseconds(reading: Reading) -> Reading:
    """Return the reading with milliseconds for every timestamp that may have more digits and does not identify rows."""
    model = reading.model
    entities = tuple(_entity(entity, model, reading.dialect) for entity in model.entities)
    changed = replace(model, entities=entities)
    known = ((entity.name, _statistics(reading.statistics.entity(entity.name), entity)) for entity in entities)
    statistics = Statistics(tuple(known), reading.statistics.relationships)
    return replace(reading, model=changed, statistics=statistics)


def cut_moments(model: Model) -> Iterator[tuple[Entity, Attribute]]:
    """Yield the attributes whose values are cut to milliseconds when rows are read."""
    for entity in model.entities:
        for attribute in entity.attributes:
            if attribute.fraction is not None and attribute.fraction.source_is_finer:
                yield entity, attribute


def fine_moments(model: Model) -> Iterator[tuple[Entity, Attribute]]:
    """The attributes that have microseconds."""
    for entity in model.entities:
        for attribute in entity.attributes:
            if attribute.type.fraction_digits > BSON_DIGITS:
                yield entity, attribute


def _entity(entity: Entity, model: Model, dialect: str) -> Entity:
    telling = _telling(entity, model)
    return replace(
        entity,
        attributes=tuple(
            each if each.name in telling or not _may_be_finer(each, dialect) else _cut(each)
            for each in entity.attributes
        ),
    )


def _telling(entity: Entity, model: Model) -> set[str]:
    """The attributes that identify rows or refer to rows."""
    groups = [entity.key, *entity.uniques, *(each.attributes for each in entity.partial_uniques)]
    for link in model.relationships:
        groups += [link.parent_attributes] if link.parent == entity.name else []
        groups += [link.child_attributes] if link.child == entity.name else []
    return {name for group in groups for name in group}


def _may_be_finer(attribute: Attribute, dialect: str) -> bool:
    """Whether a column may have more than milliseconds. In SQLite only its values show that; one with texts stays as it is."""
    if attribute.type.name not in MOMENTS or TEXT in attribute.also:
        return False
    if dialect == SQLITE:
        return attribute.type.fraction_digits > BSON_DIGITS
    return attribute.fraction is None or attribute.fraction.digits > BSON_DIGITS


def _cut(attribute: Attribute) -> Attribute:
    kind = attribute.type
    digits = min(kind.fraction_digits, BSON_DIGITS)
    return replace(attribute, type=replace(kind, numbers=(digits,) if digits else ()), fraction=OF_SOURCE)


def _statistics(known: EntityStatistics, entity: Entity) -> EntityStatistics:
    cut = {each.name for each in entity.attributes if each.fraction == OF_SOURCE}
    attributes = tuple(
        (name, replace(found, values=_values(found.values)) if name in cut and found.values is not None else found)
        for name, found in known.attributes
    )
    return replace(known, attributes=attributes)


def _values(values: Distribution) -> Distribution:
    common: dict[Any, float] = {}
    for value, share in values.common:
        common[_each(value)] = common.get(_each(value), 0.0) + share
    return replace(values, quantiles=tuple(map(_each, values.quantiles)), common=tuple(common.items()))


def _each(value: object) -> object:
    return cut_to_millisecond(value) if isinstance(value, datetime) else value
