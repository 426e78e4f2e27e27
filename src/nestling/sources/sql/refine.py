"""The model as the data has it: types values really have, keys that hold, parents that are really required."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nestling.common.sql_dialects import MYSQL, SQLITE
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.quantity_words import counted
from nestling.ir.types import BOOLEAN, FLOAT, INTEGER, TEXT, Type, TypeName
from nestling.sources.defaults import retyped
from nestling.sources.sql.probes import FORMATS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nestling.sources.sql.catalog import ColumnFacts, Table
    from nestling.sources.sql.measure import TableMeasures

_T = TypeName
BYTES = Type(_T.BYTES)
_STORED = {"integer": INTEGER, "real": FLOAT, "text": TEXT, "blob": BYTES}
_FITTING = {_T.INTEGER: "integer", _T.FLOAT: "real", _T.TEXT: "text", _T.BYTES: "blob", _T.BOOLEAN: "integer"}
_BY_PRECISION = {"day": Type(_T.DATE), "second": Type(_T.TIMESTAMP), "milli": Type(_T.TIMESTAMP, (3,)),
                 "micro": Type(_T.TIMESTAMP, (6,))}  # fmt: skip
INT64_MOST = 2**63 - 1


def refined_attribute(attribute: Attribute, column: ColumnFacts, measures: TableMeasures, dialect: str) -> Attribute:
    """The attribute with the type its values have; `also` lists the types of those that disagree."""
    found = measures.columns[attribute.name]
    if not found["values"]:
        return attribute
    refined = _sqlite(attribute, found) if dialect == SQLITE else _server(attribute, column, found, dialect)
    return replace(refined, default=retyped(attribute.default, refined.type))


def _server(attribute: Attribute, column: ColumnFacts, found: Mapping[str, Any], dialect: str) -> Attribute:
    kind, also = attribute.type, attribute.also
    if kind.name in (_T.TIMESTAMP, _T.TIMESTAMPTZ) and found["milli"]:
        kind = Type(kind.name, (6 if found["micro"] else 3,))
    if found.get("odd"):
        also = (TEXT,)
    if kind.name is _T.INTEGER and int(found["most"]) > INT64_MOST:
        also = (Type(_T.DECIMAL, (20, 0)),)
    is_flag = dialect == MYSQL and column.declared.startswith("tinyint(1)")
    if is_flag and int(found["least"]) >= 0 and int(found["most"]) <= 1:
        kind = BOOLEAN
    return replace(attribute, type=kind, also=also)


def _sqlite(attribute: Attribute, found: Mapping[str, Any]) -> Attribute:
    name = attribute.type.name
    stored = [storage for storage in _STORED if found[storage]]
    if name in (_T.DATE, _T.TIMESTAMP, _T.TIMESTAMPTZ):
        return _sqlite_date(attribute, found, stored)
    if name is _T.DECIMAL:
        return _sqlite_decimal(attribute, stored)
    if name is _T.ANY:
        return replace(attribute, type=_STORED[stored[0]]) if len(stored) == 1 else attribute
    if name is _T.BOOLEAN and found["truths"] < found["integer"]:
        return replace(attribute, type=INTEGER, also=_others(stored, "integer"))
    fitting = _FITTING.get(name, "text")
    return replace(attribute, also=_others(stored, fitting))


def _sqlite_date(attribute: Attribute, found: Mapping[str, Any], stored: list[str]) -> Attribute:
    """The date or timestamp most values are in canonical form of; without any, the type they are stored as."""
    if attribute.type.name is _T.TIMESTAMPTZ and found["text"]:
        return replace(attribute, also=_others(stored, "text"))
    precision = max(FORMATS, key=lambda each: int(found[each]))
    if not found[precision]:
        main = max(stored, key=lambda storage: int(found[storage]))
        return replace(attribute, type=_STORED[main], also=_others(stored, main))
    also = _others(stored, "text")
    if found["text"] > found[precision]:
        also = (TEXT, *also)
    return replace(attribute, type=_BY_PRECISION[precision], also=also)


def _sqlite_decimal(attribute: Attribute, stored: list[str]) -> Attribute:
    """SQLite has no decimals: such a column holds integers and floats, unless it was made for exact text."""
    if stored == ["text"]:
        return attribute
    main = "real" if "real" in stored or "integer" in stored else stored[0]
    return replace(attribute, type=_STORED[main], also=_others(stored, main))


def _others(stored: list[str], main: str) -> tuple[Type, ...]:
    return tuple(_STORED[storage] for storage in stored if storage != main)


def refined_entity(entity: Entity, table: Table, measures: TableMeasures, dialect: str) -> tuple[Entity, list[str]]:
    """The entity as its data has it, and a sentence for each thing that changed."""
    attributes = tuple(
        refined_attribute(attribute, table.column(attribute.name), measures, dialect) for attribute in entity.attributes
    )
    notes = [
        f"`{entity.name}.{old.name}` is declared {old.type} but its values are {new.type}"
        for old, new in zip(entity.attributes, attributes, strict=True)
        if old.type.name is not new.type.name and old.type.name is not _T.ANY and dialect == SQLITE
    ]
    notes += [
        f"`{entity.name}.{new.name}` ({new.type}) also holds {', '.join(map(str, others))}"
        for new in attributes
        if (others := [each for each in new.also if (new.type.name, each.name) != (_T.FLOAT, _T.INTEGER)])
    ]
    return replace(entity, attributes=attributes), notes


def without_null_keys(entity: Entity, null_keys: int) -> tuple[Entity, list[str]]:
    """The entity without its primary key when that is NULL in some rows, which SQLite allows."""
    if not null_keys:
        not_null = tuple(replace(a, nullable=False) if a.name in entity.key else a for a in entity.attributes)
        return replace(entity, attributes=not_null), []
    what = f"`{entity.name}` has {counted(null_keys, 'row')} whose primary key is NULL, so it counts as having none"
    return replace(entity, key=(), uniques=(entity.key, *entity.uniques)), [what]


def refined_model(model: Model, entities: Mapping[str, Entity], required: Mapping[str, bool]) -> Model:
    """The model with its entities and the `required` of its relationships replaced."""
    links = tuple(replace(link, required=required.get(link.name, link.required)) for link in model.relationships)
    return replace(model, entities=tuple(entities[entity.name] for entity in model.entities), relationships=links)
