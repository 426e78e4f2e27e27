"""Rows of documents in a temporary SQLite file: a value that no column can return unchanged is represented by a text.

Such texts sort after all others, and those of ObjectIds in the order of these. They are distinct values wherever rows are found
and linked; different forms of one value are stored separately (`ir/storage/stored_forms.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import bson
from bson import Binary, ObjectId
from bson.datetime_ms import DatetimeMS

from nestling.ir.codec import AS_STORED
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.rows import JSON_NULL, Row, RowQuery
from nestling.ir.types import MAY_BE_ARRAYS, TEXT, TypeName
from nestling.sources.sql.row_source import SqlDatabase

_SIGN = "\U0010ffff0d6f7c1e9b3a4852a1c46e05d97b28f3:"
"""Their prefix: the last of all characters, and 128 random bits, which no other text has by chance."""


class ShelvedRows(SqlDatabase):
    """A database of such rows, which returns them as they were."""

    def rows(self, query: RowQuery) -> Iterator[Row]:
        """Stream the rows."""
        return map(row_given, super().rows(query))


def holding(model: Model) -> Model:
    """The model with columns that keep every float: one that is REAL makes 0.0 of -0.0, a NUMERIC one 5 of 5.0."""
    entities = (replace(each, attributes=tuple(map(_holding, each.attributes))) for each in model.entities)
    return replace(model, entities=tuple(entities))


def _holding(attribute: Attribute) -> Attribute:
    is_float = attribute.type.name is TypeName.FLOAT
    return replace(attribute, also=(*attribute.also, TEXT)) if is_float else attribute


def shelving(entity: Entity) -> Callable[[Row], Row]:
    """The function from an entity's rows to values that their columns return unchanged."""
    kinds = tuple(_signed if each.type.name in MAY_BE_ARRAYS else _shelved for each in entity.attributes)
    return lambda row: tuple(shelve(value) for shelve, value in zip(kinds, row, strict=True))


def row_given(row: Row) -> Row:
    """The row that was given."""
    return tuple(_read(value) if value.__class__ is str and value.startswith(_SIGN) else value for value in row)


def _shelved(value: object) -> object:
    return _signed(value) if isinstance(value, ObjectId | Binary | DatetimeMS) else value


def _signed(value: object) -> object:
    """A NULL, and a null in place of json, count as SQL's NULL."""
    is_null = value is None or value is JSON_NULL
    return value if is_null else _SIGN + bson.encode({"": value}, codec_options=AS_STORED).hex()


def _read(text: str) -> object:
    return bson.decode(bytes.fromhex(text.removeprefix(_SIGN)), AS_STORED)[""]
