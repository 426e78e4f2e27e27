"""Validators against the loader: whatever loading writes for any design, the strict validators let in."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from nestling.emitters.commands import collection_commands, index_commands, unseen_commands
from nestling.emitters.jsonschema import can_validate, validator
from nestling.executors.load import load
from nestling.ir.model import Cardinality
from nestling.ir.rows import JSON_NULL, UndecodableText
from nestling.ir.types import TypeName
from tests.emitters.designs import DESIGNS
from tests.emitters.test_commands import execute
from tests.sqlite_rows import sqlite_source

ROWS = 8
MOMENT = datetime(2024, 2, 28, 22, 30)  # noqa: DTZ001 - naive, as timestamps are
EXAMPLES = {
    TypeName.BOOLEAN: (True, False),
    TypeName.INTEGER: (0, 2**40, -7),
    TypeName.DECIMAL: (Decimal("1.50"), Decimal("-2")),
    TypeName.FLOAT: (1.0, -0.5, float("inf")),
    TypeName.TEXT: ("", "größe", UndecodableText(b"\xff")),
    TypeName.BYTES: (b"\x00" * 3, b""),
    TypeName.DATE: (date(2024, 2, 29), date(1, 1, 1)),
    TypeName.TIME: ("09:30:00", "-25:00:00"),
    TypeName.TIMESTAMPTZ: (MOMENT.replace(tzinfo=UTC),),
    TypeName.INTERVAL: ("P1D",),
    TypeName.UUID: (UUID(int=1), UUID(int=2)),
    TypeName.OBJECT_ID: ("0" * 24, "65f0c0ffee" + "a" * 14),
    TypeName.JSON: ({"a": [1, None]}, JSON_NULL, [1], "text", {"$x": 1}),
    TypeName.BITS: ("101",),
    TypeName.ARRAY: ([1, None, 3], []),
    TypeName.GEOMETRY: (b"\x01",),
    TypeName.ANY: ("text", 5),
}


def rows_of(design):
    """Rows of every entity: keys count from 1, three children share a parent, NULLs stand wherever they may."""
    return {
        entity.name: distinct(row(design, entity, number) for number in range(ROWS)) for entity in design.model.entities
    }


def distinct(rows):
    return list({tuple(map(repr, row)): row for row in rows}.values())


def row(design, entity, number):
    sharing = {
        name: number if link.cardinality is Cardinality.ONE_TO_ONE else number // 3
        for link in design.model.parents_of(entity.name)
        for name in link.child_attributes
    }
    keys = dict.fromkeys(entity.key, number)
    return tuple(value(each, number, (keys | sharing).get(each.name)) for each in entity.attributes)


def value(attribute, number, key):
    """A value of row `number`; `key` is the number of the row it identifies, if it does."""
    kind = attribute.type
    if attribute.nullable and number % 3 == 0:
        return None
    if key is not None:
        return key + 1 if kind.name is TypeName.INTEGER else f"key {key}"
    if attribute.name in ("number", "year") and kind.name is TypeName.INTEGER:
        return {"number": 1 + number % 3, "year": 1996 + number}[attribute.name]
    if kind.name is TypeName.TEXT and attribute.name not in ("a_text", "words", "message"):
        return f"{attribute.name} {number}"
    if kind.name is TypeName.TIMESTAMP:
        return MOMENT + timedelta(minutes=25 * number, microseconds=1 if kind.fraction_digits > 3 else 0)
    if kind.name is TypeName.ENUM:
        return kind.values[number % len(kind.values)]
    return EXAMPLES[kind.name][number % len(EXAMPLES[kind.name])]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", DESIGNS)
def test_strict_validators_accept_what_loading_writes(database, tmp_path, name):
    """Loading rows with NULLs into collections with strict validators and all indexes succeeds, and fills every store."""
    design = DESIGNS[name]()
    execute(database, (*collection_commands(design), *index_commands(design)))
    rows = rows_of(design)
    source = sqlite_source(tmp_path / "rows.sqlite", design.model, rows)
    load(design, source, database, unseen=unseen_commands(design))
    assert [store.name for store in design.stores if database[store.name].find_one() is None] == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", DESIGNS)
def test_loading_writes_no_field_the_design_does_not_tell(database, tmp_path, name):
    """Also closed validators, which know every field, accept what loading writes."""
    design = DESIGNS[name]()
    for store in filter(can_validate, design.stores):
        database.create_collection(store.name, validator=validator(design, store, additional=False, unseen=True))
    load(design, sqlite_source(tmp_path / "rows.sqlite", design.model, rows_of(design)), database)
    assert [store.name for store in design.stores if database[store.name].find_one() is None] == []
