"""Values of an answer in one form, whether a SQL database's driver handed them over or they were read from MongoDB.

SQLite has texts for dates and 0 and 1 for truths, MySQL texts for JSON: these are the same answers in other words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from nestling.ir.programs.compiled import OutputColumn
from nestling.ir.rows import JsonNull, Row
from nestling.ir.types import MAY_BE_ARRAYS, REAL, TIMES, Type, TypeName, bit_count
from nestling.ir.value_forms.instants import cut_to_millisecond
from nestling.ir.value_forms.json_text import json_text, read_json
from nestling.ir.value_forms.time_text import interval_parts

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d.*)?", re.ASCII)


def shown_rows(
    rows: Sequence[Row], columns: Sequence[OutputColumn], single: Collection[int] = (), *, milliseconds: bool = False
) -> tuple[Row, ...]:
    """Rows of these columns.

    `single`: those whose floats have six digits on one of the sides. `milliseconds`: of moments the rest is cut.
    """
    kinds = [(column.type, place in single or column.type.carried == REAL) for place, column in enumerate(columns)]
    return tuple(
        tuple(_shown(value, kind, is_single, milliseconds) for value, (kind, is_single) in zip(row, kinds, strict=True))
        if len(row) == len(kinds)
        else row
        for row in rows
    )


def _shown(value: object, kind: Type, is_single: bool, milliseconds: bool) -> object:
    match value:
        case str():
            return _text(value, kind, milliseconds)
        case bool():
            return int(value)
        case float() | Decimal() if is_single:
            return float(f"{float(value):.6g}")
        case date():
            return _moment(value, milliseconds)
        case UUID() | time():
            return str(value)
        case timedelta() if kind.name is TypeName.INTERVAL:
            return Decimal(value // timedelta(microseconds=1))
        case JsonNull():
            return None
        case dict() | list():
            return _json(value)
        case bytes() if kind.name is TypeName.BITS:
            return format(int.from_bytes(value, "big"), f"0{bit_count(kind)}b")
        case _:
            return value


def _text(value: str, kind: Type, milliseconds: bool) -> object:
    """What a text says, where its column is not one of texts."""
    if kind.is_char:
        return value.rstrip(" ")
    if kind.name in TIMES and _MOMENT.fullmatch(value):
        try:
            return _moment(datetime.fromisoformat(value), milliseconds)
        except ValueError:
            return value
    if kind.name in (TypeName.DECIMAL, TypeName.FLOAT):
        try:
            return Decimal(value)
        except InvalidOperation:
            return value
    if kind.name is TypeName.INTERVAL:
        try:
            return _micros(value)
        except ValueError:
            return value
    if kind.name in MAY_BE_ARRAYS:
        found = read_json(value)
        return None if value == "null" else _json(found) if isinstance(found, dict | list) else found
    return value


def _micros(interval: str) -> Decimal:
    """Microseconds of an interval as psycopg computes them: years of 365 days and months of 30."""
    months, days, seconds = interval_parts(interval)
    years = int(months / 12)
    return ((365 * years + 30 * (months - 12 * years) + days) * 86_400 + seconds) * 1_000_000


def _moment(value: date, milliseconds: bool) -> str:
    """The time as SQLite writes it, in UTC; a whole day as the day alone."""
    if not isinstance(value, datetime):
        return value.isoformat()
    kept = cut_to_millisecond(value) if milliseconds else value
    local = kept if kept.tzinfo is None else kept.astimezone(UTC).replace(tzinfo=None)
    return local.isoformat(" ").removesuffix(" 00:00:00")


def _json(value: dict[str, Any] | list[Any]) -> str:
    """JSON whose keys have one order."""
    return json.dumps(json.loads(json_text(value)), sort_keys=True)
