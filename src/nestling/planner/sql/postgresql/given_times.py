"""Days and intervals beside a parameter: PostgreSQL's drivers bind a date or datetime by its type, so it is given as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.statements.expression import ANY, Arithmetic, Call, Expression, Literal, Negate, Parameter
from nestling.ir.statements.operands import is_integer
from nestling.ir.statements.operators import ArithmeticOperator, Function, Rules
from nestling.ir.types import DATE, INTEGER, TEXT, TIMES, TIMESTAMP, TIMESTAMPTZ, Type, TypeName


def moment_given(value: Expression) -> Expression:
    """The parameter in `:at + interval '1 day'`: a date or datetime without a zone, until what it meets says another."""
    return replace(value, type=TIMESTAMP, exact=True) if isinstance(value, Parameter) and value.type == ANY else value


def given_beside(value: Expression, wanted: Type) -> Expression:
    """The value beside a time: of `:day - 30` a date is given, of `:at + interval '1 day'` any date or datetime."""
    match value:
        case Arithmetic(operator=ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT) if wanted.name in TIMES:
            return _so_many_days(value)
        case Call(function=Function.ADD_TIME, arguments=(inner, *amount)) if (
            wanted.name in TIMES and value.type.name is TypeName.TIMESTAMP
        ):
            kind = TIMESTAMPTZ if wanted.name is TypeName.TIMESTAMPTZ else TIMESTAMP
            given = inner if isinstance(inner, Parameter) else None
            base = replace(given, type=kind, exact=False) if given is not None else given_beside(inner, wanted)
            return replace(value, arguments=(base, *amount), type=base.type)
        case _:
            return value


def given_among(values: Sequence[Expression]) -> Sequence[Expression]:
    """Values that become one: what is given among times is one."""
    wanted = next((value.type for value in values if value.type.name in TIMES), None)
    return values if wanted is None else [given_beside(value, wanted) for value in values]


def _so_many_days(value: Arithmetic) -> Expression:
    day, days = value.left, value.right
    is_sum = value.operator is ArithmeticOperator.ADD
    if is_sum and isinstance(days, Parameter) and not isinstance(day, Parameter):
        day, days = days, day
    day = (
        Parameter(day.name, DATE, exact=True)
        if isinstance(day, Parameter) and not day.exact
        else given_beside(day, DATE)
    )
    days = replace(days, type=INTEGER, exact=True) if isinstance(days, Parameter) else days
    if day.type.name is not TypeName.DATE or not is_integer(days):
        return value
    amount = days if is_sum else Negate(days, INTEGER)
    return Call(Function.ADD_TIME, (day, Literal("day", TEXT), amount), DATE, Rules.POSTGRESQL)
