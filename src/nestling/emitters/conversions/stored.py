"""What a database makes of a value as it stores it, by its rules and the column's type: SQLite's affinities, with what its file
is read back as, and the strict conversions of PostgreSQL and MySQL.

Each function takes a value that is not NULL. What the database would refuse raises one of `REFUSALS`; a ValueError of two texts
says what is wrong, and the next move.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from bson import Binary

from nestling.emitters.conversions.given import (
    a_number,
    as_stored,
    check_value,
    counted_truth,
    number_as_text,
    numeric,
    text_as_object_id,
    uuid_as_text,
)
from nestling.ir.array_text import read_array
from nestling.ir.instants import INSTANT_TEXT, NO_DATE, instant_text, rounded_to_millisecond
from nestling.ir.json_text import read_json
from nestling.ir.numeral import INT64
from nestling.ir.time_text import read_time_of_day
from nestling.ir.zero_dates import is_zero

MISSING: Any = object()
"""What NULL is stored as: no field."""
REFUSALS = (ValueError, ArithmeticError, LookupError, TypeError, AttributeError)
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.(\d{3}|\d{6}))?([-+]\d\d:\d\d)?", re.ASCII)
DAY_TEXT = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
FRACTIONS = {0: (0, 6), 3: (3,)}
"""How many digits of a second the texts of a type may have; six of which three are 0 are milliseconds too."""
FORMS = {0: "", 3: ".fff"}
INFINITIES = ("infinity", "-infinity")
DURATION = re.compile(r"-?P(?=.*\d)[-+.,0-9YMWDTHS]+", re.ASCII)
TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}


def stored(name: str, value: Any, kind: str, convert: Callable[[Any], Any]) -> Any:
    """A parameter's value as a field of that type keeps it; never a document or list, so that it cannot become an operator."""
    check_value(name, value)
    if value is None:
        return MISSING
    try:
        return as_stored(convert(value))
    except REFUSALS as error:
        raise ValueError(f"`{name}`: {': '.join(refusal(error, value, kind))}") from None


def refusal(error: Exception, value: Any, kind: str) -> list[str]:
    """What is wrong with a value that is refused, and the next move if there is one."""
    if isinstance(error, ValueError) and len(error.args) == 2:
        return list(error.args)
    return [f"{value!r} cannot be stored as {kind}"]


def unchanged(value: Any) -> Any:
    """The value itself."""
    return value


def of_number(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The conversion of what is reckoned with, which is a number."""

    def check(value: Any) -> Any:
        try:
            a_number(numeric(uuid_as_text(counted_truth(value))))
        except TypeError:
            raise ValueError(f"{value!r} is no number", "give a number: it is reckoned with") from None
        return convert(value)

    return check


def kept_moment(digits: int, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A moment as text where more than milliseconds are kept; bytes for a text that could be taken for one."""

    def keep(value: Any) -> Any:
        found = convert(value)
        if isinstance(found, datetime) and digits > 3:
            return instant_text(found)
        is_alike = isinstance(found, str) and INSTANT_TEXT.fullmatch(found)
        return Binary(found.encode(), 130) if is_alike else found

    return keep


def kept_object_id(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The ObjectId whose 24 digits a text is."""
    return lambda value: text_as_object_id(convert(value))


# --- SQLite ------------------------------------------------------------------------------------------------------------


def sqlite_value(value: Any) -> Any:
    """A value as SQLite's drivers hand it over."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def sqlite_text(value: Any) -> Any:
    """A number, date or UUID as the text SQLite keeps of it; anything else as it is."""
    found = sqlite_value(value)
    return number_as_text(found + 0.0 if isinstance(found, float) else found)


def sqlite_float(value: Any) -> Any:
    """By REAL affinity; what a float that is no number is unloaded as is one again."""
    found = numeric(sqlite_value(value))
    if found == "NaN":
        return float("nan")
    return float(found) + 0.0 if isinstance(found, int | float) else found


def sqlite_number(value: Any) -> Any:
    """By NUMERIC affinity: an integer where it is worth one, else the float."""
    found = sqlite_whole(value)
    return float("nan") if found == "NaN" else found


def sqlite_whole(value: Any) -> Any:
    """The same; a float that is a 64-bit integer becomes one."""
    found = numeric(sqlite_value(value))
    is_whole = isinstance(found, float) and found.is_integer() and -INT64 < found < INT64
    return int(found) if is_whole else found


def sqlite_truth(value: Any) -> Any:
    """1 and 0 as true and false."""
    return as_truth(sqlite_whole(value))


def as_truth(value: Any) -> Any:
    """1 and 0 as true and false; anything else as it is."""
    return value == 1 if isinstance(value, int) and value in (0, 1) else value


def sqlite_decimal(value: Any) -> Any:
    """A number, also of a text that writes it as decimals are written."""
    return as_decimal_text(value if isinstance(value, Decimal) else sqlite_whole(value))


def as_decimal_text(value: Any) -> Any:
    """The decimal a text writes; anything else as it is."""
    return if_exact(value, Decimal, str)


def sqlite_uuid(value: Any) -> Any:
    """A UUID, also of its text."""
    return as_uuid_text(sqlite_whole(value))


def as_uuid_text(value: Any) -> Any:
    """The UUID whose canonical text it is; anything else as it is."""
    return if_exact(value, UUID, str)


def sqlite_day(value: Any) -> Any:
    """A day, also of its text."""
    return as_day_text(sqlite_whole(value))


def as_day_text(value: Any) -> Any:
    """The day whose text it is; anything else as it is."""
    return if_exact(value, date.fromisoformat, str)


def sqlite_moment(digits: int, zoned: bool) -> Callable[[Any], Any]:
    """A moment, also of its text in the form a column of so many digits of a second has."""
    read = as_moment_text(digits, zoned)

    def convert(value: Any) -> Any:
        if isinstance(value, datetime) and (value.tzinfo is not None) is zoned:
            return rounded_to_millisecond(value) if digits <= 3 else value
        if isinstance(value, date) and not isinstance(value, datetime) and not zoned:
            value = f"{value.isoformat()} 00:00:00"
        return read(sqlite_whole(value))

    return convert


def as_moment_text(digits: int, zoned: bool) -> Callable[[Any], Any]:
    """The moment whose text it is; anything else as it is."""
    spec, step = {0: ("seconds", 1_000_000), 3: ("milliseconds", 1000)}.get(digits, ("microseconds", 1))

    def write(found: datetime) -> str:
        return found.isoformat(" ", spec if found.microsecond % step == 0 else "microseconds")

    def read(text: str) -> datetime:
        found = datetime.fromisoformat(text)
        if (found.tzinfo is not None) is not zoned:
            raise ValueError("the zone")
        return found.astimezone(UTC) if zoned else found

    return lambda value: if_exact(value, read, write)


def if_exact(value: Any, read: Callable[[str], Any], write: Callable[[Any], str]) -> Any:
    """What a text says, if writing that gives the same text; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        found = read(value)
        return found if write(found) == value else value
    except (ValueError, InvalidOperation, AttributeError):
        return value


def sqlite_json(value: Any) -> Any:
    """JSON, of its text."""
    return as_json_text(sqlite_whole(value))


def as_json_text(value: Any) -> Any:
    """The value of a JSON text; anything else as it is."""
    return read_json(value) if isinstance(value, str) else value


def sqlite_array(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An array, of its JSON text."""
    read = as_array_text(element)
    return lambda value: read(sqlite_whole(value))


def as_array_text(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The array a JSON text is; anything else as it is."""

    def convert(value: Any) -> Any:
        found = as_json_text(value)
        return [None if each is None else element(each) for each in found] if isinstance(found, list) else value

    return convert


# --- SQLite's days and moments among others that are kept as dates -----------------------------------------------------


def day_among(attribute: str, otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A day; a text for what no date can be. Other forms, which would sort apart from dates, are refused."""

    def convert(value: Any) -> Any:
        if not isinstance(value, str | date):
            return otherwise(value)
        found = day_of(value) if isinstance(value, str) else value
        if isinstance(found, date) and not isinstance(found, datetime):
            return found
        if isinstance(value, str) and is_no_date(value):
            return value
        raise ValueError(f"`{attribute}` holds days, and does not take '{shown_time(value)}'", "give it as YYYY-MM-DD")

    return convert


def day_of(text: str) -> date | None:
    """The day a text is written for."""
    try:
        return date.fromisoformat(text) if DAY_TEXT.fullmatch(text) else None
    except ValueError:
        return None


def moment_among(attribute: str, digits: int, zoned: bool, otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same of a moment, by how many digits of a second the attribute's texts have."""

    def convert(value: Any) -> Any:
        if not isinstance(value, str | date):
            return otherwise(value)
        found = moment_of(value, digits) if isinstance(value, str) else value
        if isinstance(found, datetime) and (found.tzinfo is not None) is zoned:
            kept = found if digits > 3 else rounded_to_millisecond(found)
            return kept.astimezone(UTC) if zoned else kept
        if isinstance(value, str) and is_no_date(value):
            return value
        raise no_moment(attribute, value, digits, zoned)

    return convert


def moment_of(text: str, digits: int) -> datetime | None:
    """The moment a text is written for, in one of the forms the attribute has."""
    try:
        match = MOMENT.fullmatch(text)
        found = datetime.fromisoformat(text) if match else None
    except ValueError:
        return None
    if match is None or found is None or len(match[1] or "") not in FRACTIONS.get(digits, (6,)):
        return None
    is_finer = digits <= 3 and found.microsecond % 1000
    is_longer = digits == 0 and match[1] and not found.microsecond
    return None if is_finer or is_longer else found


def is_no_date(text: str) -> bool:
    """Whether it stands for what no date can be."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return re.search(NO_DATE, text) is not None
    return False


def shown_time(value: str | date) -> str:
    """A time as it is written."""
    return value if isinstance(value, str) else value.isoformat(*" " * isinstance(value, datetime))


def no_moment(attribute: str, value: str | date, digits: int, zoned: bool) -> ValueError:
    """What is wrong with a value among moments, and the next move."""
    text, zone = shown_time(value), "+00:00" * zoned
    form = f"YYYY-MM-DD HH:MM:SS{FORMS.get(digits, '.ffffff')}{zone}"
    what = f"`{attribute}` holds moments written {form}, and does not take '{text}'"
    if isinstance(value, datetime):
        return ValueError(what, f"give a datetime {'with' if zoned else 'in UTC, without'} a zone")
    if isinstance(value, date):
        return ValueError(what, "give a datetime, or a text of that form")
    if digits <= 3 and re.search(r"\.\d{4,}", text):
        form = form.replace("SS", "SS[.fff000]") if digits == 0 else form
        what = f"`{attribute}` keeps milliseconds ({form}), and does not take '{text}'"
        return ValueError(what, "give milliseconds, or design again from a source whose column has microseconds")
    return ValueError(what, f"write it as {form}")


# --- PostgreSQL and MySQL ----------------------------------------------------------------------------------------------


def strict_truth(value: Any) -> Any:
    """True and false, also of the words for them."""
    return value if isinstance(value, bool) else TRUTHS[str(value).strip().lower()]


def strict_integer(value: Any) -> Any:
    """The nearest integer, away from zero halfway between two."""
    return int(exact_number(value).quantize(Decimal(1), ROUND_HALF_UP))


def strict_decimal(precision: int, scale: int) -> Callable[[Any], Any]:
    """The nearest number of that scale; more digits before the point are refused."""

    def convert(value: Any) -> Any:
        number = exact_number(value)
        if not number.is_finite():
            return number
        found = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
        if found.adjusted() >= precision - scale and found:
            raise ValueError("too many digits")
        return found

    return convert


def exact_number(value: Any) -> Any:
    """A decimal; of a float by its 15 digits, as PostgreSQL takes it."""
    return Decimal(f"{value:.15g}") if isinstance(value, float) else Decimal(str(value).strip())


def strict_text(length: int) -> Callable[[Any], Any]:
    """A text; blanks beyond the length are cut off, anything else there is refused."""

    def convert(value: Any) -> Any:
        text = str(value)
        if text[length:].strip(" "):
            raise ValueError("too long")
        return text[:length]

    return convert


def strict_bytes(value: Any) -> Any:
    """Bytes, also of a text, by its hexadecimal digits or as it is."""
    if not isinstance(value, str):
        return value
    return bytes.fromhex(value[2:]) if value.startswith("\\x") else value.encode()


def strict_day(value: Any) -> Any:
    """The day of a date, a timestamp or the text of one."""
    return rounded_to_millisecond(strict_instant(value)).date()


def strict_moment(digits: int, zoned: bool) -> Callable[[Any], Any]:
    """A timestamp of so many digits of a second. Without an offset it is in UTC: the session's time zone is taken to be that."""

    def convert(value: Any) -> Any:
        found = strict_instant(value)
        found = found if digits > 3 else rounded_to_millisecond(found)
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC) if zoned else found.replace(tzinfo=None)

    return convert


def strict_instant(value: Any) -> datetime:
    """What a time says, midnight of a day."""
    found = datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
    if isinstance(found, date) and not isinstance(found, datetime):
        found = datetime(found.year, found.month, found.day)  # noqa: DTZ001
    if not isinstance(found, datetime):
        raise TypeError("no time")
    return found


def strict_uuid(value: Any) -> Any:
    """A UUID, also of its text."""
    return value if isinstance(value, UUID) else UUID(str(value))


def strict_time_of_day(value: Any) -> Any:
    """The text of a time of day in the form it is kept in."""
    return read_time_of_day(str(value))


def strict_interval(value: Any) -> Any:
    """The text of a duration of ISO 8601."""
    if not DURATION.fullmatch(str(value)):
        raise ValueError("an interval is written as a duration of ISO 8601")
    return str(value)


def strict_array(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An array, of its text in braces."""

    def convert(value: Any) -> Any:
        items = read_array(value) if isinstance(value, str) else value
        if not isinstance(items, list):
            raise TypeError("no array")
        return [None if each is None else element(each) for each in items]

    return convert


def zero_or(zero: str, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """MySQL's zero date in one spelling, and others converted."""
    return lambda value: zero if is_zero(value) else convert(value)


def infinity_or(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """PostgreSQL's infinite dates and moments in one spelling, and others converted."""
    return lambda value: endless if (endless := infinite_text(value)) else convert(value)


def infinite_text(value: Any) -> str:
    """The text of an infinite date or moment; empty for anything else."""
    text = value.strip().casefold() if isinstance(value, str) else ""
    return text if text in INFINITIES else ""


def label_or(labels: tuple[str, ...], convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The label a text differs from by its case alone, as in MySQL, and others converted."""
    folded = {label.casefold(): label for label in reversed(labels)}
    return lambda value: folded.get(str(value).casefold()) or convert(value)
