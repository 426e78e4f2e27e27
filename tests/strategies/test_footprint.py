"""Footprints: how a statement comes to read children, and what changes together."""

from __future__ import annotations

import pytest

from nestling.ir.situation.footprint import Footprint, footprints
from nestling.ir.workload import Requirements, Statement
from tests.strategies.readings import change, entity, read, reading, relationship, select, write


def footprint(*statements: Statement, requirements: Requirements | None = None) -> Footprint:
    found = reading(
        [entity("order", "state"), entity("line", "order_id", "sku"), entity("other", "order_id")],
        [relationship("order", "line"), relationship("order", "other")],
        statements=statements,
        requirements=requirements,
    )
    return footprints(found.model, found.workload)["order_line"]


@pytest.mark.parametrize(
    ("way", "accesses"),
    [
        ("down", [read("order", "id"), read("line", via="order_line")]),
        ("down", [read("line"), read("order", "state", via="order_line")]),
        ("down", [read("line", "order_id")]),
        ("down", [read("other", "id"), read("order", via="order_other"), read("line", via="order_line")]),
        ("down", [read("other", "id"), read("line", joined=("order_id",))]),
        ("alone", [read("other"), read("line", "sku", joined=("order_id",))]),
        ("up", [read("line", "sku"), read("order", via="order_line")]),
        ("together", [read("order"), read("line", via="order_line")]),
        ("alone", [read("line", "sku")]),
        ("alone", [read("line", "sku"), read("order", "id")]),
    ],
)
def test_the_side_that_is_filtered_leads(way, accesses):
    """Whatever the order of the FROM clause, the statement starts where its filter or another join leads it."""
    found = footprint(select("q", *accesses, rate=3))
    assert {each: getattr(found, each) for each in ("down", "up", "together", "alone")} == {
        each: 3.0 if each == way else 0.0 for each in ("down", "up", "together", "alone")
    }


def test_a_statement_that_writes_both_is_atomic():
    """Writing parent and child in one statement asks for one document."""
    found = footprint(write("ship", change("order", "id"), change("line", via="order_line"), rate=2))
    assert (found.atomic, found.child_writes) == (["ship"], 2.0)


def test_a_required_group_is_atomic():
    """What the requirements say must change together does."""
    found = footprint(requirements=Requirements(atomic=(("line", "order"),)))
    assert found.atomic == ["required: line, order"]
