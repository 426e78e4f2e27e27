"""Copies and computed values that hold what nothing else tells, where a migration would lose it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.executors.migrate.state import States
from nestling.ir.found_field import FoundField
from nestling.ir.freshness import TRANSACTION
from nestling.ir.migration import Phase
from nestling.ir.proposal import Proposal
from tests.emitters.designs import orders
from tests.emitters.test_loaded import rows_of
from tests.sqlite_rows import sqlite_source

Documents = Database[dict[str, Any]]
Moves = tuple[Proposal, Proposal]


@pytest.fixture
def moves(database: Documents, tmp_path: Path) -> Moves:
    """Orders with copies of their customers' and products' fields and with sums of their lines, loaded; and without the sums."""
    old = orders()
    home = next(each for each in old.collections if each.name == "orders")
    others = tuple(each for each in old.collections if each.name != "orders")
    lines, *rest = home.body.embeddings
    copied = tuple(replace(each, freshness=TRANSACTION) for each in lines.body.copies)
    kept = replace(lines, body=replace(lines.body, copies=copied))
    home = replace(home, body=replace(home.body, embeddings=(kept, *rest)))
    old = replace(old, collections=(*others, home))
    sqlite_source(tmp_path / "rows.db", old.model, rows_of(old))
    pipeline.load(Proposal("", old), f"sqlite:///{tmp_path / 'rows.db'}", database, check=False)
    plain = replace(home, body=replace(home.body, computed=()))
    return Proposal("", old), Proposal("", replace(old, collections=(*others, plain), indexes=()))


@pytest.mark.thorough
def test_what_nothing_else_tells(database: Documents, moves: Moves) -> None:
    """Of copies, each attribute and at every level, and of computed values; what is missing is not lost, and what stays stays."""
    database["orders"].update_one({"_id": 1}, {"$set": {"customer.name": "Ada", "sums.lines": 77}})
    database["orders"].update_one({"_id": 1}, {"$set": {"lines.0.product_name": "as it was called"}})
    database["orders"].update_one({"_id": 2, "lines.price": {"$exists": True}}, {"$unset": {"lines.$.price": 1}})
    database["customers"].update_many({}, {"$set": {"latest": []}})
    with pytest.raises(
        MigrationError, match=r"(?s)`orders.customer.name` in 1 document, such as _id 1, .*`--drop-copies`"
    ) as refused:
        pipeline.migrate(*moves, database)
    told = {each.what.split("`")[1] for each in refused.value.problems}
    assert told == {"orders.customer.name", "orders.lines[].product_name", "orders.sums.lines"}
    assert "orders.new" not in database.list_collection_names()
    risks = pipeline.plan_migration(*moves, database).risks
    (risk,) = [each for each in risks if "refuses this without `--drop-copies`" in each]
    assert set(re.findall(r"`(\S+)` in 1 document", risk)) == told
    assert pipeline.migrate(*moves, database, cutover=True, may_lose=["copies"]).equal


def test_a_source_that_is_gone(database: Documents, moves: Moves) -> None:
    """What the copies hold of it is all that is left."""
    gone = database["orders"].find_one({"_id": 1})
    assert gone is not None
    holding = database["orders"].count_documents({"customer_id": gone["customer_id"]})
    database["customers"].delete_one({"id": gone["customer_id"]})
    with pytest.raises(MigrationError, match=rf"`orders.customer.name` in {holding} document"):
        pipeline.migrate(*moves, database)


@pytest.mark.thorough
def test_what_lags_is_told(database: Documents, moves: Moves) -> None:
    """What the background keeps may be behind at any moment: a risk and a line of the report, and no error."""
    database["orders"].update_one({"_id": 1}, {"$set": {"sums.items": 77}})
    risks = pipeline.plan_migration(*moves, database).risks
    assert any("`orders.sums.items` in 1 document, such as _id 1, " in each and "sync" in each for each in risks)
    done = pipeline.migrate(*moves, database, cutover=True)
    assert (done.phase, done.lagging) == (Phase.DONE, (FoundField("orders", ("sums", "items"), 1, 1),))


@pytest.mark.thorough
def test_a_value_that_comes_last_of_all(database: Documents, moves: Moves) -> None:
    """Behind the fence it is looked again; what is found then stops the cutover, and the old design takes writes again."""

    def change(what: str, rows: int, total: int | None) -> None:
        del rows, total
        if what.endswith("cutover"):
            database["orders"].update_one({"_id": 1}, {"$set": {"customer.name": "Ada"}})

    with pytest.raises(MigrationError, match=r"`orders.customer.name` in 1 document, such as _id 1, .* would be lost"):
        pipeline.migrate(*moves, database, cutover=True, watch=change)
    state = States(database).read()
    assert state is not None
    assert state.phase is Phase.FOLLOWING
    assert pipeline.check(moves[0], database, repair=True).clean
    assert pipeline.migrate(*moves, database, cutover=True).phase is Phase.DONE
