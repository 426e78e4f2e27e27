"""Truncates constants to the beginning of their calendar unit; for a parameter as soon as its value is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.ir.conversions import given
from nestling.ir.statements.expression import Call, Expression, Literal, Parameter
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.value_forms.calendar_units import BEGINNINGS


@dataclass(frozen=True, slots=True)
class Truncation:
    """The truncated value and its unit."""

    value: Expression
    unit: str

    def of(self, constant: object) -> object:
        """A BSON value, or the place of one, truncated."""
        if isinstance(constant, ConvertedPlaceholder):
            return replace(constant, unit=self.unit)
        found: object = given.at_unit_start(self.unit)(constant)
        return found

    def within(self, condition: object) -> object:
        """The operators on a field with their operands truncated."""
        if not isinstance(condition, Mapping):
            return condition
        return {operator: self.of(value) for operator, value in condition.items()}


def truncation(expression: Expression) -> Truncation | None:
    """The truncation in an expression, to a unit that begins at the same time everywhere, in UTC; None for other expressions.

    For the cell of a row the server truncates, because programs insert the cell as it is stored.
    """
    match expression:
        case Call(Function.TRUNCATE_TIME, (_, Parameter(is_cell=True))) | Call(
            Function.DATE_OF, (Parameter(is_cell=True),)
        ):
            return None
        case Call(Function.DATE_OF, (Parameter() as moment,)):
            return Truncation(moment, "day")
        case Call(Function.TRUNCATE_TIME, (Literal(value=str(unit)), value), rules=Rules.POSTGRESQL) if (
            unit in BEGINNINGS
        ):
            return Truncation(value, unit)
        case _:
            return None
