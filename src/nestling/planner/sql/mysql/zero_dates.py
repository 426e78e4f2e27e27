"""MySQL's dates beside numbers, and its zero dates, which are texts in columns of dates."""

from __future__ import annotations

from datetime import datetime

from nestling.ir.statements.expression import Call, Expression, Literal
from nestling.ir.statements.operands import is_mixed_time
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import BSON_DIGITS, TEXT, Type, TypeName
from nestling.ir.value_forms.zero_dates import zero_of
from nestling.planner.sql.gaps import statement_gap

_SHAPES = {8: "%Y%m%d", 14: "%Y%m%d%H%M%S"}


def moment_of_number(number: Expression, kind: Type) -> Literal:
    """The moment that MySQL reads from the digits of a number compared with dates: 20240131, 20240131100000.

    0 is the zero date.
    """
    value = number.value if isinstance(number, Literal) else None
    if value == 0:
        return Literal(zero_of(kind), TEXT)
    shape = _SHAPES.get(len(str(value))) if isinstance(value, int) else None
    try:
        return Literal(datetime.strptime(str(value), shape or ""), Type(TypeName.TIMESTAMP))  # noqa: DTZ007 - no zone
    except ValueError:
        raise statement_gap("a date together with a number whose digits are not a date, as 20240131 is") from None


def dates_alone(expression: Expression) -> Expression:
    """The argument of MySQL's date functions: NULL for a value that is not a date."""
    if not is_mixed_time(expression):
        return expression
    if expression.type.fraction_digits > BSON_DIGITS:
        raise statement_gap("a function of timestamps finer than a millisecond that also contain zero dates")
    return Call(Function.TIMESTAMP_OF, (expression,), Type(expression.type.name), Rules.MYSQL)
