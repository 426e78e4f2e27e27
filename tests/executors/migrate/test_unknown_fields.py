"""Fields that the designs do not know, where a migration would lose them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.executors.migrate.state import States
from nestling.ir.migration import Phase
from nestling.ir.proposal import Proposal
from tests.emitters.designs import orders
from tests.emitters.test_loaded import rows_of
from tests.sqlite_rows import sqlite_source

Documents = Database[dict[str, Any]]


@pytest.fixture
def moves(database: Documents, tmp_path: Path) -> tuple[Proposal, Proposal]:
    """Orders with arrays, overflow pages and orphans, loaded; and the same without the orders' sums."""
    old = orders()
    sqlite_source(tmp_path / "rows.db", old.model, rows_of(old))
    pipeline.load(Proposal("", old), f"sqlite:///{tmp_path / 'rows.db'}", database, check=False)
    home = next(each for each in old.collections if each.name == "orders")
    plain = replace(home, body=replace(home.body, computed=()))
    others = tuple(each for each in old.collections if each.name != "orders")
    return Proposal("", old), Proposal("", replace(old, collections=(*others, plain), indexes=()))


def test_every_level_of_what_moves(database: Documents, moves: tuple[Proposal, Proposal]) -> None:
    """Documents, elements, pages of what the array had no room for, and rows without a parent; not what stays."""
    database["orders"].update_one({"_id": 1}, {"$set": {"tracking": "XYZ", "lines.0.gift": True, "invoice.paid": True}})
    database["order_lines"].update_one({}, {"$set": {"lines.0.weight": 3}})
    database["lost_remarks"].update_one({}, {"$set": {"tone": "kind"}})
    database["products"].update_many({}, {"$set": {"colour": "red"}})
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, database)
    told = {str(each.what.partition("`")[2].partition("`")[0]) for each in refused.value.problems}
    wanted = {
        "orders.tracking",
        "orders.lines[].gift",
        "orders.invoice.paid",
        "order_lines.lines[].weight",
        "lost_remarks.tone",
    }
    assert told == wanted
    done = pipeline.migrate(*moves, database, cutover=True, may_lose=["unknown"])
    assert done.equal
    assert {f"{each.collection}.{each.path}" for each in done.unknown} == wanted
    assert database["products"].count_documents({"colour": "red"}) == database["products"].count_documents({})


@pytest.mark.thorough
def test_a_field_that_comes_last_of_all(database: Documents, moves: tuple[Proposal, Proposal]) -> None:
    """Behind the fence it is looked again; what is found then stops the cutover, and the old design takes writes again."""

    def add(what: str, rows: int, total: int | None) -> None:
        del rows, total
        if what.endswith("cutover"):
            database["orders"].update_one({"_id": 1}, {"$set": {"tracking": "XYZ"}})

    with pytest.raises(MigrationError, match=r"`orders.tracking` in 1 document, such as _id 1, .* would be lost"):
        pipeline.migrate(*moves, database, cutover=True, watch=add)
    state = States(database).read()
    assert state is not None
    assert state.phase is Phase.FOLLOWING
    database["orders"].update_one({"_id": 1}, {"$unset": {"tracking": 1}})
    assert pipeline.migrate(*moves, database, cutover=True).phase is Phase.DONE


@pytest.mark.thorough
def test_what_is_written_to_what_was_set_aside(database: Documents, moves: tuple[Proposal, Proposal]) -> None:
    """A field that only the old design's collection has is looked for before that is dropped."""
    assert pipeline.migrate(*moves, database, cutover=True).equal
    database["orders.before"].update_one({"_id": 1}, {"$set": {"tracking": "XYZ"}})
    with pytest.raises(
        MigrationError, match=r"`orders.before.tracking` in 1 document, such as _id 1, .* lost for good"
    ):
        pipeline.drop_old(*moves, database)
    assert "orders.before" in database.list_collection_names()
    dropped = pipeline.drop_old(*moves, database, may_lose=["unknown"])
    assert [each.path for each in dropped.unknown] == ["tracking"]
    assert "orders.before" not in database.list_collection_names()
