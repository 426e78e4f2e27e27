"""`Store`: named statements and SQL run on a design, beside SQLite, by both of pymongo's clients."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from pymongo import AsyncMongoClient, MongoClient
from pymongo.database import Database

import nestling
from nestling import AsyncStore, Result, Store, pipeline
from nestling.common.errors import ConnectionFailed, ConstraintError, GapError, InputError, WorkloadError
from nestling.common.server import Server
from nestling.ir.proposal import Proposal
from nestling.shop import workload
from tests.bundled_shop import shop_address

SAMPLES = re.compile(r"-- name: (\w+),.*\n-- params: (.*)")
Run = Callable[..., Result]


@pytest.fixture(scope="module", params=["embedded", "normalized"])
def proposal(request: pytest.FixtureRequest, shop_design: Callable[[str], Proposal]) -> Proposal:
    """A design of the shop."""
    return shop_design(request.param)


@pytest.fixture(scope="module")
def shop(proposal: Proposal, shop_folder: Path, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Database[Any]]:
    """The shop loaded by it, for tests that add no row and take none."""
    name = f"test_{uuid.uuid4().hex}"
    pipeline.load(proposal, shop_address(shop_folder), mongo_client[name], check=False)
    yield mongo_client[name]
    mongo_client.drop_database(name)


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each of pymongo's clients."""
    return str(request.param)


@pytest.fixture
def run(
    kind: str, proposal: Proposal, shop_folder: Path, shop: Database[Any], mongod: Server
) -> Iterator[tuple[Run, Run]]:
    """`run` and `execute` of a store, of either kind."""
    with opened(kind, proposal, shop_folder, shop, mongod) as found:
        yield found


@contextmanager
def opened(
    kind: str, proposal: Proposal, shop_folder: Path, database: Database[Any], mongod: Server
) -> Iterator[tuple[Run, Run]]:
    """A store on a database, closed in the end."""
    file = shop_folder / "workload.sql"
    if kind == "sync":
        store = Store(proposal, database, workload=file)
        yield store.run, store.execute
        return
    with asyncio.Runner() as runner:

        async def opened() -> tuple[AsyncMongoClient[Any], AsyncStore]:
            client: AsyncMongoClient[Any] = AsyncMongoClient(mongod.uri)
            return client, AsyncStore(proposal, client[database.name], workload=file)

        client, other = runner.run(opened())
        yield (
            lambda *names, **values: runner.run(other.run(*names, **values)),
            lambda *names, **values: runner.run(other.execute(*names, **values)),
        )
        runner.run(client.close())


@pytest.mark.one_in(2)
@pytest.mark.in_turn("kind")
def test_the_workload_runs_as_in_sqlite(
    kind: str, proposal: Proposal, shop_folder: Path, database: Database[Any], mongod: Server, tmp_path: Path
) -> None:
    """Every statement of the shop in its order: the same rows, and after all writes the same data in every home."""
    pipeline.load(proposal, shop_address(shop_folder), database, check=False)
    copy = tmp_path / "copy.db"
    samples = {name: json.loads(text) for name, text in SAMPLES.findall(workload())}
    statements = Store(proposal, database, workload=shop_folder / "workload.sql")
    with (
        opened(kind, proposal, shop_folder, database, mongod) as (run, _),
        closing(sqlite3.connect(shop_folder / "shop.db")) as source,
        closing(sqlite3.connect(copy)) as connection,
    ):
        source.backup(connection)
        for name in statements.names:
            sql, values = statements.statement(name).sql, samples.get(name, {})
            done, theirs = run(name, **values), connection.execute(sql, values)
            if done.affected is None:
                names = [column[0] for column in theirs.description]
                assert done.columns == tuple(names)
                wanted = [dict(zip(names, row, strict=True)) for row in theirs.fetchall()]
                assert len(done) == len(wanted), name
                assert [list(row) for row in done] == [names for _ in wanted]
            else:
                assert done.affected == theirs.rowcount == 1, name
        connection.commit()
    report = pipeline.verify(proposal, f"sqlite:///{copy}", database)
    assert report.equal, report


@pytest.mark.thorough
def test_statements_by_hand(run: tuple[Run, Run]) -> None:
    """SQL that is no part of the workload, with parameters; rows are dicts in the order of the columns."""
    _, execute = run
    found = execute("SELECT product_id AS id, name FROM product WHERE product_id < :n ORDER BY product_id", n=3)
    assert [next(iter(row.items())) for row in found] == [("id", 1), ("id", 2)]
    assert (found.columns, len(found), found[0]["id"]) == (("id", "name"), 2, 1)
    both = execute(
        "SELECT a.product_id, b.product_id FROM product a, product b WHERE a.product_id = 1 AND b.product_id = 2"
    )
    assert sorted(cast("list[int]", [*both[0].values()])) == [1, 2]
    with pytest.raises(ConstraintError):
        execute(
            "INSERT INTO customer (customer_id, name, email, joined_at) VALUES (1, 'a', 'a@example.com', '2026-01-01 00:00:00')"
        )
    with pytest.raises(ConstraintError, match=r"refers by customer_id to no `customer`$"):
        execute("INSERT INTO purchase VALUES (98765, 12345, '2026-01-01 10:00:00', 'open')")
    with pytest.raises(ConstraintError, match=r"`review` does not allow NULL; rating = NULL$"):
        execute("INSERT INTO review VALUES (98765, 1, 1, :rating, 'x', '2026-01-01 10:00:00')", rating=None)
    with pytest.raises(ConstraintError, match=r"refers to this `product` \(\w+\)$"):
        execute("DELETE FROM product WHERE product_id = 1")


def test_parameters_as_drivers_take_them(run: tuple[Run, Run]) -> None:
    """In order or by name, in one value too; what is neither is said in words."""
    _, execute = run
    named = "SELECT product_id AS id FROM product WHERE product_id = :id AND product_id < :most"
    for sql, given in (
        ("SELECT product_id AS id FROM product WHERE product_id = ? AND product_id < ?", [3, 9]),
        ("SELECT product_id AS id FROM product WHERE product_id = %s AND product_id < %s", (3, 9)),
        ("SELECT product_id AS id FROM product WHERE product_id < $2 AND product_id = $1", (3, 9)),
        (named, {"id": 3, "most": 9}),
    ):
        assert list(execute(sql, given)) == [{"id": 3}], sql
    assert list(execute("SELECT product_id AS id FROM product WHERE product_id = 3", [])) == [{"id": 3}]
    refused: list[tuple[Any, dict[str, int], str]] = [
        (3, {}, "parameters must be a dict by name, or a list or tuple in order, not int"),
        ("39", {}, "not str"),
        ({1: 3}, {}, "not a dict whose keys are not names"),
        ([3], {"most": 9}, "parameters are given both as one value and by name"),
    ]
    for values, more, said in refused:
        with pytest.raises(InputError, match=said):
            execute(named, values, **more)
    with pytest.raises(WorkloadError, match="p1"):
        execute(named, [3, 9])


def test_a_write_answers(run: tuple[Run, Run]) -> None:
    """RETURNING gives rows, as a driver of SQL does: keys that were made, values as they are now, rows that went."""
    _, execute = run
    added = execute(
        "INSERT INTO review (product_id, customer_id, rating, written_at) VALUES (1, 2, :rating, '2026-01-01 10:00:00')"
        " RETURNING review_id, rating, body",
        rating=4,
    )
    (row,) = added
    assert (added.columns, added.affected, row["rating"], row["body"]) == (("review_id", "rating", "body"), 1, 4, None)
    found = execute(
        "UPDATE review SET rating = 5 WHERE review_id = :id RETURNING rating, rating * 2", id=row["review_id"]
    )
    assert list(found) == [{"rating": 5, "rating * 2": 10}]
    assert list(execute("DELETE FROM review WHERE review_id = :id RETURNING rating AS was", id=row["review_id"])) == [
        {"was": 5}
    ]
    gone = execute("DELETE FROM review WHERE review_id = :id RETURNING *", id=row["review_id"])
    assert (len(gone), gone.columns[0], gone.affected) == (0, "review_id", 0)


def test_parameters_are_never_operators(run: tuple[Run, Run], shop: Database[Any]) -> None:
    """A document or list is refused by every statement, read or write, before the server is asked."""
    before = {name: shop[name].count_documents({}) for name in shop.list_collection_names()}
    for bad in ({"$ne": None}, {"$gt": ""}, [1], ["$x"], {"$where": "1"}, object()):
        calls: dict[str, dict[str, object]] = {
            "product_page": {"id": bad},
            "rename_product": {"id": bad, "name": "x"},
            "take_stock": {"product": 7, "quantity": bad},
            "record_view": {"product": 7, "at": bad, "visitor": "v"},
        }
        for name, values in calls.items():
            with pytest.raises(WorkloadError, match="must be a"):
                run[0](name, **values)
        with pytest.raises(WorkloadError):
            run[1]("DELETE FROM review WHERE review_id = :id", id=bad)
    assert {name: shop[name].count_documents({}) for name in before} == before


@pytest.mark.one_in(2)
def test_texts_that_look_like_operators_are_texts(run: tuple[Run, Run]) -> None:
    """They are stored and found as they are, and match nothing else."""
    named, execute = run
    for text in ("$name", "$$ROOT", "a.b.c", '{"$ne": null}', "$set", "'; DROP TABLE x; --"):
        assert named("rename_product", id=7, name=text).affected == 1
        assert named("product_page", id=7)[0]["name"] == text
        assert [row["product_id"] for row in execute("SELECT product_id FROM product WHERE name = :n", n=text)] == [7]
        assert execute("DELETE FROM review WHERE body = :b", b=text).affected == 0


def test_half_a_character_is_refused(run: tuple[Run, Run]) -> None:
    """No driver can encode it, in reads or writes."""
    for sql in ("SELECT name FROM product WHERE name = :n", "UPDATE product SET name = :n WHERE product_id = 7"):
        with pytest.raises(WorkloadError, match="half a character"):
            run[1](sql, n="a\ud800")


def test_names_and_mistakes_are_typed(proposal: Proposal, shop_folder: Path, shop: Database[Any]) -> None:
    """An unknown statement lists the known ones, mistakes and gaps are errors, and statements are compiled once."""
    store = Store(proposal, shop, workload=shop_folder / "workload.sql")
    with pytest.raises(InputError, match="product_page"):
        store.run("product_pge", id=1)
    with pytest.raises(WorkloadError, match="titel"):
        store.execute("SELECT titel FROM product")
    with pytest.raises(WorkloadError, match="parameter `id`"):
        store.run("product_page")
    with pytest.raises(GapError):
        store.execute("UPDATE product SET stock = 1 ORDER BY stock LIMIT 1")
    assert store.statement("product_page") is store.statement("product_page")


def test_a_statement_that_is_a_gap_says_why(proposal: Proposal, shop: Database[Any], tmp_path: Path) -> None:
    """Asked for by its name; a name that only stands in another statement's, or in the file's, is unknown."""
    path = tmp_path / "pages.sql"
    path.write_text(
        "-- name: page_view, rate: 1/s\nSELEC 1;\n-- name: one, rate: 1/s\nSELECT name FROM product;\n"
        "-- name: two, rate: 1/s\nSELECT nme FROM product;"
    )
    store = Store(proposal, shop, workload=path)
    with pytest.raises(InputError, match=r"`page_view` cannot be understood: .*did you mean SELECT"):
        store.run("page_view")
    with pytest.raises(InputError, match="no statement `page`"):
        store.run("page")
    with pytest.raises(InputError, match="no statement `nme`"):  # which another statement's mistake is about
        store.run("nme")


def test_importing_nestling_stays_light() -> None:
    """`import nestling` alone loads neither the driver nor the SQL parser; unknown names are errors."""
    code = "import sys, nestling; sys.exit(any(name in sys.modules for name in ('pymongo', 'sqlglot')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert nestling.Store is Store
    with pytest.raises(AttributeError, match="Stores"):
        _ = nestling.Stores


def test_a_client_or_an_address_is_no_database(database: Database[dict[str, Any]]) -> None:
    """It is refused at once, and said what is wanted."""
    for given in (database.client, "mongodb://localhost/shop", None):
        with pytest.raises(InputError, match=f"not {type(given).__name__}\n.*MongoClient"):
            Store("design.yaml", cast("Any", given))


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_values_a_check_does_not_allow(database: Database[Any], tmp_path: Path, strategy: str) -> None:
    """They are refused on both sides, in homes and through embedded rows; nothing of the statement stays."""
    path = tmp_path / "stock.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(
            """CREATE TABLE shelf (id INTEGER PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('dry', 'cold')));
            CREATE TABLE item (id INTEGER PRIMARY KEY, shelf_id INTEGER NOT NULL REFERENCES shelf,
              stock INTEGER CHECK (stock >= 0), code TEXT CHECK (length(code) <= 3));
            INSERT INTO shelf VALUES (1, 'dry'); INSERT INTO item VALUES (1, 1, 2, 'abc'), (2, 1, 9, NULL);"""
        )
        proposal = pipeline.design(pipeline.inspect(f"sqlite:///{path}"), strategy)
        pipeline.load(proposal, f"sqlite:///{path}", database, check=False)
        store = Store(proposal, database)
        for sql in (
            "UPDATE item SET stock = stock - 3 WHERE shelf_id = 1",
            "UPDATE item SET code = 'long' WHERE id = 2",
            "UPDATE shelf SET kind = 'Dry' WHERE id = 1",
            "INSERT INTO item (id, shelf_id, stock) VALUES (3, 1, -1)",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
                connection.execute(sql)
            with pytest.raises(ConstraintError, match="validator refuses") as refused:
                store.execute(sql)
            assert refused.value.violation == "check"
        for sql in ("UPDATE item SET stock = stock - 2, code = NULL WHERE id = 1", "UPDATE shelf SET kind = 'cold'"):
            connection.execute(sql)
            store.execute(sql)
    assert pipeline.verify(proposal, f"sqlite:///{path}", database).equal


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["run", "transaction"])
def test_a_server_that_does_not_answer(proposal: Proposal, shop_folder: Path, how: str) -> None:
    """A typed error names the server without its password, by both clients."""
    uri = "mongodb://someone:secret@%2Fnowhere%2Fmongodb.sock/?serverSelectionTimeoutMS=200"
    sql = "SELECT name FROM product WHERE product_id = 1"

    async def later() -> None:
        async with AsyncMongoClient[dict[str, Any]](uri) as client:
            store = AsyncStore(proposal, client["shop"])
            await (store.execute(sql) if how == "run" else store.transaction(lambda t: t.execute(sql)))

    with MongoClient[dict[str, Any]](uri) as client:
        store = Store(proposal, client["shop"])
        for ask in (
            lambda: store.execute(sql) if how == "run" else store.transaction(lambda t: t.execute(sql)),
            lambda: asyncio.run(later()),
        ):
            with pytest.raises(
                ConnectionFailed, match=r"^/nowhere/mongodb\.sock/shop: cannot reach the server"
            ) as error:
                ask()
            assert "secret" not in str(error.value)
