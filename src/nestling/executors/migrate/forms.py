"""The form in which documents hold a row's values, where SQL's values would be stored in another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import bson
from bson import ObjectId

from nestling.common.errors import LoadError
from nestling.executors.load.stored_value import STORED_AS_IT_IS
from nestling.executors.read import row_decoder
from nestling.ir.codec import CODEC
from nestling.ir.model import Attribute, Entity
from nestling.ir.paths.access_path import column_field
from nestling.ir.rows import Row
from nestling.ir.storage.stored_forms import KeptForms
from nestling.ir.types import TypeName
from nestling.ir.value_forms.canonical import stored_bytes
from nestling.ir.values import Policy, encoder

_AS_IT_IS = {**STORED_AS_IT_IS, TypeName.OBJECT_ID: ObjectId}

IsOther = Callable[[object, object], bool]
"""Whether a value as documents hold it, and as SQL has it, would be stored as another."""


def telling_decoder(
    columns: Sequence[str], entity: Entity, told: KeptForms, policy: Policy
) -> Callable[[Mapping[str, Any]], Row]:
    """Return a decoder of rows like `row_decoder`, with a further column for the stored forms.

    A null without such a form is NULL.
    """
    plain = row_decoder(columns, entity, policy)
    nulls = told.nulls.get(entity.name, frozenset())
    values = told.values.get(entity.name, frozenset())
    places = [
        (position, column_field(position), name, _is_other(entity.attribute(name), policy) if name in values else None)
        for position, name in enumerate(columns)
        if name in values or name in nulls
    ]

    def decode(document: Mapping[str, Any]) -> Row:
        row = plain(document)
        found: dict[str, Any] = {}
        for position, field, name, is_other in places:
            stored = document.get(field, _MISSING)
            if stored is None:
                if name in nulls:
                    found[name] = None
            elif stored is not _MISSING and is_other is not None and is_other(stored, row[position]):
                found[name] = stored
        return (*row, bson.encode(found, codec_options=CODEC) if found else None)

    return decode


_MISSING = object()


def _is_other(attribute: Attribute, policy: Policy) -> IsOther:
    """Whether a value's form is recorded; always in a column of several types."""
    is_always = bool(attribute.also) or attribute.type.name is TypeName.ANY
    encode = encoder(attribute.type, policy)
    usual = None if attribute.type.subtype else _AS_IT_IS.get(attribute.type.name)

    def is_other(stored: object, value: object) -> bool:
        if stored.__class__ is usual and not is_always:
            return False
        try:
            return is_always or stored_bytes(encode(value)) != stored_bytes(stored)
        except LoadError:
            return True

    return is_other
