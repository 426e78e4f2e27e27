"""Literals and parameters as an attribute keeps them: which of the conversions a database does when a value is stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from nestling.common.errors import Problem, WorkloadError
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.ir.conversions import given, postgresql_texts, servers, sqlite, stored
from nestling.ir.conversions.conversion import Conversion, Convert
from nestling.ir.fraction import Fraction
from nestling.ir.programs import compiled
from nestling.ir.reading import GapKind
from nestling.ir.statements.expression import AttributeCast
from nestling.ir.statements.operators import Rules
from nestling.ir.types import (
    BSON_DIGITS,
    CHECKED,
    DURATION,
    JSONB,
    MOMENTS,
    REAL,
    SET,
    SINGLE,
    TIMES,
    TIMETZ,
    YEAR,
    Type,
    TypeName,
    bit_count,
)
from nestling.ir.value_forms.instants import WHOLE_MILLISECONDS
from nestling.ir.value_forms.zero_dates import zero_of
from nestling.ir.values import encoder

ENCODED_BY_TYPE = frozenset({TypeName.JSON, TypeName.ARRAY})
"""Types whose values only nestling encodes: documents, whose names and depth matter, and lists."""


@dataclass(frozen=True, slots=True)
class StoredParameter(compiled.Placeholder):
    """The place for the value of the parameter `name`, stored as an attribute of `type`; `is_number`: it is used in arithmetic.

    `lenient`, `among`, `numeric`, `rounds`, `fraction`, `numbered`: as in `AttributeCast`.
    """

    name: str
    type: Type
    rules: Rules
    is_number: bool = False
    lenient: bool = False
    among: str = ""
    numeric: bool = False
    rounds: bool = False
    fraction: Fraction | None = None
    numbered: bool = False

    def bind(self, value: object) -> object:
        """Return the BSON value. Raises `WorkloadError` if it is not a value, or one that its attribute cannot hold."""
        try:
            stored.check_stored(self.name, value, str(self.type))
            return _converted(value, self.type, self.conversion, plain=self.is_plain)
        except (TypeError, ValueError) as error:
            raise WorkloadError(Problem(str(error))) from None
        except WorkloadError as error:
            problem = error.problems[0]
            move = problem.next_move
            if isinstance(value, datetime) and move == WHOLE_MILLISECONDS:
                move = f'open the Store with microseconds="round"; or {move}'
            raise WorkloadError(
                replace(problem, what=f"parameter `{self.name}`: {problem.what}", next_move=move)
            ) from None

    @property
    def conversion(self) -> Conversion:
        """The conversion of a value that is not NULL."""
        found = stored_conversion(self.type, self.rules, self.lenient, self.among, self.numeric, self.fraction)
        is_finer = self.fraction is None or self.fraction.digits > BSON_DIGITS
        if self.rounds and is_finer and _keeps_dates(self.type):
            found = Conversion(stored.rounded_moment, (found,))
        if self.numbered:
            found = Conversion(servers.number_not_asked, (found,))
        return Conversion(stored.of_number, (found,)) if self.is_number else found

    @property
    def is_plain(self) -> bool:
        """Whether no more than its conversion is needed to encode it: documents, whose names and depth matter, need more."""
        return _is_plain(self.type, self.rules)


def stored_parameter(name: str, node: AttributeCast) -> StoredParameter:
    """The place of a parameter that is stored so."""
    kind, rules = node.type, node.rules
    return StoredParameter(
        name, kind, rules, False, node.lenient, node.among, node.numeric, node.rounds, node.fraction, node.numbered
    )


def stored_literal(value: object, node: AttributeCast) -> object:
    """The BSON value of a constant the statement holds; a gap for a time in a form its attribute does not take."""
    try:
        return constant_of(value, node)
    except WorkloadError as error:
        if not node.among:
            raise
        problem = error.problems[0]
        raise rendering_gap(f"{problem.what}: {problem.next_move}", GapKind.INPUT) from None


def constant_of(value: object, node: AttributeCast) -> object:
    """Return the BSON value of a conceptual one; None stays None.

    Raises `WorkloadError` for a value that a strict database refuses.
    """
    conversion = stored_conversion(node.type, node.rules, node.lenient, node.among, node.numeric, node.fraction)
    return _converted(value, node.type, conversion, plain=_is_plain(node.type, node.rules))


def _is_plain(kind: Type, rules: Rules) -> bool:
    is_array = kind.element is not None and rules is Rules.POSTGRESQL
    return (kind.element if is_array and kind.element else kind).name not in ENCODED_BY_TYPE


def _converted(value: object, kind: Type, conversion: Conversion, *, plain: bool) -> object:
    if value is None:
        return None
    try:
        found = conversion.convert(given.clock_as_text(value))
        if not plain:
            return encoder(kind)(found)
        return stored.stored_elements(found) if kind.element is not None else given.as_stored(found)
    except stored.REFUSALS as error:
        what, *move = stored.refusal(error, value, str(kind))
        raise WorkloadError(Problem(what, next_move="".join(move))) from None


@lru_cache(maxsize=1024)
def stored_conversion(
    kind: Type, rules: Rules, lenient: bool, among: str, numeric: bool, fraction: Fraction | None = None
) -> Conversion:
    """The conversion, by the rules of a database, of a value that is not NULL; the others as in `AttributeCast`."""
    found = _by_sqlite(kind, numeric=numeric) if rules is Rules.SQLITE else _by_server(kind, rules, fraction)
    if rules is Rules.MYSQL and kind.name in (TypeName.INTEGER, TypeName.DECIMAL) and kind.carried != YEAR:
        found = Conversion(servers.mysql_number, (found, kind.name is TypeName.INTEGER))
    if rules is not Rules.SQLITE and kind.is_without_nan:
        found = Conversion(servers.finite if rules is Rules.MYSQL else servers.no_nan, (found,))
    if among and kind.name is TypeName.DATE:
        found = Conversion(sqlite.day_among, (among, found))
    elif among:
        found = Conversion(sqlite.moment_among, (among, kind.fraction_digits, _is_zoned(kind), found))
    if rules is Rules.SQLITE and fraction is not None and fraction.source_is_finer:
        found = Conversion(sqlite.moment_in_milliseconds, (found,))
    if kind.name in MOMENTS and (rules is Rules.SQLITE or kind.fraction_digits > BSON_DIGITS):
        found = Conversion(stored.kept_moment, (kind.fraction_digits, found))
    found = _kept(kind, found)
    if lenient and kind.name in TIMES and rules is Rules.POSTGRESQL:
        return Conversion(servers.infinity_or, (found,))
    if lenient and kind.name in TIMES:
        return Conversion(servers.zero_or, (zero_of(kind), found))
    labels = servers.set_labels if kind.carried == SET else servers.enum_label
    return Conversion(labels, (kind.values, lenient)) if rules is Rules.MYSQL and kind.values else found


def _kept(kind: Type, found: Conversion) -> Conversion:
    """The conversion of values that BSON has types for which SQL has not."""
    if kind.name is TypeName.OBJECT_ID:
        return Conversion(stored.kept_object_id, (found,))
    return Conversion(stored.kept_subtype, (kind.subtype, found)) if kind.subtype else found


def _keeps_dates(kind: Type) -> bool:
    """Whether moments of the type, or of an array's elements, are BSON dates."""
    kind = kind.element or kind
    return kind.name in MOMENTS and kind.fraction_digits <= BSON_DIGITS


def _is_zoned(kind: Type) -> bool:
    return kind.name is TypeName.TIMESTAMPTZ


_OF_SQLITE: dict[TypeName, Convert] = {
    TypeName.TEXT: sqlite.sqlite_text,
    TypeName.OBJECT_ID: sqlite.sqlite_text,
    **dict.fromkeys((TypeName.ANY, TypeName.BYTES, TypeName.ENUM, TypeName.GEOMETRY), sqlite.sqlite_value),
    TypeName.FLOAT: sqlite.sqlite_float,
    TypeName.BOOLEAN: sqlite.sqlite_truth,
    TypeName.DECIMAL: sqlite.sqlite_decimal,
    TypeName.DATE: sqlite.sqlite_day,
    TypeName.UUID: sqlite.sqlite_uuid,
    TypeName.JSON: sqlite.sqlite_json,
    **dict.fromkeys((TypeName.INTEGER, TypeName.TIME, TypeName.INTERVAL, TypeName.BITS), sqlite.sqlite_whole),
}
_READ_BACK: dict[TypeName, Convert] = {
    TypeName.BOOLEAN: sqlite.as_truth,
    TypeName.DECIMAL: sqlite.as_decimal_text,
    TypeName.DATE: sqlite.as_day_text,
    TypeName.UUID: sqlite.as_uuid_text,
    TypeName.JSON: sqlite.as_json_text,
}
"""How values in SQLite's file are read back, if that differs from their form in SQLite."""


def _by_sqlite(kind: Type, *, numeric: bool) -> Conversion:
    if numeric:
        return Conversion(sqlite.sqlite_number)
    if kind.carried == CHECKED:
        return Conversion(servers.checked_json)
    if kind.name in MOMENTS:
        return Conversion(sqlite.sqlite_moment, (kind.fraction_digits, _is_zoned(kind)))
    if kind.element is not None:
        return Conversion(sqlite.sqlite_array, (_read_back(kind.element),))
    return Conversion(_OF_SQLITE[kind.name])


def _read_back(kind: Type) -> Conversion:
    """How an element of a JSON array is read."""
    if kind.name in MOMENTS:
        return Conversion(sqlite.as_moment_text, (kind.fraction_digits, _is_zoned(kind)))
    if kind.element is not None:
        return Conversion(sqlite.as_array_text, (_read_back(kind.element),))
    return Conversion(_READ_BACK.get(kind.name, stored.unchanged))


_OF_SERVERS: dict[TypeName, Convert] = {
    TypeName.DECIMAL: servers.exact_number,
    TypeName.UUID: servers.strict_uuid,
    TypeName.INTERVAL: servers.strict_interval,
    **dict.fromkeys((TypeName.ANY, TypeName.GEOMETRY), stored.unchanged),
    **dict.fromkeys((TypeName.OBJECT_ID, TypeName.ENUM), str),
}
_OF_POSTGRESQL: dict[TypeName, Convert] = {
    TypeName.BOOLEAN: servers.postgresql_truth,
    TypeName.INTEGER: servers.strict_integer,
    TypeName.DATE: servers.strict_day,
}
_OF_MYSQL: dict[TypeName, Convert] = {
    TypeName.BOOLEAN: servers.strict_truth,
    TypeName.INTEGER: servers.nearest_integer,
    TypeName.DATE: servers.mysql_day,
}
_CARRIED = {
    "inet": Conversion(postgresql_texts.strict_inet),
    "cidr": Conversion(postgresql_texts.strict_cidr),
    "macaddr": Conversion(postgresql_texts.strict_macaddr),
    "macaddr8": Conversion(postgresql_texts.strict_macaddr8),
    "money": Conversion(postgresql_texts.strict_money),
    "pg_lsn": Conversion(postgresql_texts.strict_pg_lsn),
    "int4range": Conversion(postgresql_texts.strict_range, ("int4range", 31)),
    "int8range": Conversion(postgresql_texts.strict_range, ("int8range", 63)),
    "daterange": Conversion(postgresql_texts.strict_daterange),
}
"""PostgreSQL's types that are kept as texts, as far as their texts are known."""


def _text_or_bytes(kind: Type, rules: Rules) -> Conversion:
    if kind.name is TypeName.BITS and rules is Rules.MYSQL:
        return Conversion(servers.strict_bits, (bit_count(kind),))
    if kind.name is TypeName.BITS:
        return Conversion(servers.strict_bit_text)
    if kind.name is TypeName.BYTES:
        return Conversion(postgresql_texts.strict_bytea if rules is Rules.POSTGRESQL else servers.mysql_bytes)
    if kind.carried in _CARRIED:
        return _CARRIED[kind.carried]
    if kind.carried == SET:
        return Conversion(servers.labels_as_given)
    read = Conversion(postgresql_texts.postgresql_text if rules is Rules.POSTGRESQL else servers.mysql_text)
    if not kind.numbers:
        return read
    return Conversion(servers.strict_char if kind.is_char else servers.strict_text, (kind.numbers[0], read))


def _moment(kind: Type, rules: Rules, fraction: Fraction | None) -> Conversion:
    arguments: tuple[object, ...] = (kind.fraction_digits, _is_zoned(kind))
    if fraction is None:
        return Conversion(servers.strict_moment, arguments)
    if fraction.cut:
        kept = servers.cut_second
    else:
        kept = servers.second_rounded_from_2000 if rules is Rules.POSTGRESQL else servers.rounded_second
    return Conversion(servers.strict_moment, (*arguments, Conversion(kept, (fraction.digits,))))


def _clock(kind: Type, rules: Rules, fraction: Fraction | None) -> Conversion:
    read: Convert = servers.strict_time_of_day
    if rules is Rules.POSTGRESQL:
        read = servers.strict_timetz if kind.carried == TIMETZ else servers.strict_clock
    if fraction is None:
        return Conversion(read)
    return Conversion(servers.clock_of_digits, (fraction.digits, fraction.cut, Conversion(read)))


def _float(kind: Type, rules: Rules) -> Conversion:
    if REAL in kind.carried.split():
        return Conversion(postgresql_texts.strict_real)
    if kind.carried == SINGLE:
        return Conversion(servers.strict_single)
    return Conversion(postgresql_texts.postgresql_float if rules is Rules.POSTGRESQL else postgresql_texts.strict_float)


def _moment_or_clock(kind: Type, rules: Rules, fraction: Fraction | None) -> Conversion:
    found = (_clock if kind.name is TypeName.TIME else _moment)(kind, rules, fraction)
    if rules is not Rules.MYSQL:
        return found
    if kind.name is TypeName.TIME:
        return Conversion(servers.mysql_clock, (kind.carried == DURATION, found))
    return Conversion(servers.mysql_moment, (found,))


def _by_server(kind: Type, rules: Rules, fraction: Fraction | None) -> Conversion:
    match kind.name:
        case TypeName.JSON if kind.carried == JSONB:
            return Conversion(servers.strict_jsonb)
        case TypeName.JSON:
            return Conversion(servers.number_or_json if rules is Rules.MYSQL else servers.strict_json)
        case TypeName.TIMESTAMP | TypeName.TIMESTAMPTZ | TypeName.TIME:
            return _moment_or_clock(kind, rules, fraction)
        case TypeName.INTEGER if kind.carried == YEAR:
            return Conversion(servers.strict_year)
        case TypeName.DECIMAL if kind.numbers:
            precision, scale = (*kind.numbers, 0)[:2]
            return Conversion(servers.strict_decimal, (precision, scale))
        case TypeName.TEXT | TypeName.BYTES | TypeName.BITS:
            return _text_or_bytes(kind, rules)
        case TypeName.FLOAT:
            return _float(kind, rules)
        case TypeName.ARRAY if kind.element is not None:
            element = stored_conversion(kind.element, rules, lenient=False, among="", numeric=False, fraction=fraction)
            return Conversion(servers.strict_array, (element,))
        case TypeName.BOOLEAN | TypeName.INTEGER | TypeName.DATE:
            return Conversion((_OF_POSTGRESQL if rules is Rules.POSTGRESQL else _OF_MYSQL)[kind.name])
        case _:
            return Conversion(_OF_SERVERS[kind.name])
