"""Where joins begin and where subqueries are asked: the form, and the same answers as without any rewrite."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Document
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.statements.algebra import Query
from nestling.ir.statistics import Statistics
from nestling.ir.types import Type, TypeName
from nestling.pipeline.converting import default_price
from nestling.planner.reads import NO_REWRITES, plan_read
from nestling.planner.sql import translate
from tests.planner.reads.beside_sqlite import Beside
from tests.planner.reads.shop import READING, known

EITHER = (
    "SELECT c.name, o.id FROM customer c JOIN orders o ON o.customer_id = c.id "
    "WHERE c.city = 'Oslo' AND o.status = 'paid' OR c.city = 'Brno' AND o.status = 'open'"
)
GROUPS = (
    "SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id "
    "WHERE o.id IN (SELECT order_id FROM line GROUP BY order_id HAVING SUM(quantity) > 2)"
)
NAMED = (
    "SELECT o.id, c.name, l.quantity FROM orders o LEFT JOIN customer c ON c.id = o.customer_id AND c.city > 'B' "
    "JOIN line l ON l.order_id = o.id WHERE o.status = 'paid'"
)
OF_GROUPS = (
    "SELECT p.title, t.s FROM (SELECT product_id, SUM(q) AS s FROM (SELECT o.status, l.product_id, SUM(l.quantity) AS q "
    "FROM orders o JOIN line l ON l.order_id = o.id GROUP BY o.status, l.product_id) m GROUP BY product_id) t "
    "JOIN product p ON p.id = t.product_id"
)
STATEMENTS = (
    EITHER,
    OF_GROUPS,
    NAMED,
    NAMED + " AND c.name IS NULL",
    NAMED + " AND (c.name IS NULL OR c.name < o.status)",
    NAMED.replace("l.order_id = o.id", "l.order_id = o.id AND (c.id IS NULL OR c.id < l.quantity)"),
    NAMED.replace("l.order_id = o.id", "l.order_id = COALESCE(c.id, o.id)"),
    (
        "SELECT l.no, p.title, m.name, o.status FROM line l LEFT JOIN product p ON p.id = l.product_id "
        "LEFT JOIN maker m ON m.id = p.maker_id JOIN orders o ON o.id = l.order_id "
        "LEFT JOIN passport ON country = m.name JOIN customer c ON c.id = o.customer_id WHERE c.id = 2"
    ),
    GROUPS,
    "SELECT id FROM orders WHERE id IN (SELECT order_id FROM line GROUP BY order_id HAVING COUNT(*) > 1)",
    "SELECT id FROM orders WHERE total > (SELECT 0.5 * AVG(quantity) FROM line WHERE order_id = orders.id)",
    "SELECT id, (SELECT SUM(quantity) FROM line WHERE order_id = orders.id) AS s FROM orders",
    "SELECT id, (SELECT COUNT(*) FROM line WHERE order_id = orders.id) AS n FROM orders",
    "SELECT id, (SELECT COUNT(*) + SUM(quantity) FROM line WHERE order_id = orders.id) AS n FROM orders",
    "SELECT id, (SELECT COALESCE(SUM(quantity), -1) FROM line WHERE order_id = orders.id) AS n FROM orders",
    "SELECT id, (SELECT name FROM customer c WHERE c.id = o.customer_id) AS name FROM orders o",
    (
        "SELECT l.no, p.title FROM line l JOIN product p ON p.id = l.product_id "
        "WHERE l.quantity = (SELECT MAX(quantity) FROM line) OR p.price > 1 AND l.no = 2"
    ),
    (
        "SELECT c.name, o.id FROM customer c JOIN orders o ON o.customer_id = c.id "
        "WHERE NOT EXISTS (SELECT 1 FROM line WHERE order_id = o.id) AND c.id IN (SELECT customer_id FROM orders)"
    ),
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_equal(shop: Beside, sql: str) -> None:
    """With every rewrite and with none."""
    shop.assert_equal(sql)
    shop.assert_equal(sql, rewrites=NO_REWRITES)


def compiled(sql: str, statistics: Statistics | None = None) -> CompiledRead:
    """A statement over the normalized shop."""
    design = pipeline.design(READING, "normalized").design
    query = translate(sql, design.model, "sqlite")
    assert isinstance(query, Query)
    return compiled_read(plan_read(query, design, statistics=statistics))


def test_an_or_over_two_tables_restricts_each() -> None:
    """What every branch says of a table is asked of it first."""
    assert compiled(EITHER).pipeline[0] == {"$match": {"$or": [{"city": {"$eq": "Oslo"}}, {"city": {"$eq": "Brno"}}]}}


def test_joins_begin_where_the_statistics_say_that_most_is_left_out() -> None:
    """One of ten values rather than one of five, whichever table is larger."""
    sql = "SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.city > 'A' AND o.status = 'open'"
    assert compiled(sql, known(customer=10, orders=1000)).collection == "orders"
    assert compiled(sql.replace("c.city > 'A'", "c.id = 3"), known(customer=10, orders=1000)).collection == "customer"


def test_a_left_join_waits_for_inner_joins_that_do_not_ask_for_it() -> None:
    """They begin where they would without it, at the one row that is asked for; what asks for it comes after it."""
    sql = NAMED.replace("o.status = 'paid'", "o.id = 3")
    assert _in_order(sql) == ["orders", "line", "customer"]
    assert _in_order(sql.replace("l.order_id = o.id", "l.order_id = COALESCE(c.id, o.id)")) == [
        "orders",
        "customer",
        "line",
    ]


def _in_order(sql: str) -> list[Any]:
    """The collections read, one after the other."""
    found = compiled(sql, known(customer=5, orders=500, line=3000))
    lookups: list[Any] = [stage["$lookup"] for stage in found.pipeline if "$lookup" in stage]
    return [found.collection, *(each["from"] for each in lookups)]


def test_groups_an_in_asks_for_are_made_once() -> None:
    """They are joined with, not made again for every row."""
    assert compiled(GROUPS, known(customer=5, orders=500, line=3000)).collection == "line"


def test_groups_of_groups_are_made_once() -> None:
    """What is joined to them is looked up, not they for each row of it."""
    design = pipeline.design(READING, "normalized").design
    query, many = translate(OF_GROUPS, design.model, "sqlite"), known(orders=500, line=3000, product=120)
    assert isinstance(query, Query)
    plan = compiled_read(plan_read(query, design, statistics=many, price=default_price))
    assert plan.collection in ("orders", "line")
    lookups: list[Any] = [stage["$lookup"] for stage in plan.pipeline if "$lookup" in stage]
    assert lookups[-1]["from"] == "product"


def test_what_a_key_is_converted_to_tells_no_row(database: Database[dict[str, Any]]) -> None:
    """Several texts become the same number: the subquery's value is that of one row, and each row outside is there once."""
    tag = Entity("tag", (Attribute("code", Type(TypeName.TEXT), nullable=False),), ("code",))
    design = Design(Model("tags", (tag,)), (Collection("tags", Document("tag"), id=("code",)),))
    sql = "SELECT code, (SELECT 1 FROM tag t WHERE CAST(t.code AS INTEGER) = 1) AS one FROM tag"
    query = translate(sql, design.model, "sqlite")
    assert isinstance(query, Query)
    database["tags"].insert_many([{"_id": "1"}, {"_id": "01"}, {"_id": "2"}])
    found = run_read(database, compiled_read(plan_read(query, design)), {})
    assert sorted(found) == [("01", 1), ("1", 1), ("2", 1)]
