"""Converts a conceptual value to the driver's parameter, so that reading it back yields the same value.

This is the inverse of `driver_values`, chosen by the value's own type: a value that does not fit its attribute's type is
written unchanged.
"""

from __future__ import annotations

import math
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from nestling.ir.rows import UndecodableText
from nestling.ir.types import TypeName
from nestling.ir.value_forms.json_text import json_text
from nestling.sources.sql.engines import engine_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.ir.model import Attribute

    Writer = Callable[[Any], Any]


def writer(attribute: Attribute, dialect: str) -> Writer:
    """The function from an attribute's conceptual values to the driver's."""
    kind = attribute.type
    if kind.name is TypeName.JSON:
        return none_or(_json)
    if (whole := engine_of(dialect).type_writer(kind)) is not None:
        return whole
    by_type = engine_of(dialect).writers(kind)

    def write(value: Any) -> Any:
        found = by_type.get(type(value))
        return value if found is None else found(value)

    return write


def none_or(write: Writer) -> Writer:
    """The writer, which leaves NULL alone."""
    return lambda value: None if value is None else write(value)


def _json(value: Any) -> Any:
    """JSON text; a value without JSON form is unchanged."""
    is_one = isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value))
    return value if is_one else json_text(value)


def undecodable(value: UndecodableText) -> str:
    """Refuse text that cannot be decoded."""
    raise ValueError(f"text that is not UTF-8 ({value[:20]!r}) can only be written to SQLite")


def array_text(value: list[Any]) -> str:
    """A list as JSON text, its elements as `driver_values` reads them back."""
    return json_text(_plain(value))


def _plain(value: Any) -> Any:
    match value:
        case list():
            return [_plain(item) for item in value]
        case datetime():
            return value.isoformat(" ", "seconds" if not value.microsecond else "microseconds")
        case bytes():
            return "\\x" + value.hex()
        case Decimal():
            return str(value)
        case float() if not math.isfinite(value):
            return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
        case _:
            return value
