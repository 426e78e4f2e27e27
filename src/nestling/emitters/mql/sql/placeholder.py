"""Parameters whose values come later: their placeholders, and the conversion of the value given for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from nestling.common.errors import Problem, WorkloadError
from nestling.emitters.mql.sql.boundary import Grain
from nestling.emitters.mql.sql.constant_conversion import AFFINITIES, CASTS
from nestling.ir.conversions import given, like_patterns, postgresql_case, postgresql_texts, servers
from nestling.ir.conversions.conversion import Conversion, Convert
from nestling.ir.programs import compiled
from nestling.ir.statements.expression import SPELLED
from nestling.ir.statements.operators import Affinity, CaseRule, Function, Rules
from nestling.ir.types import CHAR, DURATION, NUMBERS, YEAR, TypeName, subtype_of

_STEPS = {Grain.DAY: "day", Grain.SECOND: "second", Grain.MILLISECOND: "millisecond"}


class Expected(StrEnum):
    """What a value must be for the query to mean the same as the statement; it may always be NULL."""

    ANY = "any"
    NUMBER = "number"
    NAN = "number or NaN"
    TEXT = "text"
    DAY = "date"
    LOCAL_TIME = "timestamp"
    TIME = "date or timestamp"
    TRUTH = "truth value"
    UUID = "UUID"
    BYTES = "bytes or text"
    TIME_OF_DAY = "time of day"


class Whole(StrEnum):
    """Which whole millisecond compares with dates of that precision as a finer instant does."""

    BEFORE = "before"  # for > and <=
    AFTER = "after"  # for >= and <


@dataclass(frozen=True, slots=True)
class Boundary:
    """The value is a text; it is replaced by the first instant whose text is at least (`after`: greater than) the value.

    `exact`: the instant with that text; a text that no instant has is kept, and equals no instant.
    """

    grain: Grain
    after: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True)
class WildPattern:
    """The value, between these texts, is a LIKE pattern; it is replaced by a regular expression.

    `case`: the case function that makes letters equal as in PostgreSQL; `both`: also in the pattern; None is MySQL's rule.
    `rule`: letters are equal by this rule instead (ASCII's or none), and NULL matches nothing. With SPELLED_LOWER and
    SPELLED_UPPER the value is replaced by the texts that a collation matches.
    """

    escape: str | None
    before: str
    after: str
    case: Function | None = None
    both: bool = False
    rule: CaseRule | None = None

    @property
    def spelled(self) -> Conversion | None:
        """The conversion to the list of texts for a collation; None for a regular expression."""
        if self.rule not in SPELLED:
            return None
        return Conversion(postgresql_case.as_spellings, (self.rule is CaseRule.SPELLED_UPPER, self.both))


@dataclass(frozen=True, slots=True)
class ConvertedPlaceholder(compiled.Placeholder):
    """The place for the value of the parameter `name`.

    The value is first cast, then given an affinity (both SQLite's), and finally converted to a boundary, or to the ObjectId or
    UUID with that text.

    - `listed`: a list of values is given, and the rest applies to each. `exactly`: values have this type, to which the
      statement converts.
    - `wide`: the type of timestamps that are stored as text, being finer than a BSON date. `whole`: which millisecond replaces
      an instant.
    - `number`: the type of the numbers it is compared with, decimals or floats.
    - `by_sqlite`, `no_float`, `rules`, `no_number`: as in `Parameter`. `carried`: the source's type in whose form the text is
      written.
    - `pattern`: it is part of one. `strict`: the value keeps its BSON type. `id_as_text`: an ObjectId becomes the text of its
      digits.
    - `no_array`: the text of a JSON array is refused. `bits`: a number becomes that many of MySQL's bits.
    - `shifted`: a time is used in arithmetic, so it must have whole milliseconds. `unit`: an instant is replaced by the
      beginning of its calendar unit. `second_digits`: a timestamp with more fractional digits is refused.
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
    no_float: bool = False
    rules: Rules | None = None
    no_number: bool = False
    carried: str = ""
    pattern: WildPattern | None = None
    strict: bool = False
    id_as_text: bool = False
    no_array: bool = False
    bits: int = 0
    shifted: bool = False
    unit: str = ""
    second_digits: int | None = None

    @property
    def stands_for(self) -> str:
        """The kind of value that its conversions produce, if it is not the given value."""
        if self.pattern is not None and self.pattern.spelled is not None:
            return compiled.SPELLINGS
        if self.pattern is not None:
            where = {(False, True): "start_", (True, False): "end_", (True, True): "within_"}
            return where.get((bool(self.pattern.before), bool(self.pattern.after)), "") + "regex"
        return "_".join(["after"] * self._is_after + [self.unit] * bool(self.unit))

    @property
    def legend(self) -> str:
        """A description of what the placeholder stands for."""
        if self.pattern is not None and self.pattern.spelled is not None:
            return f"a list: [{self.name}], or all spellings where a collation distinguishes upper and lower case"
        if self.pattern is not None:
            before, after = (f"'{text}'" if text else "" for text in (self.pattern.before, self.pattern.after))
            return f"the regular expression of the pattern {' || '.join(filter(None, (before, self.name, after)))}"
        begins = f"the beginning of the {self.unit} of " if self.unit else ""
        if self.boundary is not None and self.boundary.after:
            return f"{begins}the first {_STEPS[self.boundary.grain]} after {self.name}"
        return f"{begins}{self.name}" if begins else ""

    @property
    def _is_after(self) -> bool:
        return self.boundary is not None and self.boundary.after

    def of_row(self, value: object) -> object:
        """A row's value as stored, or the texts by which a collation finds it."""
        spelled = self.pattern.spelled if self.pattern is not None else None
        return value if spelled is None else spelled.convert(value)

    def bind(self, value: object) -> object:
        """Return the BSON value for a parameter's value. Raises `WorkloadError` if the statement cannot accept it.

        NULL in place of a list is a list of one NULL: both give unknown results.
        """
        bound = given.given_list if self.listed else given.given
        try:
            return bound(self.name, value, *_converts(self))
        except (TypeError, ValueError) as error:
            raise WorkloadError(Problem(str(error))) from None


@lru_cache(maxsize=4096)
def _converts(placeholder: ConvertedPlaceholder) -> tuple[Convert, ...]:
    return tuple(each.convert for each in conversions(placeholder))


def conversions(placeholder: ConvertedPlaceholder) -> Iterator[Conversion]:
    """The conversions of a value in order: check, cast, affinity, interpretation, stored form."""
    if placeholder.rules is Rules.MYSQL and _may_be_moment(placeholder):
        yield Conversion(servers.mysql_fields if _is_moment(placeholder) else given.without_zone)
    if placeholder.strict:
        yield Conversion(given.at_millisecond, (str(Whole.BEFORE),))
        yield from _as_unit(placeholder)
        return
    is_clock = placeholder.expected is Expected.TIME_OF_DAY and placeholder.rules is Rules.MYSQL
    if is_clock:
        yield Conversion(given.duration_as_clock)
    yield from _taken(placeholder)
    yield from _as_the_statement_has_it(placeholder)
    if placeholder.boundary is not None:
        yield Conversion(given.time_as_text_of, (str(placeholder.boundary.grain),))
    elif placeholder.expected is Expected.BYTES and placeholder.rules is Rules.POSTGRESQL:
        yield Conversion(postgresql_texts.strict_bytea)
    elif placeholder.expected is Expected.BYTES and placeholder.rules is Rules.MYSQL:
        yield Conversion(servers.mysql_bytes)
    elif placeholder.expected in _READ:
        read = _READ_BY_POSTGRESQL if placeholder.rules is Rules.POSTGRESQL else _READ
        yield Conversion(read[placeholder.expected])
    if is_clock:
        yield Conversion(servers.mysql_clock, (placeholder.carried == DURATION, Conversion(given.a_time_of_day)))
    elif placeholder.expected in _CHECKS:
        yield Conversion(_CHECKS[placeholder.expected])
    yield from _kept_conversions(placeholder)


def _is_moment(placeholder: ConvertedPlaceholder) -> bool:
    return placeholder.strict or placeholder.expected in _MOMENTS or placeholder.boundary is not None


def _may_be_moment(placeholder: ConvertedPlaceholder) -> bool:
    """Whether a datetime may be given that is not written as a text at once."""
    return _is_moment(placeholder) or (placeholder.expected is Expected.ANY and not placeholder.bits)


def _taken(placeholder: ConvertedPlaceholder) -> Iterator[Conversion]:
    if subtype_of(placeholder.carried):
        yield Conversion(given.refuse_uuid_beside_bytes)
    elif placeholder.by_sqlite and not placeholder.uuid and placeholder.expected is not Expected.UUID:
        yield Conversion(given.refuse_uuid)
    if placeholder.exactly is TypeName.DECIMAL and not placeholder.no_float:
        yield Conversion(given.short_float_as_decimal)
    if placeholder.no_number:
        yield Conversion(given.refuse_number)
    if placeholder.exactly is not None and placeholder.rules is Rules.MYSQL:
        yield Conversion(given.counted_truth)
    if placeholder.exactly is not None:
        yield Conversion(given.of_exact_type, (str(placeholder.exactly),))
    if placeholder.number is not None:
        yield Conversion(given.float_as_decimal if placeholder.number is TypeName.DECIMAL else given.decimal_as_float)
    if placeholder.expected is not Expected.TRUTH:
        yield Conversion(given.counted_truth)


def _as_the_statement_has_it(placeholder: ConvertedPlaceholder) -> Iterator[Conversion]:
    """The conversions that the statement itself demands: its casts, and SQLite's affinities."""
    if placeholder.by_sqlite and placeholder.boundary is None:
        yield Conversion(given.time_as_text)
        yield Conversion(given.decimal_as_float)
    for kind in placeholder.casts:
        if placeholder.rules is Rules.MYSQL and kind is TypeName.TEXT:
            yield Conversion(servers.mysql_text_given)
            continue
        yield Conversion(given.time_as_text)
        if kind in CASTS:
            yield Conversion(CASTS[kind])
    if placeholder.affinity is not None and not placeholder.by_sqlite:
        yield Conversion(given.uuid_as_text)
    if placeholder.affinity in AFFINITIES:
        yield Conversion(AFFINITIES[placeholder.affinity])


def _kept_conversions(placeholder: ConvertedPlaceholder) -> Iterator[Conversion]:
    if placeholder.boundary is not None:
        boundary = placeholder.boundary
        yield Conversion(given.first_from, (str(boundary.grain), boundary.after, boundary.exact))
    yield from _as_id(placeholder)
    if placeholder.second_digits is not None:
        yield Conversion(given.of_second_digits, (placeholder.second_digits,))
    if placeholder.shifted:
        yield Conversion(given.of_whole_milliseconds)
    if placeholder.whole is not None:
        yield Conversion(given.at_millisecond, (str(placeholder.whole),))
    yield from _as_unit(placeholder)
    if (written := _as_written(placeholder)) is not None:
        yield written
    if placeholder.pattern is not None:
        yield _as_regex(placeholder.pattern)
    if placeholder.no_array:
        yield Conversion(given.refuse_array_text)
    if placeholder.wide is not None:
        yield Conversion(given.as_wide_text, (str(placeholder.wide),))


def _as_unit(placeholder: ConvertedPlaceholder) -> Iterator[Conversion]:
    if placeholder.unit:
        yield Conversion(given.at_unit_start, (placeholder.unit,))


def _as_written(placeholder: ConvertedPlaceholder) -> Conversion | None:
    """The conversion that gives equal values of a type stored as text the same text."""
    if placeholder.bits:
        return Conversion(servers.bits_compared, (placeholder.bits,))
    if placeholder.carried == CHAR:
        return Conversion(given.without_blanks)
    if placeholder.carried == YEAR:
        return Conversion(given.as_year)
    if subtype := subtype_of(placeholder.carried):
        return Conversion(given.of_subtype, (subtype,))
    return Conversion(given.as_written_by, (placeholder.carried,)) if placeholder.carried else None


def _as_id(placeholder: ConvertedPlaceholder) -> Iterator[Conversion]:
    if placeholder.id_as_text:
        yield Conversion(given.object_id_as_text)
    if placeholder.object_id:
        yield Conversion(given.text_as_object_id)
    if placeholder.uuid:
        yield Conversion(given.text_as_stored_uuid)


def _as_regex(wild: WildPattern) -> Conversion:
    if wild.spelled is not None:
        return wild.spelled
    between = (wild.escape, wild.before, wild.after)
    if wild.rule is not None:
        return Conversion(like_patterns.as_regex, (*between, wild.rule is CaseRule.ASCII))
    if wild.case is None:
        return Conversion(like_patterns.as_primary_regex, between)
    return Conversion(postgresql_case.as_case_regex, (*between, wild.case is Function.UPPER, wild.both))


EXPECTED = {
    **dict.fromkeys(NUMBERS, Expected.NUMBER),
    TypeName.DATE: Expected.DAY,
    TypeName.TIMESTAMP: Expected.LOCAL_TIME,
    TypeName.TIMESTAMPTZ: Expected.TIME,
    TypeName.TEXT: Expected.TEXT,
    TypeName.ENUM: Expected.TEXT,
    TypeName.BOOLEAN: Expected.TRUTH,
    TypeName.UUID: Expected.UUID,
    TypeName.BYTES: Expected.BYTES,
    TypeName.TIME: Expected.TIME_OF_DAY,
}
"""What a parameter must be, by the type that its surroundings give it."""
_MOMENTS = (Expected.DAY, Expected.LOCAL_TIME, Expected.TIME)
_READ: dict[Expected, Convert] = {
    **dict.fromkeys(_MOMENTS, given.text_as_time),
    Expected.UUID: given.text_as_uuid,
    Expected.BYTES: servers.strict_bytes,
    Expected.TIME_OF_DAY: given.text_as_time_of_day,
}
"""How a text is interpreted."""
_READ_BY_POSTGRESQL = _READ | {Expected.DAY: given.text_as_day, Expected.LOCAL_TIME: given.text_as_local_time}
"""PostgreSQL takes the part of a text that the type has."""
_CHECKS: dict[Expected, Convert] = {
    Expected.NUMBER: given.an_ordered_number,
    Expected.NAN: given.a_number,
    Expected.TEXT: given.a_text,
    **dict.fromkeys(_MOMENTS, given.a_time),
    Expected.TRUTH: given.a_truth,
    Expected.UUID: given.a_uuid,
    Expected.BYTES: given.a_bytes,
    Expected.TIME_OF_DAY: given.a_time_of_day,
}
