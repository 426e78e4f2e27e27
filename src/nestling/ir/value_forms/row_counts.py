"""What is given for the parameter of a LIMIT or OFFSET: how many rows. Knows nothing else: emitted modules have copies of it."""

from __future__ import annotations

from typing import Any

from nestling.ir.value_forms.numeral import INT64


def limit_of(name: str, value: Any, dialect: str) -> int | None:
    """How many rows, None for all. Raises TypeError or ValueError for what the dialect (`sqlite` or another) does not take."""
    count = number_of_rows(name, value, dialect)
    return None if count is None or count < 0 else count


def offset_of(name: str, value: Any, dialect: str) -> int:
    """How many rows to leave out; raises as `limit_of` does."""
    return max(number_of_rows(name, value, dialect) or 0, 0)


def number_of_rows(name: str, value: Any, dialect: str) -> int | None:
    """A number of rows: NULL stands for none in PostgreSQL alone, and a negative number in SQLite alone."""
    if value is None and dialect == "postgresql":
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        shown = "NULL" if value is None else repr(value)
        raise TypeError(f"parameter `{name}` must be a whole number, as LIMIT and OFFSET take, not {shown}")
    if value < 0 and dialect != "sqlite":
        raise ValueError(f"parameter `{name}` cannot be {value}: LIMIT and OFFSET must not be negative")
    if not -INT64 <= value < INT64:
        raise ValueError(f"parameter `{name}` cannot be {value}: LIMIT and OFFSET take at most 64 bits")
    return value


def limited(name: str, value: Any, dialect: str) -> list[dict[str, Any]]:
    """The stages that take so many rows."""
    count = limit_of(name, value, dialect)
    if count is None:
        return []
    return [{"$limit": count}] if count else [{"$match": {"$expr": False}}]


def skipped(name: str, value: Any, dialect: str) -> list[dict[str, Any]]:
    """The stages that leave out so many rows."""
    count = offset_of(name, value, dialect)
    return [{"$skip": count}] if count else []
