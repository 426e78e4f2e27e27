"""MySQL's functions of the calendar: weeks, days added, times that are cut, time zones, what lies between moments."""

from __future__ import annotations

import re
from datetime import date

from sqlglot import exp

from nestling.ir.quantity_words import counted
from nestling.ir.statements.expression import Arithmetic, Call, Expression, Literal
from nestling.ir.statements.operands import is_mixed_time
from nestling.ir.statements.operators import ArithmeticOperator, Function, Rules
from nestling.ir.types import DATE, INTEGER, MOMENTS, TEXT, TIMESTAMP, Type, TypeName
from nestling.planner.sql.called import function_name
from nestling.planner.sql.gaps import mistake, no_constant, statement_gap
from nestling.planner.sql.mysql.clock import seconds_of_span
from nestling.planner.sql.mysql.given_moments import moment_asked
from nestling.planner.sql.scope import Bind, Env, Handler
from nestling.planner.sql.times import UTC_NAMES, ZONE, mysql_day, of_calendar, part_of_time, shifted, time_of
from nestling.planner.sql.weeks import ISO, rule_of_mode, week, year_week


def _week(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's WEEK, WEEKOFYEAR and YEARWEEK, by a constant mode; without one the mode is 0, which a server may set otherwise."""
    parts = node.expressions if isinstance(node, exp.Anonymous) else [node.this, node.args.get("mode")]
    said = parts[1] if len(parts) > 1 else None
    name = function_name(node, env.dialect.grammar).partition("(")[0].strip("`")
    if env.dialect.rules is not Rules.MYSQL or not 1 <= len(parts) <= 2:
        raise statement_gap(f"{name}() function", node)
    if said is not None and not (isinstance(said, exp.Literal) and said.name in tuple("01234567")):
        raise no_constant(f"{name} with a mode that is not a constant from 0 to 7", node, said)
    mode = int(said.name) if said is not None else 0
    rule = ISO if isinstance(node, exp.WeekOfYear) else rule_of_mode(mode)
    number = year_week if isinstance(node, exp.Anonymous) else week
    return of_calendar(lambda time: number(time, rule))(exp.Week(this=parts[0]), env, bound)


def _days_added(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's ADDDATE and SUBDATE: DATE_ADD and DATE_SUB, where a number is one of days."""
    if env.dialect.rules is not Rules.MYSQL or len(node.expressions) != 2:
        raise statement_gap(f"{node.name.upper()}() function", node)
    base, amount = node.expressions
    unit = None if isinstance(amount, exp.Interval) else exp.Var(this="DAY")
    return shifted(base, amount, unit, node.name.casefold() == "subdate", env, bound)


def _span_added(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's ADDTIME and SUBTIME: a constant span of time added to a moment, or taken from it."""
    name = node.name.casefold()
    if env.dialect.rules is not Rules.MYSQL or len(node.expressions) != 2:
        raise statement_gap(f"{name.upper()}() function", node)
    moment = bound(node.expressions[0])
    if moment.type.name not in MOMENTS or is_mixed_time(moment):
        what = f"{name.upper()}() of other than a moment; write an interval, `x + INTERVAL 90 MINUTE`"
        raise statement_gap(what, node)
    seconds = seconds_of_span(bound(node.expressions[1]), node)
    assert isinstance(seconds.value, int | float)
    amount = Literal(-seconds.value, seconds.type) if name == "subtime" else seconds
    return Call(Function.ADD_TIME, (moment, Literal("second", TEXT), amount), moment.type, Rules.MYSQL)


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


def cut_time(node: exp.Cast, kind: Type, env: Env, bound: Bind) -> Expression | None:
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
    value = time_of(bound(time), env, node)
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


def _first_of_year(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's `MAKEDATE(YEAR(at), 1)`."""
    year, *days = node.expressions or [exp.Null()]
    is_first = isinstance(year, exp.Year) and [day.name for day in days] == ["1"]
    if env.dialect.rules is not Rules.MYSQL or not is_first:
        raise statement_gap("MAKEDATE() of other than a year and 1", node)
    return of_calendar(lambda time: _first_day("year", time))(year, env, bound)


def _first_day(unit: str, time: Expression) -> Expression:
    return Call(
        Function.DATE_OF,
        (Call(Function.TRUNCATE_TIME, (Literal(unit, TEXT), time), TIMESTAMP, Rules.MYSQL),),
        DATE,
        Rules.MYSQL,
    )


_OFFSET = re.compile(r"[+-](?:0\d|1[0-4]):[0-5]\d")
_IN_UTC = (*UTC_NAMES, "+00:00", "-00:00")


def _converted(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's CONVERT_TZ from UTC: what clocks in a zone show."""
    if env.dialect.rules is not Rules.MYSQL:
        raise statement_gap(f"{function_name(node, env.dialect.grammar)}() function", node)
    names = [node.args.get("source_tz"), node.args["target_tz"]]
    if not all(isinstance(name, exp.Literal) and name.is_string for name in names):
        raise no_constant("CONVERT_TZ with a time zone that is not a constant", node, node)
    origin, target = (str(name.name) for name in names if name is not None)
    if origin not in _IN_UTC:
        raise statement_gap(f"CONVERT_TZ from `{origin}`; only times in UTC are converted", node)
    if not ZONE.fullmatch(target) and not _OFFSET.fullmatch(target):
        raise statement_gap(
            f"CONVERT_TZ to `{target}`, which is neither a name such as `Europe/Berlin` nor an offset", node
        )
    value = moment_asked(bound(node.args["timestamp"]))
    if value.type.name not in MOMENTS or is_mixed_time(value):
        raise statement_gap("CONVERT_TZ of a value that may not be a DATETIME", node)
    zone = Literal("UTC" if target in _IN_UTC else target, TEXT)
    return Call(Function.TIME_IN_ZONE, (zone, value), Type(TypeName.TIMESTAMP, value.type.numbers), Rules.MYSQL)


_PASSED = ("microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year")


def _passed(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's TIMESTAMPDIFF."""
    said = node.args.get("unit")
    unit = said.name.casefold() if said is not None else ""
    if env.dialect.rules is not Rules.MYSQL or unit not in _PASSED:
        raise statement_gap(f"TIMESTAMPDIFF of {unit or 'no unit'}", node)
    sides = tuple(time_of(bound(side), env, node) for side in (node.this, node.expression))
    if any(map(is_mixed_time, sides)):
        raise statement_gap("TIMESTAMPDIFF of a value that may be a zero date", node)
    return Call(Function.UNITS_BETWEEN, (Literal(unit, TEXT), *sides), INTEGER, Rules.MYSQL)


def _weekday(unit: str, shift: int) -> Handler:
    """MySQL's number of a day in its week, by another one."""

    def call(node: exp.Expr, env: Env, bound: Bind) -> Expression:
        if env.dialect.rules is not Rules.MYSQL:
            raise statement_gap(f"{function_name(node, env.dialect.grammar)}() function", node)
        parts = node.expressions if isinstance(node, exp.Anonymous) else [node.this]
        if len(parts) != 1:
            raise mistake(f"{function_name(node, env.dialect.grammar)}() takes one argument, not {len(parts)}", node)
        inner = parts[0].this if isinstance(parts[0], exp.TsOrDsToDate) else parts[0]
        if is_mixed_time(bound(inner)):
            raise statement_gap(
                f"{function_name(node, env.dialect.grammar)}() of a value that may be a zero date", node
            )
        return Arithmetic(
            ArithmeticOperator.ADD, part_of_time(unit, inner, node, env, bound), Literal(shift, INTEGER), INTEGER
        )

    return call


def _unix_seconds(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's UNIX_TIMESTAMP of a TIMESTAMP, or of now; of a DATETIME it hangs on the session's time zone."""
    if env.dialect.rules is not Rules.MYSQL:
        raise statement_gap(f"{node.name.upper()}() function", node)
    if not node.expressions:
        return Call(Function.EPOCH, (Call(Function.NOW, (), TIMESTAMP, Rules.MYSQL),), INTEGER, Rules.MYSQL)
    value = bound(node.expressions[0])
    is_whole = value.type.name is TypeName.TIMESTAMPTZ and value.type.fraction_digits == 0
    if len(node.expressions) != 1 or not is_whole or is_mixed_time(value):
        raise statement_gap("UNIX_TIMESTAMP() of other than a TIMESTAMP of whole seconds", node)
    return Call(Function.EPOCH, (value,), INTEGER, Rules.MYSQL)


_FIRST_DAY = Literal(date(1970, 1, 1), DATE)
_ITS_NUMBER = Literal(719_528, INTEGER)


def _number_of_day(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's TO_DAYS; DATEDIFF is the difference of two, as which MariaDB's catalogue has it."""
    if env.dialect.rules is not Rules.MYSQL or len(node.expressions) != 1:
        raise statement_gap(f"{node.name.upper()}() with {counted(len(node.expressions), 'argument')}", node)
    days = Call(
        Function.DAYS_BETWEEN, (mysql_day(bound(node.expressions[0]), env, node), _FIRST_DAY), INTEGER, Rules.MYSQL
    )
    return Arithmetic(ArithmeticOperator.ADD, days, _ITS_NUMBER, INTEGER)


def _units_added(node: exp.Expr, env: Env, bound: Bind) -> Expression:
    """MySQL's TIMESTAMPADD: DATE_ADD."""
    if env.dialect.rules is not Rules.MYSQL:
        raise statement_gap("TIMESTAMPADD() function", node)
    return shifted(node.this, node.expression, node.args.get("unit"), False, env, bound)


CALENDAR_NAMES: dict[str, Handler] = {
    "weekday": _weekday("isodow", -1),
    "unix_timestamp": _unix_seconds,
    "yearweek": _week,
    "adddate": _days_added,
    "addtime": _span_added,
    "makedate": _first_of_year,
    "subdate": _days_added,
    "subtime": _span_added,
    "to_days": _number_of_day,
}

CALENDAR_FUNCTIONS: dict[type[exp.Expr], Handler] = {
    exp.ConvertTimezone: _converted,
    exp.TimestampAdd: _units_added,
    exp.TimestampDiff: _passed,
    exp.DayOfWeek: _weekday("dow", 1),
    exp.Week: _week,
    exp.WeekOfYear: _week,
}
