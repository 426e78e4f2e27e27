"""Values for the parameters of statements: what each parameter is used for, and draws with the data's own skew.

`ParameterUse` says what a statement does with a parameter; `Bindings` are the values drawn for it. The n-th execution of a
statement has the same values on every design, so that answers can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

from nestling.ir.model import Model
from nestling.ir.types import TypeName

UNKNOWN_LIST = 10
"""Assumed length of a list that is a parameter, if unknown: PostgreSQL's guess for such an array."""


class ParameterRole(StrEnum):
    """How a parameter relates to an attribute."""

    EQUAL = "equal"  # compared for equality, or in a list
    LISTED = "listed"  # the list itself that it is in
    LOWER = "lower"  # the lower end of a range
    UPPER = "upper"
    PATTERN = "pattern"
    INSERTED = "inserted"
    UPSERTED = "upserted"  # inserted, unless the key is there
    ASSIGNED = "assigned"
    AMOUNT = "amount"  # added to it, or otherwise computed with


@dataclass(frozen=True, slots=True)
class ParameterUse:
    """A parameter used with an attribute. `row` names the occurrence of the entity: uses of the same one concern one row."""

    parameter: str
    role: ParameterRole
    row: str
    entity: str
    attribute: str


@dataclass(frozen=True, slots=True)
class Joined:
    """The row `child` refers to the row `parent` along a relationship."""

    child: str
    relationship: str
    parent: str


@dataclass(frozen=True, slots=True)
class ParameterUses:
    """All uses in a statement, which of its rows belong together, and the entity of each row. `deletes`: rows go for good."""

    uses: tuple[ParameterUse, ...]
    joined: tuple[Joined, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    deletes: bool = False

    def samples(self, given: Iterable[tuple[str, object]], model: Model) -> dict[str, object]:
        """Return sample values by parameter. A JSON number with a fraction becomes a decimal if it is used with a decimal."""
        exact = {use.parameter for use in self.uses if _is_decimal(model, use)}
        return {
            name: Decimal(repr(value)) if name in exact and isinstance(value, float) else value for name, value in given
        }


def _is_decimal(model: Model, use: ParameterUse) -> bool:
    return model.entity(use.entity).attribute(use.attribute).type.name is TypeName.DECIMAL


class Drawn(StrEnum):
    """Where the values of a parameter come from."""

    ROWS = "rows"  # the attribute's values, as often as rows have them
    GIVEN = "given"  # the statement's own sample values
    FRESH = "fresh"  # values no row has, never the same twice


@dataclass(frozen=True, slots=True)
class Fresh:
    """A parameter whose values count up from `first` (a number, text, timestamp or UUID)."""

    parameter: str
    first: object

    def value(self, number: int) -> object:
        """The value of the execution `number`, counted from 0."""
        match self.first:
            case int():
                return self.first + number
            case str():
                return f"{self.first}{number}"
            case datetime():
                return self.first + timedelta(seconds=number)
            case UUID():
                return UUID(int=(self.first.int + number) % 2**128)
            case first:
                raise TypeError(f"cannot count up from {first!r}")


@dataclass(frozen=True, slots=True)
class Bindings:
    """Values for one statement: `draws`, repeated cyclically, each a tuple in the order of `parameters`, and `fresh` ones.

    `drawn` says for each parameter where its values come from. `once`: a draw has its effect only the first time (a row to
    delete, a key to insert), so there are only as many comparable executions as draws.
    """

    statement: str
    parameters: tuple[str, ...] = ()
    draws: tuple[tuple[object, ...], ...] = ((),)
    fresh: tuple[Fresh, ...] = ()
    drawn: tuple[tuple[str, Drawn], ...] = ()
    once: bool = False

    def values(self, number: int) -> dict[str, object]:
        """The parameters of the execution `number`, counted from 0."""
        found = dict(zip(self.parameters, self.draws[number % len(self.draws)], strict=True))
        return found | {each.parameter: each.value(number) for each in self.fresh}
