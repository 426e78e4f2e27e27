"""How a value given for a parameter becomes BSON: as the statement's dialect converts it, or refused where it takes none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite, isnan
from typing import Any
from uuid import UUID

from bson import Binary, Decimal128, ObjectId
from bson.datetime_ms import DatetimeMS

from nestling.ir.value_forms.calendar_units import unit_start
from nestling.ir.value_forms.canonical_texts import CANONICAL
from nestling.ir.value_forms.instants import instant_text, read_instant
from nestling.ir.value_forms.numeral import INT64, as_written, float_text, number_in
from nestling.ir.value_forms.time_text import clock_of, read_time_of_day
from nestling.ir.value_forms.two_digit_years import full_year

VALUES = (bool, int, float, Decimal, str, bytes, date, time, UUID, Binary, ObjectId)
NUMERAL = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
NUMBER = re.compile(rf"[ \t\n\v\f\r]*{NUMERAL}[ \t\n\v\f\r]*", re.ASCII)
NUMBER_AT_START = re.compile(rf"[ \t\n\v\f\r]*{NUMERAL}", re.ASCII)
INTEGER_AT_START = re.compile(r"[ \t\n\v\f\r]*([-+]?\d+)", re.ASCII)
OBJECT_ID = re.compile(r"[0-9a-f]{24}", re.ASCII)
LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
EXACT_TYPES: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "decimal": (int, Decimal),
    "float": (int, float),
    "text": (str,),
    "date": (date, str),
    "timestamp": (date, str),
    "timestamptz": (date, str),
    "uuid": (UUID, str),
}


def given(name: str, value: Any, *conversions: Callable[[Any], Any]) -> Any:
    """A parameter's value as it is compared. It is never a document or a list, so it cannot become an operator."""
    if not (isinstance(value, timedelta) and duration_as_clock in conversions):
        check_value(name, value)
    value = clock_as_text(value)
    try:
        for convert in conversions:
            value = convert(value)
        return as_stored(value)
    except TypeError as error:
        raise TypeError(f"parameter `{name}` must be {error}, not {type(value).__name__}") from None
    except (ValueError, ArithmeticError) as error:
        has_move = isinstance(error, ValueError) and len(error.args) == 2
        why = "; ".join(error.args) if has_move else error
        raise ValueError(f"parameter `{name}` cannot be {value!r}: {why}") from None


def check_value(name: str, value: Any) -> None:
    """Raise if it is not a value that a parameter can have."""
    if value is not None and not isinstance(value, VALUES):
        wanted = "a value: a number, text, bytes, date, time, UUID, ObjectId or NULL"
        raise TypeError(f"parameter `{name}` must be {wanted}, not {type(value).__name__}")
    if isinstance(value, str) and LONE_SURROGATE.search(value):
        raise ValueError(f"parameter `{name}` cannot be {value!r}: half a character (a lone surrogate) is not text")


def clock_as_text(value: Any) -> Any:
    """A time of day as its text."""
    return value.isoformat() if isinstance(value, time) else value


def duration_as_clock(value: Any) -> Any:
    """A timedelta as the text of MySQL's TIME; beside one it is a value."""
    return clock_of(value) if isinstance(value, timedelta) else value


def without_zone(value: Any) -> Any:
    """A datetime's fields as they are: so MySQL's drivers write one, whatever its zone."""
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def json_text_of(value: Any) -> str:
    """The JSON text of a dict or list."""
    try:
        return json.dumps(value)
    except (TypeError, RecursionError) as problem:
        raise ValueError(
            f"a {type(value).__name__} that cannot be written as JSON: {problem}",
            "give numbers, texts, dicts and lists",
        ) from None


def given_list(name: str, values: Any, *conversions: Callable[[Any], Any]) -> list[Any]:
    """The values of a parameter that is a list; NULL instead of it is a list of one NULL."""
    if not isinstance(values, list | tuple | set | frozenset | None):
        is_no_list = f"must be a list of values, not {type(values).__name__}: give [1, 2]"
        raise TypeError(f"parameter `{name}` {is_no_list}")
    try:
        return [None] if values is None else [given(name, value, *conversions) for value in values]
    except TypeError as error:
        raise TypeError(f"each value of {error}") from None


def refuse_number(value: Any) -> Any:
    """A value that is compared with texts; beside a number MySQL takes these for numbers, which is not done here."""
    if isinstance(value, bool | int | float | Decimal):
        raise TypeError("a text")
    return value


def refuse_uuid(value: Any) -> Any:
    """A value of SQLite, whose drivers take no UUID: a column of texts may hold its digits with hyphens or without."""
    if is_uuid(value):
        raise ValueError("SQLite has no UUIDs; give its `.hex` or its `str(…)`, as the column holds them")
    return value


def refuse_uuid_beside_bytes(value: Any) -> Any:
    """A value beside binary of another subtype, such as UUIDs of old drivers, which put the bytes of one in several orders."""
    if is_uuid(value):
        raise ValueError(
            "which bytes stand for it there differs by driver; give the bytes, or a bson.Binary of that subtype"
        )
    return value


def counted_truth(value: Any) -> Any:
    """True and false as 1 and 0."""
    return int(value) if isinstance(value, bool) else value


def of_exact_type(kind: str) -> Callable[[Any], Any]:
    """A check that a value is of the type the statement converts it to, or the text of a time or UUID."""

    def check(value: Any) -> Any:
        is_right = isinstance(value, EXACT_TYPES[kind]) and (type(value) is not bool or kind == "boolean")
        if kind == "date":
            is_day = DAY.fullmatch(value) if isinstance(value, str) else not isinstance(value, datetime)
            is_right = is_right and bool(is_day)
        instant = text_as_time(value) if kind == "timestamp" else None
        if value is not None and (not is_right or getattr(instant, "tzinfo", None) is not None):
            raise TypeError(f"of type {kind}")
        return value

    return check


def short_float_as_decimal(value: Any) -> Any:
    """A float of at most 15 digits as the decimal it is shown as."""
    if not isinstance(value, float) or not isfinite(value):
        return value
    shown = Decimal(repr(value))
    return shown if len(shown.normalize().as_tuple().digits) <= 15 else value


def float_as_decimal(value: Any) -> Any:
    """A float as the decimal it is shown as."""
    return Decimal(repr(value)) if isinstance(value, float) and isfinite(value) else value


def decimal_as_float(value: Any) -> Any:
    """A decimal as a float."""
    return float(value) if isinstance(value, Decimal) else value


def numeric(value: Any) -> Any:
    """A text that is a number in full as that number."""
    match = NUMBER.fullmatch(value) if isinstance(value, str) else None
    return number_in(match[1]) if match else value


def number_as_text(value: Any) -> Any:
    """A number as the text SQL shows it as."""
    if not isinstance(value, int | float):
        return value
    return str(int(value)) if isinstance(value, int) else float_text(value)


def bytes_as_text(value: Any) -> Any:
    """Bytes as a text that begins with the same number, which is written in ASCII."""
    return value.decode("latin-1") if isinstance(value, bytes) else value


def cast_to_decimal(value: Any) -> Any:
    """The number that a text begins with, with the digits it is written with; 0 where it begins with none."""
    return number_at_start(value, as_written)


def cast_to_number(value: Any) -> Any:
    """The number that a text begins with, as an integer if it equals one; 0 if it begins with none."""
    return number_at_start(value, number_in)


def number_at_start(value: Any, read: Callable[[str], int | float]) -> Any:
    """The number a text begins with, or bytes that are read as one."""
    value = bytes_as_text(value)
    if not isinstance(value, str):
        return int(value) if isinstance(value, bool) else value
    match = NUMBER_AT_START.match(value)
    return read(match[1]) if match else 0


def cast_to_float(value: Any) -> Any:
    """Cast a number, text or bytes to a float; any other value is returned unchanged."""
    return float(cast_to_number(value)) if isinstance(value, int | float | str | bytes) else value


def cast_to_truth(value: Any) -> Any:
    """Whether that number is not 0."""
    return cast_to_number(value) != 0 if isinstance(value, int | float | str | bytes) else value


def cast_to_integer(value: Any) -> Any:
    """The whole number a number or text begins with, at most 64 bits."""
    value = bytes_as_text(value)
    if isinstance(value, str):
        match = INTEGER_AT_START.match(value)
        value = int(match[1]) if match else 0
    if not isinstance(value, int | float):
        return value
    return min(int(min(max(value, -INT64), INT64 - 1)), INT64 - 1)


def is_uuid(value: Any) -> bool:
    """Whether it is a UUID, of Python or of BSON."""
    return isinstance(value, UUID) or (isinstance(value, Binary) and value.subtype == 4 and len(value) == 16)


def uuid_as_text(value: Any) -> Any:
    """A UUID as its text."""
    if not is_uuid(value):
        return value
    return str(value.as_uuid() if isinstance(value, Binary) else value)


def text_as_stored_uuid(value: Any) -> Any:
    """The UUID whose canonical text it is."""
    found = text_as_uuid(value)
    return found if isinstance(found, UUID) and str(found) == value else value


def time_as_text(value: Any) -> Any:
    """A date or UUID as its text."""
    value = uuid_as_text(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date) else value


def time_as_text_of(grain: str) -> Callable[[Any], Any]:
    """Gives a function that turns a date into its text, as a column of that grain holds it."""

    def convert(value: Any) -> Any:
        is_moment = isinstance(value, datetime) and value.tzinfo is None and grain != "day"
        return text_at(value, grain) if is_moment else time_as_text(value)

    return convert


def text_at(instant: datetime, grain: str) -> str:
    """The text of an instant in a column of that grain."""
    if grain == "day":
        return instant.date().isoformat()
    return instant.isoformat(" ", "auto" if grain == "seconds" or instant.microsecond % 1000 else grain)


def text_as_time(value: Any) -> Any:
    """A text that is a date or timestamp in ISO form as that."""
    try:
        return read_instant(value) if isinstance(value, str) else value
    except ValueError:
        return value


def text_as_day(value: Any) -> Any:
    """A text that is a date or timestamp in ISO form as its date alone."""
    found = text_as_time(value)
    return found.date() if found is not value else value


def text_as_local_time(value: Any) -> Any:
    """A text that is a date or timestamp in ISO form as a timestamp without the offset it may state."""
    found = text_as_time(value)
    return found.replace(tzinfo=None) if found is not value else value


def text_as_time_of_day(value: Any) -> Any:
    """A text that is a time of day in the form it is kept in."""
    try:
        return read_time_of_day(value) if isinstance(value, str) else value
    except ValueError:
        return value


def text_as_uuid(value: Any) -> Any:
    """A text that is a UUID as that."""
    try:
        return UUID(value) if isinstance(value, str) else value
    except ValueError:
        return value


def a_number(value: Any) -> Any:
    """A number or NULL."""
    return of_type(value, (int, float, Decimal), "a number")


def an_ordered_number(value: Any) -> Any:
    """A number or NULL, but not NaN, which is in no order that MongoDB and the source share."""
    if is_nan(a_number(value)):
        raise ValueError("MongoDB sorts NaN before all numbers, PostgreSQL after them; give a number or NULL")
    return value


def is_nan(value: Any) -> bool:
    """Whether it is NaN."""
    return isinstance(value, float | Decimal) and isnan(value)


def a_text(value: Any) -> Any:
    """A text or NULL."""
    return of_type(value, (str,), "a text")


def a_time(value: Any) -> Any:
    """A date or NULL."""
    return of_type(value, (date,), "a date or timestamp")


def a_time_of_day(value: Any) -> Any:
    """The text of a time of day, or NULL."""
    try:
        return None if value is None else read_time_of_day(value)
    except (ValueError, TypeError, AttributeError):
        raise TypeError("a time of day") from None


def a_truth(value: Any) -> Any:
    """A truth value or NULL."""
    return of_type(value, (bool,), "a truth value")


def a_bytes(value: Any) -> Any:
    """Accept bytes or NULL, and refuse anything else."""
    return of_type(value, (bytes,), "bytes or a text")


def a_uuid(value: Any) -> Any:
    """A UUID or NULL."""
    return of_type(value, (UUID, Binary), "a UUID")


def of_type(value: Any, types: tuple[type, ...], wanted: str) -> Any:
    """The value, if it is of one of the types."""
    if value is not None and not isinstance(value, types):
        raise TypeError(wanted)
    return value


def refuse_array_text(value: Any) -> Any:
    """A value beside what lies in JSON: the text of an array is refused, as its form there is not known."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            json.loads(value)
        except ValueError:
            return value
        raise ValueError("it is the text of a JSON array, whose form in the documents is not known")
    return value


def object_id_as_text(value: Any) -> Any:
    """An ObjectId as its 24 digits."""
    return str(value) if isinstance(value, ObjectId) else value


def text_as_object_id(value: Any) -> Any:
    """The ObjectId whose 24 digits a text is."""
    return ObjectId(value) if isinstance(value, str) and OBJECT_ID.fullmatch(value) else value


def first_from(grain: str, after: bool = False, exact: bool = False) -> Callable[[Any], Any]:
    """Gives a function that finds the first instant whose text is at least (`after`: greater than) a given text.

    `exact`: to the instant whose text it is; a text no instant has stays one.
    """
    step, start = timedelta(days=1) if grain == "day" else timedelta(milliseconds=1), datetime(1, 1, 1)  # noqa: DTZ001

    def convert(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        low, high = 0, timedelta(days=3_652_059) // step
        while low < high:
            middle = (low + high) // 2
            found = text_at(start + middle * step, grain)
            if found > value or (found == value and not after):
                high = middle
            else:
                low = middle + 1
        try:
            instant = start + low * step
        except OverflowError:
            return value if exact else DatetimeMS(253_402_300_800_000)
        return value if exact and text_at(instant, grain) != value else instant

    return convert


def as_stored(value: Any) -> Any:
    """A value as BSON has it."""
    if isinstance(value, UUID):
        return Binary.from_uuid(value)
    if isinstance(value, datetime):
        return instant_text(value) if value.microsecond % 1000 else value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001
    if type(value) is int and not -INT64 <= value < INT64:
        value = Decimal(value)
    return as_decimal128(value) if isinstance(value, Decimal) else value


def as_decimal128(value: Decimal) -> Decimal128:
    """A decimal as BSON has it."""
    try:
        return Decimal128(value)
    except ArithmeticError:
        raise ValueError("a Decimal128 keeps 34 digits") from None


def at_millisecond(whole: str) -> Callable[[Any], Any]:
    """Gives a function that rounds an instant to the millisecond `before` or `after` it; comparisons then give the same."""

    def convert(value: Any) -> Any:
        if not isinstance(value, datetime) or value.microsecond % 1000 == 0:
            return value
        before = value.replace(microsecond=value.microsecond // 1000 * 1000)
        try:
            return before if whole == "before" else before + timedelta(milliseconds=1)
        except OverflowError:  # the last there is
            return before

    return convert


def at_unit_start(unit: str) -> Callable[[Any], Any]:
    """Gives a function that finds the beginning of the calendar unit an instant lies in, in UTC; anything else stays."""

    def convert(value: Any) -> Any:
        try:
            instant = value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo is not None else value
        except OverflowError:  # before the first or after the last there is
            return value
        return unit_start(instant, unit) or value

    return convert


def of_whole_milliseconds(value: Any) -> Any:
    """Refuse a moment for arithmetic that has microseconds, because the server computes with milliseconds."""
    if isinstance(value, datetime) and value.microsecond % 1000:
        raise ValueError("MongoDB computes with whole milliseconds; give it without microseconds")
    return value


def of_second_digits(digits: int) -> Callable[[Any], Any]:
    """Gives a check that a moment has no more digits of a second: MySQL rounds others, MariaDB cuts them off."""
    step, most = 10 ** (6 - digits), f"{digits} digits of a second" if digits else "whole seconds"

    def check(value: Any) -> Any:
        if isinstance(value, datetime) and value.microsecond % step:
            raise ValueError("servers differ in what they do with more digits", f"give it with {most}")
        return value

    return check


def as_wide_text(kind: str) -> Callable[[Any], Any]:
    """Gives a function that turns a timestamp into the text stored for times finer than a BSON date; without a zone it is UTC."""

    def convert(value: Any) -> Any:
        if not isinstance(value, date):
            return value
        instant = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)  # noqa: DTZ001
        instant = instant.replace(tzinfo=instant.tzinfo or UTC).astimezone(UTC)
        return instant_text(instant if kind == "timestamptz" else instant.replace(tzinfo=None))

    return convert


def as_written_by(kind: str) -> Callable[[Any], Any]:
    """Gives a check that a text is written as the source writes values of the type, where each value has one text."""

    def check(value: Any) -> Any:
        if isinstance(value, str) and not CANONICAL[kind].fullmatch(value):
            raise ValueError(f"the source writes {kind} differently")
        return value

    return check


def of_subtype(subtype: int) -> Callable[[Any], Any]:
    """Gives a function that makes bytes without a subtype of their own binary of that one."""

    def convert(value: Any) -> Any:
        is_plain = isinstance(value, bytes) and getattr(value, "subtype", 0) == 0
        return Binary(value, subtype) if is_plain else value

    return convert


def as_year(value: Any) -> Any:
    """A number of two digits as the year MySQL takes it for beside a YEAR."""
    return full_year(value) if isinstance(value, int) and not isinstance(value, bool) else value


def without_blanks(value: Any) -> Any:
    """A text without the blanks at its end, which do not count in PostgreSQL's `char`."""
    return value.rstrip(" ") if isinstance(value, str) else value
