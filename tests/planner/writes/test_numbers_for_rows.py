"""INSERT … SELECT of several rows takes numbers that never return for as many rows as it finds, from a counter apart."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo import AsyncMongoClient
from pymongo.database import Database

from nestling import AsyncStore, Store, pipeline
from nestling.common.errors import ConstraintError
from nestling.common.server import Server
from nestling.emitters.mql.write_json import write_json
from nestling.emitters.python_code.module import module
from nestling.executors.write import run_write
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.rows import Hop
from nestling.ir.storage.names import NUMBERS_COLLECTION
from nestling.planner.work import estimate_write
from tests.planner.writes.of_sqlite import proposal_of

TABLES = """
CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE thing (id INTEGER PRIMARY KEY AUTOINCREMENT, shelf_id INTEGER NOT NULL REFERENCES shelf, name TEXT NOT NULL);
INSERT INTO shelf VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f');
INSERT INTO thing VALUES (1, 1, 'first');
"""
COPY = "INSERT INTO thing (shelf_id, name) SELECT :shelf, :name || name FROM shelf WHERE id <= :most ORDER BY name DESC"
TO_COME = "INSERT INTO thing (shelf_id, name) SELECT id, :name FROM shelf WHERE id > :above"
WRITERS, TURNS = 6, 5


proposal = proposal_of(TABLES, "normalized", "embedded")
"""Things in a collection of their own, or in their shelves."""


def _compiled(proposal: Proposal, sql: str) -> CompiledWrite:
    write = pipeline.convert(proposal, sql, name="copy")
    assert isinstance(write, CompiledWrite)
    return write


def _function(proposal: Proposal, sql: str) -> Any:
    known: dict[str, Any] = {}
    exec(module([_compiled(proposal, sql)]), known)
    return known["copy"]


def _things(store: Store) -> list[tuple[object, ...]]:
    rows = store.execute("SELECT id, shelf_id, name FROM thing ORDER BY id")
    return [(row["id"], row["shelf_id"], row["name"]) for row in rows]


def _last(database: Database[Any]) -> int:
    (kept,) = database[NUMBERS_COLLECTION].find()
    return int(kept["last"])


def _same(proposal: Proposal, database: Database[Any], given: Iterable[dict[str, object]], path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for values in given:
            connection.execute(COPY, values)
        expected = connection.execute("SELECT id, shelf_id, name FROM thing ORDER BY id").fetchall()
        (last,) = connection.execute("SELECT seq FROM sqlite_sequence").fetchone()
    assert _things(Store(proposal, database)) == expected
    assert _last(database) == last
    assert pipeline.check(proposal, database).clean


GIVEN: tuple[dict[str, object], ...] = (
    {"shelf": 2, "name": "x", "most": 4},
    {"shelf": 3, "name": "y", "most": 0},
    {"shelf": 3, "name": "z", "most": 100},
)


@pytest.mark.thorough
def test_a_store_numbers_them(proposal: Proposal, database: Database[Any], tmp_path: Path) -> None:
    """As SQLite does; no rows take no number."""
    store = Store(proposal, database)
    for values in GIVEN:
        store.execute(COPY, **values)
    _same(proposal, database, GIVEN, tmp_path / "s.db")


@pytest.mark.one_in(2)
def test_an_asynchronous_store_numbers_them(
    proposal: Proposal, database: Database[Any], mongod: Server, tmp_path: Path
) -> None:
    """In the same way."""

    async def add() -> None:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client:
            store = AsyncStore(proposal, client[database.name])
            for values in GIVEN:
                await store.execute(COPY, **values)

    asyncio.run(add())
    _same(proposal, database, GIVEN, tmp_path / "s.db")


@pytest.mark.thorough
def test_a_written_function_numbers_them(proposal: Proposal, database: Database[Any], tmp_path: Path) -> None:
    """In the same way, on the driver alone."""
    copy = _function(proposal, COPY)
    assert [copy(database, **values) for values in GIVEN] == [4, 0, 6]
    _same(proposal, database, GIVEN, tmp_path / "s.db")


@pytest.mark.one_in(2)
def test_many_writers_number_the_rows_of_queries(proposal: Proposal, database: Database[Any]) -> None:
    """Each statement has numbers without a gap, for the rows it finds while others come; nobody else has them."""
    store, copy = Store(proposal, database), _function(proposal, f"{COPY} RETURNING id")
    found: list[list[int]] = []

    def add(writer: int) -> None:
        for turn in range(TURNS):
            values = {"shelf": writer + 1, "name": f"{writer} {turn} ", "most": 1000}
            if not writer:
                store.execute("INSERT INTO shelf VALUES (:id, 'new')", id=100 + turn)
            elif writer % 2:
                found.append([row["id"] for row in copy(database, **values)])
            else:
                rows = store.execute(f"{COPY} RETURNING id", **values)
                found.append([int(str(row["id"])) for row in rows])

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(add, range(WRITERS)))
    numbers = [number for each in found for number in each]
    assert len(found) == (WRITERS - 1) * TURNS
    assert all(
        6 <= len(each) <= 6 + TURNS and sorted(each) == [*range(min(each), min(each) + len(each))] for each in found
    )
    assert [row[0] for row in _things(store)] == [1, *sorted(numbers)]
    assert len({*numbers}) == len(numbers)
    assert pipeline.check(proposal, database).clean


@pytest.mark.thorough
def test_rows_of_the_same_transaction_count(proposal: Proposal, database: Database[Any]) -> None:
    """The count is read in it, and the counter is raised outside of it: what fails leaves a gap."""
    store = Store(proposal, database)

    def work(transaction: Any) -> None:
        transaction.execute("INSERT INTO shelf VALUES (7, 'g')")
        transaction.execute(TO_COME, name="new", above=5)
        transaction.execute("INSERT INTO thing (shelf_id, name) SELECT shelf_id, 'again' FROM thing WHERE name = 'new'")
        if fails:
            raise LookupError

    fails = True
    with pytest.raises(LookupError):
        store.transaction(work)
    fails = False
    store.transaction(work)
    assert [(row[0], row[1]) for row in _things(store)] == [(1, 1), (6, 6), (7, 7), (8, 6), (9, 7)]


@pytest.mark.one_in(2)
def test_rows_the_counter_was_not_told_of_count_too(proposal: Proposal, database: Database[Any]) -> None:
    """Numbers are above the highest there is."""
    store = Store(proposal, database)
    store.execute("INSERT INTO thing VALUES (40, 1, 'forty')")
    database[NUMBERS_COLLECTION].update_one({}, {"$set": {"last": 7}})
    store.execute(TO_COME, name="x", above=4)
    assert [row[0] for row in _things(store)] == [1, 40, 41, 42]
    database.drop_collection(NUMBERS_COLLECTION)
    assert _function(proposal, TO_COME)(database, name="y", above=4) == 2
    assert [row[0] for row in _things(store)] == [1, 40, 41, 42, 43, 44]
    assert _last(database) == 44


@pytest.mark.one_in(2)
def test_more_rows_than_were_counted_are_refused(proposal: Proposal, database: Database[Any]) -> None:
    """No row takes a number that another may take, and nothing of the write stays."""
    write = _compiled(proposal, TO_COME)
    (numbers,) = write.new_numbers
    assert numbers.count is not None
    read = numbers.count.read
    fewer = replace(read, pipeline=(*read.pipeline, {"$set": {"count": {"$subtract": ["$count", 1]}}}))
    short = replace(write, new_numbers=(replace(numbers, count=replace(numbers.count, read=fewer)),))
    before = _things(Store(proposal, database))
    with pytest.raises(ConstraintError, match=r"more rows than when .* again"):
        run_write(database, short, {"name": "x", "above": 1})
    known: dict[str, Any] = {}
    exec(module([short]), known)
    with pytest.raises(ValueError, match="more rows than when"):
        known["copy"](database, name="x", above=1)
    assert _things(Store(proposal, database)) == before


def test_the_count_is_told_and_priced(proposal: Proposal) -> None:
    """In words, in JSON, and as work."""
    write = _compiled(proposal, TO_COME)
    first, *_ = write.access_path.splitlines()
    assert first.startswith("to count, read the documents of `shelf")
    assert "take as many numbers (_number_1 to _number_2) of `thing.id`" in first
    told: Any = write_json(write)["new_numbers"]
    assert [each["names"] for each in told] == [["_number_1", "_number_2"]]
    assert told[0]["count"]["operation"] == "aggregate"
    assert write.parameters == ("above", "name")
    plan = write.plan
    assert plan is not None
    uncounted = replace(plan, new_numbers=tuple(replace(each, count=None) for each in plan.new_numbers))
    work, less = (estimate_write(each, proposal.design, proposal.statistics) for each in (plan, uncounted))
    assert work.round_trips == less.round_trips + 1


@pytest.mark.thorough
def test_rows_that_copy_what_their_parents_have_are_numbered(database: Database[Any], tmp_path: Path) -> None:
    """Parents that are there, and rows of the same table."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.executescript(TABLES)
        connection.execute("ALTER TABLE thing ADD COLUMN beside INTEGER REFERENCES thing")
    made = pipeline.design(pipeline.inspect(tmp_path / "s.db"), "normalized")
    links = {link.parent: link.name for link in made.design.model.relationships}
    copies = tuple(
        Copy(f"of_{parent}", (Hop(link, up=True),), (Field("name", "name"),), Form.OBJECT, TRANSACTION)
        for parent, link in links.items()
    )
    collections = tuple(
        replace(each, body=replace(each.body, copies=copies)) if each.name == "thing" else each
        for each in made.design.collections
    )
    proposal = replace(made, design=replace(made.design, collections=collections))
    pipeline.load(proposal, tmp_path / "s.db", database)
    sql = "INSERT INTO thing (shelf_id, name, beside) SELECT id, 'copy', 1 FROM shelf WHERE id < :most"
    Store(proposal, database).execute(sql, most=3)
    assert _function(proposal, sql)(database, most=4) == 3
    names = [(each["_id"], each["of_shelf"], each["of_thing"]) for each in database["thing"].find({"_id": {"$gt": 1}})]
    first = {"name": "first"}
    assert names == [(2 + place, {"name": name}, first) for place, name in enumerate("ababc")]
    assert pipeline.check(proposal, database).clean
