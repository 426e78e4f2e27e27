"""Elements of array columns: how many one array has, and how many different ones there are: counted, or a guess."""

from __future__ import annotations

from typing import NamedTuple

from nestling.ir.model import Model
from nestling.ir.statistics import Statistics, value_of
from nestling.ir.types import TypeName
from nestling.planner.known.distinct import ROWS_A_VALUE, rows_of

UNKNOWN_ELEMENTS = 4.0
"""Elements of an array nobody counted (chosen)."""


class ArrayElements(NamedTuple):
    """Elements of one array on average, and different ones of all arrays, at least one."""

    each: float
    distinct: float

    @property
    def share(self) -> float:
        """The share of arrays that have a certain element, 0 to 1."""
        return min(self.each / self.distinct, 1.0)


def elements_of(entity: str, attribute: str, model: Model, statistics: Statistics) -> ArrayElements | None:
    """The elements of an attribute's arrays; None if its values are not arrays."""
    if model.entity(entity).attribute(attribute).type.name is not TypeName.ARRAY:
        return None
    known = statistics.entity(entity).attribute(attribute)
    guessed = rows_of(entity, statistics) / ROWS_A_VALUE
    return ArrayElements(
        value_of(known.elements, UNKNOWN_ELEMENTS), max(value_of(known.distinct_elements, guessed), 1.0)
    )
