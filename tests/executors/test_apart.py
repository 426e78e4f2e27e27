"""What a write does outside of its open transaction never waits for one who waits for that transaction."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo import AsyncMongoClient, MongoClient
from pymongo.database import Database
from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

from nestling import AsyncStore, Store, pipeline
from nestling.common.server import Server
from nestling.emitters.python_code import module
from nestling.ir.proposal import Proposal

SCHEMA = """
CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE thing (id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES owner, name TEXT);
INSERT INTO owner VALUES (1, 'one');
"""
GIVEN = "INSERT INTO thing (id, owner_id, name) SELECT id + 49, id, name FROM owner"
SELECTED = "INSERT INTO thing (owner_id, name) SELECT owner_id, name FROM thing"


class Replacing(CommandListener):
    """Has somebody replace a collection while the first transaction is open, and goes on once he waits for it."""

    def __init__(self, database: Database[Any]) -> None:
        self.database, self.thread, self.begun = database, threading.Thread(target=self.replace), 0
        self.begun_before = 0

    def replace(self) -> None:
        """Wait until no transaction is open in the database, and have all others wait."""
        self.database.other.aggregate([{"$out": "another"}])
        self.begun_before = self.begun

    def started(self, event: CommandStartedEvent) -> None:
        """Count the transactions."""
        self.begun += bool(event.command.get("startTransaction"))

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """After the first command of the first transaction."""
        del event
        if self.begun and self.thread.ident is None:
            self.thread.start()
            asked: list[dict[str, Any]] = [{"$currentOp": {}}, {"$match": {"waitingForLock": True}}]
            while not list(self.database.client.admin.aggregate(asked)):
                time.sleep(0.01)

    def failed(self, event: CommandFailedEvent) -> None:
        """Nothing."""


def by_store(proposal: Proposal, uri: str, name: str, sql: str, listener: Replacing) -> None:
    """The statement of a store."""
    with MongoClient[Any](uri, event_listeners=[listener]) as client:
        Store(proposal, client[name]).execute(sql)


def by_async_store(proposal: Proposal, uri: str, name: str, sql: str, listener: Replacing) -> None:
    """The same by the asyncio client."""

    async def run() -> None:
        async with AsyncMongoClient[Any](uri, event_listeners=[listener]) as client:
            await AsyncStore(proposal, client[name]).execute(sql)

    asyncio.run(run())


def by_module(proposal: Proposal, uri: str, name: str, sql: str, listener: Replacing) -> None:
    """The same by a function of an emitted module."""
    written: dict[str, Any] = {}
    exec(module([replace(pipeline.convert(proposal, sql), name="add")]), written)
    with MongoClient[Any](uri, event_listeners=[listener]) as client:
        written["add"](client[name])


@pytest.mark.timeout(45)  # less than a transaction lives
@pytest.mark.parametrize("sql", [GIVEN, SELECTED])
@pytest.mark.parametrize("run", [by_store, by_async_store, by_module])
def test_a_transaction_makes_room_for_who_waits_for_it(
    run: Callable[..., None], sql: str, mongod: Server, database: Database[Any], tmp_path: Path
) -> None:
    """It begins anew once the other collection is there."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.executescript(SCHEMA)
        connection.execute("INSERT INTO thing VALUES (1, 1, 'first')")
        connection.commit()
    source = f"sqlite:///{tmp_path / 's.db'}"
    proposal = pipeline.design(pipeline.inspect(source), "normalized")
    pipeline.load(proposal, source, database)
    database.other.insert_one({})
    listener = Replacing(database)
    run(proposal, mongod.uri, database.name, sql, listener)
    listener.thread.join()
    assert 2 <= listener.begun <= listener.begun_before + 1  # on a busy machine one more may meet the lock
    assert database.thing.count_documents({}) == 2
    assert "another" in database.list_collection_names()
