"""Dates and times: SQLite's functions over texts, PostgreSQL's and MySQL's over values."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.ir.expression import (
    ANY,
    NULL,
    And,
    Arithmetic,
    Call,
    Case,
    Cast,
    Compare,
    Comparison,
    Expression,
    Function,
    Literal,
    Negate,
    Operator,
    Parameter,
    Raw,
    Rules,
)
from nestling.ir.operands import is_integer, is_mixed, is_mixed_time
from nestling.ir.quantity_words import counted
from nestling.ir.types import BOOLEAN, BSON_DIGITS, FLOAT, INTEGER, MOMENTS, NUMBERS, TEXT, TIMES, Type, TypeName
from nestling.planner.sql import conversions
from nestling.planner.sql.calendar_names import day_name, last_day, month_name, year_month
from nestling.planner.sql.gaps import called, mistake, no_constant, statement_gap, uncast
from nestling.planner.sql.interval_parts import part_of_interval
from nestling.planner.sql.literals import DECIMAL, number_literal, typed_literal
from nestling.planner.sql.mysql.zero_dates import dates_alone
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite
from nestling.planner.sql.scope import Bound, Env
from nestling.planner.sql.time_formats import formatted, pieces_of
from nestling.planner.sql.weeks import ISO, rule_of_mode, week, year_week

Handler = Callable[[exp.Expr, Env, Bound], Expression]

DATE = Type(TypeName.DATE)
TIMESTAMP = Type(TypeName.TIMESTAMP)
TIMESTAMPTZ = Type(TypeName.TIMESTAMPTZ)
_UTC = ("UTC", "Etc/UTC", "GMT", "Z")
_ZONE = re.compile(r"UTC|GMT|Z|[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_-]+)+")
"""Not an abbreviation, nor an offset, whose sign PostgreSQL reads the other way round."""
_UNITS = ("year", "quarter", "month", "week", "day", "dow", "doy", "isodow", "hour", "minute", "second", "epoch")
_DAY = re.compile(r"\s*(\d{4})-(\d\d)-(\d\d)")
_LAST_HOUR = re.compile(r"(?:^|[T\s])24:\d\d")
_FORMAT = re.compile(r"(?:[^%]|%[dfHjJmMsSwWY%])*\Z")
_SHARED_FORMAT = re.compile(r"""(?:[^%"A-Za-z]|%[dHjmMSY])*\Z""")
"""Of PostgreSQL's and MySQL's: what all of them write alike, and no letter that PostgreSQL would take for more."""
_PARTS = {Rules.POSTGRESQL: "YYYY, MM, DD, DDD, HH24, MI and SS", Rules.MYSQL: "%Y, %m, %d, %j, %H, %i and %s"}
"""What it lets through, as each database writes it."""
_MODIFIER = re.compile(r"\s*([+-]?)(\d+(?:\.\d+)?)\s+(day|hour|minute|second|month|year)s?\s*\Z", re.IGNORECASE)
_STARTS = re.compile(r"\s*start of (day|month|year)\s*\Z", re.IGNORECASE)
_WEEKDAY = re.compile(r"\s*weekday\s+([0-6])\s*\Z", re.IGNORECASE)
_AMOUNT = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]+?)s?\s*", re.IGNORECASE)


# --- SQLite ----------------------------------------------------------------------------------------------------------


def _instant(parts: Sequence[exp.Expr], bound: Bound) -> Expression:
    """A SQLite time value with its modifiers as a timestamp, NULL when it is none."""
    if not parts:
        return Call(Function.NOW, (), TIMESTAMP, Rules.SQLITE)
    first = parts[0].this if isinstance(parts[0], exp.TsOrDsToTimestamp | exp.TsOrDsToDate) else parts[0]
    given, modifiers = bound(first), parts[1:]
    if modifiers and isinstance(modifiers[0], exp.Literal) and modifiers[0].name.casefold().strip() == "unixepoch":
        found, modifiers = _of_seconds(given, modifiers[0]), modifiers[1:]
    else:
        found = _timestamp(given)
    for part in modifiers:
        found = _modified(found, part)
    return found


def _of_seconds(value: Expression, node: exp.Expr) -> Expression:
    """A number of seconds since 1970, NULL before SQLite's first day and beyond the year 9999."""
    if not is_integer(value) or is_mixed(value):
        raise statement_gap("date modifier `unixepoch` of what is no column of whole numbers", node)
    start = typed_literal("1970-01-01 00:00:00", TIMESTAMP)
    moment = Call(Function.ADD_TIME, (start, Literal("second", TEXT), value), TIMESTAMP, Rules.SQLITE)
    first, last = (Literal(each, INTEGER) for each in (-210_866_760_000, 253_402_300_799))
    is_time = And((Compare(Comparison.GREATER_OR_EQUAL, value, first), Compare(Comparison.LESS_OR_EQUAL, value, last)))
    return Case(((is_time, moment),), NULL, TIMESTAMP)


def _on_weekday(value: Expression, number: int) -> Expression:
    """That day, or the next one that is that day of the week; 0 is Sunday."""
    today = Call(Function.TIME_PART, (Literal("dow", TEXT), value), INTEGER, Rules.SQLITE)
    away = Arithmetic(Operator.SUBTRACT, Literal(number + 7, INTEGER), today, INTEGER)
    days = Arithmetic(Operator.MODULO, away, Literal(7, INTEGER), INTEGER)
    return Call(Function.ADD_TIME, (value, Literal("day", TEXT), days), TIMESTAMP, Rules.SQLITE)


def _timestamp(value: Expression) -> Expression:
    if isinstance(value, Literal) and isinstance(value.value, str) and value.value.casefold() == "now":
        return Call(Function.NOW, (), TIMESTAMP, Rules.SQLITE)
    if isinstance(value, Literal) and isinstance(value.value, str) and _overflows(value.value):
        raise statement_gap(f"`{value.value}`, a day or hour there is not: SQLite's versions differ on it")
    if value.type.name is TypeName.TIMESTAMP and not is_mixed(value):
        return value
    if value.type.name is TypeName.BOOLEAN:  # a Julian day, as any number
        value = Raw(value, ANY) if is_mixed(value) else Cast(value, INTEGER, Rules.SQLITE)
    return Call(Function.TIMESTAMP_OF, (value,), TIMESTAMP, Rules.SQLITE)


def _overflows(text: str) -> bool:
    """Whether it is written like a time but has a day its month does not have, or the hour 24."""
    if (day := _DAY.match(text)) is not None:
        year, month, number = map(int, day.groups())
        if 1 <= month <= 12 and monthrange(year or 4, month)[1] < number <= 31:
            return True
    return _LAST_HOUR.search(text) is not None


def _modified(value: Expression, modifier: exp.Expr) -> Expression:
    word = modifier.this if isinstance(modifier, exp.Literal) and modifier.is_string else ""
    if match := _STARTS.match(word):
        return Call(Function.TRUNCATE_TIME, (Literal(match[1].lower(), TEXT), value), TIMESTAMP, Rules.SQLITE)
    if match := _WEEKDAY.match(word):
        return _on_weekday(value, int(match[1]))
    match = _MODIFIER.match(word)
    if match is None or ("." in match[2] and match[3].lower() in ("month", "year")):
        raise statement_gap(f"date modifier `{word or modifier.sql()}`", modifier)
    amount = float(match[2]) if "." in match[2] else int(match[2])
    signed = Literal(-amount if match[1] == "-" else amount, FLOAT if isinstance(amount, float) else INTEGER)
    return Call(Function.ADD_TIME, (value, Literal(match[3].lower(), TEXT), signed), TIMESTAMP, Rules.SQLITE)


def _formatted(pattern: str) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bound) -> Expression:
        if not env.dialect.is_sqlite:
            return _other(node, env, bound)
        parts = node.expressions or ([node.this] if isinstance(node.this, exp.Expr) else [])
        parts = [*parts, *(node.args.get("expressions") or [] if not node.expressions else [])]
        return Call(Function.FORMAT_TIME, (_instant(parts, bound), Literal(pattern, TEXT)), TEXT, Rules.SQLITE)

    return call


def _date(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    if env.dialect.is_sqlite:
        parts = [part for part in (node.this, node.args.get("zone"), *node.expressions) if part is not None]
        return Call(Function.FORMAT_TIME, (_instant(parts, bound), Literal("%Y-%m-%d", TEXT)), TEXT, Rules.SQLITE)
    return Call(Function.DATE_OF, (_day_of(bound(node.this), env),), DATE, env.dialect.rules)


def _day_of(value: Expression, env: Env) -> Expression:
    """What DATE() is given: of MySQL's zero dates it makes zero dates."""
    time = _time(value, env)
    return value if env.dialect.rules is Rules.MYSQL and is_mixed_time(value) else time


def _strftime(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    pattern = node.args["format"]
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise no_constant("a time format that is no constant text", node, pattern)
    if isinstance(node.this, exp.TsOrDsToDate) and pattern.this == "%B":  # as which sqlglot has MONTHNAME()
        return _of_calendar(month_name)(node, env, bound)
    value = node.this.this if isinstance(node.this, exp.TsOrDsToTimestamp) else node.this
    if bound(value).type.name in NUMBERS and env.dialect.rules is Rules.POSTGRESQL:
        raise statement_gap("TO_CHAR of a number", node)
    if env.dialect.is_sqlite:
        if not _FORMAT.match(pattern.this):
            raise statement_gap(f"time format `{pattern.this}`", node)
    elif not _SHARED_FORMAT.match(pattern.this):  # which sqlglot does not keep as it is written
        raise statement_gap(
            f"{called(node, env.dialect.grammar)} with other parts than {_PARTS[env.dialect.rules]}", node
        )
    instant = _instant([value], bound) if env.dialect.is_sqlite else _time(bound(value), env)
    return Call(Function.FORMAT_TIME, (instant, Literal(pattern.this, TEXT)), TEXT, env.dialect.rules)


def _with_pieces(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    """DATE_FORMAT and TO_CHAR by a format that says more than both write alike."""
    if len(node.expressions) != 2:
        raise statement_gap(f"{node.name.upper()}() with {counted(len(node.expressions), 'argument')}", node)
    value, pattern = node.expressions
    given = bound(value)
    if given.type.name in NUMBERS and env.dialect.rules is Rules.POSTGRESQL:
        raise statement_gap("TO_CHAR of a number", node)
    pieces = pieces_of(pattern.name, env.dialect.rules)
    if pieces is None:
        raise statement_gap(f"{node.name.upper()} with the format `{pattern.name}`", node)
    if is_mixed_time(given) or given.type.name is TypeName.INTERVAL:
        raise statement_gap(f"{node.name.upper()} with the format `{pattern.name}` of what may be no date", node)
    return formatted(_time(given, env), pieces, env.dialect.rules)


def _week(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    """MySQL's WEEK, WEEKOFYEAR and YEARWEEK, by a constant mode; without one the mode is 0, which a server may set otherwise."""
    parts = node.expressions if isinstance(node, exp.Anonymous) else [node.this, node.args.get("mode")]
    said = parts[1] if len(parts) > 1 else None
    name = called(node, env.dialect.grammar).partition("(")[0].strip("`")
    if env.dialect.rules is not Rules.MYSQL or not 1 <= len(parts) <= 2:
        raise statement_gap(f"{name}() function", node)
    if said is not None and not (isinstance(said, exp.Literal) and said.name in "01234567"):
        raise no_constant(f"{name} by a mode that is no constant from 0 to 7", node, said)
    mode = int(said.name) if said is not None else 0
    rule = ISO if isinstance(node, exp.WeekOfYear) else rule_of_mode(mode)
    number = year_week if isinstance(node, exp.Anonymous) else week
    return _of_calendar(lambda time: number(time, rule))(exp.Week(this=parts[0]), env, bound)


def _days_added(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    """MySQL's ADDDATE and SUBDATE: DATE_ADD and DATE_SUB, where a number is one of days."""
    if env.dialect.rules is not Rules.MYSQL or len(node.expressions) != 2:
        raise statement_gap(f"{node.name.upper()}() function", node)
    base, amount = node.expressions
    unit = None if isinstance(amount, exp.Interval) else exp.Var(this="DAY")
    return _shifted(base, amount, unit, node.name.casefold() == "subdate", env, bound)


def _strftime_modified(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    if not env.dialect.is_sqlite or not node.expressions:
        return _other(node, env, bound)
    pattern, *parts = node.expressions
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise no_constant("a time format that is no constant text", node, pattern)
    if not _FORMAT.match(pattern.this):
        raise statement_gap(f"time format {pattern.sql()}", node)
    return Call(Function.FORMAT_TIME, (_instant(parts, bound), Literal(pattern.this, TEXT)), TEXT, Rules.SQLITE)


def _julian(function: Function, kind: Type) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bound) -> Expression:
        if not env.dialect.is_sqlite:
            raise statement_gap(f"{node.name.upper()}() function", node)
        return Call(function, (_instant(node.expressions, bound),), kind, Rules.SQLITE)

    return call


# --- PostgreSQL and MySQL --------------------------------------------------------------------------------------------


def _time(value: Expression, env: Env) -> Expression:
    """A value as a timestamp or date, whichever it is."""
    if isinstance(value, Literal) and isinstance(value.value, str):
        return typed_literal(value.value, TIMESTAMP)
    if value.type.name in TIMES or value.type.name is TypeName.INTERVAL or value == NULL:
        refuse_infinite("a function", None, env.translation, value)
        return dates_alone(value) if env.dialect.rules is Rules.MYSQL else value
    return Cast(value, TIMESTAMP, env.dialect.rules)


def _other(node: exp.Expr, env: Env, bound: Bound) -> Expression:  # noqa: ARG001 - a handler's signature
    raise statement_gap(f"{called(node, env.dialect.grammar)}() function", node)


def _now(kind: Type, pattern: str) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bound) -> Expression:  # noqa: ARG001
        if isinstance(node, exp.CurrentTime) and not env.dialect.is_sqlite:
            raise statement_gap("the time of day it is", node)
        digits = node.expressions[0] if isinstance(node, exp.Anonymous) and node.expressions else node.args.get("this")
        now = Call(Function.NOW, (), TIMESTAMP, env.dialect.rules)
        if env.dialect.is_sqlite:
            return Call(Function.FORMAT_TIME, (now, Literal(pattern, TEXT)), TEXT, Rules.SQLITE)
        if kind == DATE:
            return Call(Function.DATE_OF, (now,), DATE, env.dialect.rules)
        return _of_digits(now, digits, node, env.dialect.rules)

    return call


def _of_digits(now: Call, said: object, node: exp.Expr, rules: Rules) -> Call:
    """The time it is with so many digits of a second: PostgreSQL rounds to them, MySQL cuts the rest off.

    Where none are said MySQL's has none, and PostgreSQL's all. The server's clock has milliseconds.
    """
    if isinstance(said, exp.Expr) and not (isinstance(said, exp.Literal) and said.name.isdecimal()):
        raise statement_gap("the time it is with digits that are no constant", node)
    unsaid = 0 if rules is Rules.MYSQL else BSON_DIGITS
    digits = int(said.name) if isinstance(said, exp.Literal) else unsaid
    if digits >= BSON_DIGITS:
        return now
    arguments = (now, Literal(digits, INTEGER), Literal(rules is Rules.MYSQL, BOOLEAN))
    return Call(Function.ROUND_TIME, arguments, now.type, rules)


def _extract(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    unit = _unit(node.this, "EXTRACT", node)
    if unit == "year_month":
        return _of_calendar(year_month)(exp.Extract(this=node.expression), env, bound)
    return _part(unit, node.expression, node, env, bound)


def _date_part(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    """PostgreSQL's date_part: EXTRACT as a float."""
    if env.dialect.rules is not Rules.POSTGRESQL or len(node.expressions) != 2:
        raise statement_gap("DATE_PART() function", node)
    said, value = node.expressions
    return Cast(_part(_unit(said, "DATE_PART", node), value, node, env, bound), FLOAT, Rules.POSTGRESQL)


def _unit(said: exp.Expr, construct: str, node: exp.Expr) -> str:
    """The unit of time that a statement says as a word or a text."""
    inner = uncast(said)
    if not isinstance(inner, exp.Var | exp.Literal | exp.Identifier):
        raise no_constant(f"{construct} by a unit that is no constant", node, said)
    return inner.name.casefold()


_CLOCK = ("hour", "minute", "second")


def _part(unit: str, value: exp.Expr, node: exp.Expr, env: Env, bound: Bound) -> Expression:
    if unit not in _UNITS:
        raise statement_gap(f"EXTRACT of {unit}", node)
    is_day = isinstance(value, exp.TsOrDsToDate) and unit in _CLOCK  # `hour(date(at))`; sqlglot adds it to the others
    inner = value.this if isinstance(value, exp.TsOrDsToDate | exp.TsOrDsToTimestamp) and not is_day else value
    given = bound(inner)
    if (
        env.dialect.rules is Rules.MYSQL
        and unit in _CLOCK
        and isinstance(given, Literal)
        and ":" not in str(given.value)
    ):
        raise statement_gap(f"the {unit} of a constant that is no time, but is read as one", node)
    found = _time(given, env)
    if (of_interval := part_of_interval(unit, found)) is not None:
        return of_interval
    is_whole = unit == "second" and env.dialect.rules is Rules.MYSQL
    is_exact = unit in ("second", "epoch") or env.dialect.rules is Rules.POSTGRESQL  # where every part is a numeric
    kind = DECIMAL if is_exact and not is_whole else INTEGER
    if unit == "epoch":
        return Call(Function.EPOCH, (found,), kind, env.dialect.rules)
    return Call(Function.TIME_PART, (Literal(unit, TEXT), found), kind, env.dialect.rules)


def _part_of(unit: str) -> Handler:
    return lambda node, env, bound: _part(unit, node.this, node, env, bound)


def _truncate(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    unit = _unit(node.args["unit"], "DATE_TRUNC", node)
    if unit not in _UNITS or unit in ("dow", "doy", "isodow", "epoch") or env.dialect.is_sqlite:
        raise statement_gap(f"DATE_TRUNC to {unit}", node)
    value, zone = _time(bound(node.this), env), node.args.get("zone")
    if zone is not None:
        local = Call(
            Function.TRUNCATE_TIME, (Literal(unit, TEXT), _in_zone(value, zone, env)), TIMESTAMP, env.dialect.rules
        )
        return _in_zone(local, zone, env)
    is_day = value.type.name is TypeName.DATE and env.dialect.rules is Rules.POSTGRESQL  # which makes an instant of it
    kind = Type(TypeName.TIMESTAMPTZ) if is_day or value.type.name is TypeName.TIMESTAMPTZ else TIMESTAMP
    return Call(Function.TRUNCATE_TIME, (Literal(unit, TEXT), value), kind, env.dialect.rules)


_CUTS = {
    "%Y-01-01": "year",
    "%Y-%m-01": "month",
    "%Y-%m-%d": "day",
    "%Y-%m-%d %H:00:00": "hour",
    "%Y-%m-%d %H:%M:00": "minute",
    "%Y-%m-%d %H:%M:%S": "second",
    "%Y-%m-%d %T": "second",
}
_MIDNIGHT = " 00:00:00"


def cut_time(node: exp.Cast, kind: Type, env: Env, bound: Bound) -> Expression | None:
    """MySQL's `CAST(DATE_FORMAT(at, '%Y-%m-01') AS DATE)` and the like: the first moment of a unit; None for other casts."""
    inner = node.this.unnest()
    if env.dialect.rules is not Rules.MYSQL or not isinstance(inner, exp.TimeToStr) or node.to.expressions:
        return None
    said, time = inner.args["format"], inner.this
    unit = _CUTS.get(said.name.removesuffix(_MIDNIGHT) if isinstance(said, exp.Literal) else "")
    if unit is None or kind.name not in (TypeName.DATE, TypeName.TIMESTAMP):
        return None
    time = time.this if isinstance(time, exp.TsOrDsToTimestamp | exp.TsOrDsToDate) else time
    if unit == "day" and (monday := _of_monday(time)) is not None:
        unit, time = "week", monday
    value = _time(bound(time), env)
    if value.type.name not in (TypeName.DATE, *MOMENTS) or is_mixed_time(bound(time)):
        return None
    if kind.name is TypeName.DATE:
        return _first_day(unit, value)
    return Call(Function.TRUNCATE_TIME, (Literal(unit, TEXT), value), TIMESTAMP, Rules.MYSQL)


def _of_monday(node: exp.Expr) -> exp.Expr | None:
    """What `DATE_SUB(at, INTERVAL WEEKDAY(at) DAY)` takes the days of its week from."""
    if not isinstance(node, exp.DateSub) or getattr(node.args.get("unit"), "name", "").casefold() != "day":
        return None
    days = node.expression.unnest()
    is_weekday = isinstance(days, exp.Anonymous) and days.name.casefold() == "weekday" and len(days.expressions) == 1
    return node.this if is_weekday and days.expressions[0] == node.this else None


def _first_of_year(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    """MySQL's `MAKEDATE(YEAR(at), 1)`."""
    year, *days = node.expressions or [exp.Null()]
    is_first = isinstance(year, exp.Year) and [day.name for day in days] == ["1"]
    if env.dialect.rules is not Rules.MYSQL or not is_first:
        raise statement_gap("MAKEDATE() of anything but a year and 1", node)
    return _of_calendar(lambda time: _first_day("year", time))(year, env, bound)


def _first_day(unit: str, time: Expression) -> Expression:
    return Call(
        Function.DATE_OF,
        (Call(Function.TRUNCATE_TIME, (Literal(unit, TEXT), time), TIMESTAMP, Rules.MYSQL),),
        DATE,
        Rules.MYSQL,
    )


def _at_time_zone(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    """PostgreSQL's AT TIME ZONE, and `timezone(zone, time)`."""
    if env.dialect.rules is not Rules.POSTGRESQL:
        raise statement_gap("AT TIME ZONE", node)
    parts = node.expressions if isinstance(node, exp.Anonymous) else (node.args["zone"], node.this)
    if len(parts) != 2:
        raise mistake(f"TIMEZONE() takes two arguments, not {len(parts)}", node)
    zone, time = parts
    return _in_zone(bound(time), zone, env)


def _in_zone(value: Expression, zone: exp.Expr, env: Env) -> Expression:
    """An instant as clocks in the zone show it; the instant of what they show."""
    name = zone.this if isinstance(zone, exp.Literal) and zone.is_string else ""
    if not _ZONE.fullmatch(name):
        raise no_constant("a time zone that is no constant of a name as `Europe/Berlin`", zone, zone)
    if value.type.name is TypeName.DATE:
        value = Cast(value, TIMESTAMPTZ, env.dialect.rules)
    if value.type.name not in MOMENTS:
        raise statement_gap(f"AT TIME ZONE of {value.type}", zone)
    to = Literal("UTC" if name in _UTC else name, TEXT)
    if is_instant(value):
        return Call(Function.TIME_IN_ZONE, (to, value), Type(TypeName.TIMESTAMP, value.type.numbers), env.dialect.rules)
    return Call(Function.TIME_OF_ZONE, (to, value), Type(TypeName.TIMESTAMPTZ, value.type.numbers), env.dialect.rules)


_OFFSET = re.compile(r"[+-](?:0\d|1[0-4]):[0-5]\d")
_IN_UTC = (*_UTC, "+00:00", "-00:00")


def _converted(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    """MySQL's CONVERT_TZ from UTC: what clocks in a zone show."""
    if env.dialect.rules is not Rules.MYSQL:
        raise statement_gap(f"{called(node, env.dialect.grammar)}() function", node)
    names = [node.args.get("source_tz"), node.args["target_tz"]]
    if not all(isinstance(name, exp.Literal) and name.is_string for name in names):
        raise no_constant("CONVERT_TZ with a zone that is no constant", node, node)
    origin, target = (str(name.name) for name in names if name is not None)
    if origin not in _IN_UTC:
        raise statement_gap(f"CONVERT_TZ from `{origin}`; only moments in UTC are converted", node)
    if not _ZONE.fullmatch(target) and not _OFFSET.fullmatch(target):
        raise statement_gap(f"CONVERT_TZ to `{target}`, which is no name as `Europe/Berlin` and no offset", node)
    value = bound(node.args["timestamp"])
    if value.type.name not in MOMENTS or is_mixed_time(value):
        raise statement_gap("CONVERT_TZ of what may be no DATETIME", node)
    zone = Literal("UTC" if target in _IN_UTC else target, TEXT)
    return Call(Function.TIME_IN_ZONE, (zone, value), Type(TypeName.TIMESTAMP, value.type.numbers), Rules.MYSQL)


def is_instant(value: Expression) -> bool:
    """Whether it has a zone: `now()` and what is added to it have one in PostgreSQL."""
    match value:
        case Call(function=Function.NOW):
            return True
        case (
            Call(function=Function.ADD_TIME | Function.ROUND_TIME, arguments=(time, *_))
            | Call(function=Function.TRUNCATE_TIME, arguments=(_, time))
        ):
            return value.type.name is TypeName.TIMESTAMPTZ or is_instant(time)
        case _:
            return value.type.name is TypeName.TIMESTAMPTZ


def _difference(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    if env.dialect.rules is not Rules.MYSQL:
        raise statement_gap("DATEDIFF", node)
    sides = tuple(
        Call(Function.DATE_OF, (_time(bound(side), env),), DATE, Rules.MYSQL) for side in (node.this, node.expression)
    )
    return Call(Function.DAYS_BETWEEN, sides, INTEGER, Rules.MYSQL)


_PASSED = ("microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year")


def _passed(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    """MySQL's TIMESTAMPDIFF."""
    said = node.args.get("unit")
    unit = said.name.casefold() if said is not None else ""
    if env.dialect.rules is not Rules.MYSQL or unit not in _PASSED:
        raise statement_gap(f"TIMESTAMPDIFF of {unit or 'no unit'}", node)
    sides = (_time(bound(node.this), env), _time(bound(node.expression), env))
    if any(map(is_mixed_time, sides)):
        raise statement_gap("TIMESTAMPDIFF of what may be a zero date", node)
    return Call(Function.UNITS_BETWEEN, (Literal(unit, TEXT), *sides), INTEGER, Rules.MYSQL)


def _of_calendar(make: Callable[[Expression], Expression]) -> Handler:
    """What MySQL says of a date by the calendar; of one that may be a zero date a gap."""

    def call(node: exp.Expr, env: Env, bound: Bound) -> Expression:
        inner = node.this.this if isinstance(node.this, exp.TsOrDsToDate | exp.TsOrDsToTimestamp) else node.this
        given = bound(inner)
        if env.dialect.rules is not Rules.MYSQL or is_mixed_time(given):
            raise statement_gap(f"{called(node, env.dialect.grammar)}() function", node)
        return make(_time(given, env))

    return call


def _weekday(unit: str, shift: int) -> Handler:
    """MySQL's number of a day in its week, by another one."""

    def call(node: exp.Expr, env: Env, bound: Bound) -> Expression:
        if env.dialect.rules is not Rules.MYSQL:
            raise statement_gap(f"{called(node, env.dialect.grammar)}() function", node)
        parts = node.expressions if isinstance(node, exp.Anonymous) else [node.this]
        if len(parts) != 1:
            raise mistake(f"{called(node, env.dialect.grammar)}() takes one argument, not {len(parts)}", node)
        inner = parts[0].this if isinstance(parts[0], exp.TsOrDsToDate) else parts[0]
        if is_mixed_time(bound(inner)):
            raise statement_gap(f"{called(node, env.dialect.grammar)}() of what may be a zero date", node)
        return Arithmetic(Operator.ADD, _part(unit, inner, node, env, bound), Literal(shift, INTEGER), INTEGER)

    return call


def _unix_seconds(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    """MySQL's UNIX_TIMESTAMP of a TIMESTAMP, or of now; of a DATETIME it hangs on the session's time zone."""
    if env.dialect.rules is not Rules.MYSQL:
        raise statement_gap(f"{node.name.upper()}() function", node)
    if not node.expressions:
        return Call(Function.EPOCH, (Call(Function.NOW, (), TIMESTAMP, Rules.MYSQL),), INTEGER, Rules.MYSQL)
    value = bound(node.expressions[0])
    is_whole = value.type.name is TypeName.TIMESTAMPTZ and value.type.fraction_digits == 0
    if len(node.expressions) != 1 or not is_whole or is_mixed_time(value):
        raise statement_gap("UNIX_TIMESTAMP() of anything but a TIMESTAMP of whole seconds", node)
    return Call(Function.EPOCH, (value,), INTEGER, Rules.MYSQL)


def _date_add(node: exp.Expr, env: Env, bound: Bound) -> Expression:
    return _shifted(node.this, node.expression, node.args.get("unit"), isinstance(node, exp.DateSub), env, bound)


def is_interval(node: exp.Expr) -> bool:
    """Whether it is an interval constant, or a multiple of one."""
    inner = node.unnest()
    if isinstance(inner, exp.Mul):
        return is_interval(inner.this) or is_interval(inner.expression)
    return isinstance(inner, exp.Interval)


def add_interval(node: exp.Binary, env: Env, bound: Bound) -> Expression:
    """A timestamp plus or minus an interval of one unit, or such an interval by itself times a number."""
    left, right = node.this.unnest(), node.expression.unnest()
    if is_interval(left) and isinstance(node, exp.Add):
        left, right = right, left
    if not isinstance(node, exp.Add | exp.Sub) or not is_interval(right) or is_interval(left):
        raise statement_gap("arithmetic of intervals alone", node)
    times: exp.Expr | None = None
    if isinstance(right, exp.Mul):
        times, right = (right.expression, right.this) if is_interval(right.this) else (right.this, right.expression)
    return _shifted(left, right.unnest(), None, isinstance(node, exp.Sub), env, bound, times)


def _counted(number: exp.Literal, node: exp.Expr) -> Literal:
    try:
        return number_literal(number.this)
    except ValueError:
        raise statement_gap(f"an interval of `{number.this}`", node) from None


def _seconds_of(number: Expression, node: exp.Expr) -> Literal:
    """A constant number of microseconds as one of seconds; none finer than a BSON date."""
    if not isinstance(number, Literal) or not isinstance(number.value, int):
        raise no_constant("an interval of microseconds that is no constant", node, node)
    if number.value % 1000:
        raise statement_gap(f"an interval of {number.value} microseconds, which is finer than a millisecond", node)
    seconds, rest = divmod(number.value, 1_000_000)
    return Literal(number.value / 1_000_000, FLOAT) if rest else Literal(seconds, INTEGER)


def _shifted(
    base: exp.Expr, amount: exp.Expr, unit: exp.Expr | None, minus: bool, env: Env, bound: Bound,
    times: exp.Expr | None = None,
) -> Expression:  # fmt: skip
    inner = amount.this if isinstance(amount, exp.Interval) else amount
    said = unit if unit is not None else amount.args.get("unit")
    word = said.name if said is not None else ""
    number: Expression
    if isinstance(inner, exp.Literal) and not word:
        match = _AMOUNT.fullmatch(inner.this)
        if match is None:
            raise statement_gap(f"interval `{inner.this}`", amount)
        number, word = number_literal(match[1]), match[2]
    else:
        number = (
            _counted(inner, amount)
            if isinstance(inner, exp.Literal)
            else conversions.number(bound(inner), env.translation)
        )
    word = word.casefold().rstrip("s")
    if word == "microsecond":
        number, word = _seconds_of(number, amount), "second"
    if word not in _UNITS or word in ("dow", "doy", "isodow", "epoch"):
        raise statement_gap(f"interval of {word or 'no unit'}", amount)
    if isinstance(number, Parameter):
        number = replace(number, type=INTEGER, exact=env.dialect.rules is Rules.POSTGRESQL)
    if times is not None:
        number = Arithmetic(Operator.MULTIPLY, conversions.number(bound(times), env.translation), number, INTEGER)
    if minus:
        number = Literal(-number.value, number.type) if isinstance(number, Literal) else Negate(number, INTEGER)  # type: ignore[operator]
    if not is_integer(number) and word in ("year", "quarter", "month"):
        raise statement_gap("a fraction of a month", amount)
    return _added(_time(bound(base), env), word, number, env)


def _added(found: Expression, word: str, number: Expression, env: Env) -> Expression:
    is_day = env.dialect.rules is Rules.MYSQL and word in ("year", "quarter", "month", "week", "day")
    is_moment = found.type.name is TypeName.TIMESTAMP
    kind = found.type if is_day or is_moment else TIMESTAMP
    if found.type.name is TypeName.TIMESTAMPTZ:
        kind = found.type
    if kind != found.type:
        found = Cast(found, kind, env.dialect.rules)
    return Call(Function.ADD_TIME, (found, Literal(word, TEXT), number), kind, env.dialect.rules)


TIME_NAMES: dict[str, Handler] = {
    "date": _formatted("%Y-%m-%d"),
    "time": _formatted("%H:%M:%S"),
    "datetime": _formatted("%Y-%m-%d %H:%M:%S"),
    "strftime": _strftime_modified,
    "julianday": _julian(Function.JULIAN_DAY, FLOAT),
    "unixepoch": _julian(Function.EPOCH, INTEGER),
    "now": _now(TIMESTAMP, ""),
    "timezone": _at_time_zone,
    "date_part": _date_part,
    "weekday": _weekday("isodow", -1),
    "unix_timestamp": _unix_seconds,
    "date_format": _with_pieces,
    "to_char": _with_pieces,
    "yearweek": _week,
    "adddate": _days_added,
    "makedate": _first_of_year,
    "subdate": _days_added,
}

TIME_FUNCTIONS: dict[type[exp.Expr], Handler] = {
    exp.Date: _date,
    exp.TsOrDsToDate: _date,
    exp.TimeToStr: _strftime,
    exp.CurrentDate: _now(DATE, "%Y-%m-%d"),
    exp.CurrentTimestamp: _now(TIMESTAMP, "%Y-%m-%d %H:%M:%S"),
    exp.CurrentTime: _now(TIMESTAMP, "%H:%M:%S"),
    exp.AtTimeZone: _at_time_zone,
    exp.ConvertTimezone: _converted,
    exp.Extract: _extract,
    exp.TimestampTrunc: _truncate,
    exp.DateTrunc: _truncate,
    exp.DateDiff: _difference,
    exp.TimestampDiff: _passed,
    exp.DayOfWeek: _weekday("dow", 1),
    exp.Week: _week,
    exp.WeekOfYear: _week,
    exp.DateAdd: _date_add,
    exp.DateSub: _date_add,
    exp.LastDay: _of_calendar(last_day),
    exp.Dayname: _of_calendar(day_name),
    exp.Year: _part_of("year"),
    exp.Quarter: _part_of("quarter"),
    exp.Month: _part_of("month"),
    exp.Day: _part_of("day"),
    exp.DayOfYear: _part_of("doy"),
    exp.Hour: _part_of("hour"),
    exp.Minute: _part_of("minute"),
    exp.Second: _part_of("second"),
}
