"""Reads by parts of a compound `_id`, and walks along a tree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.ir.design import Design
from nestling.ir.paths.work import Work
from nestling.ir.primitives import Index
from nestling.ir.statements.algebra import Query
from nestling.ir.statistics import EntityStatistics, Quantity, RelationshipStatistics, Statistics
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work import estimate
from tests.planner.work.test_estimate_write import COUNTS, STATISTICS
from tests.planner.writes.shops import DESIGNS, model

DEPTH, EMPLOYEES = 4, 1_000
LINES_EACH, ORDERS_EACH = 10, 10
KNOWN = Statistics(
    (*STATISTICS.entities, ("employee", EntityStatistics(Quantity(EMPLOYEES)))),
    (*STATISTICS.relationships, ("boss_of", RelationshipStatistics(depth=Quantity(DEPTH)))),
)
SHOP = DESIGNS["normalized"](model())


def work(sql: str, *indexes: Index, design: Design = SHOP) -> Work:
    """The estimate for a read; lines have their order and number for an `_id`."""
    used = replace(design, indexes=indexes)
    query = translate(sql, used.model, "sqlite")
    assert isinstance(query, Query)
    return estimate(plan_read(query, used), used, KNOWN)


def test_the_beginning_of_a_compound_id_is_a_range_of_it() -> None:
    """An order's lines lie together by `_id`, in order of their numbers; lines of one number do not."""
    by_order = work("SELECT quantity FROM line WHERE order_id = 7")
    assert (by_order.scanned, by_order.documents) == pytest.approx((0, LINES_EACH))
    in_order = work("SELECT quantity FROM line WHERE order_id = 7 ORDER BY no")
    assert in_order.documents == pytest.approx(LINES_EACH)
    one = work("SELECT quantity FROM line WHERE order_id = 7 AND no = 2")
    assert (one.scanned, one.documents) == pytest.approx((0, 1))
    assert work("SELECT quantity FROM line WHERE no = 2").scanned == COUNTS["line"]


def test_a_lookup_asks_for_no_range_of_compound_ids() -> None:
    """The order is a value of the outer row: without an index on it alone all lines are read for each, with one its ten."""
    sql = "SELECT line.quantity FROM orders JOIN line ON line.order_id = orders.id WHERE line.no = 1 AND orders.customer_id = 3"
    by_scan, by_index = work(sql), work(sql, Index("lines", (("_id.order_id", 1),)))
    assert by_scan.scanned == pytest.approx(ORDERS_EACH * COUNTS["line"])
    assert by_index.scanned == 0
    assert by_index.documents == pytest.approx(ORDERS_EACH * (1 + LINES_EACH))
    assert by_scan.results == by_index.results == pytest.approx(ORDERS_EACH)


def test_a_walk_is_a_query_for_each_level() -> None:
    """Four stand above an employee on average, one a level; four below, on as many levels as lead there from anywhere."""
    up = work(
        "WITH RECURSIVE up(id, boss_id) AS (SELECT id, boss_id FROM employee WHERE id = 5 UNION ALL"
        " SELECT e.id, e.boss_id FROM employee e JOIN up ON up.boss_id = e.id) SELECT id FROM up"
    )
    sql = (
        "WITH RECURSIVE down(id) AS (SELECT id FROM employee WHERE id = 5 UNION ALL"
        " SELECT e.id FROM employee e JOIN down ON e.boss_id = down.id) SELECT id FROM down"
    )
    down = work(sql)
    assert up.documents == down.documents == pytest.approx(1 + DEPTH)
    assert (up.scanned, down.scanned) == (0, 0)
    assert up.elements == down.elements == pytest.approx(DEPTH)
    assert up.lookups - down.lookups == pytest.approx(DEPTH - (DEPTH + 1) / 2)
    assert min(up) >= 0
