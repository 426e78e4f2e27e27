"""Columns of SQLite's NUMERIC affinity: whole numbers are kept as integers, others as floats, whatever the rows held before."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.proposal import Proposal
from nestling.ir.types import FLOAT, INTEGER, TEXT
from tests.written_module import written_function

TABLE = """CREATE TABLE item (
    id INTEGER PRIMARY KEY, price DECIMAL(10,2) DEFAULT 4.0, cost NUMERIC DEFAULT 3, weight REAL, fee MONEY, note TEXT
)"""
SOME: dict[str, list[tuple[Any, ...]]] = {
    "mixed": [(1, 2.5, 1, 2.5, 3.5, "7.0"), (2, 3, 0.5, 3.0, 4, "8"), (3, None, None, None, None, None)],
    "fractions": [(1, 2.5, 0.5, 2.5, 3.5, "7.0"), (2, 3.25, 0.25, 3.0, 4.5, "1.25")],
    "whole": [(1, 2, 1, 2.0, 3, "7.0"), (2, 3, 2, 3.0, 4, "1e2")],
    "nulls": [(1, None, None, None, None, "7.0"), (2, None, None, None, None, None)],
    "empty": [],
}
WRITES = (
    "UPDATE item SET price = price * 2 WHERE id = 1",
    "UPDATE item SET price = price + 0.5",
    "UPDATE item SET price = round(price * 1.5), cost = price / 2",
    "UPDATE item SET price = 9.0, cost = '9.0', weight = '9'",
    "UPDATE item SET price = note, weight = cost",
    "UPDATE item SET price = weight * 2, cost = weight",
    "INSERT INTO item (id, price, cost, weight) VALUES (9, 7.0, ' 7e2 ', 7), (10, 7.5, '1e1', '7.5')",
    "INSERT INTO item (id) VALUES (11)",
    "UPDATE item SET price = (SELECT max(o.weight) FROM item o), cost = coalesce(weight, price)",
    "INSERT INTO item (id, price) VALUES (1, 6.0) ON CONFLICT (id) DO UPDATE SET price = excluded.price * 1.5",
    "INSERT INTO item (id, price) VALUES (1, 7.0) ON CONFLICT (id) DO UPDATE SET price = excluded.price / 2, cost = 1",
    "INSERT INTO item (id, price) VALUES (1, 7.0) ON CONFLICT (id) DO UPDATE SET weight = excluded.price",
    "UPDATE item SET price = id * 0 - 9223372036854775808.0",
    "INSERT INTO item (id, price) VALUES (1, 1e300), (2, 4611686018427387904.0) ON CONFLICT (id) DO NOTHING",
)
GIVEN = ("UPDATE item SET price = :p, cost = :p", "INSERT INTO item (id, price) VALUES (9, :p)")
COMPUTED = "UPDATE item SET price = price + :p WHERE id < 3"
NUMBERS: list[Any] = [7.0, 7, 7.5, Decimal("8.00"), Decimal("8.25"), -0.0, 2.0**62, 1e300, None]
TEXTS = ["9.0", " 7 ", "7.5"]
ALL = """SELECT id, price, typeof(price), price / 2, price || '', cost, typeof(cost), weight, typeof(weight)
    FROM item ORDER BY id"""


@pytest.fixture(params=SOME)
def shop(request: pytest.FixtureRequest, tmp_path: Path, database: Database[dict[str, Any]]) -> Proposal:
    """Items of one kind of prices, loaded."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.execute(TABLE)
        connection.executemany("INSERT INTO item VALUES (?, ?, ?, ?, ?, ?)", SOME[request.param])
    address = f"sqlite:///{tmp_path / 'shop.db'}"
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(proposal, address, database)
    return proposal


def same(proposal: Proposal, tmp_path: Path, database: Database[dict[str, Any]], after: object) -> None:
    """Both hold the same, classes included."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        cursor = connection.execute(ALL)
        wanted = [tuple(map(repr, row)) for row in cursor]
    found = [tuple(map(repr, row.values())) for row in Store(proposal, database).execute(ALL)]
    assert found == wanted, after
    assert pipeline.verify(proposal, f"sqlite:///{tmp_path / 'shop.db'}", database).equal, after


@pytest.mark.one_in(2)
def test_the_type_says_so(shop: Proposal, request: pytest.FixtureRequest) -> None:
    """Float and also integer, whatever the rows hold; a column of REAL affinity is a float alone."""
    (item,) = shop.design.model.entities
    for name in ("price", "cost"):
        assert (item.attribute(name).type, item.attribute(name).also) == (FLOAT, (INTEGER,)), name
    assert (item.attribute("weight").type, item.attribute("weight").also) == (FLOAT, ())


@pytest.mark.thorough
def test_what_is_written_is_what_sqlite_keeps(
    shop: Proposal, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """By constants, expressions, other columns and defaults, one after the other."""
    for sql in WRITES:
        Store(shop, database).execute(sql)
        with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
            connection.execute(sql)
        same(shop, tmp_path, database, sql)


@pytest.mark.thorough
@pytest.mark.parametrize("by_store", [True, False], ids=["store", "module"])
def test_what_is_given_too(by_store: bool, shop: Proposal, tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A store and a written module store a parameter alike."""
    for sql in (*GIVEN, COMPUTED):
        call = (
            partial(Store(shop, database).execute, sql)
            if by_store
            else partial(written_function(shop, sql, "sqlite"), database)
        )
        texts = TEXTS if by_store and sql != COMPUTED else []
        for value in [*NUMBERS, *texts]:
            with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
                connection.execute("DELETE FROM item WHERE id = 9")
                connection.execute(sql, {"p": float(value) if isinstance(value, Decimal) else value})
            Store(shop, database).execute("DELETE FROM item WHERE id = 9")
            call(p=value)
            same(shop, tmp_path, database, (sql, value))


def test_values_that_are_no_numbers_stay_so(tmp_path: Path) -> None:
    """Texts of the column are of the model as well; a word SQLite does not know is numeric too."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.execute(TABLE)
        connection.execute("INSERT INTO item VALUES (1, 'free', 2.5, 1, 2.5, NULL), (2, 'free', 'x', 1, 4, NULL)")
    (item,) = pipeline.inspect(f"sqlite:///{tmp_path / 'shop.db'}").model.entities
    assert item.attribute("price").also == (INTEGER, TEXT)
    assert item.attribute("cost").also == (INTEGER, TEXT)
    assert (item.attribute("fee").type, item.attribute("fee").also) == (FLOAT, (INTEGER,))


@pytest.mark.thorough
def test_a_key_that_changes_is_carried_on_as_the_child_keeps_it(
    tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """As a float by a REAL column, as an integer where it is worth one by a decimal one."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.executescript("""
            PRAGMA foreign_keys = ON;
            CREATE TABLE rate (k DECIMAL(5,1) PRIMARY KEY);
            CREATE TABLE use (id INTEGER PRIMARY KEY, r REAL REFERENCES rate (k) ON UPDATE CASCADE);
            CREATE TABLE pay (id INTEGER PRIMARY KEY, r DECIMAL(5,1) REFERENCES rate (k) ON UPDATE CASCADE);
            INSERT INTO rate VALUES (1.5), (2);
            INSERT INTO use VALUES (1, 1.5);
            INSERT INTO pay VALUES (1, 1.5), (2, 2);
        """)
    address = f"sqlite:///{tmp_path / 'shop.db'}"
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(proposal, address, database)
    for sql in ("UPDATE rate SET k = 9.0 WHERE k = 1.5", "UPDATE rate SET k = k + 0.5 + 0.5 WHERE k = 2"):
        with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(sql)
        Store(proposal, database).execute(sql)
        assert pipeline.verify(proposal, address, database).equal, sql
    assert [(row["r"], type(row["r"])) for row in Store(proposal, database).execute("SELECT r FROM use")] == [
        (9.0, float)
    ]
