"""EXISTS and IN may begin with the values they find: the same answers whichever plan is taken, and the cheaper is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.statements.algebra import Join
from nestling.ir.statistics import Statistics
from nestling.pipeline.converting import default_price
from nestling.planner.reads import plan_read
from nestling.planner.reads.rewrites.sets_first import with_set_first
from nestling.planner.reads.traverse import everything
from tests.planner.reads.beside_sqlite import Beside, query_of, shown
from tests.planner.reads.shop import READING, known

TITLED = (
    "SELECT o.id FROM orders o WHERE o.id IN"
    " (SELECT l.order_id FROM line l JOIN product p ON p.id = l.product_id WHERE p.title = 'Pen')"
)
PAID = "SELECT c.name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status = 'paid')"
NESTED = (
    "SELECT id, title FROM product WHERE id IN (SELECT product_id FROM line WHERE order_id IN"
    " (SELECT id FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE city = 'Oslo')))"
)
INSIDE = (
    "SELECT l.no FROM line l WHERE l.quantity = 2 AND l.order_id IN (SELECT o.id FROM orders o WHERE o.status = 'paid')"
)
INSIDE_ALL = "SELECT COUNT(*) FROM line l WHERE l.order_id IN (SELECT o.id FROM orders o WHERE o.total > 5)"
KEY = "WHERE o.id = l.order_id"
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
    "SELECT id FROM product WHERE maker_id IN (SELECT DISTINCT p.id FROM product p WHERE p.title > 'A' ORDER BY p.id)",
    (
        "SELECT no FROM line l WHERE order_id IN (SELECT o.id FROM orders o JOIN customer c ON c.id = o.customer_id"
        " WHERE c.city = 'Oslo' AND o.total > l.quantity)"
    ),
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
    NESTED,
    f"{NESTED} ORDER BY id LIMIT 1 -- total order",
    (
        "SELECT title FROM product p WHERE EXISTS (SELECT 1 FROM line l WHERE l.product_id = p.id AND l.quantity > 1 AND EXISTS"
        " (SELECT 1 FROM orders o WHERE o.id = l.order_id AND o.status = 'paid'))"
    ),
    (
        "SELECT id FROM product WHERE id IN (SELECT product_id FROM line WHERE order_id IN (SELECT id FROM orders"
        " WHERE customer_id IN (SELECT id FROM customer WHERE city = 'Oslo')) UNION SELECT id FROM product WHERE price > 5)"
    ),
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


def compiled(beside: Beside, sql: str) -> Iterator[CompiledRead]:
    """The statement by its plain plan, by that of each set that begins, and by the last of all its plans."""
    query, prices = beside.query(sql), count(start=0, step=-1)
    made = with_set_first(query.relation, beside.design.model, Statistics())
    for each in (query, *(replace(query, relation=relation) for relation in made)):
        yield compiled_read(plan_read(each, beside.design), name="statement", sql=sql)
    last = plan_read(query, beside.design, price=lambda _: float(next(prices)))
    yield compiled_read(last, name="statement", sql=sql)


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("sql", BEGINNING)
def test_answers_are_equal(shop: Beside, sql: str) -> None:
    """Of the plain plan, of that which begins with the values, and of those that begin with what tells the values."""
    plain, *others = compiled(shop, sql)
    assert len(others) > 1
    assert all(plain.pipeline != each.pipeline for each in others)
    theirs = shop.theirs(sql)
    for read in (plain, *others):
        mine = [tuple(map(shown, row, read.columns)) for row in run_read(shop.database, read, {})]
        assert (mine if "total order" in sql else sorted(mine)) == (
            theirs if "total order" in sql else sorted(theirs)
        ), sql


@pytest.mark.parametrize("sql", STAYING)
def test_what_asks_for_more_than_equal_columns_is_looked_up(shop: Beside, sql: str) -> None:
    """Negations, expressions, ranges, alternatives, and what mentions nothing outside."""
    assert not list(with_set_first(shop.query(sql).relation, shop.design.model, Statistics()))


@pytest.mark.parametrize("sql", [INSIDE, INSIDE_ALL])
def test_the_parent_around_a_row_is_read_where_it_lies(sql: str) -> None:
    """An IN over its key is a join with it, as an EXISTS is: neither is looked up where the parent's document holds the rows."""
    proposal = pipeline.design(READING, "embedded")
    statistics = known(customer=100, orders=2_000, line=10_000)
    for each in (
        sql,
        sql.replace("l.order_id IN (SELECT o.id", "EXISTS (SELECT 1").replace("WHERE o.", f"{KEY} AND o."),
    ):
        plan = plan_read(
            query_of(each, proposal.design.model), proposal.design, statistics=statistics, price=default_price
        )
        assert "$lookup" not in str(compiled_read(plan, name="statement", sql=each).pipeline), each


def begins_at(sql: str, statistics: Statistics) -> str | None:
    """The collection the cheaper plan begins at, on the normalized design."""
    proposal = pipeline.design(READING, "normalized")
    plan = plan_read(query_of(sql, proposal.design.model), proposal.design, statistics=statistics, price=default_price)
    return compiled_read(plan, name="statement", sql=sql).collection


@pytest.mark.thorough
def test_the_cheaper_plan_is_taken() -> None:
    """With the values where they are few beside the rows, with the rows where these are few."""
    assert begins_at(PAID, known(customer=100_000, orders=50)) == "orders"
    assert begins_at(PAID, known(customer=5, orders=100_000)) == "customer"
    assert begins_at(f"{PAID} AND c.id = 3", known(customer=100_000, orders=50)) == "customer"
    assert begins_at(TITLED, known(orders=100_000, line=100, product=10)) != "orders"


@pytest.mark.thorough
def test_a_set_within_a_set_begins() -> None:
    """However deep the few are that tell the rest; where the rows are few, with these."""
    many = {"product": 50_000, "line": 100_000, "orders": 50_000}
    assert begins_at(NESTED, known(customer=20, **many)) == "customer"
    assert begins_at(f"{NESTED} AND id = 3", known(customer=20, **many)) == "product"


def test_the_set_of_fewest_rows_is_tried_first(shop: Beside) -> None:
    """Whichever condition comes first, of more conditions than there are plans for."""
    sets = [f"id IN (SELECT order_id FROM line WHERE quantity > {number})" for number in range(5)]
    few = "id IN (SELECT order_id FROM line WHERE quantity = 7)"
    for conditions in ([few, *sets], [*sets, few]):
        query = shop.query(f"SELECT id FROM orders WHERE {' AND '.join(conditions)}")
        first = next(with_set_first(query.relation, shop.design.model, known(orders=1_000, line=5_000)))
        begun = next(each for each in everything(first) if isinstance(each, Join))
        assert "value=7" in str(begun.left)
