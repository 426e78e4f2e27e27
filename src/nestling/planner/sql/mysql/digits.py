"""How many digits after the point MySQL's exact numbers have: those it shows, and those it computes with until it shows them.

A quotient shows four digits more than its dividend has, but keeps more: MySQL computes it by groups of nine digits and rounds it
where it is shown, compared, grouped or sorted by, not where it is used in further arithmetic: `1/3*100` is `33.3333`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from nestling.ir.statements.expression import Call, Expression, Literal
from nestling.ir.statements.operators import ArithmeticOperator, Function, Rules
from nestling.ir.types import INTEGER, Type, TypeName
from nestling.planner.sql.gaps import statement_gap

QUOTIENT_DIGITS = 4
"""Digits a quotient shows beyond its dividend's (div_precision_increment)."""
MOST_FRACTION_DIGITS = 30
"""Digits after the point that are shown at most."""
PRECISION = 65
_GROUP = 9


@dataclass(frozen=True, slots=True)
class Digits:
    """Digits after the point: shown, and kept till then."""

    shown: int
    kept: int

    @property
    def type(self) -> Type:
        """The type of a number with these digits."""
        kept = (self.kept,) if self.kept != self.shown else ()
        return Type(TypeName.DECIMAL, (PRECISION, self.shown, *kept))


def digits_of(expression: Expression) -> Digits | None:
    """The digits of an exact number; None if nothing declares them, as for a parameter."""
    if isinstance(expression, Literal) and isinstance(expression.value, Decimal):
        exponent = expression.value.as_tuple().exponent
        places = max(0, -exponent) if isinstance(exponent, int) else 0
        return Digits(places, places)
    match expression.type:
        case Type(name=TypeName.INTEGER | TypeName.BOOLEAN):
            return Digits(0, 0)
        case Type(name=TypeName.DECIMAL, numbers=(_, shown, kept)):
            return Digits(shown, kept)
        case Type(name=TypeName.DECIMAL, numbers=(_, scale)):
            return Digits(scale, scale)
        case Type(name=TypeName.DECIMAL, numbers=(_,)):
            return Digits(0, 0)
        case _:
            return None


def computed(operator: ArithmeticOperator, left: Expression, right: Expression) -> Digits | None:
    """The digits of a sum, product, quotient or remainder; None if those of an operand are unknown."""
    one, other = digits_of(left), digits_of(right)
    if one is None or other is None:
        return None
    if operator is ArithmeticOperator.DIVIDE:
        return quotient(one, other)
    if operator is ArithmeticOperator.MULTIPLY:
        return Digits(min(one.shown + other.shown, MOST_FRACTION_DIGITS), one.kept + other.kept)
    return Digits(max(one.shown, other.shown), max(one.kept, other.kept))


def quotient(dividend: Digits, divisor: Digits) -> Digits:
    """The digits of a quotient; an average is a quotient by an integer."""
    groups = _in_groups(dividend.kept) + _in_groups(divisor.kept)
    lacking = max(0, QUOTIENT_DIGITS - (groups - dividend.kept - divisor.kept))
    return Digits(min(dividend.shown + QUOTIENT_DIGITS, MOST_FRACTION_DIGITS), _in_groups(groups + lacking))


def _in_groups(digits: int) -> int:
    return -(-digits // _GROUP) * _GROUP


def is_rounded_later(value: Expression) -> bool:
    """Whether it keeps more digits than it shows, as a quotient does."""
    digits = digits_of(value) if value.type.name is TypeName.DECIMAL else None
    return digits is not None and digits.kept > digits.shown


def together(values: Sequence[Expression]) -> Type | None:
    """The type of one of several exact numbers; None where the digits of one are not declared."""
    known = [digits_of(value) for value in values]
    if None in known and any(map(is_rounded_later, values)):
        raise statement_gap("a quotient and a number with undeclared digits in one value")
    if not known or None in known:
        return None
    found = [each for each in known if each is not None]
    return Digits(max(each.shown for each in found), max(each.kept for each in found)).type


def with_zeros(values: Sequence[Expression], kind: Type) -> tuple[Expression, ...]:
    """Values that become one of that type, whole numbers and decimals that are written with as many digits as it shows."""
    shown = kind.numbers[1] if kind.name is TypeName.DECIMAL and len(kind.numbers) > 1 else 0
    return tuple(_padded(value, shown) for value in values)


def _padded(value: Expression, shown: int) -> Expression:
    digits = digits_of(value) if isinstance(value, Literal) else None
    if (
        not isinstance(value, Literal)
        or type(value.value) not in (int, Decimal)
        or digits is None
        or digits.shown >= shown
    ):
        return value
    return Literal(Decimal(str(value.value)).quantize(Decimal(1).scaleb(-shown)), Digits(shown, shown).type)


def observed(expression: Expression) -> Expression:
    """The number as it is shown, compared and sorted: rounded to the digits it shows."""
    digits = digits_of(expression) if expression.type.name is TypeName.DECIMAL else None
    return expression if digits is None else _rounded(expression, digits.shown)


def observed_beside(one: Expression, other: Expression) -> tuple[Expression, Expression]:
    """Two values as they are compared: rounded to the digits they show, unless one is a float, beside which both are floats."""
    if TypeName.FLOAT in (one.type.name, other.type.name):
        return one, other
    return observed(one), observed(other)


def rounded_alike(values: Sequence[Expression], kind: Type) -> tuple[tuple[Expression, ...], Type]:
    """The two sides of a UNION, rounded to the digits its column of that type shows, and the column's type then."""
    if not kind.numbers:
        return tuple(values), kind
    shown = kind.numbers[1]
    return tuple(_rounded(value, shown) for value in values), Digits(shown, shown).type


def _rounded(expression: Expression, shown: int) -> Expression:
    digits = digits_of(expression)
    if digits is None or digits.kept <= shown:
        return expression
    return Call(Function.ROUND, (expression, Literal(shown, INTEGER)), Digits(shown, shown).type, Rules.MYSQL)
