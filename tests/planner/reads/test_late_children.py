"""The first rows of a LEFT JOIN, in an order that begins with what tells the parents apart, are of the first parents."""

from __future__ import annotations

import pytest

from nestling.planner.reads import ALL_REWRITES, Rewrite
from nestling.planner.reads.rewrites.late_children import with_late_children
from nestling.planner.reads.rewrites.pushdown import push_predicates
from tests.planner.reads.beside_sqlite import Beside

ORDERS = "SELECT c.id, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
LINES = (
    "SELECT o.id, l.no, p.title FROM orders o LEFT JOIN line l ON l.order_id = o.id"
    " LEFT JOIN product p ON p.id = l.product_id"
)
STATEMENTS = (
    f"{ORDERS} ORDER BY c.id DESC, o.id LIMIT 3 -- total order",
    f"{ORDERS} ORDER BY c.id, o.total DESC, o.id DESC LIMIT 2 OFFSET 2 -- total order",
    f"{ORDERS} AND o.status = 'open' ORDER BY c.name DESC, c.id, o.id LIMIT 4 -- total order",
    f"{ORDERS} WHERE c.city = 'Oslo' ORDER BY c.id, o.id LIMIT 2 -- total order",
    f"{ORDERS} ORDER BY c.id, o.id LIMIT 0",
    f"{LINES} ORDER BY o.id DESC, l.no LIMIT 3 -- total order",
    f"{LINES} ORDER BY o.customer_id, o.id, p.title, l.no LIMIT 4 OFFSET 1 -- total order",
    f"SELECT f.a, f.b FROM ({ORDERS.replace('c.id, o.id', 'c.id AS a, o.id AS b')} ORDER BY c.id, o.id LIMIT 3) AS f",
)
STAYING = (
    f"{ORDERS} ORDER BY c.city, o.id LIMIT 3",
    f"{ORDERS} ORDER BY o.id, c.id LIMIT 3",
    f"{ORDERS} WHERE o.id IS NULL ORDER BY c.id LIMIT 3",
    f"{ORDERS} ORDER BY c.id, o.id",
    f"{ORDERS} ORDER BY c.id, o.id LIMIT -1",
    f"{ORDERS.replace('LEFT ', '')} ORDER BY c.id, o.id LIMIT 3",
)


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("sql", STATEMENTS)
def test_the_first_rows_are_sqlites(shop: Beside, sql: str) -> None:
    """Parents without children among them, and several children of one."""
    relation = push_predicates(shop.query(sql).relation)
    assert with_late_children(relation, shop.design.model) != relation
    shop.assert_equal(sql)
    shop.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.LATE_CHILDREN})


@pytest.mark.parametrize("sql", STAYING)
def test_other_limits_stay_where_they_are(shop: Beside, sql: str) -> None:
    """Where the order does not tell the parents apart first, where a parent may be left out, and where all rows are asked for."""
    relation = push_predicates(shop.query(sql).relation)
    assert with_late_children(relation, shop.design.model) == relation


def test_only_the_first_parents_are_read(shop: Beside) -> None:
    """The order and limit of the parents begin the pipeline, before anything is looked up or unwound."""
    for values, limit in (({}, 3), ({"n": 3}, 3)):
        text = ":n" if values else "3"
        sql = f"{ORDERS} ORDER BY c.id DESC, o.id LIMIT {text}"
        stages = [next(iter(stage)) for stage in shop.compiled(sql).pipeline]
        assert stages[:2] == ["$sort", "$limit"]
        assert shop.mine(sql, values) == shop.theirs(sql, values)
        assert len(shop.mine(sql, values)) == limit
