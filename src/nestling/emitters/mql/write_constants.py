"""Literals and parameters as an attribute keeps them: the conversions a database does when a value is stored, done here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from uuid import UUID

from bson import Binary

from nestling.common.errors import Problem, WorkloadError
from nestling.emitters.mql.sql.constant_conversion import affine
from nestling.emitters.mql.sql.gaps import gap
from nestling.emitters.mql.sql.placeholder import Expected, Placeholder
from nestling.emitters.mql.times_among import time_among
from nestling.ir import compiled
from nestling.ir.array_text import read_array
from nestling.ir.expression import Affinity, Rules, Stored
from nestling.ir.json_text import read_json
from nestling.ir.reading import GapKind
from nestling.ir.time_text import read_time_of_day
from nestling.ir.types import BSON_DIGITS, TIMES, Type, TypeName
from nestling.ir.values import encoder, rounded_to_millisecond
from nestling.ir.zero_dates import is_zero, zero_of

_INT64 = 1 << 63
_DURATION = re.compile(r"-?P(?=.*\d)[-+.,0-9YMWDTHS]+", re.ASCII)
_TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}


@dataclass(frozen=True, slots=True)
class StoredParameter(compiled.Placeholder):
    """Where the value of the parameter `name` belongs, as an attribute of `type` keeps it; `is_number`: it is reckoned with.

    `lenient`, `among`, `numeric`: as in `Stored`.
    """

    name: str
    type: Type
    rules: Rules
    is_number: bool = False
    lenient: bool = False
    among: str = ""
    numeric: bool = False

    def bind(self, value: object) -> object:
        """The BSON value; WorkloadError when it is no value, or one its attribute cannot take."""
        Placeholder(self.name).bind(value)  # refuses what is no value at all
        try:
            found = constant_of(value, self)
        except WorkloadError as error:
            problem = error.problems[0]
            raise WorkloadError(replace(problem, what=f"parameter `{self.name}`: {problem.what}")) from None
        if self.is_number:
            Placeholder(self.name, Affinity.NUMERIC, Expected.NUMBER).bind(value)
        return found


def stored_parameter(name: str, node: Stored) -> StoredParameter:
    """The place of a parameter that is stored so."""
    return StoredParameter(name, node.type, node.rules, lenient=node.lenient, among=node.among, numeric=node.numeric)


def stored_literal(value: object, node: Stored) -> object:
    """The BSON value of a constant the statement holds; a gap for a time in a form its attribute does not take."""
    try:
        return constant_of(value, node)
    except WorkloadError as error:
        if not node.among:
            raise
        problem = error.problems[0]
        raise gap(f"{problem.what}: {problem.next_move}", GapKind.INPUT) from None


def constant_of(value: object, node: Stored | StoredParameter) -> object:
    """The same of any value, with the errors it has."""
    return stored_constant(value, node.type, node.rules, lenient=node.lenient, among=node.among, numeric=node.numeric)


def stored_constant(
    value: object, kind: Type, rules: Rules, *, lenient: bool = False, among: str = "", numeric: bool = False
) -> object:
    """The BSON value of a conceptual one; None stays None. Raises `WorkloadError` for what a strict database refuses."""
    if value is None:
        return None
    if lenient and (meant := _meant(value, kind)) is not None:
        return meant
    if among and isinstance(value, str | date):
        found = time_among(value, kind, among)
    elif rules is Rules.SQLITE:
        found = _number_by_sqlite(value, kind) if numeric else _by_sqlite(value, kind)
    else:
        found = _by_server(value, kind)
    return Binary.from_uuid(found) if isinstance(found, UUID) else encoder(kind)(found)


def _meant(text: object, kind: Type) -> str | None:
    """What a text stands for in MySQL: a zero date, in one spelling, or the label it differs from by its case alone."""
    if kind.name in TIMES:
        return zero_of(kind) if is_zero(text) else None
    return next((label for label in kind.values if label.casefold() == str(text).casefold()), None)


# --- SQLite: affinities, and what reading its file back takes a text for ---------------------------------------------


def _by_sqlite(value: object, kind: Type) -> object:
    if _is_of_its_type(value, kind):
        is_fine = isinstance(value, datetime) and kind.fraction_digits <= BSON_DIGITS
        return rounded_to_millisecond(value) if is_fine and isinstance(value, datetime) else value
    value = _as_sqlite_has_it(value, kind)
    match kind.name:
        case TypeName.TEXT | TypeName.OBJECT_ID:
            return affine(value, Affinity.TEXT)
        case TypeName.ANY | TypeName.BYTES | TypeName.ENUM | TypeName.GEOMETRY:
            return value
        case TypeName.FLOAT:
            number = affine(value, Affinity.NUMERIC)
            return float(number) if isinstance(number, int) else _nan_or(number)
        case _:
            kept = _whole_if_it_is(affine(value, Affinity.NUMERIC))
            return _READ_BACK.get(kind.name, _as_it_is)(kept, kind)


def _number_by_sqlite(value: object, kind: Type) -> object:
    """By NUMERIC affinity: an integer where it is worth one, else the float."""
    return _nan_or(_whole_if_it_is(affine(_as_sqlite_has_it(value, kind), Affinity.NUMERIC)))


def _nan_or(number: object) -> object:
    """What a float that is no number is unloaded as is one again."""
    return float("nan") if number == "NaN" else number


def _is_of_its_type(value: object, kind: Type) -> bool:
    """Dates and UUIDs that no text has to be read for."""
    match kind.name:
        case TypeName.TIMESTAMP:
            return isinstance(value, datetime) and value.tzinfo is None
        case TypeName.TIMESTAMPTZ:
            return isinstance(value, datetime) and value.tzinfo is not None
        case TypeName.DATE:
            return isinstance(value, date) and not isinstance(value, datetime)
        case TypeName.UUID:
            return isinstance(value, UUID)
        case _:
            return False


def _as_sqlite_has_it(value: object, kind: Type) -> object:
    match value:
        case bool():
            return int(value)
        case datetime():
            return value.isoformat(" ")
        case date() if kind.name is TypeName.TIMESTAMP:
            return f"{value.isoformat()} 00:00:00"
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case Decimal() if kind.name is not TypeName.DECIMAL:
            return _as_sqlite_has_it(float(value), kind)
        case float() if kind.name in (TypeName.TEXT, TypeName.FLOAT):
            return value + 0.0  # -0.0 is kept as 0
        case _:
            return value


def _whole_if_it_is(value: object) -> object:
    """A float that is a 64-bit integer becomes one."""
    whole = isinstance(value, float) and value.is_integer() and -_INT64 < value < _INT64  # as SQLite has it
    return int(value) if whole and isinstance(value, float) else value


def _as_it_is(value: object, _: Type) -> object:
    return value


def _truth(value: object, _: Type) -> object:
    return value == 1 if isinstance(value, int) and value in (0, 1) else value


def _text_if_exact(value: object, read: Callable[[str], object], write: Callable[[object], str]) -> object:
    """What a text says, if writing that gives the same text."""
    if not isinstance(value, str):
        return value
    try:
        found = read(value)
        return found if write(found) == value else value
    except (ValueError, InvalidOperation, AttributeError):
        return value


def _decimal(value: object, _: Type) -> object:
    return _text_if_exact(value, Decimal, str)


def _day(value: object, _: Type) -> object:
    return _text_if_exact(value, date.fromisoformat, str)


def _uuid(value: object, _: Type) -> object:
    return _text_if_exact(value, UUID, str)


def _json(value: object, _: Type) -> object:
    return read_json(value) if isinstance(value, str) else value


def _array(value: object, kind: Type) -> object:
    found = _json(value, kind)
    if not isinstance(found, list) or kind.element is None:
        return value
    read, element = _READ_BACK.get(kind.element.name, _as_it_is), kind.element
    return [None if item is None else read(item, element) for item in found]


def _moment(value: object, kind: Type) -> object:
    spec, step = {0: ("seconds", 1_000_000), 3: ("milliseconds", 1000)}.get(kind.fraction_digits, ("microseconds", 1))

    def write(found: object) -> str:
        assert isinstance(found, datetime)
        return found.isoformat(" ", spec if found.microsecond % step == 0 else "microseconds")

    def read(text: str) -> object:
        found = datetime.fromisoformat(text)
        if (found.tzinfo is not None) is not (kind.name is TypeName.TIMESTAMPTZ):
            raise ValueError("the zone")
        return found if found.tzinfo is None else found.astimezone(UTC)

    return _text_if_exact(value, read, write)


_READ_BACK: dict[TypeName, Callable[[object, Type], object]] = {
    TypeName.BOOLEAN: _truth,
    TypeName.DECIMAL: _decimal,
    TypeName.DATE: _day,
    TypeName.TIMESTAMP: _moment,
    TypeName.TIMESTAMPTZ: _moment,
    TypeName.UUID: _uuid,
    TypeName.JSON: _json,
    TypeName.ARRAY: _array,
}

# --- PostgreSQL and MySQL: strict ------------------------------------------------------------------------------------


def _by_server(value: object, kind: Type) -> object:
    try:
        return _strict(value, kind)
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError):
        raise WorkloadError(Problem(f"{value!r} cannot be stored as {kind}")) from None


def _strict(value: object, kind: Type) -> object:  # noqa: C901 - one case for each type
    match kind.name:
        case TypeName.BOOLEAN:
            return value if isinstance(value, bool) else _TRUTHS[str(value).strip().lower()]
        case TypeName.INTEGER:
            return int(_exact(value).quantize(Decimal(1), ROUND_HALF_UP))
        case TypeName.DECIMAL:
            return _scaled(_exact(value), kind)
        case TypeName.FLOAT:
            return float(value)  # type: ignore[arg-type]
        case TypeName.TEXT:
            return _fitting(_shown(value), kind)
        case TypeName.OBJECT_ID:
            return _shown(value)
        case TypeName.BYTES if isinstance(value, str):
            return bytes.fromhex(value[2:]) if value.startswith("\\x") else value.encode()
        case TypeName.DATE | TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ:
            return _strict_time(value, kind)
        case TypeName.UUID:
            return value if isinstance(value, UUID) else UUID(str(value))
        case TypeName.JSON:
            return read_json(value) if isinstance(value, str) else value
        case TypeName.ARRAY:
            assert kind.element is not None
            items = read_array(value) if isinstance(value, str) else value
            if not isinstance(items, list):
                raise TypeError("no array")
            return [None if item is None else _strict(item, kind.element) for item in items]
        case TypeName.TIME:
            return read_time_of_day(_shown(value))
        case TypeName.INTERVAL if not _DURATION.fullmatch(_shown(value)):
            raise ValueError("an interval is written as a duration of ISO 8601")
        case TypeName.ENUM | TypeName.INTERVAL | TypeName.BITS:
            return _shown(value)
        case _:
            return value


def _exact(value: object) -> Decimal:
    """Floats by their 15 digits, as PostgreSQL takes them."""
    return Decimal(f"{value:.15g}") if isinstance(value, float) else Decimal(str(value).strip())


def _scaled(number: Decimal, kind: Type) -> Decimal:
    if not kind.numbers or not number.is_finite():
        return number
    precision, scale = (*kind.numbers, 0)[:2]
    found = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    if found.adjusted() >= precision - scale and found:
        raise ValueError("too many digits")
    return found


def _shown(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _fitting(text: str, kind: Type) -> str:
    """Blanks beyond the length are cut off, as both databases do."""
    length = kind.numbers[0] if kind.numbers else len(text)
    if text[length:].strip(" "):
        raise ValueError("too long")
    return text[:length]


def _strict_time(value: object, kind: Type) -> object:
    """Without an offset it is in UTC: the session's time zone is taken to be that."""
    assert kind.name in TIMES
    found = datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
    if isinstance(found, date) and not isinstance(found, datetime):
        found = datetime(found.year, found.month, found.day)  # noqa: DTZ001 - a timestamp has no zone
    if not isinstance(found, datetime):
        raise TypeError("no time")
    if kind.fraction_digits <= BSON_DIGITS:  # as a column of that precision does
        found = rounded_to_millisecond(found)
    if kind.name is TypeName.TIMESTAMPTZ:
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    return found.date() if kind.name is TypeName.DATE else found.replace(tzinfo=None)
