"""A database that is not of the design: the first statement says so, and no later one looks again."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pymongo import AsyncMongoClient, MongoClient
from pymongo.database import Database
from pymongo.monitoring import CommandListener, CommandStartedEvent

from nestling import AsyncStore, Store, pipeline
from nestling.common.errors import LoadError, VerifyError
from nestling.common.server import Server
from nestling.ir.proposal import Proposal

SCHEMA = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL);
"""
STATEMENTS = (
    "SELECT COUNT(*) AS n FROM book",
    "DELETE FROM author WHERE id = 1",
    "INSERT INTO book (id, author_id, title) VALUES (9, 2, 'x')",
)
Designed = Callable[[str], Proposal]
Run = Callable[[Proposal, Database[Any], str], object]


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Two authors, one with books."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.executescript(SCHEMA)
        connection.execute("INSERT INTO author VALUES (1, 'Ada'), (2, 'Eve')")
        connection.execute("INSERT INTO book VALUES (1, 2, 'a'), (2, 2, 'b')")
    return f"sqlite:///{tmp_path / 'a.db'}"


@pytest.fixture
def designed(source: str) -> Designed:
    """The design of a strategy."""
    return lambda strategy: pipeline.design(pipeline.inspect(source), strategy)


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest, mongod: Server) -> Run:
    """Runs one statement by a store of its own, by either of the driver's clients."""
    if request.param == "sync":
        return lambda proposal, database, sql: Store(proposal, database).execute(sql)

    async def other(proposal: Proposal, name: str, sql: str) -> None:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client:
            await AsyncStore(proposal, client[name]).execute(sql)

    return lambda proposal, database, sql: asyncio.run(other(proposal, database.name, sql))


def documents(database: Database[Any]) -> dict[str, list[Any]]:
    return {name: list(database[name].find(sort=[("_id", 1)])) for name in sorted(database.list_collection_names())}


@pytest.mark.thorough
@pytest.mark.parametrize("sql", STATEMENTS)
@pytest.mark.parametrize(
    ("loaded", "asked", "said"),
    [
        ("normalized", "embedded", "author: the documents follow another design: none has `book`"),
        ("embedded", "normalized", "collections of the design do not exist: `book`"),
    ],
)
def test_another_design_is_refused(
    sql: str, loaded: str, asked: str, said: str, designed: Designed, source: str, database: Database[Any], run: Run
) -> None:
    """By reads and writes alike, with what to do, before anything is changed."""
    pipeline.load(designed(loaded), source, database)
    before = documents(database)
    with pytest.raises(VerifyError) as refused:
        run(designed(asked), database, sql)
    assert said in str(refused.value)
    assert refused.value.problems[0].next_move
    assert documents(database) == before


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_database_without_the_collections_is_refused(
    sql: str, designed: Designed, source: str, database: Database[Any], run: Run, tmp_path: Path
) -> None:
    """An empty or mistyped one answers nothing; a load of no rows makes one that does."""
    proposal = designed("normalized")
    with pytest.raises(VerifyError, match=r"do not exist: `author`, `book`; it has none\n.*or create them"):
        run(proposal, database, sql)
    assert not database.list_collection_names()
    with closing(sqlite3.connect(tmp_path / "none.db")) as connection, connection:
        connection.executescript(SCHEMA)
    pipeline.load(proposal, f"sqlite:///{tmp_path / 'none.db'}", database)
    if not sql.startswith("INSERT"):  # which lacks its parent
        run(proposal, database, sql)


def test_it_is_looked_at_once(designed: Designed, source: str, database: Database[Any], mongod: Server) -> None:
    """By the design in use, the collections, and one read of each; a refusal is not forgotten by the next statement."""
    proposal, seen = designed("normalized"), list[str]()

    class Seen(CommandListener):
        def started(self, event: CommandStartedEvent) -> None:
            if event.database_name == database.name:
                seen.append(event.command_name)

        def succeeded(self, event: object) -> None: ...

        def failed(self, event: object) -> None: ...

    with MongoClient[dict[str, Any]](mongod.uri, event_listeners=[Seen()]) as client:
        store = Store(proposal, client[database.name])
        for _ in range(2):
            with pytest.raises(VerifyError):
                store.execute("SELECT id FROM book")
        pipeline.load(proposal, source, database)
        seen.clear()
        assert len(store.execute("SELECT id FROM book")) == 2
        assert seen == ["find", "listCollections", "listCollections", "aggregate", "aggregate", "find"]
        store.execute("SELECT id FROM author")
        assert seen[6:] == ["find"]


def test_a_field_the_first_documents_lack_is_looked_for_in_all(
    designed: Designed, source: str, database: Database[Any]
) -> None:
    """Documents that were spoilt by hand make no other design."""
    proposal = designed("normalized")
    pipeline.load(proposal, source, database)
    for name in ("author", "book"):
        database.command("collMod", name, validationLevel="off")
    database["author"].insert_many([{"_id": -n} for n in range(1, 50)])
    assert len(Store(proposal, database).execute("SELECT id FROM author")) == 51
    database["author"].update_many({}, {"$unset": {"name": 1}})
    with pytest.raises(VerifyError, match="author: the documents follow another design: none has `name`"):
        Store(proposal, database).execute("SELECT id FROM book")


@pytest.mark.thorough
def test_verify_says_so_too(designed: Designed, source: str, database: Database[Any]) -> None:
    """In place of every row as a difference."""
    pipeline.load(designed("normalized"), source, database)
    with pytest.raises(VerifyError, match="author: the documents follow another design: none has `book`"):
        pipeline.verify(designed("embedded"), source, database)


@pytest.mark.thorough
def test_a_load_that_stopped_is_refused_until_it_is_whole(
    designed: Designed, source: str, database: Database[Any], run: Run, tmp_path: Path
) -> None:
    """By all that reads or changes documents; another design's collections in the same database are not concerned."""
    proposal, target = designed("normalized"), f"sqlite:///{tmp_path / 'back.db'}"
    path, beside = source.removeprefix("sqlite:///"), f"sqlite:///{tmp_path / 'beside.db'}"
    with closing(sqlite3.connect(tmp_path / "beside.db")) as connection, connection:
        connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY)")
    other = pipeline.design(pipeline.inspect(beside), "normalized")
    pipeline.load(other, beside, database)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE book SET title = CAST(zeroblob(17000000) AS TEXT) WHERE id = 2")
    with pytest.raises(LoadError):
        pipeline.load(proposal, source, database)
    uses: list[Callable[[], object]] = [
        *(partial(run, proposal, database, sql) for sql in STATEMENTS),
        lambda: pipeline.unload(proposal, target, database),
        lambda: pipeline.verify(proposal, source, database),
        lambda: pipeline.check(proposal, database),
        lambda: pipeline.sync(proposal, database, once=True),
        lambda: pipeline.migrate(proposal, designed("embedded"), database),
    ]
    for use in uses:
        with pytest.raises(VerifyError, match="a load was interrupted") as refused:
            use()
        assert "--resume" in str(refused.value)
    assert Store(other, database).execute("SELECT id FROM note").rows == ()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE book SET title = 'b' WHERE id = 2")
    pipeline.load(proposal, source, database, mode=pipeline.LoadMode.RESUME)
    for use in uses[1:]:
        use()
