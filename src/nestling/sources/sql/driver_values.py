"""A driver's raw value to the conceptual value of its attribute.

**Convert when the conversion is exactly reversible, else hand over the value as found** – nothing is ever rounded or lost. So an
INTEGER column of SQLite may yield text, a DATE column of MySQL the text `0000-00-00`, a timestamp of PostgreSQL `infinity`.

| type | SQLite | PostgreSQL | MySQL, MariaDB |
|---|---|---|---|
| boolean | 0 / 1 | boolean | TINYINT(1) holding only 0 / 1 |
| decimal | text in canonical form | numeric (NaN, Infinity too) | DECIMAL |
| date, timestamp | canonical text (`timestamp_writer`) | within the years 1–9999 | unless zero, which has one spelling |
| timestamptz | canonical text ending in +00:00 | normalised to UTC | TIMESTAMP |
| time, interval | text | text (interval: ISO 8601) | text, as it may pass 24 hours |
| uuid, json, array | text in canonical form; JSON text | native | UUID; JSON text |
| bits | text of 0 and 1 | bit | BIT |
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any
from uuid import UUID

from nestling.ir.types import JSONB, Type, TypeName
from nestling.ir.value_forms.json_text import read_json
from nestling.ir.value_forms.zero_dates import is_zero, zero_of
from nestling.sources.sql.engines import engine_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from nestling.ir.model import Attribute

    Converter = Callable[[Any], Any]

_NAN = "NaN"
"""How SQLite holds what is not a number."""
_TIMESPEC = {0: "seconds", 3: "milliseconds", 6: "microseconds"}


def timestamp_writer(digits: int) -> Callable[[datetime], str]:
    """The canonical text of timestamps with so many fraction digits (0, 3 or 6; a value with more gets six)."""
    timespec, step = _TIMESPEC.get(digits, "microseconds"), 10 ** (6 - min(digits, 6))

    def write(value: datetime) -> str:
        return value.isoformat(" ", timespec if value.microsecond % step == 0 else "microseconds")

    return write


def converter(attribute: Attribute, dialect: str) -> Converter | None:
    """The function from a column's raw values to conceptual ones; None when they are the same."""
    return engine_of(dialect).converter(attribute)


def for_integers(attribute: Attribute) -> Converter | None:
    """The converter for integers: what 64 bits do not hold arrives as text or decimal."""
    return _big_integer if any(other.name is TypeName.DECIMAL for other in attribute.also) else None


def convert_rows(rows: Sequence[tuple[Any, ...]], converters: Sequence[Converter | None]) -> Sequence[tuple[Any, ...]]:
    """Convert a batch column by column, touching only columns that need it; floats need it only where one is the text NaN."""
    columns: list[Iterable[Any]] = list(zip(*rows, strict=True))
    needed = False
    for place, convert in enumerate(converters):
        column = columns[place]
        if convert is not None and (convert is not _float or _NAN in column):
            columns[place] = map(convert, column)
            needed = True
    return list(zip(*columns, strict=True)) if needed else rows


def by_type(kind: Type) -> Converter | None:
    """Reads values of drivers that give dates and decimals as such, and the rest as text."""
    match kind.name:
        case TypeName.BOOLEAN:
            return _boolean
        case TypeName.TIMESTAMPTZ:
            return _instant
        case TypeName.UUID:
            return _uuid
        case TypeName.JSON:
            return _jsonb if kind.carried == JSONB else _json
        case TypeName.ARRAY if kind.element is not None:
            return _array(from_text(kind.element) or by_type(kind.element))
        case _:
            return None


def from_text(kind: Type) -> Converter | None:
    """Types SQLite and JSON have no values of: they are kept as text."""
    match kind.name:
        case TypeName.DATE:
            return _date
        case TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ:
            return _timestamp(kind.fraction_digits, utc=kind.name is TypeName.TIMESTAMPTZ)
        case TypeName.DECIMAL:
            return _decimal
        case TypeName.FLOAT:
            return _float
        case _:
            return None


def _boolean(value: Any) -> Any:
    return value == 1 if type(value) is int and value in (0, 1) else value


def _date(value: Any) -> Any:
    try:
        found = date.fromisoformat(value)
    except (ValueError, TypeError):
        return value
    return found if found.isoformat() == value else value


def _timestamp(digits: int, *, utc: bool) -> Converter:
    write = timestamp_writer(digits)

    def convert(value: Any) -> Any:
        try:
            found = datetime.fromisoformat(value)
        except (ValueError, TypeError):
            return value
        if (found.tzinfo is not None) != utc:
            return value
        found = found.astimezone(UTC) if utc else found
        return found if write(found) == value else value

    return convert


def _instant(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


def moment(kind: Type) -> Converter:
    """Moments that may be zero."""
    has_zone, zero = kind.name is TypeName.TIMESTAMPTZ, zero_of(kind)

    def convert(value: Any) -> Any:
        if isinstance(value, str) and is_zero(value):
            return zero
        return _instant(value) if has_zone else value

    return convert


def _uuid(value: Any) -> Any:
    try:
        found = UUID(value)
    except (ValueError, TypeError, AttributeError):
        return value
    return found if str(found) == value else value


def _decimal(value: Any) -> Any:
    if type(value) is not str:
        return value
    try:
        found = Decimal(value)
    except InvalidOperation:
        return value
    return found if str(found) == value else value


def _big_integer(value: Any) -> Any:
    if type(value) is str and value.lstrip("-").isdecimal() and value.isascii() and str(int(value)) == value:
        return int(value)
    return int(value) if type(value) is Decimal and value == int(value) else value


def _float(value: Any) -> Any:
    return float("nan") if value == _NAN else value


def _json(value: Any) -> Any:
    return read_json(value) if type(value) is str else value


def _jsonb(value: Any) -> Any:
    return read_json(value, digits=True) if type(value) is str else value


def _array(element: Converter | None) -> Converter:
    def each(value: Any) -> Any:
        if isinstance(value, list):
            return [each(item) for item in value]
        return element(value) if element is not None else value

    def convert(value: Any) -> Any:
        found = read_json(value) if type(value) is str else value
        return each(found) if isinstance(found, list) else value

    return convert


def bits(length: int) -> Converter:
    """The converter from bytes to bits of this length."""

    def convert(value: Any) -> Any:
        return format(int.from_bytes(value, "big"), f"0{length}b") if isinstance(value, bytes) else value

    return convert
