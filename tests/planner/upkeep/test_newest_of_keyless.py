"""The first children of a parent where children have no key: a new one is pushed where what elements hold says its place."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.executors.write import run_write
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.paths.write_path import Fetch, Push, UpdateDocuments, steps_within
from nestling.ir.primitives import Collection, Copy, Document, Field, Form, Holder, Order, Reference
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.rows import down
from nestling.planner.upkeep import ChangeKind, RowChange
from nestling.planner.upkeep.newest import is_in_place
from tests.patterns.scenario import scenario

TABLES = """
CREATE TABLE device (id INTEGER PRIMARY KEY);
CREATE TABLE reading (device_id INTEGER NOT NULL REFERENCES device(id), at INTEGER NOT NULL, level REAL, note TEXT,
  price NUMERIC);
"""
NEWEST = (Order("at", descending=True),)
COPIES: dict[str, tuple[bool, tuple[str, ...], Form, tuple[Order, ...], int | None]] = {
    "all": (True, ("at", "level", "note", "price"), Form.ARRAY, NEWEST, 3),
    "the last apart": (True, ("at", "level"), Form.ARRAY, NEWEST, 3),
    "in another order": (True, ("level", "at", "device_id"), Form.ARRAY, NEWEST, 2),
    "by one that may be NULL": (True, ("at", "level", "note"), Form.ARRAY, (Order("note", descending=True),), 4),
    "values": (True, ("at",), Form.SCALARS, NEWEST, 5),
    "values that may be NULL": (True, ("level",), Form.SCALARS, (Order("level"),), 3),
    "without a limit": (True, ("at", "level", "note"), Form.ARRAY, (), None),
    "one between apart": (False, ("at", "note"), Form.ARRAY, NEWEST, 3),
    "the order apart": (False, ("level", "note"), Form.ARRAY, NEWEST, 3),
    "decimals of any digits": (False, ("at", "price"), Form.ARRAY, (Order("price"), *NEWEST), 3),
}
ADD = "INSERT INTO reading (device_id, at, level, note) VALUES (:d, :at, :level, :note), (:d, :at, 1.5, NULL), (2, :at, 0, 'x')"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", COPIES)
def test_what_is_added_is_as_if_loaded(name: str, tmp_path: Path, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Rows that are equal, in part or all, and NULLs; rows that go are followed by a look at the others."""
    is_pushed, attributes, form, order, limit = COPIES[name]
    chance = random.Random(name)
    rows = [_drawn(chance) for _ in range(12)]
    application = scenario(tmp_path, TABLES, {"device": [(1,), (2,), (3,)], "reading": rows}, "")
    model = application.reading.model
    (link,) = model.relationships
    held = tuple(Field(each, each) for each in attributes)
    copy = Copy("latest", (down(link),), held, form, TRANSACTION, order, limit)
    readings = Collection("reading", Document("reading", references=(Reference(link.name, Holder.CHILD),)), ())
    made = Proposal(
        "by hand",
        Design(model, (Collection("device", Document("device", copies=(copy,)), ("id",)), readings)),
        dialect="sqlite",
    )
    add, gone = (_write(made, sql) for sql in (ADD, "DELETE FROM reading WHERE device_id = :d AND at = :at"))
    assert add.plan is not None
    steps = [*steps_within(add.plan.steps)]
    changes = [each for step in steps if isinstance(step, UpdateDocuments) for each in step.changes]
    assert any(isinstance(each, Push) for each in changes) is is_pushed
    assert any(isinstance(each, Fetch) and "latest" in each.rows for each in steps) is not is_pushed
    assert is_in_place(model, copy, RowChange("reading", ChangeKind.INSERT, "")) is is_pushed
    assert not is_in_place(model, copy, RowChange("reading", ChangeKind.DELETE, ""))
    database, anew = (mongo_client[f"{tmp_path.name[:40]}_{number}"] for number in range(2))
    pipeline.load(made, application.address, database)
    with closing(sqlite3.connect(application.address.removeprefix("sqlite:///"))) as connection:
        for turn in range(12):
            write, sql = (gone, gone.sql) if turn % 5 == 4 else (add, ADD)
            values = dict(zip(("d", "at", "level", "note"), _drawn(chance), strict=False))
            values = {each: values[each] for each in write.parameters}
            run_write(database, write, values)
            connection.execute(sql, values)
        connection.commit()
    pipeline.load(made, application.address, anew)
    there, wanted = ([*each["device"].find(sort=[("_id", 1)])] for each in (database, anew))
    assert any(device["latest"] for device in wanted)
    assert there == wanted
    for each in (database, anew):
        mongo_client.drop_database(each.name)


def _drawn(chance: random.Random) -> tuple[object, ...]:
    """A reading out of few."""
    level, note = chance.choice([None, 0.0, 1.5, -2.0]), chance.choice([None, "x", "y"])
    return chance.randrange(1, 3), chance.randrange(4), level, note, chance.choice([None, 1, 2.5])


def _write(made: Proposal, sql: str) -> CompiledWrite:
    write = pipeline.convert(made, sql)
    assert isinstance(write, CompiledWrite), write
    return write
