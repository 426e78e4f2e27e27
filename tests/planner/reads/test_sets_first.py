"""EXISTS and IN may begin with the values they find: the same answers whichever plan is taken, and the cheaper is."""

from __future__ import annotations

from itertools import count

import pytest

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.statistics import Statistics
from nestling.pipeline.converting import default_price
from nestling.planner.reads import plan_read
from nestling.planner.reads.rewrites.sets_first import with_set_first
from tests.planner.reads.beside_sqlite import Beside, shown
from tests.planner.reads.shop import READING, known

TITLED = (
    "SELECT o.id FROM orders o WHERE o.id IN"
    " (SELECT l.order_id FROM line l JOIN product p ON p.id = l.product_id WHERE p.title = 'Pen')"
)
PAID = "SELECT c.name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status = 'paid')"
BEGINNING = (
    TITLED,
    PAID,
    f"{TITLED} ORDER BY o.id DESC LIMIT 2 -- total order",
    f"{TITLED} AND o.status = 'open'",
    f"{PAID} AND c.id IN (SELECT customer_id FROM orders)",
    "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)",
    "SELECT id FROM orders WHERE total IN (SELECT quantity + 5.5 FROM line)",
    "SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'Oslo')",
    "SELECT COUNT(*) AS n FROM orders WHERE (customer_id, status) IN (SELECT customer_id, status FROM orders WHERE id > 1)",
    (
        "SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
        " WHERE EXISTS (SELECT 1 FROM orders p WHERE p.customer_id = c.id AND p.status = o.status)"
    ),
    "SELECT name FROM customer c WHERE EXISTS (SELECT customer_id FROM orders GROUP BY customer_id HAVING customer_id = c.id)",
    "SELECT id FROM orders o WHERE id IN (SELECT order_id FROM line UNION SELECT customer_id FROM orders)",
    "SELECT DISTINCT status FROM orders o WHERE EXISTS (SELECT 1 FROM line l WHERE l.order_id = o.id AND l.quantity > 1)",
    "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM customer c WHERE c.id = o.customer_id AND c.city = 'Oslo')",
    (
        "SELECT l.order_id, l.no FROM line l WHERE EXISTS (SELECT 1 FROM orders o WHERE o.id = l.order_id AND (o.status = 'paid'"
        " OR EXISTS (SELECT 1 FROM customer c WHERE c.id = o.customer_id AND c.city = 'Oslo')))"
    ),
    (
        "SELECT l.order_id, l.no FROM line l WHERE EXISTS (SELECT 1 FROM orders o, customer c"
        " WHERE o.id = l.order_id AND c.id = o.customer_id AND c.city = 'Oslo') AND l.product_id IN (SELECT id FROM product)"
    ),
    (
        "SELECT l.order_id, l.no FROM line l WHERE EXISTS (SELECT 1 FROM orders o WHERE o.id = l.order_id AND EXISTS"
        " (SELECT 1 FROM customer c WHERE c.id = o.customer_id AND c.city = 'Oslo'))"
    ),
    "SELECT id FROM orders WHERE customer_id = (SELECT id FROM customer WHERE id = 2)",
    "SELECT id FROM product WHERE (SELECT MAX(maker_id) FROM product) = maker_id",
    "SELECT id FROM product WHERE maker_id = (SELECT maker_id FROM product WHERE id = 103 AND title IS NULL)",
    "SELECT l.no FROM line l WHERE EXISTS (SELECT 1 FROM orders o, customer c WHERE o.id = l.order_id AND c.city = 'Oslo')",
)
STAYING = (
    "SELECT id FROM orders WHERE id NOT IN (SELECT order_id FROM line)",
    "SELECT id FROM orders WHERE total + 1 IN (SELECT quantity + 0.5 FROM line)",
    "SELECT id FROM orders o WHERE id IN (SELECT l.order_id FROM line l WHERE l.quantity > o.total)",
    "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM line l WHERE l.order_id > o.id)",
    "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM line l WHERE l.order_id = o.id) OR status = 'open'",
    "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM line)",
    "SELECT id FROM orders WHERE customer_id <> (SELECT id FROM customer WHERE id = 2)",
    "SELECT id FROM orders WHERE customer_id = (SELECT id FROM customer WHERE id + 1 = 3)",
)


def compiled(beside: Beside, sql: str, *, ways: int) -> CompiledRead:
    """The statement by the last of so many of its plans."""
    prices = count(start=0, step=-1)
    plan = plan_read(beside.query(sql), beside.design, price=lambda _: float(next(prices)) if ways > 1 else 0.0)
    return compiled_read(plan, name="statement", sql=sql)


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("sql", BEGINNING)
def test_answers_are_equal(shop: Beside, sql: str) -> None:
    """Of the plain plan and of that which begins with the values."""
    assert list(with_set_first(shop.query(sql).relation, shop.design.model))
    plain, first = (compiled(shop, sql, ways=ways) for ways in (1, 2))
    assert plain.pipeline != first.pipeline
    theirs = shop.theirs(sql)
    for read in (plain, first):
        mine = [tuple(map(shown, row, read.columns)) for row in run_read(shop.database, read, {})]
        assert (mine if "total order" in sql else sorted(mine)) == (
            theirs if "total order" in sql else sorted(theirs)
        ), sql


@pytest.mark.parametrize("sql", STAYING)
def test_what_asks_for_more_than_equal_columns_is_looked_up(shop: Beside, sql: str) -> None:
    """Negations, expressions, ranges, alternatives, and what mentions nothing outside."""
    assert not list(with_set_first(shop.query(sql).relation, shop.design.model))


def begins_at(sql: str, statistics: Statistics) -> str | None:
    """The collection the cheaper plan begins at, on the normalized design."""
    proposal = pipeline.design(READING, "normalized")
    beside = Beside(proposal.design, None, None)  # type: ignore[arg-type]
    plan = plan_read(beside.query(sql), proposal.design, statistics=statistics, price=default_price)
    return compiled_read(plan, name="statement", sql=sql).collection


@pytest.mark.thorough
def test_the_cheaper_plan_is_taken() -> None:
    """With the values where they are few beside the rows, with the rows where these are few."""
    assert begins_at(PAID, known(customer=100_000, orders=50)) == "orders"
    assert begins_at(PAID, known(customer=5, orders=100_000)) == "customer"
    assert begins_at(f"{PAID} AND c.id = 3", known(customer=100_000, orders=50)) == "customer"
    assert begins_at(TITLED, known(orders=100_000, line=100, product=10)) != "orders"
