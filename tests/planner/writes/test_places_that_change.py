"""Rows whose place changes with others': the documents are those that loading the same rows afresh would make."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.errors import ConstraintError, GapError
from nestling.emitters.commands import collection_commands, unseen_commands
from nestling.executors.create import create
from nestling.executors.load import load, written_collections
from nestling.executors.write import run_write
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import OnDelete, OnUpdate
from nestling.ir.paths.write_path import Violation
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.rows import Hop
from nestling.ir.statements.write import Delete
from nestling.ir.text import read_proposal
from nestling.planner.sql import translate
from nestling.planner.writes import plan_write
from tests.planner.reads.shop import ROWS
from tests.planner.writes.shops import DESIGNS, EMPLOYEE, loose, model
from tests.write_traces import Trace, trace

FOLLOW = OnDelete.CASCADE, OnUpdate.CASCADE
COMES_LATER = (
    "INSERT INTO orders VALUES (20, 99, 'open', 1.5), (21, 99, 'paid', 2.5)",
    "INSERT INTO line VALUES (20, 1, 100, 5), (70, 1, 100, 5), (70, 2, 101, 4), (70, 3, 102, 9)",
    "INSERT INTO customer VALUES (99, 'Late', NULL)",
    "INSERT INTO orders VALUES (70, 99, 'open', 3.5)",
    "UPDATE customer SET id = 98 WHERE id = 99",
    "UPDATE customer SET id = 99 WHERE id = 4",
    "UPDATE orders SET id = 71 WHERE id = 70",
    "UPDATE orders SET id = 70 WHERE id = 10",
    "DELETE FROM orders WHERE id = 70",
    "DELETE FROM customer WHERE id = 99",
    "INSERT INTO customer VALUES (99, 'Again', NULL), (4, 'Back', 'Brno')",
)
KEYS_CHANGE = (
    "UPDATE orders SET id = 30 WHERE id = 10",
    "UPDATE orders SET id = id + 100",
    "UPDATE orders SET id = 5, status = 'first' WHERE id = 113",
    "INSERT INTO line VALUES (5, 9, NULL, 3), (5, 8, NULL, 4)",
    "DELETE FROM line WHERE order_id = 5 AND no = 1",
    "UPDATE orders SET id = 6 WHERE id = 5",
)


@pytest.mark.thorough
@pytest.mark.parametrize("design", ["nested", "ordered", "overflowing"])
def test_children_wait_for_their_parent(design: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Orphans move into a parent that arrives, whether it is new or gets their key; it leaves them when it goes."""
    run = trace(DESIGNS[design](loose(model())), ROWS, database, tmp_path)
    for sql in COMES_LATER:
        run.run(sql)
        _check_as_loaded(run)
    assert not run.gaps
    assert len(run.done) == len(COMES_LATER)


@pytest.mark.thorough
@pytest.mark.parametrize("design", ["ordered", "overflowing"])
def test_children_follow_their_parents_key(design: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Elements of the array go with it; those in overflow pages get theirs anew."""
    run = trace(DESIGNS[design](model(order_lines=FOLLOW)), ROWS, database, tmp_path)
    for sql in KEYS_CHANGE:
        run.run(sql)
        _check_as_loaded(run)
    assert not run.gaps
    assert len(run.done) == len(KEYS_CHANGE)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("enforced", [True, False])
def test_ids_only_the_parent_tells_need_it(enforced: bool, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A foreign key that no parent could hold is refused, not forgotten."""
    run = trace(DESIGNS["listed"](model() if enforced else loose(model())), ROWS, database, tmp_path)
    for sql in ("INSERT INTO product VALUES (300, 'Pad', 1.5, 77)", "UPDATE product SET maker_id = 77 WHERE id = 100"):
        with pytest.raises(ConstraintError) as refused:
            run_write(database, run.compiled(sql))
        assert refused.value.violation == (Violation.PARENT if enforced else Violation.PLACE)
    run.run("INSERT INTO product VALUES (300, 'Pad', 1.5, NULL)")
    run.run("UPDATE product SET maker_id = NULL WHERE id = 100")
    run.check()


@pytest.mark.thorough
def test_a_validator_finds_the_path_of_a_new_row(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A materialised path is there from the first moment, and right after the statement."""
    base = DESIGNS["normalized"](model())
    path = Copy("path", (Hop("boss_of", up=True),), (Field("id", "id"),), Form.PATH, TRANSACTION, closure=True)
    employee = replace(EMPLOYEE, body=replace(EMPLOYEE.body, copies=(path,)))
    collections = tuple(employee if each == EMPLOYEE else each for each in base.collections)
    run = trace(replace(base, collections=collections), ROWS, database, tmp_path)
    run.run("INSERT INTO employee VALUES (9, 'Zed', 4), (10, 'Yan', NULL)")
    run.run("UPDATE employee SET boss_id = 10 WHERE id = 2")
    _check_as_loaded(run)
    assert len(run.done) == 2


def _check_as_loaded(run: Trace) -> None:
    run.check()
    client, name = run.database.client, f"afresh_{uuid.uuid4().hex}"
    try:
        create(collection_commands(run.design), client[name], written_collections(run.design))
        load(run.design, run.source, client[name], unseen=unseen_commands(run.design))
        assert _documents(run.database) == _documents(client[name]), run.done
    finally:
        client.drop_database(name)


def _documents(database: Database[Any]) -> dict[str, list[str]]:
    found = {
        name: sorted(repr(_sorted(document)) for document in database[name].find())
        for name in database.list_collection_names()
        if not name.startswith("system.") and "nestling" not in name
    }
    return {name: documents for name, documents in found.items() if documents}


def _sorted(value: object) -> object:
    """Fields by name: their order is nobody's concern but in `_id`."""
    if isinstance(value, dict):
        return {name: inner if name == "_id" else _sorted(inner) for name, inner in sorted(value.items())}
    return [_sorted(inner) for inner in value] if isinstance(value, list) else value


ARCHIVED_TREE = """
nestling: 1
strategy: by hand
model:
  name: tree
  entities: {node: {key: id, attributes: {id: integer!, above: integer}}}
  relationships: {tree: {parent: node, child: node, attributes: above, on_delete: ON_DELETE}}
design:
  collections:
    nodes:
      root: node
      id: id
      references: {tree: {child-reference: below}}
      splits: {old: {rows: {attribute: above, before: "5"}}}
"""


def test_rows_that_only_a_parent_that_goes_knows_are_a_gap() -> None:
    """Which of them move to another collection could not be told once it is gone; without such moves they are let go with it."""
    design = read_proposal(ARCHIVED_TREE.replace("ON_DELETE", "set null"), "tree.yaml").design
    statement = translate("DELETE FROM node WHERE id = 1", design.model)
    assert isinstance(statement, Delete)
    with pytest.raises(GapError, match="which alone refer to them"):
        plan_write(statement, design)
    whole = replace(design, collections=tuple(replace(each, splits=()) for each in design.collections))
    assert plan_write(statement, whole).steps
