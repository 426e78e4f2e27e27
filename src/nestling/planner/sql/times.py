"""Dates and times: SQLite's functions over texts, PostgreSQL's and MySQL's over values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

from sqlglot import exp

from nestling.ir.quantity_words import counted
from nestling.ir.statements.expression import ANY, NULL, Arithmetic, Call, Cast, Expression, Literal, Negate, Parameter
from nestling.ir.statements.operands import is_integer, is_mixed, is_mixed_time, is_text
from nestling.ir.statements.operators import ArithmeticOperator, Function, Rules
from nestling.ir.types import (
    BOOLEAN,
    BSON_DIGITS,
    DATE,
    FLOAT,
    INTEGER,
    MOMENTS,
    NUMBERS,
    TEXT,
    TIMES,
    TIMESTAMP,
    TIMESTAMPTZ,
    Type,
    TypeName,
)
from nestling.planner.sql import conversions
from nestling.planner.sql.calendar_names import day_name, last_day, month_name, year_month
from nestling.planner.sql.called import function_name
from nestling.planner.sql.gaps import StatementGap, mistake, no_constant, statement_gap, uncast
from nestling.planner.sql.interval_parts import part_of_interval
from nestling.planner.sql.literals import DECIMAL, number_literal, typed_literal
from nestling.planner.sql.mysql.clock import time_of_day
from nestling.planner.sql.mysql.given_moments import is_text_of_moment, moment_asked
from nestling.planner.sql.mysql.mixed_types import constant_moment
from nestling.planner.sql.mysql.times_as_text import moment_of_text
from nestling.planner.sql.mysql.zero_dates import dates_alone
from nestling.planner.sql.postgresql.ages import part_of_age
from nestling.planner.sql.postgresql.given_times import moment_given
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite
from nestling.planner.sql.postgresql.interval_text import parts_of
from nestling.planner.sql.scope import Bind, Env, Handler
from nestling.planner.sql.sqlite_moments import instant
from nestling.planner.sql.time_formats import formatted, pieces_of

UTC_NAMES = ("UTC", "Etc/UTC", "GMT", "Z")
ZONE = re.compile(r"UTC|GMT|Z|[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_-]+)+")
"""The full name of a time zone; neither an abbreviation nor an offset, whose sign PostgreSQL reads the other way round."""
_UNITS = ("year", "quarter", "month", "week", "day", "dow", "doy", "isodow", "hour", "minute", "second", "epoch")
_FORMAT = re.compile(r"(?:[^%]|%[dfHjJmMsSwWY%])*\Z")
_SHARED_FORMAT = re.compile(r"""(?:[^%"A-Za-z]|%[dHjmMSY])*\Z""")
"""Of PostgreSQL's and MySQL's: what all of them write alike, and no letter that PostgreSQL would take for more."""
_PARTS = {Rules.POSTGRESQL: "YYYY, MM, DD, DDD, HH24, MI and SS", Rules.MYSQL: "%Y, %m, %d, %j, %H, %i and %s"}
"""What it lets through, as each database writes it."""
_AMOUNT = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]+?)s?\s*", re.IGNORECASE)


# --- SQLite ----------------------------------------------------------------------------------------------------------


def _formatted(pattern: str) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if not env.dialect.is_sqlite:
            raise _no_function(node, env)
        parts = node.expressions or ([node.this] if isinstance(node.this, exp.Expr) else [])
        parts = [*parts, *(node.args.get("expressions") or [] if not node.expressions else [])]
        return Call(Function.FORMAT_TIME, (instant(parts, bound), Literal(pattern, TEXT)), TEXT, Rules.SQLITE)

    return call


def _date(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    if env.dialect.is_sqlite:
        parts = [part for part in (node.this, node.args.get("zone"), *node.expressions) if part is not None]
        return Call(Function.FORMAT_TIME, (instant(parts, bound), Literal("%Y-%m-%d", TEXT)), TEXT, Rules.SQLITE)
    return Call(Function.DATE_OF, (_argument_of_date(bound(node.this), env, node),), DATE, env.dialect.rules)


def _argument_of_date(value: Expression, env: Env, node: exp.Expr) -> Expression:
    """What DATE() is given: of MySQL's zero dates it makes zero dates."""
    time = time_of(value, env, node)
    return value if env.dialect.rules is Rules.MYSQL and is_mixed_time(value) else time


def _clock_of(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's TIME(x)."""
    if env.dialect.rules is not Rules.MYSQL or node.args.get("zone") is not None:
        raise _no_function(node, env)
    value = bound(node.this)
    is_clock = value.type.name is TypeName.TIME
    return time_of_day(value if is_clock else time_of(value, env, node), node, env.translation)


def _strftime(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    pattern = node.args["format"]
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise no_constant("a time format that is not a constant text", node, pattern)
    if isinstance(node.this, exp.TsOrDsToDate) and pattern.this == "%B":  # as which sqlglot has MONTHNAME()
        return of_calendar(month_name)(node, env, bound)
    _refuse_constant(pattern.name, node, env)
    value = node.this.this if isinstance(node.this, exp.TsOrDsToTimestamp) else node.this
    if bound(value).type.name in NUMBERS and env.dialect.rules is Rules.POSTGRESQL:
        raise statement_gap("TO_CHAR of a number", node)
    if env.dialect.is_sqlite:
        if not _FORMAT.match(pattern.this):
            raise statement_gap(f"time format `{pattern.this}`", node)
    elif not _SHARED_FORMAT.match(pattern.this):  # which sqlglot does not keep as it is written
        raise statement_gap(
            f"{function_name(node, env.dialect.grammar)} with parts other than {_PARTS[env.dialect.rules]}", node
        )
    moment = instant([value], bound) if env.dialect.is_sqlite else time_of(bound(value), env, node)
    return Call(Function.FORMAT_TIME, (moment, Literal(pattern.this, TEXT)), TEXT, env.dialect.rules)


def _with_pieces(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """DATE_FORMAT and TO_CHAR by a format that says more than both write alike."""
    if len(node.expressions) != 2:
        raise statement_gap(f"{node.name.upper()}() with {counted(len(node.expressions), 'argument')}", node)
    value, pattern = node.expressions
    given = bound(value)
    if given.type.name in NUMBERS and env.dialect.rules is Rules.POSTGRESQL:
        raise statement_gap("TO_CHAR of a number", node)
    _refuse_constant(pattern.name, node, env)
    pieces = pieces_of(pattern.name, env.dialect.rules)
    if pieces is None:
        raise statement_gap(f"{node.name.upper()} with the format `{pattern.name}`", node)
    if is_mixed_time(given) or given.type.name is TypeName.INTERVAL:
        raise statement_gap(
            f"{node.name.upper()} with the format `{pattern.name}` of a value that may not be a date", node
        )
    return formatted(time_of(given, env, node), pieces, env.dialect.rules)


def _refuse_constant(pattern: str, node: exp.Expr, env: Env) -> None:
    """Raise the gap of a format that says nothing of the time: it would not be looked at whether that is one."""
    if env.dialect.rules is Rules.MYSQL and "%" not in pattern:
        raise statement_gap(f"DATE_FORMAT with the format `{pattern}`, which contains no part of a time", node)


def _strftime_modified(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    if not env.dialect.is_sqlite or not node.expressions:
        raise _no_function(node, env)
    pattern, *parts = node.expressions
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise no_constant("a time format that is not a constant text", node, pattern)
    if not _FORMAT.match(pattern.this):
        raise statement_gap(f"time format {pattern.sql()}", node)
    return Call(Function.FORMAT_TIME, (instant(parts, bound), Literal(pattern.this, TEXT)), TEXT, Rules.SQLITE)


def _julian(function: Function, kind: Type) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if not env.dialect.is_sqlite:
            raise statement_gap(f"{node.name.upper()}() function", node)
        return Call(function, (instant(node.expressions, bound),), kind, Rules.SQLITE)

    return call


# --- PostgreSQL and MySQL --------------------------------------------------------------------------------------------


def time_of(value: Expression, env: Env, node: exp.Expr) -> Expression:
    """A value as a timestamp or date, whichever it is; raises a gap of the node, which takes it, for an interval."""
    value = moment_asked(value) if env.dialect.rules is Rules.MYSQL else value
    if isinstance(value, Literal) and isinstance(value.value, str) and env.dialect.rules is Rules.MYSQL:
        return constant_moment(value.value) or Cast(value, TIMESTAMP, Rules.MYSQL)
    if isinstance(value, Literal) and isinstance(value.value, str):
        return typed_literal(value.value, TIMESTAMP)
    if env.dialect.rules is Rules.MYSQL and is_text(value):
        value = moment_of_text(value, env.translation) or value
    if value.type.name is TypeName.INTERVAL:
        is_made = isinstance(value, Call) and value.function is Function.TIME_BETWEEN
        what = "the difference of two timestamps" if is_made else "a stored interval, which is a text"
        is_function = isinstance(node, exp.Func)
        does = (
            f"{function_name(node, env.dialect.grammar)}() of" if is_function else "an interval added to or taken from"
        )
        raise statement_gap(f"{does} {what}", node)
    if value.type.name in TIMES or value == NULL:
        refuse_infinite("a function", None, env.translation, value)
        return dates_alone(value) if env.dialect.rules is Rules.MYSQL else value
    return Cast(value, TIMESTAMP, env.dialect.rules)


def _no_function(node: exp.Expr, env: Env) -> StatementGap:
    """The gap of a function that the statement's dialect has not."""
    return statement_gap(f"{function_name(node, env.dialect.grammar)}() function", node)


def _now(kind: Type, pattern: str) -> Handler:
    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:  # noqa: ARG001
        if isinstance(node, exp.CurrentTime) and not env.dialect.is_sqlite:
            raise statement_gap("the current time of day", node)
        digits = node.expressions[0] if isinstance(node, exp.Anonymous) and node.expressions else node.args.get("this")
        now = Call(Function.NOW, (), TIMESTAMP, env.dialect.rules)
        if env.dialect.is_sqlite:
            return Call(Function.FORMAT_TIME, (now, Literal(pattern, TEXT)), TEXT, Rules.SQLITE)
        if kind == DATE:
            return Call(Function.DATE_OF, (now,), DATE, env.dialect.rules)
        return _of_digits(now, digits, node, env.dialect.rules)

    return call


def _of_digits(now: Call, said: object, node: exp.Expr, rules: Rules) -> Call:
    """The current time with so many digits of a second: PostgreSQL rounds to them, MySQL cuts the rest off.

    If no number is given, MySQL's has none, and PostgreSQL's all. The server's clock has milliseconds.
    """
    if isinstance(said, exp.Expr) and not (isinstance(said, exp.Literal) and said.name.isdecimal()):
        raise statement_gap("the current time with a number of digits that is not a constant", node)
    unsaid = 0 if rules is Rules.MYSQL else BSON_DIGITS
    digits = int(said.name) if isinstance(said, exp.Literal) else unsaid
    if digits >= BSON_DIGITS:
        return now
    arguments = (now, Literal(digits, INTEGER), Literal(rules is Rules.MYSQL, BOOLEAN))
    return Call(Function.ROUND_TIME, arguments, now.type, rules)


def _extract(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    unit = _unit(node.this, "EXTRACT", node)
    if unit == "year_month":
        return of_calendar(year_month)(exp.Extract(this=node.expression), env, bound)
    return part_of_time(unit, node.expression, node, env, bound)


def _date_part(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """PostgreSQL's date_part: EXTRACT as a float."""
    if env.dialect.rules is not Rules.POSTGRESQL or len(node.expressions) != 2:
        raise statement_gap("DATE_PART() function", node)
    said, value = node.expressions
    return Cast(part_of_time(_unit(said, "DATE_PART", node), value, node, env, bound), FLOAT, Rules.POSTGRESQL)


def _unit(said: exp.Expr, construct: str, node: exp.Expr) -> str:
    """The unit of time that a statement says as a word or a text."""
    inner = uncast(said)
    if not isinstance(inner, exp.Var | exp.Literal | exp.Identifier):
        raise no_constant(f"{construct} with a unit that is not a constant", node, said)
    return inner.name.casefold()


_CLOCK = ("hour", "minute", "second")


def part_of_time(unit: str, value: exp.Expr, node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """A part of a time as a number."""
    if unit not in _UNITS:
        raise statement_gap(f"EXTRACT of {unit}", node)
    is_day = isinstance(value, exp.TsOrDsToDate) and unit in _CLOCK  # `hour(date(at))`; sqlglot adds it to the others
    inner = value.this if isinstance(value, exp.TsOrDsToDate | exp.TsOrDsToTimestamp) and not is_day else value
    if env.dialect.rules is Rules.POSTGRESQL:
        of_age = part_of_age(unit, inner.unnest(), lambda each: time_of(moment_given(bound(each)), env, node))
        if of_age is not None:
            return of_age
    given = bound(inner)
    if (
        env.dialect.rules is Rules.MYSQL
        and unit in _CLOCK
        and isinstance(given, Literal)
        and ":" not in str(given.value)
    ):
        raise statement_gap(f"the {unit} of a constant that is not a time but is read as one", node)
    if env.dialect.rules is Rules.MYSQL and unit in _CLOCK and (_is_given(given) or is_text_of_moment(given)):
        what = f"the {unit} of a parameter, which may be a time of day; write `CAST(… AS DATETIME)` around it"
        raise statement_gap(what, node)
    is_clock = given.type == Type(TypeName.TIME) and unit in _CLOCK and env.dialect.rules is Rules.MYSQL
    if (of_interval := part_of_interval(unit, given)) is not None:
        return of_interval
    found = given if is_clock and not is_mixed(given) else time_of(given, env, node)
    is_whole = unit == "second" and env.dialect.rules is Rules.MYSQL
    is_exact = unit in ("second", "epoch") or env.dialect.rules is Rules.POSTGRESQL  # where every part is a numeric
    kind = DECIMAL if is_exact and not is_whole else INTEGER
    if unit == "epoch":
        return Call(Function.EPOCH, (found,), kind, env.dialect.rules)
    return Call(Function.TIME_PART, (Literal(unit, TEXT), found), kind, env.dialect.rules)


def _is_given(value: Expression) -> bool:
    return isinstance(value, Parameter) and value.type == ANY


def _handler_of_part(unit: str) -> Handler:
    """The handler of a function that is named after a part of a time, such as YEAR()."""
    return lambda node, env, bound: part_of_time(unit, node.this, node, env, bound)


def _truncate(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    unit = _unit(node.args["unit"], "DATE_TRUNC", node)
    if unit not in _UNITS or unit in ("dow", "doy", "isodow", "epoch") or env.dialect.is_sqlite:
        raise statement_gap(f"DATE_TRUNC to {unit}", node)
    value, zone = time_of(bound(node.this), env, node), node.args.get("zone")
    if zone is not None:
        local = Call(
            Function.TRUNCATE_TIME, (Literal(unit, TEXT), _in_zone(value, zone, env)), TIMESTAMP, env.dialect.rules
        )
        return _in_zone(local, zone, env)
    is_day = value.type.name is TypeName.DATE and env.dialect.rules is Rules.POSTGRESQL  # which makes an instant of it
    kind = Type(TypeName.TIMESTAMPTZ) if is_day or value.type.name is TypeName.TIMESTAMPTZ else TIMESTAMP
    return Call(Function.TRUNCATE_TIME, (Literal(unit, TEXT), value), kind, env.dialect.rules)


def _at_time_zone(node: exp.Expr, env: Env, bound: Bind) -> Expression:
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
    if not ZONE.fullmatch(name):
        raise no_constant("a time zone that is not a constant name such as `Europe/Berlin`", zone, zone)
    if value.type.name is TypeName.DATE:
        value = Cast(value, TIMESTAMPTZ, env.dialect.rules)
    if value.type.name not in MOMENTS:
        raise statement_gap(f"AT TIME ZONE of {value.type}", zone)
    if name not in UTC_NAMES or value.type.fraction_digits > BSON_DIGITS:
        refuse_infinite("AT TIME ZONE", zone, env.translation, value)
    to = Literal("UTC" if name in UTC_NAMES else name, TEXT)
    if is_instant(value):
        return Call(Function.TIME_IN_ZONE, (to, value), Type(TypeName.TIMESTAMP, value.type.numbers), env.dialect.rules)
    return Call(Function.TIME_OF_ZONE, (to, value), Type(TypeName.TIMESTAMPTZ, value.type.numbers), env.dialect.rules)


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


def _difference(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    if env.dialect.rules is not Rules.MYSQL:
        raise statement_gap("DATEDIFF", node)
    sides = tuple(mysql_day(bound(side), env, node) for side in (node.this, node.expression))
    return Call(Function.DAYS_BETWEEN, sides, INTEGER, Rules.MYSQL)


def mysql_day(value: Expression, env: Env, node: exp.Expr) -> Expression:
    """The day of a date or moment as MySQL has it, NULL of a zero date."""
    return Call(Function.DATE_OF, (time_of(value, env, node),), DATE, Rules.MYSQL)


def of_calendar(make: Callable[[Expression], Expression]) -> Handler:
    """What MySQL says of a date by the calendar; of one that may be a zero date a gap."""

    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        inner = node.this.this if isinstance(node.this, exp.TsOrDsToDate | exp.TsOrDsToTimestamp) else node.this
        given = bound(inner)
        if env.dialect.rules is not Rules.MYSQL or is_mixed_time(given):
            raise _no_function(node, env)
        return make(time_of(given, env, node))

    return call


def _date_add(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    return shifted(node.this, node.expression, node.args.get("unit"), isinstance(node, exp.DateSub), env, bound)


def _made_date(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """PostgreSQL's make_date."""
    if env.dialect.rules is not Rules.POSTGRESQL:
        raise statement_gap("MAKE_DATE() function", node)
    if len(node.expressions) != 3:
        raise mistake(f"MAKE_DATE() takes three arguments, not {len(node.expressions)}", node)
    parts = [conversions.adapt(bound(each), INTEGER) for each in node.expressions]
    if not all(is_integer(part) or part == NULL for part in parts):
        raise statement_gap("MAKE_DATE() of other than whole numbers", node)
    return Call(Function.MAKE_DATE, tuple(parts), DATE, Rules.POSTGRESQL)


def is_interval(node: exp.Expr) -> bool:
    """Whether it is an interval constant, or a multiple of one."""
    inner = node.unnest()
    if isinstance(inner, exp.Mul):
        return is_interval(inner.this) or is_interval(inner.expression)
    return isinstance(inner, exp.Interval)


def add_interval(node: exp.Binary, env: Env, bound: Bind) -> Expression:
    """A timestamp plus or minus an interval of one unit, or such an interval by itself times a number."""
    left, right = node.this.unnest(), node.expression.unnest()
    if is_interval(left) and isinstance(node, exp.Add):
        left, right = right, left
    if not isinstance(node, exp.Add | exp.Sub) or not is_interval(right) or is_interval(left):
        raise statement_gap("arithmetic with intervals only", node)
    times: exp.Expr | None = None
    if isinstance(right, exp.Mul):
        times, right = (right.expression, right.this) if is_interval(right.this) else (right.this, right.expression)
    return shifted(left, right.unnest(), None, isinstance(node, exp.Sub), env, bound, times)


def _counted(number: exp.Literal, node: exp.Expr) -> Literal:
    try:
        return number_literal(number.this)
    except ValueError:
        raise statement_gap(f"an interval of `{number.this}`", node) from None


def _negative(number: Expression) -> Expression:
    if isinstance(number, Literal) and isinstance(number.value, int | float | Decimal):
        return Literal(-number.value, number.type)
    return Negate(number, INTEGER)


def _seconds_of(number: Expression, node: exp.Expr) -> Literal:
    """A constant number of microseconds as one of seconds; none finer than a BSON date."""
    if not isinstance(number, Literal) or not isinstance(number.value, int):
        raise no_constant("an interval of microseconds that is not a constant", node, node)
    if number.value % 1000:
        raise statement_gap(f"an interval of {number.value} microseconds, which is finer than a millisecond", node)
    seconds, rest = divmod(number.value, 1_000_000)
    return Literal(number.value / 1_000_000, FLOAT) if rest else Literal(seconds, INTEGER)


def shifted(
    base: exp.Expr, amount: exp.Expr, unit: exp.Expr | None, minus: bool, env: Env, bound: Bind,
    times: exp.Expr | None = None,
) -> Expression:  # fmt: skip
    """A time so many units later, or earlier where it is `minus`; `times` multiplies the amount."""
    inner = amount.this if isinstance(amount, exp.Interval) else amount
    said = unit if unit is not None else amount.args.get("unit")
    word = said.name if said is not None else ""
    number: Expression
    if isinstance(inner, exp.Literal) and not word:
        match = _AMOUNT.fullmatch(inner.this)
        if match is None:
            parts = parts_of(inner.this) if env.dialect.rules is Rules.POSTGRESQL and times is None else ()
            if not parts:
                raise statement_gap(f"interval `{inner.this}`", amount)
            return _shifted_by_parts(time_of(moment_given(bound(base)), env, amount), parts, minus, env)
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
        number = Arithmetic(
            ArithmeticOperator.MULTIPLY, conversions.number(bound(times), env.translation), number, INTEGER
        )
    if minus:
        number = _negative(number)
    if not is_integer(number) and word in ("year", "quarter", "month"):
        raise statement_gap("a fraction of a month", amount)
    return _added(time_of(_begun(bound(base), env, amount), env, amount), word, number, env)


def _begun(base: Expression, env: Env, amount: exp.Expr) -> Expression:
    """What an interval is added to; in MySQL the sum of a text is one, which is a gap."""
    if env.dialect.rules is Rules.POSTGRESQL:
        return moment_given(base)
    if env.dialect.rules is Rules.MYSQL and is_text(base) and not isinstance(base, Literal | Parameter):
        raise statement_gap(
            "an interval added to a text; write `CAST(… AS DATE)` or `CAST(… AS DATETIME)` around the text", amount
        )
    return base


def _shifted_by_parts(found: Expression, parts: Sequence[tuple[str, Decimal]], minus: bool, env: Env) -> Expression:
    for unit, amount in parts:
        number = -amount if minus else amount
        is_whole = number == int(number)
        found = _added(found, unit, Literal(int(number), INTEGER) if is_whole else Literal(float(number), FLOAT), env)
    return found


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
    "make_date": _made_date,
    "date_format": _with_pieces,
    "to_char": _with_pieces,
}

TIME_FUNCTIONS: dict[type[exp.Expr], Handler] = {
    exp.Date: _date,
    exp.TsOrDsToDate: _date,
    exp.Time: _clock_of,
    exp.TimeToStr: _strftime,
    exp.CurrentDate: _now(DATE, "%Y-%m-%d"),
    exp.CurrentTimestamp: _now(TIMESTAMP, "%Y-%m-%d %H:%M:%S"),
    exp.CurrentTime: _now(TIMESTAMP, "%H:%M:%S"),
    exp.AtTimeZone: _at_time_zone,
    exp.Extract: _extract,
    exp.TimestampTrunc: _truncate,
    exp.DateTrunc: _truncate,
    exp.DateDiff: _difference,
    exp.DateAdd: _date_add,
    exp.DateSub: _date_add,
    exp.LastDay: of_calendar(last_day),
    exp.Dayname: of_calendar(day_name),
    exp.Year: _handler_of_part("year"),
    exp.Quarter: _handler_of_part("quarter"),
    exp.Month: _handler_of_part("month"),
    exp.Day: _handler_of_part("day"),
    exp.DayOfMonth: _handler_of_part("day"),
    exp.DayOfYear: _handler_of_part("doy"),
    exp.Hour: _handler_of_part("hour"),
    exp.Minute: _handler_of_part("minute"),
    exp.Second: _handler_of_part("second"),
}
