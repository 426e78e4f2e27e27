"""A server that is gone: a write fails as soon as a read does, in the time the driver looks for a server."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any, cast

import pytest
from pymongo import AsyncMongoClient, MongoClient

from nestling import AsyncStore, Store, pipeline
from nestling.common.errors import ConnectionFailed, GapError, InputError
from nestling.common.server import start_server

SELECTION_MILLISECONDS = 300
PATIENCE_SECONDS = 110
"""The driver would go on with one transaction for longer than that."""
READ = "SELECT name FROM thing"
WRITES = ("INSERT INTO thing (name) VALUES ('b')", "INSERT INTO thing (id, name) VALUES (7, 'b'), (8, 'c')")


@pytest.mark.timeout(PATIENCE_SECONDS)
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_writes_fail_in_the_time_a_server_is_looked_for(tmp_path: Path) -> None:
    """By both clients, alone and in a transaction of several statements."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO thing VALUES (1, 'a')")
    made = pipeline.design(pipeline.inspect(tmp_path / "s.db"), "normalized")
    with start_server() as server:
        plain: MongoClient[dict[str, Any]] = MongoClient(server.uri, serverSelectionTimeoutMS=SELECTION_MILLISECONDS)
        pipeline.load(made, tmp_path / "s.db", plain["shop"])
        store = Store(made, plain["shop"])
        store.execute(READ)
        uri = server.uri
    with plain:
        for sql in (READ, *WRITES):
            _fails_soon(partial(store.execute, sql))
            _fails_soon(partial(store.transaction, methodcaller("execute", sql)))
    _fails_soon(lambda: asyncio.run(_write(made, uri)))
    gc.collect()  # pymongo leaves sockets open that were refused, which this test is not about


async def _write(made: Any, uri: str) -> None:
    async with AsyncMongoClient[dict[str, Any]](uri, serverSelectionTimeoutMS=SELECTION_MILLISECONDS) as client:
        store = AsyncStore(made, client["shop"])
        store._looked_until = float("inf")
        await store.execute(WRITES[1])


def _fails_soon(work: Callable[[], object]) -> None:
    with pytest.raises(ConnectionFailed):
        work()


@pytest.mark.parametrize("kind", [Store, AsyncStore])
def test_what_is_no_design_workload_or_statement_is_told(kind: type[Store | AsyncStore], tmp_path: Path) -> None:
    """By name and before anything is asked of a server, as what is no database."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT)")
    made = pipeline.design(pipeline.inspect(tmp_path / "s.db"), "normalized")
    client: Any = (MongoClient if kind is Store else AsyncMongoClient)(connect=False)
    database = client["shop"]
    none_of_them: tuple[Any, ...] = ({}, 5, ["SELECT 1"])
    for wrong in none_of_them:
        with pytest.raises(InputError, match="expected a design or its file, not"):
            kind(wrong, database)
        with pytest.raises(InputError, match="expected a workload or its file, not"):
            kind(made, database, workload=wrong)
    other: Any = AsyncMongoClient if kind is Store else MongoClient
    wanted = f"expected {'a' if kind is Store else 'an asyncio'} pymongo database, not"
    none_of_its: tuple[tuple[Any, str], ...] = (
        ("shop", f'get one with {type(client).__name__}(uri)["shop"]'),
        (other(connect=False)["shop"], f"use `{'AsyncStore' if kind is Store else 'Store'}` for this one, or get one"),
    )
    for name, move in none_of_its:
        with pytest.raises(InputError, match=f"{wanted} {type(name).__name__}") as error:
            kind(made, name)
        assert error.value.problems[0].next_move.startswith(move)
    store: Any = kind(made, database)
    with pytest.raises(InputError, match="expected a statement, not NoneType"):
        _done(store.execute(None))
    with pytest.raises(InputError, match="expected the name of a statement, not int"):
        _done(store.run(5))
    with pytest.raises(InputError, match="expected a function that takes the transaction, not int"):
        _done(store.transaction(5))


@pytest.mark.parametrize(
    ("sql", "move"),
    [
        ("DROP TABLE thing", "change the tables in the source and design again"),
        ("ALTER TABLE thing ADD COLUMN size INTEGER", "change the tables in the source and design again"),
        ("PRAGMA table_info(thing)", "remove it: it concerns the SQL database itself"),
        ("ATTACH 'x.db' AS other", "remove it: it concerns the SQL database itself"),
        ("SELECT random() FROM thing", "give the number as a parameter"),
        ("SELECT quote(name) FROM thing", "rewrite it in SQL that is converted"),
    ],
)
def test_what_to_do_about_a_statement_of_another_kind(sql: str, move: str, tmp_path: Path) -> None:
    """No other SQL says what defines tables or is about the database itself."""
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT)")
    made = pipeline.design(pipeline.inspect(tmp_path / "s.db"), "normalized")
    client = MongoClient[dict[str, Any]](connect=False)
    with pytest.raises(GapError) as error:
        Store(made, client["shop"]).execute(sql)
    assert error.value.problems[0].next_move.startswith(move)


def _done(work: object) -> object:
    return asyncio.run(cast("Coroutine[Any, Any, object]", work)) if asyncio.iscoroutine(work) else work
