"""Differences between documents that SQL would lose, stored in a BSON column of every entity's rows.

SQL has one NULL for a null and a missing field, one type of whole numbers, and JSON for types that only BSON has. Rows that
pass through SQL on their way between documents carry the difference with them. This concerns different forms of one value, by
which rows are still found and linked; a value without an equal in SQL becomes a different value (`Policy.of_documents`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import bson

from nestling.ir.codec import AS_STORED
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.rows import JSON_NULL
from nestling.ir.types import Type, TypeName

STORED_FORMS = Attribute("nestling stored", Type(TypeName.BYTES))
"""By attribute, the values of a row that documents hold in another form than SQL's values have there: a document."""

AttributesOf = Mapping[str, frozenset[str]]
"""Attributes by entity."""


@dataclass(frozen=True, slots=True)
class KeptForms:
    """By entity, the attributes in which null and missing are distinguished, and those whose values' form is recorded."""

    nulls: AttributesOf = field(default_factory=dict)
    values: AttributesOf = field(default_factory=dict)


def with_stored(entity: Entity) -> Entity:
    """The entity with the column."""
    return replace(entity, attributes=(*entity.attributes, STORED_FORMS))


def all_with_stored(model: Model) -> Model:
    """The model with the column in every entity."""
    return replace(model, entities=tuple(map(with_stored, model.entities)))


def stored_values(column: object) -> Mapping[str, Any]:
    """The contents of a row's column: values as documents hold them, by attribute."""
    return bson.decode(column, AS_STORED) if isinstance(column, bytes) else {}


def sql_value(value: object) -> object:
    """The value as rows are found and linked by it: a null is NULL."""
    return None if value is JSON_NULL else value
