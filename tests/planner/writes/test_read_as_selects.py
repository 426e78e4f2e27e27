"""Rows that a write asks for are read as a SELECT reads them: the same rewrites, and the cheapest of several ways."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.emitters.mql.read import compiled_read
from nestling.ir.design import Design
from nestling.ir.model import OnDelete, OnUpdate
from nestling.ir.paths.write_path import Fetch, WritePlan
from nestling.ir.primitives import Index
from nestling.ir.statements.algebra import Query
from nestling.pipeline.converting import default_price
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.writes import plan_write
from tests.planner.reads.shop import ROWS
from tests.planner.work.test_estimate_write import STATISTICS
from tests.planner.writes.shops import DESIGNS, REST, lines, model, refer, root
from tests.write_traces import trace

UNSOLD = "NOT EXISTS (SELECT 1 FROM line l JOIN orders o ON o.id = l.order_id WHERE o.customer_id = customer.id)"
PENS = "id IN (SELECT l.order_id FROM line l JOIN product p ON p.id = l.product_id WHERE p.title = 'Pen')"
STATEMENTS = (
    f"UPDATE customer SET city = 'nowhere' WHERE {UNSOLD}",
    f"UPDATE orders SET total = total + 1 WHERE {PENS}",
    "UPDATE orders SET status = 'big' WHERE total > (SELECT avg(total) FROM orders) AND id > 0",
    "UPDATE line SET quantity = 7 WHERE product_id IN (SELECT id FROM product WHERE title = 'Pen' OR price > 1)",
    "UPDATE line SET no = no + 20 WHERE order_id IN (SELECT order_id FROM line GROUP BY order_id HAVING count(*) > 1)",
    "UPDATE orders SET customer_id = 2 WHERE customer_id IN (SELECT id FROM customer WHERE city = 'Oslo')",
    "UPDATE product SET price = 3 WHERE EXISTS (SELECT 1 FROM line WHERE product_id = product.id AND quantity > 1)",
    "UPDATE passport SET country = 'NO' WHERE employee_id IN (SELECT boss_id FROM employee)",
    "INSERT INTO product (id, title) SELECT o.id + 500, c.name FROM customer c JOIN orders o ON o.customer_id = c.id",
    "DELETE FROM line WHERE order_id IN (SELECT id FROM orders WHERE status = 'big') AND no IN (SELECT no FROM line)",
    f"DELETE FROM line WHERE order_{PENS}",
    "DELETE FROM passport WHERE employee_id IN (SELECT id FROM employee WHERE boss_id IS NULL)",
    f"DELETE FROM customer WHERE {UNSOLD}",
)


@pytest.mark.thorough
@pytest.mark.parametrize("design", DESIGNS)
def test_sets_may_come_first(design: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Whichever way is taken – here it is the last –, every home holds afterwards what SQLite's table holds."""
    prices = count(start=0, step=-1)
    run = trace(DESIGNS[design](model()), ROWS, database, tmp_path)
    run.price = lambda _: float(next(prices))
    run.run_all(STATEMENTS, every=1)
    assert len(run.done) >= 9


def _plan(sql: str, design: Design) -> WritePlan:
    write = translate(sql, design.model, "sqlite")
    assert not isinstance(write, Query)
    return plan_write(write, design, statistics=STATISTICS, price=default_price)


def _read(sql: str, design: Design) -> list[Any]:
    query = translate(sql, design.model, "sqlite")
    assert isinstance(query, Query)
    plan = plan_read(query, design, statistics=STATISTICS, price=default_price)
    return list(compiled_read(plan, name="read", sql=sql).pipeline)


@pytest.mark.parametrize(("table", "condition"), [("customer", UNSOLD), ("orders", PENS)])
@pytest.mark.parametrize(
    "statement", ["UPDATE {table} SET id = id + 1 WHERE {condition}", "DELETE FROM {table} WHERE {condition}"]
)
def test_the_plan_is_that_of_the_select(statement: str, table: str, condition: str) -> None:
    """Up to what the rows are shown as, the stages are the same: those before are joined in the order that reads least."""
    made = DESIGNS["normalized"](model())
    indexes = (
        Index("orderss", (("customer_id", 1),)),
        Index("lines", (("product_id", 1),)),
        Index("products", (("title", 1),)),
    )
    design = Design(made.model, made.collections, indexes)
    steps = _plan(statement.format(table=table, condition=condition), design).steps
    fetch = next(step for step in steps if isinstance(step, Fetch) and step.rows.startswith(f"{table} in"))
    fetched = list(compiled_read(fetch.plan, name="fetch", sql="").pipeline)
    read = _read(f"SELECT * FROM {table} WHERE {condition}", design)
    assert any("$lookup" in stage for stage in read)
    assert [stage for stage in fetched if "$lookup" in stage] == [stage for stage in read if "$lookup" in stage]


FOLLOW = OnDelete.CASCADE, OnUpdate.CASCADE
CASCADES = (
    "DELETE FROM customer WHERE city = 'Oslo' AND id IN (SELECT customer_id FROM orders)",
    "UPDATE customer SET id = id + 50 WHERE name IS NULL OR city = 'Brno'",
    "DELETE FROM orders WHERE EXISTS (SELECT 1 FROM customer c WHERE c.id = orders.customer_id AND c.name > 'B')",
    "DELETE FROM customer WHERE name = 'Ann' OR id > 3",
    "DELETE FROM product WHERE EXISTS (SELECT 1 FROM maker m JOIN employee e ON e.id = m.id WHERE m.id = product.maker_id)",
    "DELETE FROM customer WHERE city <> 'nowhere'",
)


@pytest.mark.thorough
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("step", [-1, 1])
def test_rows_that_go_with_others_are_found_either_way(
    design: str, step: int, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """From themselves, or from the parents that go first: every home holds what SQLite's table holds."""
    prices = count(start=0, step=step)
    acted = model(customer_orders=FOLLOW, order_lines=FOLLOW, product_lines=FOLLOW)
    run = trace(DESIGNS[design](acted), ROWS, database, tmp_path)
    run.price = lambda _: float(next(prices))
    run.run_all(CASCADES, every=1)
    assert len(run.done) >= 4


@pytest.mark.parametrize(
    ("statement", "begin"),
    [
        ("DELETE FROM customer WHERE name = 'Ann'", {"customers"}),
        ("DELETE FROM customer WHERE id = 5", {"customers", "orderss"}),
        ("UPDATE customer SET id = 7 WHERE name = 'Ann'", {"customers"}),
        (f"DELETE FROM orders WHERE {PENS}", {"products"}),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_a_cascade_reads_what_goes_and_nothing_else(statement: str, begin: set[str], *, inside: bool) -> None:
    """Each read of children, and of theirs, begins at what the statement asks for, by an index."""
    orders = root("orders", *([lines()] if inside else []), references=refer("customer_orders"))
    own = [] if inside else [root("line", references=refer("order_lines", "product_lines"), key=("order_id", "no"))]
    indexes = (
        Index("customers", (("name", 1),)),
        Index("orderss", (("customer_id", 1),)),
        Index("products", (("title", 1),)),
        Index("orderss" if inside else "lines", (("lines.product_id" if inside else "product_id", 1),)),
    )
    collections = (root("customer"), orders, *own, *REST)
    design = Design(model(customer_orders=FOLLOW, order_lines=FOLLOW), collections, indexes)
    fetches = [step for step in _plan(statement, design).steps if isinstance(step, Fetch)]
    reads = [compiled_read(each.plan, name="fetch", sql="") for each in fetches]
    assert {read.collection for read in reads} == begin
    assert all(read.filter is not None or "$match" in read.pipeline[0] for read in reads)
