"""What a statement accesses through views: the tables of their SELECTs."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.ir.statements.algebra import Query
from nestling.ir.workload import Workload
from nestling.planner.sql import translate
from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload
from tests.planner.reads.beside_postgresql import created
from tests.sources.statements.shop import access_line

DDL = """CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id), total INTEGER);
CREATE VIEW [Order Totals] AS SELECT customer_id AS buyer, sum(total) AS spent FROM orders GROUP BY customer_id;
CREATE VIEW best AS SELECT c.name, t.spent FROM customer c JOIN [Order Totals] t ON t.buyer = c.id;
CREATE VIEW round AS SELECT * FROM round;"""


def read(sql: str) -> tuple[Workload, list[str]]:
    """The workload of one statement, and its gaps in words."""
    model = read_ddl(DDL, "shop", dialect="sqlite").model
    workload, gaps = parse_workload(f"-- name: s, rate: 1/s\n{sql}", model, "sqlite", "w.sql")
    return workload, [gap.what for gap in gaps]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT spent FROM [order totals] WHERE buyer = :b", ["select orders: customer_id, total | customer_id ="]),
        (
            "SELECT name FROM best b WHERE b.spent > 9",
            ["select customer: id, name", "select orders via customer_orders: customer_id, total"],
        ),
        (
            "SELECT c.name, t.spent FROM customer c LEFT JOIN [Order Totals] t ON t.buyer = c.id WHERE c.id = 1",
            ["select customer: id, name | id =", "select orders via customer_orders: customer_id, total"],
        ),
        ("WITH best AS (SELECT id FROM orders) SELECT id FROM best", ["select orders: id"]),
    ],
)
def test_views_are_seen_through(sql: str, expected: list[str]) -> None:
    """Also a view of a view; a WITH query's name comes before a view's."""
    workload, gaps = read(sql)
    assert gaps == []
    assert [access_line(access) for access in workload.statements[0].accesses] == expected


def test_a_view_joined_in_parentheses_keeps_its_join() -> None:
    """What is joined to the view inside the parentheses is joined to what stands in its place."""
    workload, gaps = read("SELECT t.spent, c.name FROM ([Order Totals] t JOIN customer c ON c.id = t.buyer)")
    assert gaps == []
    accesses = workload.statements[0].accesses
    assert {access.entity for access in accesses} == {"customer", "orders"}
    assert any(access.via == "customer_orders" for access in accesses)


@pytest.mark.thorough
def test_joins_of_a_view_of_postgresql(postgresql: str) -> None:
    """PostgreSQL puts parentheses around the joins of a view it keeps."""
    tables = """CREATE TABLE p (id int PRIMARY KEY, name text NOT NULL); CREATE TABLE u (id int PRIMARY KEY, name text);
    CREATE TABLE t (id int PRIMARY KEY, title text NOT NULL, p_id int NOT NULL REFERENCES p, u_id int REFERENCES u);
    CREATE VIEW v AS SELECT t.id, t.title, p.name AS project, u.name AS assignee
        FROM t JOIN p ON p.id = t.p_id LEFT JOIN u ON u.id = t.u_id;"""
    _, url, engine = created(postgresql, tables)
    engine.dispose()
    sql = "-- name: s, rate: 1/s\nSELECT id, assignee FROM v WHERE project = :p"
    workload, gaps = parse_workload(sql, pipeline.inspect(url).model, "postgresql", "w.sql")
    assert gaps == ()
    assert {access.entity for access in workload.statements[0].accesses} == {"t", "p", "u"}


def test_a_mistake_in_a_view_is_told_once() -> None:
    """At the view's name, however many of its columns are wrong; of a view in a view, of the inner one."""
    ddl = """CREATE TABLE t (id int PRIMARY KEY, title text); CREATE VIEW v AS SELECT tt.id, tt.title FROM t;
    CREATE VIEW w AS SELECT id, nope, neither FROM t; CREATE VIEW x AS SELECT id FROM w;"""
    model = read_ddl(ddl, "t.sql", dialect="postgresql").model
    for name, view, what in (
        ("v", "v", "no table or alias `tt` here; there is `t`"),
        ("w", "w", "no attribute `nope` in `t`; it has `id`, `title`"),
        ("x", "w", "no attribute `nope` in `t`; it has `id`, `title`"),
    ):
        _, gaps = parse_workload(
            f"-- name: s, rate: 1/s\nSELECT id\nFROM\n  {name} WHERE id = :id", model, "postgresql", "w.sql"
        )
        assert [str(gap) for gap in gaps] == [f"w.sql:4:3: statement `s`: view `{view}`: {what}"]


def test_a_view_of_itself_is_a_name_nobody_has() -> None:
    """It does not end in a loop."""
    _, gaps = read("SELECT * FROM round")
    assert any("no entity `round`" in gap for gap in gaps), gaps


SCHEMAS = """CREATE SCHEMA s; CREATE TABLE t (id int PRIMARY KEY, a int, b int); CREATE TABLE s.t (id int PRIMARY KEY, a int);
CREATE VIEW v AS SELECT id, b FROM t; CREATE VIEW s.v AS SELECT id, a FROM s.t WHERE a > 3;
CREATE VIEW s.alone AS SELECT id FROM s.t; CREATE TABLE w (id int PRIMARY KEY); CREATE VIEW s.w AS SELECT id AS x FROM t;"""


@pytest.mark.parametrize(
    ("sql", "read", "columns"),
    [
        ("SELECT id FROM s.v WHERE a = 5", "select s.t: id, a", ["id"]),
        ("SELECT * FROM v", "select t: id, b", ["id", "b"]),
        ("SELECT * FROM public.v", "select t: id, b", ["id", "b"]),
        ("SELECT * FROM S.V", "select s.t: id, a", ["id", "a"]),
        ("SELECT id FROM s.alone", "select s.t: id", ["id"]),
        ("SELECT * FROM s.t", "select s.t: id, a", ["id", "a"]),
        ("SELECT * FROM t", "select t: id, a, b", ["id", "a", "b"]),
        ("SELECT x FROM s.w", "select t: id", ["x"]),
        ("SELECT id FROM w", "select w: id", ["id"]),
        ("WITH v AS (SELECT id FROM w) SELECT v.id FROM v JOIN s.v x ON x.id = v.id", "select w: id", ["id"]),
    ],
)
def test_views_and_tables_of_one_name_in_two_schemas(sql: str, read: str, columns: list[str]) -> None:
    """The schema decides, in what a statement is said to access and in what is made of it."""
    model = read_ddl(SCHEMAS, "m", dialect="postgresql").model
    workload, gaps = parse_workload(f"-- name: s, rate: 1/s\n{sql}", model, "postgresql", "w.sql")
    assert not gaps
    assert access_line(workload.statements[0].accesses[0]).partition(" via ")[0].startswith(read)
    query = translate(sql, model, "postgresql")
    assert isinstance(query, Query)
    assert list(query.names) == columns
