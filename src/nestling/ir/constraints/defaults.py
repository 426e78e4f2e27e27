"""What a database puts into an attribute that an INSERT leaves out, or never lets be given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import isfinite
from typing import TypeAlias

from nestling.ir.types import Type, TypeName
from nestling.ir.value_forms.written_values import written_value


class Generated(StrEnum):
    """A default that is generated for each row."""

    NUMBER = "number"  # one more than the highest there is: SQLite's INTEGER PRIMARY KEY
    SEQUENCE = "sequence"  # one more than the highest there ever was: serial, AUTO_INCREMENT, AUTOINCREMENT
    IDENTITY = "identity"  # the same, and no statement gives one: GENERATED ALWAYS AS IDENTITY
    UUID = "uuid"  # a random one
    OBJECT_ID = "objectid"  # one that drivers of MongoDB make
    TIMESTAMP = "current_timestamp"
    DATE = "current_date"
    TIME = "current_time"


NUMBERED = (Generated.NUMBER, Generated.SEQUENCE, Generated.IDENTITY)
"""The defaults that generate the next number."""

NEW_IDS = (Generated.UUID, Generated.OBJECT_ID)
"""The defaults for which whoever stores the row generates the value."""

_HALF = 0.5
_ZERO = re.compile(r"\s*[+-]?0+(?:\.(?:[0-4]\d*)?)?\s*", re.ASCII)
"""Texts of what is less than a half."""

NEVER_RETURN = (Generated.SEQUENCE, Generated.IDENTITY)
"""The numbered defaults that never reuse the number of a deleted row."""


@dataclass(frozen=True, slots=True)
class ConstantDefault:
    """A default that is the same conceptual value for every row, never NULL.

    A value that does not fit its attribute's type is kept as it was found.
    """

    value: object


@dataclass(frozen=True, slots=True)
class OtherDefault:
    """An expression of the source's own that nestling does not compute: an INSERT that needs it is a gap."""

    sql: str


@dataclass(frozen=True, slots=True)
class ComputedAttribute:
    """What the source computes of the row's other attributes whenever it is written; no statement sets it."""

    sql: str


Default: TypeAlias = ConstantDefault | Generated | ComputedAttribute | OtherDefault

_TRUTHS = {"true": True, "false": False, "1": True, "0": False, "t": True, "f": False}


def asks_for_number(value: object, *, zero_asks: bool) -> bool:
    """Whether what is given for a numbered attribute asks for the next number: NULL, and in MySQL what is stored as 0."""
    match value:
        case None:
            return True
        case str():
            return zero_asks and _ZERO.fullmatch(value) is not None
        case int() | float() | Decimal():
            return zero_asks and isfinite(value) and -_HALF < value < _HALF
        case _:
            return False


def written(value: object) -> bool | int | float | str:
    """A constant's value as files write it."""
    return value if isinstance(value, bool | int | float | str) else str(value)


def constant(value: bool | int | float | str, kind: Type) -> ConstantDefault:
    """The constant that a written value is for an attribute of the type; kept as it is if it does not fit the type."""
    text = str(int(value)) if isinstance(value, bool) else str(value)
    if kind.name is TypeName.BOOLEAN:
        return ConstantDefault(_TRUTHS.get(text.casefold(), value))
    found = written_value(kind, text)
    return ConstantDefault(value if isinstance(found, str) else found)
