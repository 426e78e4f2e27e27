"""PostgreSQL's generate_series as a table: rows that are written out, as its ends and step say how many there are."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from sqlglot import exp

from nestling.ir.reading import ConstantKinds
from nestling.ir.statements.algebra import Values
from nestling.ir.statements.expression import Call, Cast, Column, Expression, Literal, Negate
from nestling.ir.statements.operands import is_integer
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.time_units import SECONDS_OF
from nestling.ir.types import INTEGER, TEXT, TIMES, TIMESTAMP, TIMESTAMPTZ, Type, TypeName
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.gaps import mistake, no_constant, statement_gap
from nestling.planner.sql.literals import typed_literal
from nestling.planner.sql.scope import Env
from nestling.planner.sql.times import is_instant

MOST_ROWS = 2000
"""What is written out is sent with each execution."""
_OF_TIMES = ConstantKinds(times=True)
_MONTHS = {"month": 1, "year": 12}
_SECONDS = {unit: round(SECONDS_OF[unit]) for unit in ("second", "minute", "hour", "day", "week")}
_STEP = re.compile(r"\s*(-?\d+)\s*([a-z]+?)s?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Span:
    """A distance in time: so many units, as calendar months or seconds."""

    amount: int
    unit: str

    @property
    def months(self) -> int:
        return self.amount * _MONTHS.get(self.unit, 0)

    @property
    def seconds(self) -> int:
        return self.amount * _SECONDS.get(self.unit, 0)


def bind_series(node: exp.Table, env: Env) -> tuple[Values, str]:
    """The rows, and the name of the table, which is that of its column, too."""
    series = node.this
    given = [series.args["start"], series.args["end"]]
    start, end = (bind(each, Env(env.translation)) for each in given)
    step = series.args.get("step")
    if is_integer(start) and is_integer(end):
        found: list[Expression] = [Literal(each, INTEGER) for each in _numbers(start, end, step, series, env)]
        kind = INTEGER
    else:
        start, end = _read(start, end), _read(end, start)
        kind = _kind(start, end, series)
        found = _times(start, end, _span(step, series), kind, series)
    name = node.alias or "generate_series"
    alias = env.translation.alias(name)
    column = Column(alias, name, found[0].type if found else kind, nullable=False)
    return Values(alias, (column,), tuple((each,) for each in found)), name


def _numbers(start: Expression, end: Expression, step: exp.Expr | None, node: exp.Expr, env: Env) -> range:
    by = bind(step, Env(env.translation)) if step is not None else Literal(1, INTEGER)
    trees = [node.args["start"], node.args["end"], *([step] if step is not None else [])]
    ends = [each.value for each in (start, end, by) if isinstance(each, Literal) and isinstance(each.value, int)]
    if len(ends) < 3:
        raise no_constant("GENERATE_SERIES between numbers that are not constants", node, *trees)
    if ends[2] == 0:
        raise mistake("GENERATE_SERIES with a step of zero", node)
    found = range(ends[0], ends[1] + (1 if ends[2] > 0 else -1), ends[2])
    _refuse_many(len(found), node)
    return found


def _refuse_many(rows: int, node: exp.Expr) -> None:
    if rows > MOST_ROWS:
        raise statement_gap(f"GENERATE_SERIES of {rows} rows; at most {MOST_ROWS} are supported", node)


def _span(step: exp.Expr | None, node: exp.Expr) -> _Span:
    inner = step.this if isinstance(step, exp.Cast) else step
    said = ""
    if isinstance(inner, exp.Interval) and isinstance(inner.this, exp.Literal | exp.Neg):
        unit = inner.args.get("unit")
        said = f"{inner.this.name} {unit.name if unit is not None else ''}"
    elif isinstance(inner, exp.Literal):
        said = inner.name
    match = _STEP.fullmatch(said)
    unit = match[2].casefold() if match else ""
    if match is None or unit not in (*_MONTHS, *_SECONDS) or int(match[1]) == 0:
        raise no_constant(
            "GENERATE_SERIES with a step that is not a constant of one unit",
            node,
            *([step] if step is not None else []),
        )
    return _Span(int(match[1]), unit)


def _read(end: Expression, other: Expression) -> Expression:
    """A text beside a date or moment, as which PostgreSQL reads it."""
    if not isinstance(end, Literal) or not isinstance(end.value, str) or other.type.name not in TIMES:
        return end
    return typed_literal(end.value, TIMESTAMPTZ if other.type.name is TypeName.DATE else other.type)


def _kind(start: Expression, end: Expression, node: exp.Expr) -> Type:
    """Which of PostgreSQL's functions it is: dates alone are moments with a zone there."""
    kinds = {each.type.name for each in (start, end)}
    if any(map(is_instant, (start, end))):
        return TIMESTAMPTZ
    if TypeName.TIMESTAMP in kinds and kinds <= {TypeName.TIMESTAMP, TypeName.DATE}:
        return TIMESTAMP
    if kinds == {TypeName.DATE}:
        return TIMESTAMPTZ
    trees = (node.args["start"], node.args["end"])
    raise no_constant(
        "GENERATE_SERIES of other than whole numbers, dates and timestamps", node, *trees, kinds=_OF_TIMES
    )


def _times(start: Expression, end: Expression, step: _Span, kind: Type, node: exp.Expr) -> list[Expression]:
    first, last = _moment(start), _moment(end)
    if first is None or last is None:
        return _relative(start, end, step, kind, node)
    return [Literal(_shown(each, kind), kind) for each in _between(first, last, step, node)]


def _moment(end: Expression) -> datetime | None:
    """The moment that a constant is, in UTC."""
    match end:
        case Literal(value=datetime() as moment):
            return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo is not None else moment
        case Literal(value=date() as day):
            return datetime.combine(day, time.min)
        case _:
            return None


def _shown(moment: datetime, kind: Type) -> datetime:
    return moment.replace(tzinfo=UTC) if kind == TIMESTAMPTZ else moment


def _between(start: datetime, end: datetime, step: _Span, node: exp.Expr) -> list[datetime]:
    """One after the other, as PostgreSQL adds the step to the last: a month after 31 January, and all behind it, end earlier."""
    found: list[datetime] = []
    moment = start
    while moment <= end if step.amount > 0 else moment >= end:
        found.append(moment)
        _refuse_many(len(found), node)
        try:
            moment = _months_later(moment, step.months) if step.months else moment + timedelta(seconds=step.seconds)
        except (OverflowError, ValueError):
            break  # no moment of Python's, so it lies beyond the end
    return found


def _months_later(moment: datetime, months: int) -> datetime:
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


# --- from one moment that is known when the statement runs ---------------------------------------------------------------


def _relative(start: Expression, end: Expression, step: _Span, kind: Type, node: exp.Expr) -> list[Expression]:
    """Ends that are the same moment, such as today, and so much before or behind it."""
    (base, *first), (other, *last) = _offset(start), _offset(end)
    trees = (node.args["start"], node.args["end"])
    place = 0 if step.months else 1
    size = step.months or step.seconds
    if base != other or first[1 - place] != last[1 - place] or (step.months and not _begins_month(base)):
        what = "GENERATE_SERIES between times whose distance is not constant"
        raise no_constant(what, node, *trees, kinds=_OF_TIMES)
    rows = max((last[place] - first[place]) // size + 1, 0)
    _refuse_many(rows, node)
    return [_added(_as(start, kind), step, number) for number in range(rows)]


def _offset(value: Expression) -> tuple[Expression, int, int]:
    """The base that a moment is computed from, and how many months and seconds lie between."""
    match value:
        case Call(function=Function.ADD_TIME, arguments=(time, Literal(value=str(unit)), amount)) if (
            number := _number(amount)
        ) is not None:
            base, months, seconds = _offset(time)
            span = _Span(number, unit)
            if span.months or span.seconds:
                return base, months + span.months, seconds + span.seconds
        case Cast(operand=inner) if inner.type.name is TypeName.DATE and value.type.name is TypeName.TIMESTAMP:
            return _offset(inner)
    return value, 0, 0


def _number(amount: Expression) -> int | None:
    match amount:
        case Literal(value=int(number)):
            return number
        case Negate(operand=Literal(value=int(number))):
            return -number
        case _:
            return None


def _begins_month(base: Expression) -> bool:
    match base:
        case Call(function=Function.TRUNCATE_TIME, arguments=(Literal(value="month" | "quarter" | "year"), _)):
            return True
        case _:
            return False


def _as(value: Expression, kind: Type) -> Expression:
    return Cast(value, kind, Rules.POSTGRESQL) if value.type.name is TypeName.DATE else value


def _added(start: Expression, step: _Span, number: int) -> Expression:
    if not number:
        return start
    amount = Literal(number * step.amount, INTEGER)
    return Call(Function.ADD_TIME, (start, Literal(step.unit, TEXT), amount), start.type, Rules.POSTGRESQL)
