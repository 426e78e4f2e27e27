"""Parameters that are not known yet: what stands in their place, and the value that takes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from math import isfinite
from types import UnionType
from uuid import UUID

from bson import Binary
from bson.binary import UUID_SUBTYPE

from nestling.common.errors import Problem, WorkloadError
from nestling.emitters.mql.sql.boundary import Grain, first_from, instant_with, text_of
from nestling.emitters.mql.sql.constant_conversion import affine, cast_constant
from nestling.emitters.mql.sql.object_ids import id_in
from nestling.ir import compiled
from nestling.ir.expression import Affinity
from nestling.ir.time_text import read_time_of_day
from nestling.ir.types import NUMBERS, TIMES, TypeName
from nestling.ir.values import encode, timestamp_text


class Expected(StrEnum):
    """What a value must be for the query to mean what the statement says; anything may be NULL."""

    ANY = "any"
    NUMBER = "number"
    TEXT = "text"
    TIME = "date or timestamp"
    TRUTH = "truth value"
    UUID = "UUID"
    TIME_OF_DAY = "time of day"


class Whole(StrEnum):
    """Which whole millisecond compares with dates of that precision as a finer instant does."""

    BEFORE = "before"  # for > and <=
    AFTER = "after"  # for >= and <


@dataclass(frozen=True, slots=True)
class Boundary:
    """The value is a text; what takes its place is the first instant whose text is at least (`after`: greater than) it.

    `exact`: the instant whose text it is; a text no instant has stays one, which no instant equals.
    """

    grain: Grain
    after: bool = False
    exact: bool = False

    def text(self, value: object) -> object:
        """An instant as the text the column would hold for it, a day as its own; anything else as it is."""
        is_moment = isinstance(value, datetime) and value.tzinfo is None and self.grain is not Grain.DAY
        return text_of(value, self.grain) if is_moment and isinstance(value, datetime) else day_or_instant_text(value)

    def instant(self, text: str) -> object:
        """What takes the text's place."""
        if self.exact:
            return instant_with(text, self.grain) or text
        return first_from(text, self.grain, after=self.after)


@dataclass(frozen=True, slots=True)
class Placeholder(compiled.Placeholder):
    """Where the value of the parameter `name` belongs: first cast, then with an affinity (both SQLite's), last as a boundary, or
    as the ObjectId or UUID whose text it is. `listed`: a list of values is given, of each of which that holds. `exactly`: values
    are of this type, which the statement converts them to. `wide`: the type of timestamps that are kept as text, being finer than
    a BSON date. `whole`: which millisecond takes an instant's place. `number`: the type of numbers it is compared with, decimals
    or floats. `by_sqlite`: as in `Parameter`.
    """

    name: str
    affinity: Affinity | None = None
    expected: Expected = Expected.ANY
    boundary: Boundary | None = None
    object_id: bool = False
    uuid: bool = False
    casts: tuple[TypeName, ...] = ()
    listed: bool = False
    exactly: TypeName | None = None
    wide: TypeName | None = None
    whole: Whole | None = None
    number: TypeName | None = None
    by_sqlite: bool = False

    def bind(self, value: object) -> object:
        """The BSON value for a parameter's value; WorkloadError when it is not one the statement can take.

        NULL instead of a list is a list of one NULL: nothing is certain of either.
        """
        if not self.listed:
            return self._bind(value)
        if not isinstance(value, list | tuple | set | frozenset | None):
            what = f"parameter `{self.name}` is a list of values, not {type(value).__name__}"
            raise WorkloadError(Problem(what, next_move="give [1, 2]"))
        return [None] if value is None else [self._bind(each) for each in value]

    def _bind(self, value: object) -> object:
        value = self._converted(self._taken(value))
        if self.boundary is not None:
            value = self.boundary.text(value)
        elif self.expected in _READ:
            value = _READ[self.expected](value)
        is_other = self.expected is Expected.TIME_OF_DAY and not is_time_of_day(value)
        if value is not None and (is_other or not isinstance(value, _CLASSES[self.expected])):
            raise self._mistake(value, f"a {self.expected}")
        if self.boundary is not None and isinstance(value, str):
            value = self.boundary.instant(value)
        if self.object_id:
            value = id_in(value) or value
        if self.uuid:
            value = uuid_in(value) or value
        if self.whole is not None:
            value = at_millisecond(value, self.whole)
        if self.wide is not None and isinstance(value, date):
            return wide_text(value, self.wide)
        return Binary.from_uuid(value) if isinstance(value, UUID) else encode(value)

    def _converted(self, value: object) -> object:
        """The value as the statement's casts and SQLite's affinities make it."""
        if self.by_sqlite and self.boundary is None:
            value = as_sqlite_has_it(value)
        for kind in self.casts:
            value = cast_constant(day_or_instant_text(value), kind)
        return value if self.affinity is None else affine(uuid_text(value), self.affinity)

    def _taken(self, value: object) -> object:
        """The value, if it is one, and of the right type where the statement says that."""
        if value is None:
            return None
        if not isinstance(value, bool | int | float | Decimal | str | bytes | date | UUID | Binary):
            raise self._mistake(value, "a value: a number, text, bytes, date, UUID or NULL")
        if self.exactly is TypeName.DECIMAL:
            value = short_float_as_decimal(value)
        if self.exactly is not None and not is_exactly(value, self.exactly):
            raise self._mistake(value, f"of type {self.exactly}")
        if self.number is not None:
            value = number_like(value, self.number)
        return int(value) if isinstance(value, bool) and self.expected is not Expected.TRUTH else value

    def _mistake(self, value: object, wanted: str) -> WorkloadError:
        whose = "each value of parameter" if self.listed else "parameter"
        what = f"{whose} `{self.name}` must be {wanted}, not {type(value).__name__}"
        return WorkloadError(Problem(what=what))


def instant_of(value: object) -> object:
    """A text that is a date or timestamp in ISO form as that; anything else as it is."""
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value


def uuid_in(value: object) -> UUID | None:
    """The UUID whose canonical text it is; None when it is no such text."""
    found = uuid_of(value) if isinstance(value, str) else None
    return found if isinstance(found, UUID) and str(found) == value else None


def uuid_text(value: object) -> object:
    """A UUID as the text it is to SQLite; anything else as it is."""
    is_binary = isinstance(value, Binary) and value.subtype == UUID_SUBTYPE and len(value) == UUID_BYTES
    found = value.as_uuid() if is_binary and isinstance(value, Binary) else value
    return str(found) if isinstance(found, UUID) else value


def uuid_of(value: object) -> object:
    """A text that is a UUID as that; anything else as it is."""
    try:
        return UUID(value) if isinstance(value, str) else value
    except ValueError:
        return value


def is_time_of_day(value: object) -> bool:
    """Whether it is the text of a time of day."""
    try:
        return isinstance(value, str) and bool(read_time_of_day(value))
    except ValueError:
        return False


def time_of_day(value: object) -> object:
    """A text that is a time of day in the form it is kept in; anything else as it is."""
    return read_time_of_day(value) if isinstance(value, str) and is_time_of_day(value) else value


EXPECTED = {
    **dict.fromkeys(NUMBERS, Expected.NUMBER),
    **dict.fromkeys(TIMES, Expected.TIME),
    TypeName.TEXT: Expected.TEXT,
    TypeName.BOOLEAN: Expected.TRUTH,
    TypeName.UUID: Expected.UUID,
    TypeName.TIME: Expected.TIME_OF_DAY,
}
"""What a parameter must be by the type its surroundings give it."""
_CLASSES: dict[Expected, type | UnionType] = {
    Expected.ANY: object,
    Expected.NUMBER: int | float | Decimal,
    Expected.TEXT: str,
    Expected.TIME: date,
    Expected.TRUTH: bool,
    Expected.UUID: UUID | Binary,
    Expected.TIME_OF_DAY: str,
}
_READ: dict[Expected, Callable[[object], object]] = {
    Expected.TIME: instant_of,
    Expected.UUID: uuid_of,
    Expected.TIME_OF_DAY: time_of_day,
}
"""What a text is read as."""
UUID_BYTES = 16
FLOAT_DIGITS = 15
"""Digits every float keeps."""
_EXACT: dict[TypeName, tuple[type, ...]] = {
    TypeName.BOOLEAN: (bool,),
    TypeName.INTEGER: (int,),
    TypeName.DECIMAL: (int, Decimal),
    TypeName.FLOAT: (int, float),
    TypeName.TEXT: (str,),
    TypeName.DATE: (date, str),
    TypeName.TIMESTAMP: (date, str),
    TypeName.TIMESTAMPTZ: (date, str),
    TypeName.UUID: (UUID, str),
}
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def is_exactly(value: object, kind: TypeName) -> bool:
    """Whether it is a value of the type, or the text of a time or UUID: nothing is left out or rounded to make it one."""
    if not isinstance(value, _EXACT[kind]) or (isinstance(value, bool) and kind is not TypeName.BOOLEAN):
        return False
    if kind is TypeName.DATE:
        return not isinstance(value, datetime) and (not isinstance(value, str) or _DAY.fullmatch(value) is not None)
    instant = instant_of(value) if kind is TypeName.TIMESTAMP else None
    return not isinstance(instant, datetime) or instant.tzinfo is None


def short_float_as_decimal(value: object) -> object:
    """A float of at most 15 digits as the decimal it is shown as, as PostgreSQL converts it; anything else as it is."""
    if not isinstance(value, float) or not isfinite(value):
        return value
    shown = Decimal(repr(value))
    return shown if len(shown.normalize().as_tuple().digits) <= FLOAT_DIGITS else value


def number_like(value: object, kind: TypeName) -> object:
    """A float beside decimals as the decimal it is shown as, a decimal beside floats as a float; anything else as it is."""
    if kind is TypeName.DECIMAL and isinstance(value, float) and isfinite(value):
        return Decimal(repr(value))
    return float(value) if kind is TypeName.FLOAT and isinstance(value, Decimal) else value


def as_sqlite_has_it(value: object) -> object:
    """A decimal as a float, a day or moment as the text SQLite's drivers write; anything else as it is."""
    return number_like(day_or_instant_text(value), TypeName.FLOAT)


def wide_text(value: date, kind: TypeName) -> str:
    """A date or timestamp as the text it is kept as where others are finer than a BSON date; what has no zone is in UTC."""
    instant = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)  # noqa: DTZ001
    instant = instant.replace(tzinfo=instant.tzinfo or UTC).astimezone(UTC)
    return timestamp_text(instant if kind is TypeName.TIMESTAMPTZ else instant.replace(tzinfo=None))


def at_millisecond(value: object, whole: Whole) -> object:
    """An instant at a whole millisecond; what has no finer part, and what is no instant, as it is."""
    if not isinstance(value, datetime) or value.microsecond % 1000 == 0:
        return value
    before = value.replace(microsecond=value.microsecond // 1000 * 1000)
    try:
        return before if whole is Whole.BEFORE else before + timedelta(milliseconds=1)
    except OverflowError:  # the last there is
        return before


def day_or_instant_text(value: object) -> object:
    """A date as the text SQLite's drivers write, a UUID as its own; anything else as it is."""
    value = uuid_text(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date) else value
