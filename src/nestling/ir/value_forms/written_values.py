"""Values that stand in files as text: constants of attributes, and the bound of an archive."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation

from nestling.common.errors import Problem
from nestling.ir.types import NUMBERS, TIMES, Type, TypeName
from nestling.ir.value_forms.instants import read_day, read_instant


def written_value(kind: Type, text: str) -> date | int | float | Decimal | str:
    """The conceptual value of that type; the text itself if it is not one. A timestamptz without a zone is in UTC."""
    try:
        match kind.name:
            case TypeName.DATE:
                return read_day(text)
            case TypeName.TIMESTAMP:
                return read_instant(text)
            case TypeName.TIMESTAMPTZ:
                instant = read_instant(text)
                return instant if instant.tzinfo is not None else instant.replace(tzinfo=UTC)
            case TypeName.INTEGER:
                return int(text)
            case TypeName.FLOAT:
                return float(text)
            case TypeName.DECIMAL:
                return Decimal(text)
            case _:
                return text
    except (ValueError, InvalidOperation):
        return text


def written_bound(kind: Type, text: str) -> date | int | float | Decimal | str:
    """What values of that type are before or after: of a moment its day for dates, any number for whole numbers."""
    if kind.name in NUMBERS:
        found = written_value(Type(TypeName.DECIMAL), text)
        return found if isinstance(found, Decimal) and found.is_finite() else text
    found = written_value(Type(TypeName.TIMESTAMP) if kind.name is TypeName.DATE else kind, text)
    return found.date() if kind.name is TypeName.DATE and isinstance(found, datetime) else found


def bound_mistake(kind: Type, text: str, path: tuple[str | int, ...] = ()) -> Problem | None:
    """The problem of a bound that is not a value of its type, such as a date that no calendar has."""
    if kind.name not in TIMES | NUMBERS or written_bound(kind, text) != text:
        return None
    move = "write it as 2024-01-01" if kind.name in TIMES else "write a number"
    return Problem(what=f"`{text}` is no {kind}", path=path, next_move=move)
