"""What a column keeps of a second, and which values may have more of it."""

from __future__ import annotations

from nestling.ir.fraction import Fraction
from nestling.ir.model import Attribute
from nestling.ir.statements.expression import AttributeCast, Call, Case, Column, Expression, Literal
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.types import BSON_DIGITS, TIMES, TypeName
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.scope import Translation


def kept_fraction(expression: Expression, attribute: Attribute, translation: Translation) -> Fraction | None:
    """The digits of a second that the attribute keeps; None if the value certainly has no more."""
    kept = attribute.fraction
    return None if kept is None or _digits(expression, translation) <= kept.digits else kept


def refuse_time_as_text(value: Expression, translation: Translation) -> None:
    """Raise the gap of MySQL's TIME with a fraction as a text, which has as many digits as the column, whatever the time."""
    is_time = translation.dialect.rules is Rules.MYSQL and value.type.name is TypeName.TIME
    if is_time and _digits(value, translation) > 0:
        raise statement_gap("a time with fractional seconds as a text, as each column writes its own number of digits")


def _digits(expression: Expression, translation: Translation) -> float:
    """The most digits of a second that a value may have; those of the server's clock are milliseconds."""
    match expression:
        case Literal(value=None):
            return 0
        case AttributeCast(fraction=kept):
            return kept.digits if kept is not None else _digits(expression.operand, translation)
        case Literal():
            return float("inf")
        case Case(branches=branches, default=default):
            return max(_digits(value, translation) for value in (*(then for _, then in branches), default))
        case Call(function=Function.COALESCE | Function.LEAST | Function.GREATEST, arguments=parts):
            return max(_digits(value, translation) for value in parts)
        case Call(function=Function.TRUNCATE_TIME):
            return 0
        case Call(function=Function.ROUND_TIME, arguments=(_, Literal(value=int() as digits), _)):
            return digits
        case Call(function=Function.NOW):
            return BSON_DIGITS
        case Column(alias=alias, name=name) if (entity := translation.scans.get(alias)) is not None and name in entity:
            known = entity.attribute(name).fraction
            return known.digits if known is not None else _of_type(expression)
        case _:
            return _of_type(expression)


def _of_type(expression: Expression) -> float:
    """The most digits of a second that a value of the expression's type may have; 0 for days, unbounded for texts.

    A moment that is stored as a date has milliseconds if the server computes it.
    """
    if expression.type.name is TypeName.DATE:
        return 0
    is_date = expression.type.name in TIMES and expression.type.fraction_digits <= BSON_DIGITS
    return BSON_DIGITS if is_date and isinstance(expression, Call | Column) else float("inf")
