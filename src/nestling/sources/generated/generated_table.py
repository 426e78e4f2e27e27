"""A table of generated rows: a function for each of its attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from nestling.ir.model import Entity
from nestling.sources.generated.links import GeneratedLink

NthValue = Callable[[int], object]
"""The value an attribute has in the n-th row."""


@dataclass(slots=True)
class GeneratedTable:
    """An entity's rows: their number, the function of each attribute, and the function that makes a row satisfy the checks."""

    entity: Entity
    rows: int
    links: tuple[GeneratedLink, ...] = ()
    cells: dict[str, NthValue] = field(default_factory=dict)
    kept: Callable[[tuple[object, ...]], tuple[object, ...]] = field(default=lambda row: row)

    def row(self, number: int) -> tuple[object, ...]:
        """The n-th row, in attribute order."""
        row = self.kept(tuple(self.cells[name](number) for name in self.entity.attribute_names))
        return tuple(map(_unsigned, row))


def _unsigned(value: object) -> object:
    """The value, zero without a sign: a column of SQLite gives back no other."""
    return abs(value) if isinstance(value, float | Decimal) and not value else value
