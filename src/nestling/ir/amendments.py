"""How rows differ from their documents when these were written under an earlier model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TypeAlias
from uuid import UUID

from nestling.ir.constraints.defaults import ConstantDefault
from nestling.ir.model import Attribute, Model
from nestling.ir.types import CHAR, JSONB, Type, TypeName
from nestling.ir.value_forms.json_text import read_json, read_jsonb
from nestling.ir.values import encoder


@dataclass(frozen=True, slots=True)
class Filled:
    """A new attribute with a default (as stored in documents) for rows without a value, as ADD COLUMN … DEFAULT gives."""

    entity: str
    attribute: str
    value: object


@dataclass(frozen=True, slots=True)
class Widened:
    """An attribute with a wider number type: the numbers are the same, with the new type's decimals."""

    entity: str
    attribute: str
    type: Type


_WHOLE_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d", re.ASCII)
"""A time of day as every source gives it, without fractions of a second."""

Amendment: TypeAlias = Filled | Widened


def filled_value(attribute: Attribute) -> object | None:  # noqa: C901 - one case for each
    """Return what documents store for the attribute's default; None if there is none, or it may differ from row to row."""
    kind = attribute.type
    if not isinstance(attribute.default, ConstantDefault) or kind.carried not in ("", JSONB, CHAR):
        return None
    value = attribute.default.value
    match kind.name, value:
        case TypeName.JSON, str():
            value = read_jsonb(value) if kind.carried == JSONB else read_json(value)
        case TypeName.TEXT, str() if kind.is_char:
            value = value.rstrip(" ")
        case TypeName.ARRAY, "{}":
            value = []
        case TypeName.UUID, str() if (found := _uuid(value)) is not None:
            value = found
        case TypeName.TIME, str() if _WHOLE_TIME.fullmatch(value):
            pass
        case TypeName.DECIMAL, Decimal() if value.is_finite() and (scale := scale_of(kind)) is not None:
            value = value.quantize(Decimal(1).scaleb(-scale))
        case (TypeName.TEXT | TypeName.ENUM, str()) | (TypeName.BOOLEAN, bool()) | (TypeName.FLOAT, float()):
            pass
        case TypeName.INTEGER, int() if not isinstance(value, bool):
            pass
        case (
            (TypeName.DATE, date())
            | (TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ, datetime())
            | (TypeName.DECIMAL, Decimal())
        ):
            pass
        case _:
            return None
    return encoder(kind)(value)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def amendments(before: Model, after: Model) -> Iterator[Amendment]:
    """Yield the amendments for a changed model. Attributes of keys and references keep their stored form."""
    for entity in after.entities:
        if not before.has_entity(entity.name):
            continue
        held, old = after.linked_attributes(entity.name) | {*entity.key}, before.entity(entity.name)
        for attribute in entity.attributes:
            name = attribute.name
            if name not in old:
                if (value := filled_value(attribute)) is not None:
                    yield Filled(entity.name, name, value)
            elif name not in held and _is_wider(old.attribute(name), attribute):
                yield Widened(entity.name, name, attribute.type)


def _is_wider(old: Attribute, new: Attribute) -> bool:
    """Whether the numbers are stored in another form without changing any number."""
    if old.also or new.also or old.type.carried or new.type.carried:
        return False
    match old.type.name, new.type.name:
        case TypeName.INTEGER, TypeName.FLOAT | TypeName.DECIMAL:
            return True
        case TypeName.DECIMAL, TypeName.DECIMAL:
            before, after = scale_of(old.type), scale_of(new.type)
            return before is not None and after is not None and before < after
        case _:
            return False


def scale_of(kind: Type) -> int | None:
    """The digits after the point of a decimal type; None if each number has its own."""
    return (*kind.numbers, 0)[1] if kind.numbers else None
