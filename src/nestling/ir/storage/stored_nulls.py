"""Fields that are null in a document, told from fields that are missing: a column of every entity that lists them.

SQL has one NULL for both. Rows that pass through SQL on their way between documents carry the difference beside their values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nestling.ir.model import Attribute, Model
from nestling.ir.rows import JSON_NULL
from nestling.ir.types import Type, TypeName

NULLS = Attribute("nestling nulls", Type(TypeName.JSON))
"""The names of a row's attributes whose fields are null, as a list."""

NullsKept = Mapping[str, frozenset[str]]
"""By entity, the attributes of which null and missing are told apart."""


def with_nulls(model: Model) -> Model:
    """The model with the column in every entity."""
    entities = (replace(each, attributes=(*each.attributes, NULLS)) for each in model.entities)
    return replace(model, entities=tuple(entities))


def sql_value(value: object) -> object:
    """The value as rows are found and linked by it: a null is NULL."""
    return None if value is JSON_NULL else value
