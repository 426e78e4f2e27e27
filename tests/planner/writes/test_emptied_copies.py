"""A foreign key that becomes NULL: what is copied of the parent goes with it, at once, and no parent is looked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.freshness import SNAPSHOT, TRANSACTION, Freshness
from nestling.ir.model import OnDelete, OnUpdate
from nestling.ir.paths.write_path import Fetch, UpdateDocuments, steps_within
from nestling.ir.primitives import Collection, Copy, Embedding, Field, Form
from nestling.ir.rows import Hop
from nestling.ir.statements.algebra import Query
from nestling.planner.sql import translate
from nestling.planner.writes import plan_write
from tests.planner.reads.shop import ROWS
from tests.planner.writes.shops import LINES, ORDERS, REST, lines, model, refer, root
from tests.write_traces import trace

LET_GO = {
    "product_lines": (OnDelete.SET_NULL, OnUpdate.CASCADE),
    "maker_products": (OnDelete.SET_NULL, OnUpdate.CASCADE),
}
UP = Hop("product_lines", up=True)
FORMS = {
    "object": Copy("product", (UP,), (Field("title", "title"), Field("price", "price")), Form.OBJECT, TRANSACTION),
    "inline": Copy(
        "product", (UP,), (Field("title", "product_title"), Field("price", "price")), Form.INLINE, TRANSACTION
    ),
    "array": Copy("product", (UP,), (Field("title", "title"), Field("price", "price")), Form.ARRAY, TRANSACTION),
    "two hops": Copy(
        "maker", (UP, Hop("maker_products", up=True)), (Field("name", "maker_name"),), Form.INLINE, TRANSACTION
    ),
}
NAMES = {"object": {"product"}, "array": {"product"}, "inline": {"product_title", "price"}, "two hops": {"maker_name"}}
STATEMENTS = (
    "UPDATE line SET product_id = NULL WHERE order_id = 10 AND no = 1",
    "UPDATE line SET product_id = NULL, quantity = quantity + 1 WHERE order_id = 11",
    "UPDATE line SET product_id = NULL WHERE quantity > 2",
    "UPDATE product SET maker_id = NULL WHERE id = 101",
    "DELETE FROM maker WHERE id = 1",
    "DELETE FROM product WHERE id = 102",
    "UPDATE line SET product_id = NULL",
)


def _design(copy: Copy, *, embedded: bool) -> Design:
    rest = (root("customer"), *REST)
    body = replace(LINES.body, copies=(copy,))
    if not embedded:
        return Design(model(**LET_GO), (ORDERS, replace(LINES, body=body), *rest))
    inside: Embedding = replace(lines(orphans="stray_lines"), body=replace(lines().body, copies=(copy,)))
    held: Collection = root("orders", inside, references=refer("customer_orders"))
    return Design(model(**LET_GO), (held, *rest))


def _elements(database: Database[dict[str, Any]], *, embedded: bool) -> list[dict[str, Any]]:
    if not embedded:
        return list(database.lines.find())
    return [line for order in database.orderss.find() for line in order.get("lines", [])]


def _expected(form: str, line: dict[str, Any], database: Database[dict[str, Any]]) -> dict[str, Any]:
    """What a line must hold of its product or its maker."""
    product = database.products.find_one({"_id": line.get("product_id")}) or {}
    told = {name: product[name] for name in ("title", "price") if name in product}
    if form == "array":
        return {"product": [told] if product else []}
    if form == "object":
        return {"product": told} if product else {}
    maker = database.makers.find_one({"_id": product.get("maker_id")}) or {}
    copied = (
        {"product_title": product.get("title"), "price": product.get("price")}
        if form == "inline"
        else {"maker_name": maker.get("name")}
    )
    return {name: value for name, value in copied.items() if value is not None}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("embedded", [False, True], ids=["apart", "embedded"])
@pytest.mark.parametrize("form", FORMS)
def test_a_copy_goes_with_its_parent(
    form: str, embedded: bool, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """After each statement every line has what its product says, and one without a product nothing."""
    copy = FORMS[form]
    run = trace(_design(copy, embedded=embedded), ROWS, database, tmp_path)
    for sql in STATEMENTS:
        run.run(sql)
        run.check()
        for line in _elements(database, embedded=embedded):
            assert {name: line[name] for name in NAMES[form] if name in line} == _expected(form, line, database), sql
    lines_left = _elements(database, embedded=embedded)
    assert lines_left
    assert not any(line.get(name) for line in lines_left for name in NAMES[form])
    assert not run.gaps


def _plan(sql: str, freshness: Freshness = TRANSACTION) -> list[object]:
    design = _design(replace(FORMS["object"], freshness=freshness), embedded=False)
    write = translate(sql, design.model, "sqlite")
    assert not isinstance(write, Query)
    return list(steps_within(plan_write(write, design).steps))


def test_a_row_found_by_its_key_needs_one_command() -> None:
    """It takes the foreign key away, and the copy."""
    (step,) = _plan("UPDATE line SET product_id = NULL WHERE order_id = 10 AND no = 1")
    assert isinstance(step, UpdateDocuments)
    assert [change.path for change in step.changes] == ["product_id", "product"]


def test_a_parent_is_looked_for_where_there_may_be_one() -> None:
    """A parameter may be NULL, and may be not."""
    steps = _plan("UPDATE line SET product_id = :product WHERE order_id = 10 AND no = 1")
    assert any("products" in str(each) for each in steps if isinstance(each, UpdateDocuments | Fetch))


def test_a_snapshot_stays() -> None:
    """It is of the time when the row came."""
    (step,) = _plan("UPDATE line SET product_id = NULL WHERE order_id = 10 AND no = 1", SNAPSHOT)
    assert isinstance(step, UpdateDocuments)
    assert [change.path for change in step.changes] == ["product_id"]


def test_rows_whose_parent_goes_are_found_and_changed() -> None:
    """Nothing is read of them but their ids, and no parent is asked for."""
    steps = _plan("DELETE FROM product WHERE id = 102")
    changed = [each for each in steps if isinstance(each, UpdateDocuments)]
    assert [(each.collection, [change.path for change in each.changes]) for each in changed] == [
        ("lines", ["product_id", "product"])
    ]
    assert [[column.name for column in each.plan.columns] for each in steps if isinstance(each, Fetch)] == [
        ["id"],
        ["id"],
    ]
