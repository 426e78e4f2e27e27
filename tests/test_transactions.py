"""Several statements of a store in one transaction, by both of pymongo's clients: all or none, and tried again together."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo import AsyncMongoClient, MongoClient, client_session_shared
from pymongo.asynchronous import client_session as asynchronous
from pymongo.database import Database
from pymongo.monitoring import CommandListener
from pymongo.synchronous import client_session as synchronous

from nestling import AsyncStore, Result, Store, pipeline
from nestling.common.errors import ConstraintError, InputError, NestlingError, TransactionFailed, WriteConflict
from nestling.common.server import Server
from nestling.ir.proposal import Proposal

_ROWS = """
CREATE TABLE account (id INTEGER PRIMARY KEY, cents INTEGER NOT NULL);
CREATE TABLE booking (
  id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, cents INTEGER NOT NULL
);
INSERT INTO account VALUES (1, 100), (2, 0), (3, 0);
INSERT INTO booking VALUES (1, 3, 5), (2, 3, 6);
"""
_TAKE = "UPDATE account SET cents = cents - :cents WHERE id = :id"
_BOOK = "INSERT INTO booking VALUES (:booking, :id, :cents)"
_HELD = "SELECT cents FROM account WHERE id = :id"
Step = tuple[str, dict[str, object]]
Runs = Callable[..., list[Result]]


@pytest.fixture(params=["normalized", "embedded"])
def proposal(request: pytest.FixtureRequest, tmp_path: Path, database: Database[Any]) -> Proposal:
    """Accounts and their bookings, loaded."""
    with closing(sqlite3.connect(tmp_path / "bank.db")) as connection:
        connection.executescript(_ROWS)
    address = f"sqlite:///{tmp_path / 'bank.db'}"
    made = pipeline.design(pipeline.inspect(address), request.param)
    pipeline.load(made, address, database)
    return made


@pytest.fixture(params=["sync", "async"])
def runs(request: pytest.FixtureRequest, proposal: Proposal, database: Database[Any], mongod: Server) -> Iterator[Runs]:
    """Runs statements in one transaction; with `fails` it raises after them."""
    if request.param == "sync":
        store = Store(proposal, database)

        def all_of(*steps: Step, fails: bool = False) -> list[Result]:
            def work(transaction: Any) -> list[Result]:
                done = [transaction.execute(sql, **values) for sql, values in steps]
                if fails:
                    raise LookupError
                return done

            return store.transaction(work)

        yield all_of
        return

    async def all_async(*steps: Step, fails: bool) -> list[Result]:
        async def work(transaction: Any) -> list[Result]:
            done = [await transaction.execute(sql, **values) for sql, values in steps]
            if fails:
                raise LookupError
            return done

        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client:
            return await AsyncStore(proposal, client[database.name]).transaction(work)

    yield lambda *steps, fails=False: asyncio.run(all_async(*steps, fails=fails))


def _state(proposal: Proposal, database: Database[Any]) -> list[list[tuple[object, ...]]]:
    store = Store(proposal, database)
    tables = ("SELECT id, cents FROM account ORDER BY id", "SELECT id, account_id, cents FROM booking ORDER BY id")
    return [[tuple(row.values()) for row in store.execute(sql)] for sql in tables]


@pytest.mark.one_in(2)
def test_all_of_it_stays(runs: Runs, proposal: Proposal, database: Database[Any]) -> None:
    """Reads see what was written before them; a write that wants a transaction takes part in this one."""
    done = runs(
        (_TAKE, {"id": 1, "cents": 30}),
        (_BOOK, {"booking": 7, "id": 1, "cents": 30}),
        ("DELETE FROM account WHERE id = :id", {"id": 3}),
        (_HELD, {"id": 1}),
        ("SELECT count(*) AS n FROM booking", {}),
    )
    assert [each.affected for each in done[:3]] == [1, 1, 1]
    assert [list(each) for each in done[3:]] == [[{"cents": 70}], [{"n": 1}]]
    assert _state(proposal, database) == [[(1, 70), (2, 0)], [(7, 1, 30)]]


@pytest.mark.thorough
def test_nothing_of_it_stays(runs: Runs, proposal: Proposal, database: Database[Any]) -> None:
    """Where the caller raises, and where a statement is refused."""
    before = _state(proposal, database)
    steps = ((_TAKE, {"id": 1, "cents": 30}), ("DELETE FROM account WHERE id = :id", {"id": 3}))
    with pytest.raises(LookupError):
        runs(*steps, fails=True)
    assert _state(proposal, database) == before
    with pytest.raises(ConstraintError):
        runs(*steps, (_BOOK, {"booking": 7, "id": 99, "cents": 30}))
    assert _state(proposal, database) == before


_REFUSED: dict[str, Step] = {
    "a check of ours": (_BOOK, {"booking": 7, "id": 99, "cents": 30}),
    "the server's own": ("INSERT INTO account VALUES (1, 5)", {}),
    "a read": ("SELECT 1 / (id - 1) AS x FROM account WHERE id = 1", {}),
    "all of an update": ("UPDATE booking SET account_id = 99", {}),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("refused", _REFUSED.values(), ids=_REFUSED)
@pytest.mark.parametrize("further", [True, False])
def test_an_error_that_is_caught_ends_it(
    way: str, refused: Step, further: bool, proposal: Proposal, database: Database[Any], mongod: Server
) -> None:
    """Nothing of the statement is kept with the rest, as nothing undoes it alone; what failed is told, and at once."""
    made = replace(proposal, dialect="postgresql")
    before, tries = _state(proposal, database), list[int]()

    def work(transaction: Any) -> None:
        tries.append(1)
        transaction.execute(_TAKE, id=1, cents=30)
        with suppress(NestlingError):
            transaction.execute(refused[0], **refused[1])
        if further:
            transaction.execute(_TAKE, id=2, cents=30)

    async def work_async(transaction: Any) -> None:
        tries.append(1)
        await transaction.execute(_TAKE, id=1, cents=30)
        with suppress(NestlingError):
            await transaction.execute(refused[0], **refused[1])
        if further:
            await transaction.execute(_TAKE, id=2, cents=30)

    async def run_async() -> None:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client:
            await AsyncStore(made, client[database.name]).transaction(work_async)

    with pytest.raises(TransactionFailed, match="nothing of it is kept") as error:
        Store(made, database).transaction(work) if way == "sync" else asyncio.run(run_async())
    assert isinstance(error.value.__cause__, NestlingError)
    assert tries == [1]
    assert _state(proposal, database) == before


@pytest.mark.parametrize("proposal", ["normalized"], indirect=True)
@pytest.mark.parametrize(
    ("dialect", "said", "asked"),
    [
        ("", "postgresql", "use ON CONFLICT"),
        ("", "mysql", "use INSERT IGNORE or ON DUPLICATE KEY UPDATE"),
        ("MariaDB", "postgresql", "use INSERT IGNORE or ON DUPLICATE KEY UPDATE"),
    ],
)
def test_what_to_say_where_a_row_may_be_there(
    dialect: str, said: str, asked: str, proposal: Proposal, database: Database[Any]
) -> None:
    """In words of the dialect of the statements: its own, and else that of the design's source."""
    store = Store(replace(proposal, dialect=said), database, dialect=dialect)

    def work(transaction: Any) -> None:
        with suppress(ConstraintError):
            transaction.execute("INSERT INTO account VALUES (1, 5)")

    with pytest.raises(TransactionFailed) as error:
        store.transaction(work)
    assert error.value.problems[0].next_move.endswith(f"if a row may already exist, {asked}")


def test_what_is_not_understood_fails_nothing(proposal: Proposal, database: Database[Any]) -> None:
    """The server was not asked: the rest stays."""

    def work(transaction: Any) -> None:
        with pytest.raises(NestlingError):
            transaction.execute("SELEC 1")
        transaction.execute(_TAKE, id=1, cents=30)

    Store(proposal, database).transaction(work)
    assert _state(proposal, database)[0][0] == (1, 70)


def test_it_is_of_no_use_after_its_end(proposal: Proposal, database: Database[Any]) -> None:
    kept = Store(proposal, database).transaction(lambda transaction: transaction)
    with pytest.raises(InputError, match="the transaction is over"):
        kept.execute(_HELD, id=1)


def test_it_is_tried_again_as_a_whole(proposal: Proposal, database: Database[Any]) -> None:
    """What is read and then written by several at once is not lost."""
    store = Store(proposal, database)

    def work(transaction: Any) -> None:
        (row,) = transaction.execute(_HELD, id=2)
        transaction.execute("UPDATE account SET cents = :cents WHERE id = 2", cents=row["cents"] + 1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: store.transaction(work), range(20)))
    assert store.execute(_HELD, id=2)[0] == {"cents": 20}


class _Begun(CommandListener):
    """Counts the transactions that the server hears of."""

    def __init__(self) -> None:
        self.count = 0

    def started(self, event: Any) -> None:
        self.count += bool(event.command.get("startTransaction"))

    def succeeded(self, event: Any) -> None:
        pass

    def failed(self, event: Any) -> None:
        pass


_MANY = 24
_SELL = "UPDATE account SET cents = cents + 1 WHERE id = 2"
_BOOK_ONE = "INSERT INTO booking VALUES (:id, 2, 1)"


@pytest.mark.parametrize("proposal", ["normalized"], indirect=True)
@pytest.mark.parametrize("way", ["transaction", "statement", "async", "async statement"])
def test_many_that_want_one_row_take_few_attempts(
    way: str, proposal: Proposal, database: Database[Any], mongod: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two each, or a few more; where all begin anew together, as by a driver that does not wait, they grow with the square."""
    for each in (synchronous, asynchronous):
        monkeypatch.setattr(each, "_BACKOFF_INITIAL", 0.0, raising=False)
    begun = _Begun()

    def work(transaction: Any, number: int) -> None:
        transaction.execute(_HELD, id=2)
        transaction.execute(_SELL)
        transaction.execute(_BOOK_ONE, id=number)

    async def work_async(transaction: Any, number: int) -> None:
        await transaction.execute(_HELD, id=2)
        await transaction.execute(_SELL)
        await transaction.execute(_BOOK_ONE, id=number)

    def run() -> None:
        with (
            MongoClient[dict[str, Any]](mongod.uri, event_listeners=[begun]) as client,
            ThreadPoolExecutor(_MANY) as pool,
        ):
            store = Store(proposal, client[database.name])

            def one(number: int) -> object:
                if way == "statement":
                    return store.execute(_BOOK_ONE, id=number)
                return store.transaction(lambda inner: work(inner, number))

            list(pool.map(one, range(100, 100 + _MANY)))

    async def run_async() -> None:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri, event_listeners=[begun]) as client:
            store = AsyncStore(proposal, client[database.name])

            async def one(number: int) -> None:
                if way == "async statement":
                    await store.execute(_BOOK_ONE, id=number)
                else:
                    await store.transaction(lambda inner: work_async(inner, number))

            await asyncio.gather(*map(one, range(100, 100 + _MANY)))

    asyncio.run(run_async()) if way.startswith("async") else run()
    held, booked = _state(proposal, database)
    assert held[1] == (2, 0 if "statement" in way else _MANY)
    assert len(booked) == 2 + _MANY
    assert begun.count <= 4 * _MANY


@pytest.mark.one_in(2)
@pytest.mark.parametrize("proposal", ["normalized"], indirect=True)
@pytest.mark.parametrize("way", ["statement", "transaction", "async"])
def test_others_write_the_same_documents_all_the_time(
    way: str, proposal: Proposal, database: Database[Any], mongod: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the driver has tried long enough, the conflict is said: the server is there all the time."""
    monkeypatch.setattr(client_session_shared, "_WITH_TRANSACTION_RETRY_TIME_LIMIT", 0.5)
    before = _state(proposal, database)
    sql = "DELETE FROM account WHERE id = :id"
    store = Store(proposal, database)

    async def later() -> Result:
        async with AsyncMongoClient[dict[str, Any]](mongod.uri) as client:
            return await AsyncStore(proposal, client[database.name]).execute(sql, id=3)

    def run() -> object:
        match way:
            case "statement":
                return store.execute(sql, id=3)
            case "transaction":
                return store.transaction(lambda inner: inner.execute(sql, id=3))
            case _:
                return asyncio.run(later())

    with database.client.start_session() as other, other.start_transaction():
        database["account"].update_one({"_id": 3}, {"$set": {"cents": 1}}, session=other)
        with pytest.raises(
            WriteConflict, match=r"for two minutes, .* other writes change the same documents"
        ) as caught:
            run()
        other.abort_transaction()
    assert "run it again" in str(caught.value)
    assert _state(proposal, database) == before
    assert store.execute(sql, id=3).affected == 1
