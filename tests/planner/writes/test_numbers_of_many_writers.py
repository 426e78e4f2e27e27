"""Numbers that never return are taken beside transactions: writers do not wait for each other, and no number is given twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pymongo import AsyncMongoClient, MongoClient
from pymongo.database import Database
from pymongo.monitoring import CommandListener

from nestling import AsyncStore, Store, pipeline
from nestling.common.errors import ConstraintError
from nestling.common.server import Server
from nestling.emitters.python_code.module import module
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.storage.names import NUMBERS_COLLECTION
from tests.planner.writes.of_sqlite import proposal_of

TABLES = """
CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE thing (
  id INTEGER PRIMARY KEY AUTOINCREMENT, shelf_id INTEGER NOT NULL REFERENCES shelf, name TEXT NOT NULL UNIQUE
);
INSERT INTO shelf VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f');
INSERT INTO thing VALUES (1, 1, 'first');
"""
ADD = "INSERT INTO thing (shelf_id, name) VALUES (:shelf, :name)"
GIVE = "INSERT INTO thing (id, shelf_id, name) VALUES (:id, :shelf, :name)"
WRITERS, TURNS = 6, 12


proposal = proposal_of(TABLES, "normalized", "embedded")
"""Things in a collection of their own, or in their shelves."""


def _at_once(work: Callable[[int], object]) -> None:
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(work, range(WRITERS)))


def _ids(store: Store) -> list[int]:
    return [int(str(row["id"])) for row in store.execute("SELECT id FROM thing ORDER BY id")]


def _last(database: Database[Any]) -> int:
    (kept,) = database[NUMBERS_COLLECTION].find()
    return int(kept["last"])


class _Commands(CommandListener):
    """What was sent, and what of it the server refused."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.refused: list[str] = []

    def started(self, event: Any) -> None:
        self.sent.append(dict(event.command))

    def succeeded(self, event: Any) -> None:
        pass

    def failed(self, event: Any) -> None:
        self.refused.append(f"{event.command_name}: {event.failure}"[:300])


@pytest.mark.thorough
def test_no_writer_waits_for_another(proposal: Proposal, database: Database[Any], mongod: Server) -> None:
    """Under parents of their own: no transaction changes the counter, and none is tried again."""
    heard = _Commands()
    with MongoClient[dict[str, Any]](mongod.uri, event_listeners=[heard]) as client:
        store = Store(proposal, client[database.name])

        def add(writer: int) -> None:
            for turn in range(TURNS):
                store.execute(ADD, shelf=writer + 1, name=f"{writer} {turn}")

        _at_once(add)
    found = _ids(Store(proposal, database))
    assert len(found) == len({*found}) == WRITERS * TURNS + 1
    assert heard.refused == []
    counters = [each for each in heard.sent if NUMBERS_COLLECTION in each.values()]
    assert len(counters) == WRITERS * TURNS
    assert not any("autocommit" in each for each in counters)


@pytest.mark.thorough
def test_given_numbers_are_not_given_again(proposal: Proposal, database: Database[Any]) -> None:
    """Half of the writers give numbers ahead of the counter: a number that is made is never one of those before."""
    store, refused = Store(proposal, database), list[object]()

    def add(writer: int) -> None:
        for turn in range(TURNS):
            name = f"{writer} {turn}"
            try:
                if writer % 2:
                    store.execute(GIVE, id=_last(database) + 2, shelf=writer + 1, name=name)
                else:
                    store.execute(ADD, shelf=writer + 1, name=name)
            except ConstraintError as error:
                refused.append(error.violation)

    _at_once(add)
    found = _ids(store)
    assert len(found) == len({*found}) == WRITERS * TURNS + 1 - len(refused)
    assert _last(database) >= found[-1]
    assert pipeline.check(proposal, database).clean


def test_a_transaction_takes_numbers_more_than_once(proposal: Proposal, database: Database[Any]) -> None:
    """It does not wait for itself; where it fails, its numbers are a gap."""
    store = Store(proposal, database)

    def work(transaction: Any) -> None:
        transaction.execute(ADD, shelf=1, name="two")
        transaction.execute(GIVE, id=10, shelf=2, name="ten")
        transaction.execute(ADD, shelf=1, name="eleven")
        if fails:
            raise LookupError

    fails = True
    with pytest.raises(LookupError):
        store.transaction(work)
    assert _ids(store) == [1]
    fails = False
    with pytest.raises(ConstraintError):
        store.execute(ADD, shelf=1, name="first")
    store.transaction(lambda transaction: transaction.execute(ADD, shelf=1, name="after"))
    assert _ids(store) == [1, 13]


def test_rows_the_counter_was_not_told_of_count(proposal: Proposal, database: Database[Any]) -> None:
    """Whoever added them; and there may be no counter yet."""
    store = Store(proposal, database)
    store.execute(GIVE, id=40, shelf=1, name="forty")
    database[NUMBERS_COLLECTION].update_one({}, {"$set": {"last": 7}})
    rows = store.execute("INSERT INTO thing (shelf_id, name) VALUES (1, 'x'), (2, 'y') RETURNING id")
    assert [row["id"] for row in rows] == [41, 42]
    database.drop_collection(NUMBERS_COLLECTION)
    assert [row["id"] for row in store.execute(f"{ADD} RETURNING id", shelf=3, name="z")] == [43]
    assert _last(database) == 43


@pytest.mark.one_in(2)
def test_written_functions_and_asyncio_take_from_the_same_counter(
    proposal: Proposal, database: Database[Any], mongod: Server
) -> None:
    """At the same moment."""
    write = pipeline.convert(proposal, ADD, name="add")
    assert isinstance(write, CompiledWrite)
    known: dict[str, Any] = {}
    exec(module([write]), known)

    async def add_all() -> None:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client:
            store = AsyncStore(proposal, client[database.name])
            for turn in range(TURNS):
                await store.execute(ADD, shelf=1, name=f"async {turn}")

    def add(writer: int) -> None:
        if not writer:
            asyncio.run(add_all())
            return
        for turn in range(TURNS):
            assert known["add"](database, shelf=writer + 1, name=f"{writer} {turn}") == 1

    _at_once(add)
    found = _ids(Store(proposal, database))
    assert len(found) == len({*found}) == WRITERS * TURNS + 1
    assert _last(database) == found[-1]
