# ruff: noqa: ISC004 - statements run over lines
"""Rows that are groups of their own are limited before their children are counted, and the answers stay the same."""

from __future__ import annotations

import pytest

from nestling.planner.reads import ALL_REWRITES, Rewrite
from tests.planner.reads.beside_sqlite import Beside

ORDERS = "FROM orders o LEFT JOIN line l ON l.order_id = o.id"
AGGREGATES = (
    "count(l.no)",
    "count(*)",
    "count(l.quantity)",
    "count(DISTINCT l.quantity)",
    "sum(l.quantity)",
    "sum(l.quantity) * 2 + count(l.no)",
    "min(l.quantity), max(l.quantity), count(l.no)",
    "avg(l.quantity)",
    "total(l.quantity)",
    "sum(CASE WHEN l.quantity > 1 THEN 1 ELSE 0 END)",
    "max(coalesce(l.quantity, -1))",
    "sum(l.quantity * o.total)",
    "count(l.no) FILTER (WHERE l.quantity = 2)",
)
BOUNDS = ("o.total, o.id LIMIT 3", "o.id DESC LIMIT 2 OFFSET 1", "o.id LIMIT 99", "o.id LIMIT 0")


def is_early(shop: Beside, sql: str) -> bool:
    """Whether a limit comes before anything is grouped or looked up."""
    kinds = [next(iter(stage)) for stage in shop.compiled(sql).pipeline]
    others = [number for number, kind in enumerate(kinds) if kind in ("$group", "$lookup")]
    return "$limit" in kinds and kinds.index("$limit") < min(others, default=len(kinds))


def equal(shop: Beside, sql: str) -> None:
    """SQLite's answer, with the rewrite and without."""
    shop.assert_equal(sql)
    shop.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.EARLY_LIMITS})


@pytest.mark.one_in(2)
@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("asked", AGGREGATES)
def test_aggregates_of_the_rows_that_are_shown(shop: Beside, asked: str) -> None:
    """Counts, sums and extremes of the lines of a few orders, ties and offsets among them; an order without lines is a row."""
    for bound in BOUNDS:
        equal(shop, f"SELECT o.id, o.total, {asked} {ORDERS} GROUP BY o.id, o.total ORDER BY {bound} -- total order")


LIMITED = (
    "SELECT o.id, o.total, count(l.no) {orders} GROUP BY o.id ORDER BY o.total, o.id LIMIT 3",
    "SELECT o.id, o.status, c.name, c.city, sum(l.quantity) FROM orders o JOIN customer c ON c.id = o.customer_id"
    " LEFT JOIN line l ON l.order_id = o.id GROUP BY o.id, o.status, c.name, c.city ORDER BY o.id LIMIT 2",
    "SELECT o.id, count(l.no) FROM orders o LEFT JOIN line l ON l.order_id = o.id JOIN customer c ON c.id = o.customer_id"
    " GROUP BY o.id ORDER BY o.id DESC LIMIT 2",
    "SELECT o.id, count(l.no) {orders} WHERE o.total > 0 GROUP BY o.id ORDER BY o.total DESC, o.id LIMIT 2",
    "SELECT o.id, count(l.no) {orders} GROUP BY o.id HAVING o.id > 10 ORDER BY o.id LIMIT 2",
    "SELECT o.id, count(l.no) {orders} AND l.quantity > 0 AND o.total > 5 GROUP BY o.id ORDER BY o.id LIMIT 4",
    "SELECT p.id, m.name, count(l.no) FROM product p LEFT JOIN maker m ON m.id = p.maker_id"
    " LEFT JOIN line l ON l.product_id = p.id GROUP BY p.id, m.name ORDER BY p.price, p.id LIMIT 3",
    "SELECT c.id, count(o.id), count(l.no), count(DISTINCT o.id), max(l.quantity) FROM customer c"
    " LEFT JOIN orders o ON o.customer_id = c.id LEFT JOIN line l ON l.order_id = o.id"
    " GROUP BY c.id ORDER BY c.city, c.id LIMIT 3",
    "SELECT e.id, count(s.id), count(p.employee_id), max(s.name) FROM employee e"
    " LEFT JOIN employee s ON s.boss_id = e.id LEFT JOIN passport p ON p.employee_id = e.id"
    " GROUP BY e.id ORDER BY e.id LIMIT 3",
)
WHOLE = (
    "SELECT o.id, count(l.no) AS n {orders} GROUP BY o.id ORDER BY n DESC, o.id LIMIT 2",
    "SELECT o.id, count(l.no) {orders} GROUP BY o.id HAVING count(l.no) > 1 ORDER BY o.id LIMIT 2",
    "SELECT o.total, count(l.no) {orders} GROUP BY o.total ORDER BY o.total LIMIT 2",
    "SELECT o.id, l.quantity, count(l.no) {orders} GROUP BY o.id, l.quantity ORDER BY o.id, l.quantity LIMIT 3",
    "SELECT o.id, count(l.no) {orders} WHERE l.quantity > 1 GROUP BY o.id ORDER BY o.id LIMIT 2",
    "SELECT o.id, count(l.no) FROM orders o JOIN line l ON l.order_id = o.id GROUP BY o.id ORDER BY o.id LIMIT 2",
)


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("said", LIMITED)
def test_limited_before_anything_is_counted(shop: Beside, said: str) -> None:
    """Rows with their parents, conditions on the row itself, and children of several kinds."""
    sql = f"{said.format(orders=ORDERS)} -- total order"
    assert is_early(shop, sql)
    equal(shop, sql)


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("said", WHOLE)
def test_all_are_counted_where_the_count_decides(shop: Beside, said: str) -> None:
    """An order by a count, a condition on one, groups of several rows, and children that decide which rows there are."""
    sql = f"{said.format(orders=ORDERS)} -- total order"
    assert not is_early(shop, sql)
    equal(shop, sql)


def test_a_parent_that_rows_may_lack_is_joined_before_the_limit(shop: Beside) -> None:
    """A product without a maker is no row of an inner join: it takes no place among the first."""
    sql = (
        "SELECT p.id, m.name, count(l.no) FROM product p JOIN maker m ON m.id = p.maker_id"
        " LEFT JOIN line l ON l.product_id = p.id GROUP BY p.id, m.name ORDER BY p.id DESC LIMIT 2 -- total order"
    )
    equal(shop, sql)
    assert len(shop.mine(sql)) == 2


def test_several_aggregates_look_the_children_up_once(shop: Beside) -> None:
    """One lookup gives all that is asked of a row's children."""
    sql = f"SELECT o.id, count(l.no), sum(l.quantity), max(l.no) {ORDERS} GROUP BY o.id ORDER BY o.id LIMIT 3"
    kinds = [next(iter(stage)) for stage in shop.compiled(sql).pipeline]
    assert kinds.count("$lookup") <= 1
    equal(shop, sql)
