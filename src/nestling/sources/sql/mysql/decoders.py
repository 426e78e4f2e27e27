"""How values of a MySQL or MariaDB server arrive: exact where that is possible, else the server's own text."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from nestling.ir.value_forms.time_text import read_time_of_day

if TYPE_CHECKING:
    from collections.abc import Mapping


def decoders() -> Mapping[Any, Any]:
    """The driver's conversions, with times (which may pass 24 hours or be negative) and impossible dates left as text."""
    from pymysql.constants import FIELD_TYPE
    from pymysql.converters import conversions

    return {
        **conversions,
        FIELD_TYPE.DATE: _date,
        FIELD_TYPE.DATETIME: _datetime,
        FIELD_TYPE.TIMESTAMP: _instant,
        FIELD_TYPE.TIME: read_time_of_day,  # `TIME(6)` is printed with all its digits, zeros too
    }


def _date(text: str) -> date | str:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


def _datetime(text: str) -> datetime | str:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return text


def _instant(text: str) -> datetime | str:
    found = _datetime(text)
    return found.replace(tzinfo=UTC) if isinstance(found, datetime) else found
