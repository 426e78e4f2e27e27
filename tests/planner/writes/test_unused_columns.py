"""A write reads only the columns that its steps use, whatever kind of write it is and wherever the rows lie."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.emitters.mql.read import compiled_read
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import OnDelete, OnUpdate
from nestling.ir.paths.write_path import Fetch, WritePlan, steps_within
from nestling.ir.primitives import Copy, Field, Form, Split
from nestling.ir.rows import Hop
from nestling.ir.statements.algebra import Query
from nestling.pipeline.converting import default_price
from nestling.planner.sql import translate
from nestling.planner.work import estimate, estimate_write
from nestling.planner.writes import plan_write
from tests.planner.reads.shop import ROWS
from tests.planner.work.test_estimate_write import STATISTICS
from tests.planner.writes.shops import DESIGNS, LINES, PRODUCT, model
from tests.write_traces import trace

FOLLOW = OnDelete.CASCADE, OnUpdate.CASCADE
PRICE = Copy("product", (Hop("product_lines", up=True),), (Field("price", "price"),), Form.OBJECT, TRANSACTION)


def _plan(sql: str, design: Design) -> WritePlan:
    write = translate(sql, design.model, "sqlite")
    assert not isinstance(write, Query)
    return plan_write(write, design)


def _read(plan: WritePlan) -> list[tuple[str, ...]]:
    """The columns of each read, those inside other steps after the others."""
    fetches = [step for step in steps_within(plan.steps) if isinstance(step, Fetch)]
    return [tuple(column.name for column in each.plan.columns) for each in fetches]


def _copied(*, split: tuple[str, ...] = ()) -> Design:
    """Tables as collections; lines copy the price of their product, some of whose attributes are split off."""
    made = DESIGNS["normalized"](model())
    splits = (Split("product_parts", split),) if split else ()
    products = replace(PRODUCT, splits=splits)
    lines = replace(LINES, body=replace(LINES.body, copies=(PRICE,)))
    changed = {PRODUCT.name: products, LINES.name: lines}
    return Design(made.model, tuple(changed.get(each.name, each) for each in made.collections))


def test_an_update_reads_what_changes_and_what_finds_it() -> None:
    """Of four attributes, before and after, none but these: the key, the new price, the document's id."""
    assert _read(_plan("UPDATE product SET price = 3 WHERE id < 102", _copied())) == [("old_id", "new_price", "id")]


def test_a_cascade_reads_ids() -> None:
    """Rows that go where each is a document are told by its `_id` alone."""
    design = DESIGNS["normalized"](model(order_lines=FOLLOW))
    assert _read(_plan("DELETE FROM orders WHERE total > 5", design)) == [("id",), ("id",)]


def test_what_is_returned_is_read() -> None:
    """And nothing beside it."""
    plan = _plan("UPDATE product SET price = 3 WHERE id < 102 RETURNING title", DESIGNS["normalized"](model()))
    assert _read(plan) == [("new_title", "new_price", "id")]


def test_what_only_a_dropped_column_needed_goes_too() -> None:
    """A row given to a read inside has the values it mentions: the order's key, then the product's."""
    plan = _plan("INSERT INTO line VALUES (10, 7, 100, 1)", DESIGNS["normalized"](model()))
    fetches = [step for step in steps_within(plan.steps) if isinstance(step, Fetch)]
    assert [each.cells for each in fetches] == [
        (("cell new_order_id", "new_order_id"),),
        (("cell new_product_id", "new_product_id"),),
    ]


@pytest.mark.thorough
def test_a_split_part_is_not_looked_up(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Where nothing uses its attributes, which makes the read cheaper; each collection then holds what SQLite's table holds."""
    design = _copied(split=("title", "maker_id"))
    plan = _plan("UPDATE product SET price = 3 WHERE id < 102", design)
    (fetch,) = (step for step in steps_within(plan.steps) if isinstance(step, Fetch))
    titled = _plan("UPDATE product SET price = 3 WHERE id < 102 RETURNING title", design)
    (other,) = (step for step in steps_within(titled.steps) if isinstance(step, Fetch))
    stages = [compiled_read(each.plan, name="").pipeline for each in (fetch, other)]
    assert [any("$lookup" in stage for stage in each) for each in stages] == [False, True]
    lean, full = (estimate(each.plan, design, STATISTICS) for each in (fetch, other))
    assert (lean.lookups, lean.documents) < (full.lookups, full.documents)
    run = trace(design, ROWS, database, tmp_path)
    run.run_all(["UPDATE product SET price = 3 WHERE id < 102", "UPDATE product SET title = 'x', price = 4"], every=1)
    assert len(run.done) == 2


def test_the_estimate_has_what_is_read() -> None:
    """Fewer columns are less work for the server."""
    design = _copied()
    write = estimate_write(_plan("UPDATE product SET price = 3 WHERE id < 102", design), design, STATISTICS)
    more = estimate_write(
        _plan("UPDATE product SET price = 3 WHERE id < 102 RETURNING id, title, maker_id", design), design, STATISTICS
    )
    assert default_price(write) < default_price(more)


def test_no_rows_are_read_for_nothing() -> None:
    """The lines that lie in an order go with it, and nothing else is asked of them: only customers and orders are read."""
    design = DESIGNS["ordered"](model(customer_orders=FOLLOW, order_lines=FOLLOW))
    plan = _plan("DELETE FROM customer WHERE id = 3", design)
    fetched = [step for step in plan.steps if isinstance(step, Fetch)]
    assert not [each.rows for each in fetched if each.rows == "line in orderss.lines"]
    assert "orders in orderss" in [each.rows for each in fetched]
