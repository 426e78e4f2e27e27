"""Parameters where MySQL takes a time: a date, a datetime or the text of one in ISO form is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.ir.statements.expression import ANY, Call, Expression, Parameter
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import BSON_DIGITS, DATE, TIMES, TIMESTAMP, Type, TypeName
from nestling.planner.sql.gaps import statement_gap


def moment_asked(value: Expression) -> Expression:
    """A parameter that a function of times is given, as a moment; anything else stays."""
    return replace(value, type=TIMESTAMP) if isinstance(value, Parameter) and value.type == ANY else value


def cast_given(parameter: Parameter, wanted: TypeName, node: exp.Cast) -> Expression:
    """`CAST(:t AS DATE)`, its day; `CAST(:t AS DATETIME)`, a moment of the digits the cast says, as servers differ on others."""
    said = node.to.expressions[0].name if node.to.expressions else "0"
    digits = None if wanted is TypeName.DATE else min(int(said), BSON_DIGITS)
    moment = replace(parameter, type=TIMESTAMP, exact=True, second_digits=digits)
    return moment if wanted is TypeName.TIMESTAMP else Call(Function.DATE_OF, (moment,), DATE, Rules.MYSQL)


def among_times(values: Sequence[Expression]) -> Sequence[Expression]:
    """What GREATEST and LEAST are given: parameters beside times are of their type, as they are compared with these."""
    for value in values:
        refuse_text_of_moment(value)
    times = [value.type for value in values if value.type.name in TIMES]
    wanted = max(times, key=lambda kind: kind.name is not TypeName.DATE, default=None)
    return values if wanted is None else [_of_type(value, wanted) for value in values]


def _of_type(value: Expression, wanted: Type) -> Expression:
    return replace(value, type=wanted, exact=True) if isinstance(value, Parameter) and value.type == ANY else value


def is_text_of_moment(value: Expression) -> bool:
    """Whether it is `:t + INTERVAL 1 DAY`: MySQL's drivers send a text, and of a text MySQL makes one, of a day or a moment."""
    match value:
        case Call(function=Function.ADD_TIME, arguments=(begun, *_), rules=Rules.MYSQL):
            return is_text_of_moment(begun) or (isinstance(begun, Parameter) and not begun.exact)
        case _:
            return False


def refuse_text_of_moment(value: Expression) -> None:
    """Raise the gap of such a text where it is shown, or becomes one with others."""
    if is_text_of_moment(value):
        name = _begun(value).name
        raise statement_gap(
            "an interval added to a parameter, which MySQL turns into a text;"
            f" write `CAST(:{name} AS DATE)` or `CAST(:{name} AS DATETIME)` for the parameter"
        )


def _begun(value: Expression) -> Parameter:
    while isinstance(value, Call):
        value = value.arguments[0]
    assert isinstance(value, Parameter)
    return value


def refuse_text_beside(left: Expression, right: Expression) -> None:
    """Raise the gap for such a text that is compared with anything but a column or value of times."""
    for one, other in ((left, right), (right, left)):
        if other.type.name not in TIMES or is_text_of_moment(other):
            refuse_text_of_moment(one)
