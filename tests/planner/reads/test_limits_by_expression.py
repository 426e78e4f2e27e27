"""A LIMIT or OFFSET that is computed is a gap: the server takes a number."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.reading import Reading
from nestling.ir.types import INTEGER


@pytest.mark.parametrize(
    ("last", "is_gap"), [("LIMIT 1 + 1", True), ("LIMIT 3 OFFSET 1 + 1", True), ("LIMIT 3 OFFSET :n", False)]
)
@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_it_is_a_number_or_a_parameter(last: str, is_gap: bool, dialect: str) -> None:
    """And never a failure without words."""
    item = Entity("item", (Attribute("id", INTEGER, nullable=False),), ("id",))
    made = pipeline.design(Reading(Model("shop", (item,)), dialect=dialect), "normalized")
    found = pipeline.convert(made, f"SELECT id FROM item ORDER BY id {last}")
    if is_gap:
        assert isinstance(found, NotCompiled)
        assert "LIMIT or OFFSET by an expression" in found.gap.what
    else:
        assert isinstance(found, CompiledRead)
