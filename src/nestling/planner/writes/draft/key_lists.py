"""Keys of rows that were read before, as a list that conditions ask for."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.statements.expression import Column, Expression, InList, Parameter
from nestling.ir.statements.operators import Collation

KEY = "key"
"""The column of the row sets that such lists are made of."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The values an attribute has in rows that were read; `parameter` stands for them."""

    attribute: str
    parameter: str

    def among(self, column: Column, rule: Collation = Collation.BINARY) -> Expression:
        """The condition that the column has one of these values."""
        return InList(column, (Parameter(self.parameter, column.type, listed=True),), rule)
