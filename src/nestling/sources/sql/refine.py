"""The model as the data has it: types values really have, keys that hold, parents that are really required."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nestling.ir.constraints.defaults import Generated
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.quantity_words import counted
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.types import BSON_DIGITS, DURATION, NAN, TEXT, Type, TypeName
from nestling.ir.value_forms.infinite_moments import INFINITE
from nestling.ir.value_forms.numeral import INT64
from nestling.sources.defaults import retyped
from nestling.sources.sql.engines import engine_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nestling.sources.sql.catalog import CatalogTable, ColumnFacts
    from nestling.sources.sql.measure import TableMeasures

_T = TypeName


def refined_attribute(attribute: Attribute, column: ColumnFacts, measures: TableMeasures, dialect: str) -> Attribute:
    """The attribute with the type of its values; `also` lists the types of exceptions."""
    found = measures.columns[attribute.name]
    if not found["values"]:
        return attribute
    refined = engine_of(dialect).refined(attribute, column, found)
    return replace(refined, default=retyped(attribute.default, refined.type))


def as_declared(attribute: Attribute, found: Mapping[str, Any], odd_date: Type) -> Attribute:
    """The attribute in a database that enforces declared types; `odd_date`: the type of its impossible dates."""
    kind, also = attribute.type, attribute.also
    if kind.name in (_T.TIMESTAMP, _T.TIMESTAMPTZ) and found["milli"]:
        kind = Type(kind.name, (6 if found["micro"] else 3,))
    if found.get("nan"):
        kind = replace(kind, carried=f"{kind.carried} {NAN}".strip())
    if found.get("long"):
        kind = replace(kind, carried=DURATION)
    if found.get("infinite"):
        also = (INFINITE,)
    if found.get("odd"):
        also = (TEXT if kind.name is _T.ARRAY else odd_date,)
    if found.get("nested"):
        also = (*also, Type(_T.ARRAY, element=kind))
    if kind.name is _T.INTEGER and int(found["most"]) >= INT64:
        also = (Type(_T.DECIMAL, (20, 0)),)
    return replace(attribute, type=kind, also=also)


def refined_entity(
    entity: Entity, table: CatalogTable, measures: TableMeasures, dialect: str
) -> tuple[Entity, list[str]]:
    """The entity as its data has it, and a sentence for each thing that changed."""
    attributes = tuple(
        refined_attribute(attribute, table.column(attribute.name), measures, dialect) for attribute in entity.attributes
    )
    notes = [
        f"`{entity.name}.{old.name}` {engine_of(dialect).remark(old, new, measures.columns[old.name])}"
        for old, new in zip(entity.attributes, attributes, strict=True)
        if old.type.name is not new.type.name and old.type.name is not _T.ANY and not engine_of(dialect).enforces_types
    ]
    notes += [
        f"`{entity.name}.{new.name}` ({new.type}) also holds {', '.join(map(str, others))}"
        for new in attributes
        if (others := [each for each in new.also if (new.type.name, each.name) != (_T.FLOAT, _T.INTEGER)])
    ]
    notes += [_by_default(entity, each) for each in attributes if dialect == SQLITE and _lacks_digits(each)]
    return replace(entity, attributes=attributes), notes


def _lacks_digits(attribute: Attribute) -> bool:
    """Whether its moments have digits of a second, which SQLite's CURRENT_TIMESTAMP has not."""
    made = attribute.default is Generated.TIMESTAMP and attribute.type.name is _T.TIMESTAMP
    return made and attribute.type.fraction_digits > 0 and TEXT not in attribute.also


def _by_default(entity: Entity, attribute: Attribute) -> str:
    digits = "milliseconds" if attribute.type.fraction_digits <= BSON_DIGITS else "microseconds"
    return (
        f"`{entity.name}.{attribute.name}` holds timestamps with {digits}, but its default CURRENT_TIMESTAMP gives whole seconds:"
        " an INSERT that omits it is not converted; set the value, for example with strftime('%Y-%m-%d %H:%M:%f', 'now')"
    )


def without_null_keys(entity: Entity, null_keys: int) -> tuple[Entity, list[str]]:
    """The entity without its primary key when that is NULL in some rows, which SQLite allows."""
    if not null_keys:
        not_null = tuple(replace(a, nullable=False) if a.name in entity.key else a for a in entity.attributes)
        return replace(entity, attributes=not_null), []
    what = f"`{entity.name}` has {counted(null_keys, 'row')} with a NULL primary key, so it is treated as having no key"
    return replace(entity, key=(), uniques=(entity.key, *entity.uniques)), [what]


def refined_model(model: Model, entities: Mapping[str, Entity], required: Mapping[str, bool]) -> Model:
    """The model with its entities and the `required` of its relationships replaced."""
    links = tuple(replace(link, required=required.get(link.name, link.required)) for link in model.relationships)
    return replace(model, entities=tuple(entities[entity.name] for entity in model.entities), relationships=links)
