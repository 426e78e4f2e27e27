"""The functions that converted writes in Python lean on. Their source goes into the modules nestling writes, so it imports
nothing of nestling: pymongo only. A value that is not there is `MISSING`, as NULL is a field that is missing.
"""

from __future__ import annotations

# --- support ---
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from bson import Binary, Decimal128

MISSING: Any = object()
KINDS: dict[str, Any] = {
    "number": int | float | Decimal | Decimal128,
    "integer or float": int | float | Decimal,
    "float": int | float | Decimal,
    "decimal": int | Decimal | Decimal128,
    "text": str,
    "bytes": bytes,
    "truth": bool,
    "time": date,
    "exact time": datetime,
    "rounded time": datetime,
    "uuid": UUID | Binary,
    "value": bool | int | float | str | bytes | date | Decimal | Decimal128 | UUID | Binary,
}
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.(\d{3}|\d{6}))?([-+]\d\d:\d\d)?", re.ASCII)
DAY_TEXT = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
FRACTIONS = {0: (0, 6), 3: (3,)}
ABSENT: dict[str, dict[str, Any]] = {"$eq": {"$exists": False}, "$ne": {"$exists": True}}


def parameter(name: str, value: Any, kind: str = "value") -> Any:
    """A parameter's value as it is stored; never a document or list, so that it cannot become an operator."""
    if value is None:
        return MISSING
    if not isinstance(value, KINDS[kind]) or (isinstance(value, bool) and kind not in ("truth", "value")):
        raise TypeError(f"`{name}` must be a {kind}, not {type(value).__name__}")
    if isinstance(value, datetime):
        return instant(rounded(value) if kind == "rounded time" else value, exact=kind == "exact time")
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - naive means UTC
    if kind == "float":
        return float(value)
    if kind == "integer or float":
        return whole_or_float(value)
    if isinstance(value, Decimal) or (kind == "decimal" and isinstance(value, int)):
        return Decimal128(Decimal(value))
    return Binary.from_uuid(value) if isinstance(value, UUID) else value


def whole_or_float(value: float | Decimal) -> int | float:
    """A number as SQLite keeps it among integers: it has no decimals, and a float of a whole value is an integer."""
    if isinstance(value, int):
        return value
    found = float(value)
    return int(found) if found.is_integer() and -(1 << 63) < found < 1 << 63 else found


def as_moment(name: str, value: Any, digits: int, *, zoned: bool = False) -> Any:
    """A moment among SQLite's dates, or as the text it is where they have more than three digits; other forms are refused."""
    if value is None:
        return MISSING
    match = MOMENT.fullmatch(value) if isinstance(value, str) else None
    fraction = (match[1] or "") if match else ""
    found = datetime.fromisoformat(value) if match and len(fraction) in FRACTIONS.get(digits, (6,)) else value
    if not isinstance(found, datetime) or (found.tzinfo is not None) is not zoned:
        form = {0: "", 3: ".fff"}.get(digits, ".ffffff") + "+00:00" * zoned
        raise TypeError(
            f"`{name}` must be a datetime {'with' if zoned else 'without'} a zone, or a text"
            f" written YYYY-MM-DD HH:MM:SS{form}, not {value!r}"
        )
    micros = found.microsecond
    if match and digits <= 3 and (micros % 1000 or (digits == 0 and fraction and not micros)):
        raise ValueError(f"`{name}` keeps milliseconds, and does not take {value!r}")
    kept = found if digits > 3 else rounded(found)
    return instant(kept.astimezone(UTC) if zoned else kept, exact=digits > 3)


def as_day(name: str, value: Any) -> Any:
    """A day among SQLite's dates; moments, and other forms of a text, are refused."""
    if value is None:
        return MISSING
    found = date.fromisoformat(value) if isinstance(value, str) and DAY_TEXT.fullmatch(value) else value
    if not isinstance(found, date) or isinstance(found, datetime):
        raise TypeError(f"`{name}` must be a day, or a text written YYYY-MM-DD, not {value!r}")
    return datetime(found.year, found.month, found.day)  # noqa: DTZ001 - naive means UTC


def instant(value: datetime, *, exact: bool) -> Any:
    """A timestamp as a date, which keeps milliseconds; as text in UTC where it is more exact, or its field is."""
    if not exact and value.microsecond % 1000 == 0:
        return value
    zone = "" if value.tzinfo is None else "Z"
    return (value if value.tzinfo is None else value.astimezone(UTC)).strftime("%Y-%m-%dT%H:%M:%S.%f") + zone


def rounded(value: datetime) -> datetime:
    """The nearest instant a date of MongoDB has."""
    rest = value.microsecond % 1000
    whole = value.replace(microsecond=value.microsecond - rest)
    try:
        return whole if rest < 500 else whole + timedelta(milliseconds=1)
    except OverflowError:  # the last there is
        return whole


def there(value: Any) -> Any:
    """A value of which None says that it is not there."""
    return MISSING if value is None else value


def or_none(value: Any) -> Any:
    """A value where none may be missing: in arrays and in expressions."""
    return None if value is MISSING else value


def negated(value: Any) -> Any:
    """The number with the other sign."""
    if isinstance(value, Decimal128):
        return Decimal128(-value.to_decimal())
    return -value if isinstance(value, int | float) else value


def document(value: Any) -> Any:
    """A value without the fields and elements that are missing."""
    if type(value) is dict:
        return {name: document(inner) for name, inner in value.items() if inner is not MISSING}
    if type(value) is list:
        return [document(inner) for inner in value if inner is not MISSING]
    return value


def part(fields: Mapping[str, Any], rest: Any = MISSING) -> dict[str, Any]:
    """A document of dotted paths, then the fields of `rest` that none of them names; what stays empty is left out."""
    others = rest if isinstance(rest, dict) else {}
    groups: dict[str, dict[str, Any]] = {}
    for path, value in fields.items():
        first, _, further = path.partition(".")
        groups.setdefault(first, {})[further] = value
    made: dict[str, Any] = {}
    for name, group in groups.items():
        beside = others.get(name, MISSING)
        inner = document(group[""]) if "" in group else part(group, beside) or MISSING
        if inner is not MISSING:
            made[name] = inner
    return made | {name: value for name, value in others.items() if name not in groups}


def whole(fields: dict[str, Any]) -> Any:
    """A document that is missing when one of its fields is."""
    return MISSING if MISSING in fields.values() else fields


def matching(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """A filter: what is missing matches absence where it is compared for equality, and else nothing."""
    return {
        path: [matching(each) for each in condition] if path == "$and" else compared(condition)
        for path, condition in conditions.items()
    }


def compared(condition: Mapping[str, Any]) -> dict[str, Any]:
    """The operators of one path."""
    made: dict[str, Any] = {}
    for operator, value in condition.items():
        if value is not MISSING:
            made[operator] = document(value)
        else:
            made.update(ABSENT.get(operator, {"$in": []}))
    return made


def changes(operators: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """An update: a field that is set to what is missing is removed, other changes by it are none."""
    made: dict[str, dict[str, Any]] = {}
    for operator, fields in operators.items():
        for path, value in fields.items():
            if operator == "$pull":
                made.setdefault(operator, {})[path] = pulled(value)
            elif value is not MISSING:
                made.setdefault(operator, {})[path] = document(value)
            elif operator == "$set":
                made.setdefault("$unset", {})[path] = ""
    return made or {"$set": {}}


def pulled(condition: Mapping[str, Any]) -> dict[str, Any]:
    """The condition of a `$pull`: on the element itself, or on its fields."""
    is_element = any(name.startswith("$") and name != "$and" for name in condition)
    return compared(condition) if is_element else matching(condition)


def present(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of an aggregation's own without its NULLs."""
    return {name: value for name, value in row.items() if value != {"$literal": None}}


def rows_of(found: Iterable[Mapping[str, Any]], *, json: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Rows without their NULLs: null is one, but in a JSON column."""
    kept = set(json)
    return [{name: value for name, value in row.items() if value is not None or name in kept} for row in found]


def place(row: Mapping[str, Any], column: str, first: int) -> int:
    """The place in an array a row names."""
    value = row.get(column)
    if isinstance(value, bool) or not isinstance(value, int) or value < first:
        raise ValueError(f"there is no place {value!r} in the array")
    return int(value) - first


def refuse(rows: Iterable[Mapping[str, Any]], text: str, *, missing: Iterable[str] = ()) -> None:
    """Fail when there are rows; when `missing` names columns, rows without one of them."""
    columns = list(missing)
    for row in rows:
        if not columns or any(column not in row for column in columns):
            raise ValueError(f"{text}: {row!r}")
