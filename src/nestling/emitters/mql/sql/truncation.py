"""A constant of which the beginning of its calendar unit is taken: a constant too, of a parameter as soon as that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nestling.emitters.conversions import given
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.ir.statements.expression import Call, Expression, Literal, Parameter
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.value_forms.calendar_units import BEGINNINGS


@dataclass(frozen=True, slots=True)
class Truncation:
    """What is truncated, and to which unit."""

    value: Expression
    unit: str

    def of(self, constant: object) -> object:
        """A BSON value, or the place of one, truncated."""
        if isinstance(constant, ConvertedPlaceholder):
            return replace(constant, unit=self.unit)
        found: object = given.at_unit_start(self.unit)(constant)
        return found

    def within(self, condition: object) -> object:
        """The operators on a field with what they compare truncated."""
        if not isinstance(condition, Mapping):
            return condition
        return {operator: self.of(value) for operator, value in condition.items()}


def truncation(expression: Expression) -> Truncation | None:
    """What an expression truncates to a unit that begins alike everywhere, in UTC; None where it is something else.

    The server truncates the cell of a row: programs put it in as it is stored.
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
