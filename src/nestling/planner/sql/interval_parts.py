"""The time between two moments in PostgreSQL: its parts, as EXTRACT says them, and its comparison with a written interval."""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from nestling.ir.statements.expression import Arithmetic, Call, Cast, Expression, Literal
from nestling.ir.statements.operators import ArithmeticOperator, Division, Function, Rules
from nestling.ir.types import INTEGER, TEXT
from nestling.ir.value_forms.time_text import interval_micros
from nestling.planner.sql.literals import DECIMAL
from nestling.planner.sql.scope import Bind, Env

_WITHIN = {"hour": 24, "minute": 60}
"""How many of a unit the next one has."""
_MINUTE = 60


def part_of_interval(unit: str, interval: Expression) -> Expression | None:
    """The part of the difference of two moments, below 0 where that is; None for other intervals and units."""
    if not isinstance(interval, Call) or interval.function is not Function.TIME_BETWEEN:
        return None
    if unit == "epoch":
        return _seconds(interval)
    if unit == "second":
        return Arithmetic(
            ArithmeticOperator.MODULO, _seconds(interval), Literal(_MINUTE, INTEGER), DECIMAL, Division.DECIMAL
        )
    if unit not in ("day", *_WITHIN):
        return None
    passed: Expression = Call(
        Function.UNITS_BETWEEN, (Literal(unit, TEXT), *interval.arguments), INTEGER, Rules.POSTGRESQL
    )
    if unit in _WITHIN:
        passed = Arithmetic(
            ArithmeticOperator.MODULO, passed, Literal(_WITHIN[unit], INTEGER), INTEGER, Division.INTEGER
        )
    return Cast(passed, DECIMAL, Rules.POSTGRESQL)


def beside_interval(left: exp.Expr, right: exp.Expr, env: Env, bound: Bind) -> tuple[Expression, Expression] | None:
    """Both sides in seconds if one is the difference of two moments and the other an interval; None for anything else."""
    if env.dialect.rules is not Rules.POSTGRESQL:
        return None
    for side, other in ((right, left), (left, right)):
        if (seconds := _written_seconds(side)) is None:
            continue
        found = bound(other)
        if not isinstance(found, Call) or found.function is not Function.TIME_BETWEEN:
            return None
        both = (_seconds(found), Literal(seconds, DECIMAL))
        return both if side is right else (both[1], both[0])
    return None


def as_seconds(value: Expression) -> Expression:
    """The time between two moments as seconds, which lie in its order; any other value as it is."""
    return _seconds(value) if isinstance(value, Call) and value.function is Function.TIME_BETWEEN else value


def _written_seconds(node: exp.Expr) -> Decimal | None:
    inner = node.unnest()
    if isinstance(inner, exp.Cast) and inner.to.this is exp.DataType.Type.INTERVAL:
        said, unit = inner.this.unnest(), None
    elif isinstance(inner, exp.Interval):
        said, unit = inner.this, inner.args.get("unit")
    else:
        return None
    if not isinstance(said, exp.Literal):
        return None
    try:
        return Decimal(interval_micros(f"{said.name} {unit.name}" if unit is not None else said.name)) / 1_000_000
    except ValueError:
        return None


def _seconds(interval: Call) -> Expression:
    later, earlier = (Call(Function.EPOCH, (moment,), DECIMAL, Rules.POSTGRESQL) for moment in interval.arguments)
    return Arithmetic(ArithmeticOperator.SUBTRACT, later, earlier, DECIMAL)
