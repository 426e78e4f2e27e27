"""A limited order may come before what other tables are asked for: the same rows, and the lookups end with the limit."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.statements.algebra import Query
from nestling.ir.statistics import Statistics
from nestling.ir.tolerance import Tolerated
from nestling.pipeline import convert
from nestling.pipeline.converting import default_price
from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read, ways
from nestling.planner.reads.rewrites.order_first import with_order_first
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.sql import translate
from tests.planner.reads.beside_sqlite import Beside, shown
from tests.planner.reads.shop import READING, known

EXISTS = "EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status = 'open')"
LINE = "SELECT l.order_id, l.no FROM line l"
STATEMENTS = (
    f"SELECT c.id FROM customer c WHERE {EXISTS} ORDER BY c.id DESC LIMIT 2 -- total order",
    f"SELECT c.id, c.name FROM customer c WHERE NOT {EXISTS} ORDER BY c.id DESC LIMIT 2 -- total order",
    f"SELECT c.id FROM customer c WHERE NOT {EXISTS} ORDER BY c.id LIMIT 2 OFFSET 1 -- total order",
    f"SELECT c.id FROM customer c WHERE NOT {EXISTS} ORDER BY c.city DESC NULLS LAST, c.name, c.id LIMIT 3 -- total order",
    f"SELECT c.id FROM customer c WHERE NOT {EXISTS} AND c.id > 1 AND c.city IS NOT NULL ORDER BY c.id LIMIT 2 -- total order",
    (
        f"SELECT c.id FROM customer c WHERE {EXISTS} AND c.id IN (SELECT customer_id FROM orders) ORDER BY c.id LIMIT 1"
        " -- total order"
    ),
    f"SELECT c.name FROM customer c WHERE ({EXISTS} OR c.name = 'bob') ORDER BY c.id LIMIT 3 -- total order",
    f"SELECT c.id FROM customer c WHERE {EXISTS} ORDER BY c.id LIMIT 0",
    "SELECT id FROM orders WHERE id NOT IN (SELECT order_id FROM line) ORDER BY id DESC LIMIT 1 -- total order",
    "SELECT id FROM orders WHERE id NOT IN (SELECT order_id FROM line WHERE quantity > 1) ORDER BY id LIMIT 2 -- total order",
    "SELECT id FROM product WHERE id NOT IN (SELECT product_id FROM line) ORDER BY id LIMIT 2",
    "SELECT id FROM product WHERE maker_id NOT IN (SELECT id FROM maker WHERE id = 2) ORDER BY id LIMIT 5 -- total order",
    "SELECT id FROM product WHERE maker_id IN (SELECT id FROM maker WHERE name = 'Inkwell') ORDER BY id LIMIT 5 -- total order",
    (
        f"{LINE} WHERE NOT EXISTS (SELECT 1 FROM product p WHERE p.id = l.product_id AND p.price > 1) ORDER BY l.order_id DESC,"
        " l.no LIMIT 3 -- total order"
    ),
    (
        f"{LINE} WHERE EXISTS (SELECT 1 FROM line m WHERE m.order_id = l.order_id AND m.no > l.no) ORDER BY l.order_id, l.no DESC"
        " LIMIT 2 OFFSET 1 -- total order"
    ),
    f"{LINE} JOIN product p ON p.id = l.product_id WHERE p.title = 'Pen' ORDER BY l.order_id DESC, l.no LIMIT 2 -- total order",
    (
        "SELECT o.id, l.no FROM orders o LEFT JOIN line l ON l.order_id = o.id WHERE l.no IS NULL ORDER BY o.id LIMIT 1"
        " -- total order"
    ),
    "SELECT f.id FROM (SELECT id FROM orders WHERE id NOT IN (SELECT order_id FROM line) ORDER BY id DESC LIMIT 3) AS f",
)
TIED = (
    (f"SELECT c.city FROM customer c WHERE NOT {EXISTS} ORDER BY c.city LIMIT 2", 0),
    ("SELECT total, id FROM orders WHERE id IN (SELECT order_id FROM line) ORDER BY total DESC LIMIT 3", 0),
    ("SELECT o.customer_id, l.no FROM orders o JOIN line l ON l.order_id = o.id ORDER BY o.customer_id LIMIT 4", 0),
)
STAYING = (
    "SELECT id FROM customer WHERE city = 'Oslo' ORDER BY id LIMIT 2",
    f"SELECT id FROM customer c WHERE {EXISTS} ORDER BY id",
    f"SELECT id FROM customer c WHERE {EXISTS} LIMIT 3",
    f"SELECT id FROM customer c WHERE {EXISTS} ORDER BY name || city LIMIT 3",
    f"SELECT city, count(*) FROM customer c WHERE {EXISTS} GROUP BY city ORDER BY city LIMIT 3",
    "SELECT o.id, l.no FROM orders o JOIN line l ON l.order_id = o.id ORDER BY l.no, o.id LIMIT 3",
    (
        "SELECT c.id FROM customer c JOIN (SELECT customer_id, max(id) AS m FROM orders GROUP BY customer_id) o"
        " ON o.customer_id = c.id ORDER BY c.name LIMIT 3"
    ),
    (
        "SELECT id FROM orders o WHERE total > (SELECT avg(x.total) FROM orders x WHERE x.customer_id <> o.customer_id)"
        " ORDER BY id LIMIT 2"
    ),
)


def rows_in_order(beside: Beside, sql: str) -> list[tuple[object, ...]]:
    """The answer of the plan that is the last of all there are: that which sorts first."""
    relation = beside.query(sql).relation
    number = len(list(ways(relation, beside.design, ALL_REWRITES, Tolerated(), Statistics(), priced=True)))
    alone = len(
        list(
            ways(relation, beside.design, ALL_REWRITES - {Rewrite.ORDER_FIRST}, Tolerated(), Statistics(), priced=True)
        )
    )
    assert number == alone + 1
    prices = count(start=0, step=-1)
    plan = plan_read(beside.query(sql), beside.design, price=lambda _: float(next(prices)))
    read = compiled_read(plan, name="statement", sql=sql)
    return [tuple(map(shown, row, read.columns)) for row in run_read(beside.database, read, {})]


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize("sql", STATEMENTS)
def test_the_first_rows_are_sqlites(shop: Beside, sql: str) -> None:
    """With NULLs, offsets, and orders either way."""
    mine, theirs = rows_in_order(shop, sql), shop.theirs(sql)
    assert (mine if "total order" in sql else sorted(mine)) == (theirs if "total order" in sql else sorted(theirs))


@pytest.mark.in_turn("shop")
@pytest.mark.parametrize(("sql", "key"), TIED)
def test_ties_are_any_of_those_there_are(shop: Beside, sql: str, key: int) -> None:
    """What is ordered by is as in SQLite, and each row is one of the statement without its limit."""
    mine = rows_in_order(shop, sql)
    assert [row[key] for row in mine] == [row[key] for row in shop.theirs(sql)]
    assert not Counter(mine) - Counter(shop.theirs(sql.partition(" LIMIT ")[0]))


@pytest.mark.parametrize("sql", STAYING)
def test_other_orders_stay_where_they_are(shop: Beside, sql: str) -> None:
    """Nothing else is asked, nothing is limited or ordered, or the order is no column's of the table that is read first."""
    assert with_order_first(push_predicates(shop.query(sql).relation)) is None


def planned(sql: str, statistics: Statistics) -> CompiledRead:
    """The statement by the cheapest plan on the normalized design."""
    proposal = pipeline.design(READING, "normalized")
    query = translate(sql, proposal.design.model, "sqlite")
    assert isinstance(query, Query)
    plan = plan_read(query, proposal.design, statistics=statistics, price=default_price)
    return compiled_read(plan, name="statement", sql=sql)


def test_few_values_are_found_first() -> None:
    """Where nearly no row is kept and the set is small, the set comes first; where many are, the order does."""
    sql = f"SELECT c.id FROM customer c WHERE {EXISTS} ORDER BY c.id DESC LIMIT 5"
    few = planned(sql, known(customer=100_000, orders=50))
    assert few.collection == "orders"
    assert next(iter(few.pipeline[0])) != "$sort"
    many = planned(sql, known(customer=100_000, orders=1_000_000))
    assert many.collection == "customer"
    assert many.pipeline[0] == {"$sort": {"_id": -1}}


POSTS = """
CREATE TABLE post (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE mark (id INTEGER PRIMARY KEY, post_id INTEGER NOT NULL REFERENCES post (id), kind INTEGER NOT NULL);
CREATE INDEX mark_post ON mark (post_id);
CREATE INDEX post_name ON post (name);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO post SELECT i, 'n' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
  INSERT INTO mark SELECT i, 1 + (i * 7919) % 2000, i % 50 FROM n;
"""
MARKED = "EXISTS (SELECT 1 AS a FROM mark m WHERE m.post_id = post.id{} LIMIT 1)"


@pytest.mark.parametrize(
    "condition",
    [
        f"NOT {MARKED.format(' AND m.kind = 5')}",
        MARKED.format(""),
        "id NOT IN (SELECT m.post_id FROM mark m WHERE m.kind = 5)",
        "id IN (SELECT m.post_id FROM mark m)",
    ],
)
@pytest.mark.parametrize("order", ["id DESC", "id"])
def test_the_lookups_end_with_the_limit(condition: str, order: str, database: Database[Any], tmp_path: Path) -> None:
    """Only as many rows are looked for as are shown, and those that are left out before them."""
    with closing(sqlite3.connect(tmp_path / "posts.db")) as connection:
        connection.executescript(POSTS)
        proposal = pipeline.design(pipeline.inspect(tmp_path / "posts.db"), "normalized")
        pipeline.load(proposal, tmp_path / "posts.db", database)
        sql = f"SELECT id FROM post WHERE {condition} ORDER BY {order} LIMIT 5"
        read = convert(proposal, sql)
        assert isinstance(read, CompiledRead)
        assert list(run_read(database, read, {})) == connection.execute(sql).fetchall()
    assert [next(iter(stage)) for stage in read.pipeline][:2] == ["$sort", "$lookup"]
    asked: dict[str, Any] = {"aggregate": read.collection, "pipeline": list(read.pipeline), "cursor": {}}
    told = database.command({"explain": asked, "verbosity": "executionStats"})
    (lookup,) = (stage for stage in told["stages"] if "$lookup" in stage)
    assert lookup["totalDocsExamined"] <= 20
