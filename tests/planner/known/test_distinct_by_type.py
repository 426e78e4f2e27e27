"""A type, or a CHECK, that names the values there may be tells how many there are at most."""

from __future__ import annotations

import pytest

from nestling.ir.constraints.allowed import Allowed
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.statistics import EntityStatistics, Quantity, Statistics
from nestling.ir.types import Type
from nestling.planner.known.distinct import distinct_of

ROWS = 300_000


@pytest.mark.parametrize(
    ("kind", "allowed", "values"),
    [
        ("enum('draft', 'open', 'sold')", None, 3),
        ("boolean", None, 2),
        ("text", Allowed(("a", "b", "c", "d")), 4),
        ("integer", Allowed(minimum=1, maximum=5), 5),
        ("integer", Allowed(minimum=1), ROWS / 10),
        ("decimal(3,1)", Allowed(minimum=1, maximum=5), ROWS / 10),
        ("text", None, ROWS / 10),
    ],
)
def test_no_more_than_are_named(kind: str, allowed: Allowed | None, values: float) -> None:
    """Where nothing was counted; all else is a guess by the rows."""
    state = Attribute("state", Type.parse(kind), allowed=allowed)
    thing = Entity("thing", (Attribute("id", Type.parse("integer"), nullable=False), state), ("id",))
    statistics = Statistics((("thing", EntityStatistics(Quantity(ROWS))),))
    assert distinct_of("thing", "state", Model("m", (thing,)), statistics) == values
