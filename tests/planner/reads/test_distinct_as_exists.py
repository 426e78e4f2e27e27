"""DISTINCT of a table's key over joins that only ask is an EXISTS: the same rows, and a limited order ends the asking."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.planner.reads import plan_read
from nestling.planner.reads.rewrites.distinct_as_exists import with_distinct_asked
from nestling.planner.reads.rewrites.pushdown import push_predicates
from tests.planner.reads.beside_sqlite import Beside, shown

OUTER = "FROM orders o LEFT JOIN line l ON l.order_id = o.id LEFT JOIN product p ON p.id = l.product_id"
STATEMENTS = (
    "SELECT DISTINCT o.id FROM orders o JOIN line l ON l.order_id = o.id WHERE l.quantity > 0",
    "SELECT DISTINCT o.id, o.status FROM orders o JOIN line l ON l.order_id = o.id ORDER BY o.id DESC LIMIT 2 -- total order",
    (
        "SELECT DISTINCT c.id, upper(c.name) AS n FROM customer c, orders o, line l WHERE o.customer_id = c.id"
        " AND l.order_id = o.id AND (l.quantity > 1 OR o.total > c.id) AND c.id < 4 ORDER BY n, c.id LIMIT 2 OFFSET 1"
        " -- total order"
    ),
    "SELECT DISTINCT p.id FROM line l LEFT JOIN product p ON p.id = l.product_id WHERE p.price > 1",
    f"SELECT DISTINCT o.id, o.total {OUTER} WHERE o.status = 'open' OR p.title LIKE 'P%' ORDER BY o.id LIMIT 3 -- total order",
    f"SELECT DISTINCT o.id {OUTER} WHERE (p.title = 'Pen' OR l.quantity = 2 OR o.id = 3) AND o.customer_id > 0 ORDER BY o.id",
    f"SELECT DISTINCT o.id {OUTER} WHERE (p.title = 'Pen' AND l.quantity = 1) OR (p.price > 1 AND o.total > 5)",
    f"SELECT DISTINCT o.id {OUTER} WHERE o.id + l.no = 2 OR p.price > o.total",
    f"SELECT DISTINCT o.id, o.status {OUTER}",
    (
        "SELECT DISTINCT e.id FROM employee e LEFT JOIN employee b ON b.id = e.boss_id AND b.name IS NULL"
        " WHERE b.id > 0 OR e.id = 1"
    ),
)
STAYING = (
    "SELECT DISTINCT o.status FROM orders o JOIN line l ON l.order_id = o.id",
    "SELECT DISTINCT o.id, l.no FROM orders o JOIN line l ON l.order_id = o.id",
    "SELECT o.id FROM orders o JOIN line l ON l.order_id = o.id",
    f"SELECT DISTINCT o.id {OUTER} WHERE p.title IS NULL",
    f"SELECT DISTINCT o.id {OUTER} WHERE o.status = 'open' OR p.title IS NULL",
    f"SELECT DISTINCT o.id {OUTER} WHERE o.status = 'open' OR coalesce(p.title, 'none') = 'none'",
    f"SELECT DISTINCT l.order_id, l.no {OUTER} WHERE o.status = 'open' OR l.quantity > 1",
    (
        "SELECT DISTINCT o.id FROM orders o LEFT JOIN line l ON l.order_id = o.id"
        " WHERE (l.no = 1 OR o.id = 1) AND (l.no = 2 OR o.id = 2)"
    ),
    "SELECT DISTINCT o.id FROM orders o JOIN (SELECT order_id FROM line LIMIT 5) l ON l.order_id = o.id",
    (
        "SELECT DISTINCT o.id FROM orders o LEFT JOIN line l ON l.order_id = o.id LEFT JOIN product p"
        " ON p.id = l.product_id OR l.no IS NULL WHERE p.price > 1 OR o.id = 1"
    ),
)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_the_rows_are_sqlites(shop: Beside, sql: str) -> None:
    """Each once, whether the others are joined by inner joins or by LEFT joins under an OR; with NULLs and rows without any."""
    query = shop.query(sql)
    relation = with_distinct_asked(push_predicates(query.relation), shop.design.model)
    assert relation is not None
    read = compiled_read(plan_read(replace(query, relation=relation), shop.design), name="statement", sql=sql)
    mine = [tuple(map(shown, row, read.columns)) for row in run_read(shop.database, read, {})]
    theirs = shop.theirs(sql)
    assert (mine if "total order" in sql else sorted(mine)) == (theirs if "total order" in sql else sorted(theirs))


@pytest.mark.parametrize("sql", STAYING)
def test_others_are_made_distinct(shop: Beside, sql: str) -> None:
    """Where rows may be there twice, several rows decide together, or the NULLs that stand for no row are wanted."""
    assert with_distinct_asked(push_predicates(shop.query(sql).relation), shop.design.model) is None


POSTS = """
CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE tagging (post_id INTEGER NOT NULL REFERENCES post (id), tag_id INTEGER NOT NULL REFERENCES tag (id),
  PRIMARY KEY (post_id, tag_id));
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO post SELECT i, 'n' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) INSERT INTO tag SELECT i, 't' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
  INSERT INTO tagging SELECT 1 + i % 2000, 1 + i % 39 FROM n;
"""
SEARCH = (
    "SELECT DISTINCT p.id, p.title FROM post p LEFT JOIN tagging g ON g.post_id = p.id LEFT JOIN tag t ON t.id = g.tag_id"
    " WHERE p.title LIKE '%7%' OR t.name LIKE '%5' ORDER BY p.id DESC LIMIT 5"
)


def test_the_lookups_of_a_search_end_with_the_limit(database: Database[Any], tmp_path: Path) -> None:
    """An admin's search over a table and its tags looks at the posts it shows, and those that do not fit before them."""
    with closing(sqlite3.connect(tmp_path / "posts.db")) as connection:
        connection.executescript(POSTS)
        proposal = pipeline.design(pipeline.inspect(tmp_path / "posts.db"), "normalized")
        pipeline.load(proposal, tmp_path / "posts.db", database)
        read = convert(proposal)
        assert list(run_read(database, read, {})) == connection.execute(SEARCH).fetchall()
    assert [next(iter(stage)) for stage in read.pipeline][:2] == ["$sort", "$lookup"]
    asked: dict[str, Any] = {"aggregate": read.collection, "pipeline": list(read.pipeline), "cursor": {}}
    told = database.command({"explain": asked, "verbosity": "executionStats"})
    (lookup,) = (stage for stage in told["stages"] if "$lookup" in stage)
    assert lookup["totalDocsExamined"] <= 200


def convert(proposal: Proposal) -> CompiledRead:
    """The search, compiled."""
    read = pipeline.convert(proposal, SEARCH)
    assert isinstance(read, CompiledRead)
    return read
