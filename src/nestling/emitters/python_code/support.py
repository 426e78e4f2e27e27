"""What the functions of a written module lean on. Those that a module uses are copied into it, so they know pymongo alone.

A parameter's value is converted as the statement's dialect converts it, and refused where the statement could not take it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any
from uuid import UUID

from bson import (
    Binary,
    Code,
    CodecOptions,
    DBRef,
    Decimal128,
    Int64,
    MaxKey,
    MinKey,
    ObjectId,
    Regex,
    Timestamp,
    decode,
    encode,
    json_util,
)
from bson.binary import UuidRepresentation
from bson.datetime_ms import DatetimeMS
from bson.json_util import JSONMode, JSONOptions

CODEC: CodecOptions[Any] = CodecOptions(uuid_representation=UuidRepresentation.STANDARD)
EXTENDED = JSONOptions(json_mode=JSONMode.RELAXED, uuid_representation=UuidRepresentation.STANDARD)
VALUES = (bool, int, float, Decimal, str, bytes, date, UUID, Binary)
NUMERAL = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
NUMBER = re.compile(rf"[ \t\n\v\f\r]*{NUMERAL}[ \t\n\v\f\r]*", re.ASCII)
NUMBER_AT_START = re.compile(rf"[ \t\n\v\f\r]*{NUMERAL}", re.ASCII)
INTEGER_AT_START = re.compile(r"[ \t\n\v\f\r]*([-+]?\d+)", re.ASCII)
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z?", re.ASCII)
LONG_NUMBER = re.compile(r"-?\d[\d.]{34,}(E[-+]\d+)?", re.ASCII)
OBJECT_ID = re.compile(r"[0-9a-f]{24}", re.ASCII)
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
TIME_OF_DAY = re.compile(r"(-?)(\d{1,3}):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?([-+]\d\d(?::?\d\d)?)?", re.ASCII)


def collection(db: Any, name: str) -> Any:
    """A collection whose UUIDs are read as such."""
    return db.get_collection(name, codec_options=CODEC)


# --- parameters ----------------------------------------------------------------------------------


def given(name: str, value: Any, *conversions: Callable[[Any], Any]) -> Any:
    """A parameter's value as it is stored; never a document or list, so that it cannot become an operator."""
    if value is not None and not isinstance(value, VALUES):
        raise TypeError(f"`{name}` must be a value, not {type(value).__name__}")
    try:
        for convert in conversions:
            value = convert(value)
    except TypeError as error:
        raise TypeError(f"`{name}` must be {error}, not {type(value).__name__}") from None
    return as_stored(value)


def given_list(name: str, values: Any, *conversions: Callable[[Any], Any]) -> list[Any]:
    """The values of a parameter that is a list; NULL instead of it is a list of one NULL."""
    if not isinstance(values, list | tuple | set | frozenset | None):
        raise TypeError(f"`{name}` is a list of values: give [1, 2]")
    return [None] if values is None else [given(name, value, *conversions) for value in values]


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


def number_in(numeral: str) -> int | float:
    """A numeral as an integer if it is one or is worth one, else as a float."""
    if numeral.lstrip("+-").isdecimal() and -(1 << 63) <= int(numeral) < 1 << 63:
        return int(numeral)
    found = float(numeral)
    return int(found) if found.is_integer() and abs(found) < 1 << 51 else found


def number_as_text(value: Any) -> Any:
    """A number as the text SQL shows it as."""
    if not isinstance(value, int | float):
        return value
    if isinstance(value, int):
        return str(int(value))
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    mantissa, _, exponent = f"{value:.15g}".partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{exponent}" if exponent else mantissa


def as_written(numeral: str) -> int | float:
    """A numeral as an integer if it is written as one, else as a float."""
    is_whole = numeral.lstrip("+-").isdecimal() and -(1 << 63) <= int(numeral) < 1 << 63
    return int(numeral) if is_whole else float(numeral)


def cast_to_decimal(value: Any) -> Any:
    """The number a text begins with, as it is written, 0 where it begins with none."""
    return number_at_start(value, as_written)


def cast_to_number(value: Any) -> Any:
    """The number a text begins with, an integer if it is worth one, 0 where it begins with none."""
    return number_at_start(value, number_in)


def number_at_start(value: Any, read: Callable[[str], int | float]) -> Any:
    """The number a text begins with."""
    if not isinstance(value, str):
        return int(value) if isinstance(value, bool) else value
    match = NUMBER_AT_START.match(value)
    return read(match[1]) if match else 0


def cast_to_float(value: Any) -> Any:
    """The same as a float."""
    return float(cast_to_number(value)) if isinstance(value, int | float | str) else value


def cast_to_truth(value: Any) -> Any:
    """Whether that number is not 0."""
    return cast_to_number(value) != 0 if isinstance(value, int | float | str) else value


def cast_to_integer(value: Any) -> Any:
    """The whole number a number or text begins with, at most 64 bits."""
    if isinstance(value, str):
        match = INTEGER_AT_START.match(value)
        value = int(match[1]) if match else 0
    if not isinstance(value, int | float):
        return value
    return min(int(min(max(value, -(1 << 63)), (1 << 63) - 1)), (1 << 63) - 1)


def uuid_as_text(value: Any) -> Any:
    """A UUID as its text."""
    is_binary = isinstance(value, Binary) and value.subtype == 4 and len(value) == 16
    found = value.as_uuid() if is_binary else value
    return str(found) if isinstance(found, UUID) else value


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


def as_sqlite_text(value: Any) -> Any:
    """A number, date or UUID as the text SQLite keeps of it; anything else as it is."""
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, float | Decimal):
        return number_as_text(float(value) + 0.0)
    return number_as_text(time_as_text(value))


def time_as_text_of(grain: str) -> Callable[[Any], Any]:
    """From a date to its text, as a column of that grain would hold it."""

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
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value


def text_as_time_of_day(value: Any) -> Any:
    """A text that is a time of day in the form it is kept in."""
    found = TIME_OF_DAY.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return value
    sign, hours, minutes, seconds, fraction, zone = found.groups(default="")
    digits = fraction.rstrip("0")
    return f"{sign}{hours:0>2}:{minutes}:{seconds or '00'}{'.' * bool(digits)}{digits}{zone}"


def text_as_uuid(value: Any) -> Any:
    """A text that is a UUID as that."""
    try:
        return UUID(value) if isinstance(value, str) else value
    except ValueError:
        return value


def a_number(value: Any) -> Any:
    """A number or NULL."""
    return of_type(value, (int, float, Decimal), "a number")


def a_text(value: Any) -> Any:
    """A text or NULL."""
    return of_type(value, (str,), "a text")


def a_time(value: Any) -> Any:
    """A date or NULL."""
    return of_type(value, (date,), "a date or timestamp")


def a_time_of_day(value: Any) -> Any:
    """The text of a time of day, or NULL."""
    if value is not None and not (isinstance(value, str) and TIME_OF_DAY.fullmatch(value)):
        raise TypeError("a time of day")
    return value


def a_truth(value: Any) -> Any:
    """A truth value or NULL."""
    return of_type(value, (bool,), "a truth value")


def a_uuid(value: Any) -> Any:
    """A UUID or NULL."""
    return of_type(value, (UUID, Binary), "a UUID")


def of_type(value: Any, types: tuple[type, ...], wanted: str) -> Any:
    """The value, if it is of one of the types."""
    if value is not None and not isinstance(value, types):
        raise TypeError(wanted)
    return value


def text_as_object_id(value: Any) -> Any:
    """The ObjectId whose 24 digits a text is."""
    return ObjectId(value) if isinstance(value, str) and OBJECT_ID.fullmatch(value) else value


def first_from(grain: str, *, after: bool = False, exact: bool = False) -> Callable[[Any], Any]:
    """From a text to the first instant whose own text is at least (`after`: greater than) it.

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
        return as_exact_text(value) if value.microsecond % 1000 else value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001
    if type(value) is int and not -(1 << 63) <= value < 1 << 63:
        value = Decimal(value)
    return Decimal128(value) if isinstance(value, Decimal) else value


def as_exact_text(value: datetime) -> str:
    """A timestamp with microseconds as text, in UTC where it has a zone."""
    if value.tzinfo is not None:
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0")
    return value.strftime("%Y-%m-%dT%H:%M:%S.%f").rjust(26, "0")


def at_millisecond(whole: str) -> Callable[[Any], Any]:
    """From an instant to the whole millisecond `before` or `after` it that compares with others as it does."""

    def convert(value: Any) -> Any:
        if not isinstance(value, datetime) or value.microsecond % 1000 == 0:
            return value
        before = value.replace(microsecond=value.microsecond // 1000 * 1000)
        try:
            return before if whole == "before" else before + timedelta(milliseconds=1)
        except OverflowError:  # the last there is
            return before

    return convert


def as_wide_text(kind: str) -> Callable[[Any], Any]:
    """From a timestamp to the text it is kept as where others are finer than a date; what has no zone is in UTC."""

    def convert(value: Any) -> Any:
        if not isinstance(value, date):
            return value
        instant = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)  # noqa: DTZ001
        instant = instant.replace(tzinfo=instant.tzinfo or UTC).astimezone(UTC)
        return as_exact_text(instant if kind == "timestamptz" else instant.replace(tzinfo=None))

    return convert


def limit_of(name: str, value: Any) -> int | None:
    """How many rows, None for all: a negative number is no limit."""
    count = whole_number(name, value)
    return None if count is None or count < 0 else count


def offset_of(name: str, value: Any) -> int:
    """How many rows to leave out."""
    return max(whole_number(name, value) or 0, 0)


def whole_number(name: str, value: Any) -> int | None:
    """A whole number or NULL."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise TypeError(f"`{name}` must be a whole number, not {value!r}")
    return value


def limited(name: str, value: Any) -> list[dict[str, Any]]:
    """The stages that take so many rows."""
    count = limit_of(name, value)
    if count is None:
        return []
    return [{"$limit": count}] if count else [{"$match": {"$expr": False}}]


def skipped(name: str, value: Any) -> list[dict[str, Any]]:
    """The stages that leave out so many rows."""
    count = offset_of(name, value)
    return [{"$skip": count}] if count else []


# --- rows ----------------------------------------------------------------------------------------


def rows_from(
    documents: Iterable[Mapping[str, Any]], columns: Mapping[str, Callable[[Any], Any]]
) -> list[dict[str, Any]]:
    """A dict for each document, its columns in order; NULL is None."""

    def row(document: Mapping[str, Any]) -> dict[str, Any]:
        return {name: shown_or_none(document.get(name), columns[name]) for name in columns}

    return list(map(row, documents))


def as_read(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows of values to be stored, as they would be read."""
    return [decode(encode(row, codec_options=CODEC), CODEC) for row in rows]


def shown_or_none(value: Any, shown: Callable[[Any], Any]) -> Any:
    """The value as it is shown, NULL as None."""
    return None if value is None else shown(value)


def as_found(value: Any) -> Any:
    """A BSON value as the Python value it stands for."""
    if isinstance(value, Decimal128):
        return exact(value)
    if isinstance(value, Int64):
        return int(value)
    if isinstance(value, Binary):
        return bytes(value).decode() if value.subtype == 130 else bytes(value)
    return value


def exact(value: Decimal128) -> Decimal:
    """A Decimal128 as a decimal."""
    return value.to_decimal()


def as_date(value: Any) -> Any:
    """A day, of what is stored as its midnight."""
    is_day = isinstance(value, datetime) and value.time() == datetime.min.time()
    return value.date() if is_day else as_found(value)


def as_timestamp(value: Any) -> Any:
    """A timestamp, also of the text it is stored as where it has microseconds."""
    is_text = isinstance(value, str) and TIMESTAMP.fullmatch(value)
    return datetime.fromisoformat(value) if is_text else as_found(value)


def as_instant(value: Any) -> Any:
    """A timestamp in UTC."""
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else as_timestamp(value)


def as_decimal(value: Any) -> Any:
    """A decimal, also of the text it is stored as where it has too many digits."""
    found = as_found(value)
    is_long = isinstance(found, str) and LONG_NUMBER.fullmatch(found)
    return Decimal(found) if is_long else found


def as_integer(value: Any) -> Any:
    """A whole number, also one that is too large for 64 bits."""
    found = as_found(value)
    is_whole = isinstance(found, Decimal) and found.as_tuple().exponent == 0
    return int(found) if is_whole and not -(1 << 63) <= found < 1 << 63 else found


def as_json(value: Any) -> Any:
    """A JSON value; a text is what its JSON says."""
    try:
        if type(value) is str:
            return json.loads(value)
        is_found = isinstance(value, float) or type(value) is bytes
        is_ours = isinstance(value, Binary) and value.subtype in (128, 130)
        return as_found(value) if is_found or is_ours else as_json_part(value)
    except ValueError:
        return value


def as_json_part(value: Any) -> Any:
    """A value inside of JSON, also of the text it is stored as where no document can hold it."""
    if isinstance(value, Binary) and value.subtype == 129:
        return json.loads(bytes(value))
    if isinstance(value, dict):
        return {name: as_json_part(each) for name, each in value.items()}
    if isinstance(value, list):
        return [as_json_part(each) for each in value]
    if is_beyond_json(value):
        return json.loads(json_util.dumps(value, json_options=EXTENDED))
    return str(value) if isinstance(value, ObjectId) else as_integer(value)


def is_beyond_json(value: Any) -> bool:
    """Whether JSON has no such value: it stands there as Extended JSON."""
    if isinstance(value, Decimal128):
        number = value.to_decimal()
        if number.as_tuple().exponent == 0:
            return -(1 << 63) <= number < 1 << 63
        return not number.is_finite() or Decimal(repr(float(number))) == number
    odd = (bytes, UUID, datetime, Code, DBRef, MaxKey, MinKey, Regex, Timestamp, DatetimeMS)
    return isinstance(value, odd) or (isinstance(value, float) and not isfinite(value))


def as_array(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An array of such elements."""

    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            return as_found(value)
        return [shown_or_none(each, convert if type(each) is list else element) for each in value]

    return convert


# --- joins ---------------------------------------------------------------------------------------


def parts_of(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The rows, so many at a time."""
    part: list[Any] = []
    for row in rows:
        part.append(row)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def ids_in(rows: Iterable[Mapping[str, Any]], field: str) -> list[Any]:
    """The values of a field, each once."""
    return list(dict.fromkeys(row[field] for row in rows if row.get(field) is not None))


def by_field(rows: Iterable[Mapping[str, Any]], field: str) -> dict[Any, list[Mapping[str, Any]]]:
    """The rows by the value of a field."""
    found: dict[Any, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.get(field), []).append(row)
    return found
