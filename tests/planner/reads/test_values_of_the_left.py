"""A join that compares with a subquery over its left side: made once for each left row, which finds its partner by the key."""

from __future__ import annotations

from typing import Any

import pytest

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.planner.reads import plan_read
from tests.planner.reads.beside_sqlite import Beside, query_of, shown
from tests.planner.reads.shop import READING

LATEST = "(SELECT MAX(p.id) FROM orders p WHERE p.customer_id = c.id AND p.status = 'paid')"
LAST = f"SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.id = {LATEST}"
JOINS = (
    LAST,
    f"{LAST} AND o.total > 1",
    LAST.replace("LEFT JOIN", "JOIN"),
    LAST.replace("o.id = (", "o.id > ("),
    LAST.replace("ON ", "ON o.customer_id = c.id AND "),
    f"{LAST} LEFT JOIN line l ON l.order_id = o.id AND l.quantity = (SELECT MAX(quantity) FROM line WHERE order_id = o.id)",
    "SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.id = (SELECT MAX(id) FROM orders)",
    "SELECT c.id, o.id FROM customer c JOIN orders o ON (SELECT COUNT(*) FROM orders p WHERE customer_id = c.id) = o.customer_id",
    "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.total = (SELECT MAX(quantity) FROM line WHERE order_id = o.id)",
    f"SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.id = COALESCE({LATEST}, c.id)",
    f"SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON CASE WHEN c.id = 1 THEN {LATEST} ELSE 101 END = o.id",
)


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("sql", JOINS)
def test_answers_are_equal(shop: Beside, sql: str) -> None:
    """Outer and inner, by keys, ranges and expressions, of the left side, of the right, and of neither."""
    read = compiled_read(plan_read(shop.query(sql), shop.design), name="statement", sql=sql)
    mine = sorted(str(tuple(map(shown, row, read.columns))) for row in run_read(shop.database, read, {}))
    assert mine == sorted(map(str, shop.theirs(sql))), sql


def test_the_partner_is_looked_up_by_its_key() -> None:
    """Not the value again for each of all partners."""
    design = pipeline.design(READING, "normalized").design
    read = compiled_read(plan_read(query_of(LAST, design.model), design), name="statement", sql=LAST)
    lookups: list[Any] = [stage["$lookup"] for stage in read.pipeline if "$lookup" in stage]
    assert [each["foreignField"] for each in lookups] == ["customer_id", "_id"]
