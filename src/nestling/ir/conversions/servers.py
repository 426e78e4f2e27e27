"""What PostgreSQL and MySQL make of a value as they store it: strictly, as the column declares it."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from math import isfinite
from typing import Any
from uuid import UUID

from nestling.ir.conversions.given import counted_truth, is_nan, is_uuid, json_text_of, without_zone
from nestling.ir.conversions.postgresql_texts import NUMBER_TEXT, not_written_so, strict_float
from nestling.ir.conversions.sqlite import sqlite_text
from nestling.ir.value_forms.array_text import read_array
from nestling.ir.value_forms.instants import infinite_text, read_instant, refuse_offset, whole_milliseconds
from nestling.ir.value_forms.json_text import read_json, read_jsonb, require_json
from nestling.ir.value_forms.numeral import INT64
from nestling.ir.value_forms.time_text import clock_of, interval_of, mysql_time, read_interval, read_time_of_day
from nestling.ir.value_forms.two_digit_years import FIRST_YEAR, LAST_YEAR, full_year
from nestling.ir.value_forms.zero_dates import is_zero

JSON_MOVE = "give a dict, a list, or JSON text such as json.dumps returns"
NAN_MOVE = "give NULL, or write `as nan` after the column's type in the model: sorting by the column is a gap then"
PLACE = re.compile(r"\s*\+?\d+", re.ASCII)
BIT_DIGITS = re.compile(r"[01]*", re.ASCII)
TRUTHS = {
    **dict.fromkeys(("true", "tru", "tr", "t", "yes", "ye", "y", "on", "1"), True),
    **dict.fromkeys(("false", "fals", "fal", "fa", "f", "no", "n", "off", "of", "0"), False),
}
WHOLE_TEXT = re.compile(r"\s*[-+]?\d+\s*", re.ASCII)


def strict_truth(value: Any) -> Any:
    """True or false, or a number or word that says so, as MySQL stores it."""
    return value if isinstance(value, bool) else TRUTHS[str(value).strip().lower()]


def postgresql_truth(value: Any) -> Any:
    """True or false, or a word that says so; PostgreSQL refuses numbers."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        raise not_written_so(value, "boolean", "true")
    return strict_truth(value)


def nearest_integer(value: Any) -> Any:
    """The nearest integer, away from zero halfway between two."""
    number = exact_number(value)
    if number and not float(number):
        raise ValueError("out of range")
    return int(number.quantize(Decimal(1), ROUND_HALF_UP))


def strict_integer(value: Any) -> Any:
    """The integer that PostgreSQL stores: of a text only digits, of a float the nearest, the even one halfway between two."""
    if isinstance(value, str) and not WHOLE_TEXT.fullmatch(value):
        raise not_written_so(value, "an integer", "12")
    return round(value) if isinstance(value, float) else nearest_integer(value)


def mysql_number(convert: Callable[[Any], Any], whole: bool) -> Callable[[Any], Any]:
    """The conversion of a number for MySQL: true and false are 1 and 0, a float its shortest digits, or the even whole number."""

    def read(value: Any) -> Any:
        if not isinstance(value, float) or not isfinite(value):
            return convert(counted_truth(value))
        return convert(round(value) if whole else Decimal(repr(value)))

    def converted(value: Any) -> Any:
        found = read(value)
        if whole and not -INT64 <= found < 2 * INT64:
            raise ValueError(
                f"{value!r} is out of range for MySQL's integers", f"give one from {-INT64} to {2 * INT64 - 1}"
            )
        return found

    return converted


def number_not_asked(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The conversion of a number for a new row's AUTO_INCREMENT; 0 asks MySQL for the next one, and is refused."""

    def converted(value: Any) -> Any:
        found = convert(value)
        if not found:
            raise ValueError(f"{value!r} asks MySQL for the next number", "write NULL in its place, or leave it out")
        return found

    return converted


def strict_decimal(precision: int, scale: int) -> Callable[[Any], Any]:
    """The nearest number of that scale; more digits before the point are refused."""

    def convert(value: Any) -> Any:
        number = exact_number(value)
        if number.is_nan():
            return number
        found = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, Context(prec=precision + 1))
        if found.adjusted() >= precision - scale and found:
            raise ValueError("too many digits")
        return found if found else abs(found)

    return convert


def exact_number(value: Any) -> Any:
    """A decimal, its digits written out, zero without a sign; of a float by its 15 digits, as PostgreSQL takes it."""
    if isinstance(value, str) and not NUMBER_TEXT.fullmatch(value):
        raise not_written_so(value, "a number", "12.5")
    found = Decimal(f"{value:.15g}") if isinstance(value, float) else Decimal(str(value).strip())
    has_more = found.is_finite() and found == found.to_integral_value() and "E+" in str(found)
    found = Decimal(int(found)) if has_more and found.adjusted() < 34 else found
    return found if found else abs(found)


def strict_single(value: Any) -> Any:
    """The double that is the nearest number of single precision."""
    try:
        return struct.unpack("<f", struct.pack("<f", strict_float(value)))[0]
    except OverflowError:
        raise ValueError(f"{value!r} is out of range for FLOAT", "give a smaller number") from None


def no_nan(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The conversion of a number for a column that holds no NaN, as its orders are MongoDB's, in which NaN is the least."""

    def refuse_nan(value: Any) -> Any:
        found = convert(value)
        if is_nan(found):
            raise ValueError("NaN cannot be stored in a column whose numbers are sorted", NAN_MOVE)
        return found

    return refuse_nan


def finite(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The conversion of a number for MySQL, which has neither NaN nor infinities."""

    def refuse_others(value: Any) -> Any:
        found = convert(value)
        if not isfinite(found):
            raise ValueError(f"MySQL has no number {value!r}", "give a number or NULL")
        return found if found else abs(found)

    return refuse_others


def strict_text(length: int, read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A text; blanks beyond the length are cut off, anything else there is refused."""

    def convert(value: Any) -> Any:
        text = read(value)
        if text[length:].strip(" "):
            raise ValueError("too long")
        return text[:length]

    return convert


def strict_char(length: int, read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a converter to text of at most this length, without trailing blanks, which a `char` does not store."""
    convert = strict_text(length, read)
    return lambda value: convert(value).rstrip(" ")


def mysql_text(value: Any) -> str:
    """A text; of truth 1 or 0, of a number its digits as MySQL writes them, of bytes what they say in UTF-8."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise ValueError(f"{value!r} is not text in UTF-8", "give text, or store it as bytes") from None
    value = without_zone(counted_truth(value))
    if isinstance(value, float) and isfinite(value):
        return mysql_float_text(value)
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def mysql_text_given(value: Any) -> Any:
    """Convert a value where a MySQL statement expects a text, as `mysql_text` does; bytes stay bytes."""
    return value if value is None or isinstance(value, bytes) else mysql_text(value)


def mysql_float_text(value: float) -> str:
    """The shortest digits of a double, with an exponent where the point is more than 15 places from the first of them."""
    number = Decimal(repr(value or 0.0)).normalize()
    exponent = number.adjusted()
    if -16 < exponent < 15 or (exponent > 0 and number != number.to_integral_value()):
        return f"{number:f}"
    return f"{number.scaleb(-exponent):f}e{exponent}"


def strict_bytes(value: Any) -> Any:
    """Bytes; of a text, and of a UUID's, those it has in UTF-8."""
    return str(value).encode() if isinstance(value, str | UUID) else value


def mysql_bytes(value: Any) -> Any:
    """Convert to bytes as MySQL's drivers do; refuses a UUID, which they send as its text."""
    if is_uuid(value):
        raise ValueError("MySQL's drivers send a UUID as its 36 characters, not as bytes", "give its `.bytes`")
    return strict_bytes(value)


def strict_day(value: Any) -> Any:
    """The day of a date, a timestamp or the text of one."""
    return strict_local(value).date()


def mysql_day(value: Any) -> Any:
    """The day of a date, a datetime or the text of one. MySQL rounds the last half second of a day up, MariaDB does not."""
    found = strict_instant(mysql_fields(value))
    if (found + timedelta(milliseconds=500)).date() != found.date():
        raise ValueError(f"MySQL stores '{value}' as the next day, and MariaDB does not", "give the date alone")
    return found.date()


def strict_moment(digits: int, zoned: bool, kept: Callable[[datetime], datetime] | None = None) -> Callable[[Any], Any]:
    """A timestamp of so many digits of a second, no finer; `kept` makes one of what the column keeps of it.

    Without an offset it is in UTC: so is the session's zone.
    """

    def convert(value: Any) -> Any:
        found = strict_instant(value)
        found = found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC) if zoned else strict_local(value)
        found = found if kept is None else kept(found)
        return found if digits > 3 else whole_milliseconds(found)

    return convert


def mysql_moment(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The conversion of a moment for MySQL, by the fields of a datetime, whatever its zone."""
    return lambda value: convert(mysql_fields(value))


def mysql_fields(value: Any) -> Any:
    """A datetime without its zone; a text that says an offset is refused."""
    if isinstance(value, str):
        refuse_offset(value)
    return without_zone(value)


def cut_second(digits: int) -> Callable[[datetime], datetime]:
    """A moment with so many digits of a second, the others cut off: so MariaDB does."""
    step = 10 ** (6 - digits)
    return lambda value: value.replace(microsecond=value.microsecond // step * step)


def rounded_second(digits: int) -> Callable[[datetime], datetime]:
    """The nearest moment with so many digits of a second, the later where two are as near: so MySQL does."""
    cut, half = cut_second(digits), timedelta(microseconds=10 ** (6 - digits) // 2)
    return lambda value: cut(value + half)


def second_rounded_from_2000(digits: int) -> Callable[[datetime], datetime]:
    """Return a function that rounds a moment to so many digits of a second as PostgreSQL does.

    Halfway between two values it takes the one farther from the year 2000.
    """
    cut, half = cut_second(digits), 10 ** (6 - digits) // 2
    return lambda value: cut(value + timedelta(microseconds=half - (value.year < 2000)))


def clock_of_digits(digits: int, is_cut: bool, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The conversion of a time of day that keeps so many digits of a second; the others are cut off or rounded, away from 0."""
    step = 10 ** (6 - digits)

    def keep(value: Any) -> Any:
        text = convert(value)
        sign, clock, fraction, zone = re.fullmatch(r"(-?)([\d:]+)(?:\.(\d+))?(.*)", text).groups(default="")  # type: ignore[union-attr]
        hours, minutes, seconds = map(int, clock.split(":"))
        found = timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=int(fraction.ljust(6, "0")))
        whole = (found + timedelta(microseconds=0 if is_cut else step // 2)) // timedelta(microseconds=step)
        return (sign if whole else "") + clock_of(whole * timedelta(microseconds=step)) + zone

    return keep


def mysql_clock(is_duration: bool, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The conversion of a time of day for MySQL, whose column keeps durations or only times that sort as their texts."""

    def check(value: Any) -> Any:
        text = convert(value)
        return text if text is None else mysql_time(text, is_duration=is_duration)

    return check


def strict_local(value: Any) -> datetime:
    """The moment without a zone, in UTC; of a text its date and time, as PostgreSQL ignores the offset that it states."""
    found = strict_instant(value)
    if found.tzinfo is not None and not isinstance(value, str):
        found = found.astimezone(UTC)
    return found.replace(tzinfo=None)


def strict_instant(value: Any) -> datetime:
    """The moment of a timestamp or its text, or midnight of a date; raises `TypeError` for anything else."""
    found = read_instant(value) if isinstance(value, str) else value
    if isinstance(found, date) and not isinstance(found, datetime):
        found = datetime(found.year, found.month, found.day)  # noqa: DTZ001
    if not isinstance(found, datetime):
        raise TypeError("no time")
    return found


def strict_uuid(value: Any) -> Any:
    """A UUID, also of its text."""
    try:
        return value if isinstance(value, UUID) else UUID(str(value))
    except ValueError:
        raise not_written_so(value, "uuid", "9b0e5a3c-1f2d-4c6b-8a7e-0d1c2b3a4f5e") from None


def strict_time_of_day(value: Any) -> Any:
    """The text of a time of day in the form it is kept in."""
    return clock_of(value) if isinstance(value, timedelta) else read_time_of_day(str(value))


def strict_clock(value: Any) -> Any:
    """Convert to the text of PostgreSQL's `time`: within one day, without a zone."""
    text = re.sub(r"[-+]\d\d(?::?\d\d)?$", "", strict_time_of_day(value))
    if text.startswith("-") or text > "24:00:00":
        raise ValueError("beyond one day")
    return text


def strict_timetz(value: Any) -> Any:
    """Convert to the text of PostgreSQL's `timetz`; its zone is UTC if none is given."""
    text = strict_time_of_day(value)
    clock, zone = re.fullmatch(r"(.*?)([-+]\d\d(?::?\d\d)?)?", text).groups(default="+00")  # type: ignore[union-attr]
    minutes = zone[3:].lstrip(":")
    return f"{strict_clock(clock)}{zone[:3]}{f':{minutes}' if minutes.strip('0') else ''}"


def strict_interval(value: Any) -> Any:
    """The text of a duration of ISO 8601."""
    return interval_of(value) if isinstance(value, timedelta) else read_interval(str(value))


def strict_json(value: Any, *, whole: bool = False) -> Any:
    """The value of a JSON text, or the text itself where no document keeps it as it is."""
    text = a_json_text(value)
    try:
        require_json(text, whole=whole)
    except ValueError as problem:
        raise no_json(value, problem) from None
    return read_json(text)


def strict_jsonb(value: Any) -> Any:
    """The value of a JSON text as PostgreSQL's jsonb has it."""
    try:
        return read_jsonb(a_json_text(value))
    except ValueError as problem:
        raise no_json(value, problem) from None


def number_or_json(value: Any) -> Any:
    """MySQL's JSON, which a number is too."""
    is_number = isinstance(value, int | float | Decimal)
    return strict_json(mysql_text(value) if is_number else value, whole=True)


def checked_json(value: Any) -> Any:
    """Convert for a column of SQLite with a CHECK for valid JSON, which refuses anything else; a number becomes its text."""
    return strict_json(sqlite_text(value))


def a_json_text(value: Any) -> str:
    """The JSON text, also of a dict or list; anything else is refused."""
    if isinstance(value, dict | list | tuple):
        return json_text_of(value)
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not JSON text", JSON_MOVE)
    return value


def no_json(value: Any, problem: ValueError) -> ValueError:
    """The error for a text that is not JSON, with the next move."""
    if len(problem.args) == 2:
        return problem
    shown = repr(value) if len(repr(value)) <= 42 else f"{repr(value)[:41]}…"
    return ValueError(f"{shown} is not JSON that can be stored ({problem})", JSON_MOVE)


def strict_array(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An array of one dimension, of its text in braces or of a list."""

    def convert(value: Any) -> Any:
        items = read_array(value) if isinstance(value, str) else value
        if not isinstance(items, list | tuple):
            raise TypeError("no array")
        return [None if each is None else element(each) for each in items]

    return convert


def zero_or(zero: str, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """MySQL's zero date in one spelling, and others converted."""
    return lambda value: zero if is_zero(value) else convert(value)


def infinity_or(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """PostgreSQL's infinite dates and moments in one spelling, and others converted."""
    return lambda value: infinite_text(value) or convert(value)


def strict_year(value: Any) -> Any:
    """MySQL's YEAR of a number or its text: of two digits it is one of 1970 to 2069; a text of zeros is 2000, but `0000` is 0."""
    number = int(value) if isinstance(value, bool | float) else nearest_integer(value)
    if isinstance(value, str) and not number:
        number = 0 if value == "0000" else 2000
    year = full_year(number)
    if year and not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError(f"{value!r} is not a YEAR", f"give 0, or a year from {FIRST_YEAR} to {LAST_YEAR}")
    return year


def bits_compared(count: int) -> Callable[[Any], Any]:
    """Gives a function that writes a number as MySQL's bits beside which it is compared."""

    def convert(value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, int | float | Decimal) or int(value) != value:
            raise TypeError("a whole number, as which MySQL takes bits")
        if not 0 <= value < 1 << count:
            raise ValueError(f"bits({count}) hold a number from 0 to {(1 << count) - 1}")
        return f"{int(value):0{count}b}"

    return convert


def strict_bits(count: int) -> Callable[[Any], Any]:
    """MySQL's bits of a whole number, or of the bytes that hold one, as the text of their digits."""

    def convert(value: Any) -> Any:
        number = int.from_bytes(value, "big") if isinstance(value, bytes) else value
        is_number = isinstance(number, int | float | Decimal) and number == int(number)
        if not is_number or not 0 <= number < 1 << count:
            move = f"give a whole number from 0 to {(1 << count) - 1}"
            raise ValueError(f"{value!r} cannot be stored as bits({count})", move)
        return f"{int(number):0{count}b}"

    return convert


def strict_bit_text(value: Any) -> str:
    """PostgreSQL's bits, of the text of their digits."""
    if not isinstance(value, str) or not BIT_DIGITS.fullmatch(value):
        raise not_written_so(value, "bit", "101")
    return value


def enum_label(labels: tuple[str, ...], any_case: bool) -> Callable[[Any], Any]:
    """MySQL's label: of a number the one at that place, from 1 on; of a text the one it is, or else at the place it says."""
    fold = str.casefold if any_case else str
    known = {fold(label.rstrip(" ")): label for label in reversed(labels)}

    def convert(value: Any) -> Any:
        if not isinstance(value, int | float | Decimal):
            text = str(value).rstrip(" ")
            if fold(text) in known:
                return known[fold(text)]
            if not PLACE.fullmatch(text):
                return str(value)
        place = int(value)
        if not 1 <= place <= len(labels):
            raise ValueError(
                f"{value!r} is neither a label nor the position of one", f"give one of {', '.join(labels)}"
            )
        return labels[place - 1]

    return convert


def set_labels(labels: tuple[str, ...], any_case: bool) -> Callable[[Any], Any]:
    """The labels of MySQL's SET as a text, each once and in the order of the set; of a number those whose bits it has."""
    fold = str.casefold if any_case else str
    bits = {fold(label): 1 << place for place, label in enumerate(labels)}

    def number_of(value: Any) -> int:
        if isinstance(value, int | float | Decimal):
            return int(value)
        text = str(value).rstrip(" ")
        words = [fold(word) for word in text.split(",")] if text else []
        if any(word not in bits for word in words):
            return int(text) if PLACE.fullmatch(text) else -1
        return sum(bits[word] for word in dict.fromkeys(words))

    def convert(value: Any) -> Any:
        number = number_of(value)
        if not 0 <= number < 1 << len(labels):
            raise ValueError(
                f"{value!r} is not a list of labels of the set",
                f"give some of {', '.join(labels)}, separated by commas",
            )
        return ",".join(label for label in labels if number & bits[fold(label)])

    return convert


def labels_as_given(value: Any) -> Any:
    """The labels of a SET that are not known, as a text; a number, which stands for those whose bits it has, is refused."""
    if isinstance(value, int | float | Decimal):
        raise ValueError(f"{value!r} is a number in place of the labels of a SET", "give the labels, such as 'a,b'")
    return str(value)
