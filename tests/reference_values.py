"""What values do in the reference interpreter: order, equality, three-valued logic, casts and functions, after SQLite's rules."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fnmatch import fnmatchcase
from typing import Any
from uuid import UUID

from nestling.ir.statements import expression as e
from nestling.ir.statements.operators import (
    Affinity,
    ArithmeticOperator,
    CaseRule,
    Collation,
    Comparison,
    Division,
    Function,
    Rules,
)
from nestling.ir.types import TypeName
from nestling.ir.value_forms.letter_case import LOWER_OF

Row = tuple[Any, ...]


class Unsupported(Exception):
    """Something this interpreter does not know: the test that meets it says so."""


def identities(row: Row, rules: Sequence[Collation]) -> tuple[Any, ...]:
    return tuple(identity(value, rule) for value, rule in zip(row, rules, strict=True))


def identity(value: Any, rule: Collation = Collation.BINARY) -> Any:
    """Equal for values that are the same in SQL; None for NULL."""
    return None if value is None else order_key(value, rule)


def order_key(value: Any, rule: Collation = Collation.BINARY) -> tuple[int, Any]:
    if isinstance(value, bool | int | float | Decimal):
        return (1, value)
    if isinstance(value, str):
        return (2, collated(value, rule))
    if isinstance(value, bytes):
        return (3, value)
    return (4, str(value) if isinstance(value, UUID) else value.isoformat())


def collated(value: str, rule: Collation) -> str:
    match rule:
        case Collation.BINARY:
            return value
        case Collation.NOCASE:
            return value.translate(_ASCII_LOWER)
        case Collation.RTRIM:
            return value.rstrip(" ")
        case Collation.UNICODE_CI:
            return value.casefold()


_ASCII_LOWER = {ord(c): ord(c) + 32 for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_ASCII_UPPER = {new: old for old, new in _ASCII_LOWER.items()}


def conjunction(parts: Iterable[Any]) -> bool | None:
    found: bool | None = True
    for part in parts:
        if part is False:
            return False
        found = None if part is None else found
    return found


def negation(value: bool | None) -> bool | None:
    return None if value is None else not value


def compared(operator: Comparison, left: Any, right: Any, rule: Collation) -> bool | None:
    if operator in (Comparison.SAME, Comparison.DIFFERENT):
        return (identity(left, rule) == identity(right, rule)) is (operator is Comparison.SAME)
    if left is None or right is None:
        return None
    one, other = order_key(left, rule), order_key(right, rule)
    match operator:
        case Comparison.EQUAL:
            return one == other
        case Comparison.NOT_EQUAL:
            return one != other
        case Comparison.LESS:
            return one < other
        case Comparison.LESS_OR_EQUAL:
            return one <= other
        case Comparison.GREATER:
            return one > other
        case Comparison.GREATER_OR_EQUAL:
            return one >= other


def among(operands: list[Any], rows: Sequence[Row], operator: Comparison, rule: Collation) -> bool | None:
    """IN and ANY: whether a row equals the operands, or compares so."""
    found: bool | None = False
    for row in rows:
        same = conjunction(compared(operator, x, y, rule) for x, y in zip(operands, row, strict=True))
        if same:
            return True
        found = None if same is None else found
    return found


def arithmetic(node: e.Arithmetic, left: Any, right: Any) -> Any:
    if left is None or right is None:
        return None
    left, right = number(left), number(right)
    match node.operator:
        case ArithmeticOperator.ADD:
            return left + right
        case ArithmeticOperator.SUBTRACT:
            return left - right
        case ArithmeticOperator.MULTIPLY:
            return left * right
        case ArithmeticOperator.DIVIDE:
            return divided(left, right, node.division)
        case ArithmeticOperator.MODULO:
            return (
                None
                if right == 0
                else int(math.fmod(left, right))
                if abs(left) < 2**53
                else left - right * divided(left, right, node.division)
            )
        case ArithmeticOperator.BIT_AND:
            return left & right
        case ArithmeticOperator.BIT_OR:
            return left | right
        case ArithmeticOperator.SHIFT_LEFT:
            return left << right
        case ArithmeticOperator.SHIFT_RIGHT:
            return left >> right


def number(value: Any) -> Any:
    if not isinstance(value, int | float):  # SQLite makes a number of anything
        raise Unsupported(f"arithmetic of {type(value).__name__}")
    return value


def divided(left: Any, right: Any, rule: Division | None) -> Any:
    if right == 0:
        return None
    whole = isinstance(left, int) and isinstance(right, int)
    if rule is Division.INTEGER or (rule is Division.BY_VALUE and whole):
        found = abs(left) // abs(right)
        return found if (left < 0) == (right < 0) else -found
    return left / right


def like(text: Any, pattern: Any, escape: str | None, case: CaseRule) -> bool | None:
    if text is None or pattern is None:
        return None
    if case is CaseRule.ASCII:
        text, pattern = text.translate(_ASCII_LOWER), pattern.translate(_ASCII_LOWER)
        escape = escape.translate(_ASCII_LOWER) if escape else escape
    if case is CaseRule.LOWER:
        text, pattern = text.translate(LOWER_OF), pattern.translate(LOWER_OF)
    parts, escaped = [], False
    for character in pattern:
        if not escaped and escape is not None and character == escape:
            escaped = True
            continue
        wild = {"%": ".*", "_": "."}.get(character) if not escaped else None
        parts.append(wild or re.escape(character))
        escaped = False
    if escaped:
        return False
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


_PREFIX = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)", re.ASCII)
_DIGITS = re.compile(r"\s*([-+]?\d+)", re.ASCII)


def number_prefix(value: str) -> int | float:
    match = _PREFIX.match(value)
    return whole(match[1]) if match else 0


def number_as_written(value: str) -> int | float:
    match = _PREFIX.match(value)
    if match is None:
        return 0
    return whole(match[1]) if match[1].lstrip("+-").isdecimal() else float(match[1])


def whole(text: str) -> int | float:
    if text.lstrip("+-").isdecimal() and -(1 << 63) <= int(text) < 1 << 63:
        return int(text)
    found = float(text)
    return int(found) if found.is_integer() and abs(found) < 2**51 else found


def shown(value: Any) -> str:
    """A value as SQLite casts it to text."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        if math.isinf(value):
            return "Inf" if value > 0 else "-Inf"
        text = f"{value:.15g}"
        if "e" in text:
            mantissa, exponent = text.split("e")
            return (mantissa if "." in mantissa else mantissa + ".0") + "e" + exponent
        return text if "." in text else text + ".0"
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value)


def cast(value: Any, node: e.Cast) -> Any:
    if value is None:
        return None
    if node.rules is not Rules.SQLITE:
        raise Unsupported(f"cast by {node.rules}")
    match node.type.name:
        case TypeName.TEXT:
            return shown(value)
        case TypeName.BOOLEAN:
            return bool(number_of(value))
        case TypeName.INTEGER:
            if isinstance(value, str):
                match = _DIGITS.match(value)
                return int(match[1]) if match else 0
            return max(min(int(value), (1 << 63) - 1), -(1 << 63))
        case TypeName.FLOAT:
            return float(number_of(value))
        case TypeName.DECIMAL:
            return number_as_written(value) if isinstance(value, str) else number_of(value)
        case TypeName.ANY:
            return number_of(value)
        case _:
            raise Unsupported(f"cast to {node.type}")


def number_of(value: Any) -> Any:
    return number_prefix(value) if isinstance(value, str) else int(value) if isinstance(value, bool) else value


def coerce(value: Any, wanted: Affinity) -> Any:
    if wanted is Affinity.TEXT:
        return shown(value) if isinstance(value, int | float) else value
    if isinstance(value, str) and (match := _PREFIX.match(value)) and not value[match.end() :].strip():
        return whole(match[1])
    return value


def raw(value: Any, digits: int) -> Any:
    """A conceptual value as SQLite holds it."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, datetime):
        return value.isoformat(" ", {0: "seconds", 3: "milliseconds"}.get(digits, "microseconds"))
    if isinstance(value, UUID):
        return str(value)
    return value.isoformat() if isinstance(value, date) else value


def stored(value: Any, kind: TypeName) -> Any:
    if kind is TypeName.TEXT:
        return coerce(value, Affinity.TEXT)
    if kind in (TypeName.INTEGER, TypeName.DECIMAL):
        value = coerce(value, Affinity.NUMERIC)
        return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**63 else value
    if kind is TypeName.FLOAT:
        value = coerce(value, Affinity.NUMERIC)
        return float(value) if isinstance(value, int) else value
    if kind is TypeName.DATE and isinstance(value, str):
        return date.fromisoformat(value) if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else value
    if kind is TypeName.TIMESTAMP and isinstance(value, str):
        return datetime.fromisoformat(value) if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", value) else value
    return value


def type_of(value: Any) -> str:
    if value is None:
        return "null"
    return {bool: "integer", int: "integer", float: "real", bytes: "blob"}.get(type(value), "text")


_TIME = re.compile(
    r"\s*(?:(\d{4})-(\d\d)-(\d\d))?(?:[ T]*(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?\s*(Z|[-+]\d\d:\d\d)?\s*", re.ASCII
)


def timestamp_of(value: Any) -> datetime | None:
    """A SQLite time value: text in one of its forms, a Julian day, or a date."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001
    if isinstance(value, int | float):
        if not 1721426 <= value < 5373484:
            raise Unsupported("a year before 1 or after 9999")
        return datetime(2000, 1, 1, 12) + timedelta(days=value - 2451545)  # noqa: DTZ001
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None or (match[1] is None and match[4] is None):
        if isinstance(value, str) and (number := _PREFIX.fullmatch(value.strip())):
            return timestamp_of(float(number[1]))
        return None
    year, month, day = (int(match[1]), int(match[2]), int(match[3])) if match[1] else (2000, 1, 1)
    hour, minute, second = (int(match[n] or 0) for n in (4, 5, 6))
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 60) or not year:
        return None
    base = datetime(year, month, 1) + timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second)  # noqa: DTZ001
    base += timedelta(seconds=float("0." + match[7])) if match[7] else timedelta()
    zone = match[8]
    if zone and zone != "Z":
        shift = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
        base += -shift if zone[0] == "+" else shift
    return base


def julian(value: datetime) -> float:
    return 2451544.5 + (value - datetime(2000, 1, 1)) / timedelta(days=1)  # noqa: DTZ001


def format_time(value: datetime, pattern: str) -> str:
    seconds = value.second + round(value.microsecond / 1e6, 3)
    fields = {
        "Y": f"{value.year:04}", "m": f"{value.month:02}", "d": f"{value.day:02}", "H": f"{value.hour:02}",
        "M": f"{value.minute:02}", "S": f"{value.second:02}", "f": f"{min(seconds, 59.999):06.3f}",
        "j": f"{value.timetuple().tm_yday:03}", "w": str(value.isoweekday() % 7), "%": "%",
        "s": str(math.floor((value - datetime(1970, 1, 1)).total_seconds())),  # noqa: DTZ001
        "W": f"{(value.timetuple().tm_yday + 6 - value.weekday()) // 7:02}", "J": f"{julian(value):.16g}",
    }  # fmt: skip
    return re.sub("%(.)", lambda match: fields[match[1]], pattern)


def add_time(value: datetime, unit: str, amount: Any) -> datetime:
    if unit in ("month", "year"):
        months = value.year * 12 + value.month - 1 + amount * (12 if unit == "year" else 1)
        if not MINYEAR <= months // 12 <= MAXYEAR:
            raise OverflowError("there is no such year")
        return value.replace(year=months // 12, month=months % 12 + 1, day=1) + timedelta(days=value.day - 1)
    return value + timedelta(**{unit + "s": amount})


def truncate_time(unit: str, value: datetime) -> datetime:
    day = value.replace(hour=0, minute=0, second=0, microsecond=0)
    return day if unit == "day" else day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def substring(text: str, start: int, length: int | None = None) -> str:
    """SQLite's substr: a negative start counts from the end, a negative length goes backwards."""
    if length is None:
        length = 1 << 62
    if start < 0:
        start += len(text)
        if start < 0:
            length = max(0, length + start) if length >= 0 else length
            start = 0
    elif start > 0:
        start -= 1
    elif length > 0:
        length -= 1
    if length < 0:
        start, length = start + length, -length
        if start < 0:
            length, start = max(0, length + start), 0
    return text[start : start + length]


def rounded(value: Any, digits: int = 0) -> float:
    digits = max(0, min(30, digits))
    if abs(value) > 4503599627370496.0:
        return float(value)
    if digits == 0:
        return float(int(value + (0.5 if value >= 0 else -0.5)))
    return float(f"{float(value):.{digits}f}") if digits > 15 else float(round_half_away(value, digits))


def round_half_away(value: Any, digits: int) -> str:
    # SQLite's printf works on the value's 15 or 16 significant digits, which Decimal(repr) gives too.
    return str(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def floor_of(function: Callable[[Any], int]) -> Callable[[Any], Any]:
    return lambda value: value if isinstance(value, int) else float(function(value))


def glob(text: str, pattern: str) -> bool:
    """SQLite's GLOB: Python's has the same signs, but `!` where SQLite has `^`."""
    return fnmatchcase(text, pattern.replace("[^", "[!"))


def extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: choose(values, key=order_key)


def number_in_full(value: Any) -> Any:
    """A number, or the one a text is in full but for the blanks around it."""
    if not isinstance(value, str):
        return None if isinstance(value, bytes) else number_of(value)
    match = _PREFIX.match(value)
    return number_as_written(value) if match and not value[match.end() :].strip() else None


def float_mod(value: Any, by: Any) -> float | None:
    return None if by == 0 or math.isinf(value) else math.fmod(value, by)


def logarithm(function: Callable[[float], float]) -> Callable[[Any], float | None]:
    return lambda value: function(value) if value > 0 else None


IN_CALLS = (Function.COALESCE, Function.TYPE_OF, Function.NOW, Function.RANDOM)
"""Those the interpreter of statements knows itself."""
NOT_SQLITES = frozenset(
    {
        Function.CONCAT_PRESENT, Function.CONCAT_SEPARATED, Function.PAD_START, Function.PAD_END, Function.REPEAT,
        Function.REVERSE, Function.TRANSLATE, Function.MATCHES, Function.MATCHES_ANY_CASE, Function.ANY_ELEMENT,
        Function.MATCHED, Function.JOINED, Function.MOMENT_TEXT,
        Function.CONTAINS, Function.OVERLAPS, Function.JSON_VALUE, Function.JSON_LENGTH, Function.CARDINALITY, Function.ELEMENT,
        Function.ARRAY_OF, Function.ARRAY_CONCAT, Function.ARRAY_REMOVE, Function.ROW, Function.PART,
        Function.JSON_MERGE, Function.JSON_WITHOUT, Function.JSON_SET, Function.JSON_CONTAINS, Function.JSON_HAS,
        Function.JSON_OBJECT, Function.JSON_ARRAY, Function.JSON_PART,
        Function.DATE_OF, Function.TIME_PART, Function.TIME_BETWEEN, Function.DAYS_BETWEEN, Function.TIME_IN_ZONE,
        Function.TIME_OF_ZONE, Function.SUBSTRING_INDEX, Function.UNITS_BETWEEN, Function.MAKE_DATE, Function.ROUND_TIME,
    }
)  # fmt: skip
"""Those no statement of SQLite's comes to; they are tested beside PostgreSQL and MariaDB."""
FUNCTIONS: dict[Function, Callable[..., Any]] = {
    Function.GREATEST: extreme(max),
    Function.LEAST: extreme(min),
    Function.ABS: abs,
    Function.ROUND: rounded,
    Function.FLOOR: floor_of(math.floor),
    Function.CEILING: floor_of(math.ceil),
    Function.SIGN: lambda v: (v > 0) - (v < 0),
    Function.SQRT: lambda v: math.sqrt(v) if v >= 0 else None,
    Function.POWER: lambda x, y: float(x) ** y,
    Function.TRUNCATE: floor_of(math.trunc),
    Function.NUMBER_OF: number_in_full,
    Function.FLOAT_MOD: float_mod,
    Function.EXP: math.exp,
    Function.LN: logarithm(math.log),
    Function.LOG10: logarithm(math.log10),
    Function.LOG2: logarithm(math.log2),
    Function.CONCAT: lambda *values: "".join(values),
    Function.UPPER: lambda v: v.translate(_ASCII_UPPER),
    Function.LOWER: lambda v: v.translate(_ASCII_LOWER),
    Function.LENGTH: len,
    Function.BYTE_LENGTH: lambda text: len(text.encode()),
    Function.SUBSTRING: substring,
    Function.POSITION: lambda text, sought: text.find(sought) + 1,
    Function.REPLACE: lambda text, old, new: text.replace(old, new) if old else text,
    Function.TRIM: lambda text, what: text.strip(what) if what else text,
    Function.TRIM_START: lambda text, what: text.lstrip(what) if what else text,
    Function.TRIM_END: lambda text, what: text.rstrip(what) if what else text,
    Function.GLOB: glob,
    Function.CODE_POINT: lambda text: ord(text[0]) if text else None,
    Function.CHARACTER: chr,
    Function.TIMESTAMP_OF: timestamp_of,
    Function.FORMAT_TIME: format_time,
    Function.ADD_TIME: add_time,
    Function.TRUNCATE_TIME: truncate_time,
    Function.JULIAN_DAY: julian,
    Function.EPOCH: lambda v: math.floor((v - datetime(1970, 1, 1)).total_seconds()),  # noqa: DTZ001
}
