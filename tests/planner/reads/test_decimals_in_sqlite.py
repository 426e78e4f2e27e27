"""SQLite has no decimals: one that is given is a float, compared and stored, by `Store` and by modules that are written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.proposal import Proposal
from tests.written_module import written_function

TABLE = "CREATE TABLE item (id INTEGER PRIMARY KEY, price DECIMAL(10,2), stock INTEGER, note TEXT)"
ROWS = [(1, 410.28, 3, "a"), (2, 0.1, 5, "1.5"), (3, 7.0, 0, None), (4, None, None, "b")]
PRICES = [Decimal("410.28"), Decimal("0.10"), Decimal(7), Decimal("410.2800001"), Decimal("1.50")]
READS = (
    *(f"SELECT id FROM item WHERE price {sign} :p ORDER BY id" for sign in ("=", "<>", "<", "<=", ">", ">=", "IS NOT")),
    "SELECT id FROM item WHERE :p >= price ORDER BY id",
    "SELECT id FROM item WHERE price BETWEEN 0 AND :p ORDER BY id",
    "SELECT id FROM item WHERE price IN (:p, 7) ORDER BY id",
    "SELECT id FROM item WHERE price + 1 > :p ORDER BY id",
    "SELECT id FROM item WHERE coalesce(price = :p, 0) ORDER BY id",
    "SELECT id FROM item WHERE stock < :p ORDER BY id",
    "SELECT id FROM item WHERE note = :p ORDER BY id",
    "SELECT id, price * :p AS x FROM item WHERE id < 3 ORDER BY id",
    "SELECT SUM(price + :p) AS x FROM item WHERE id < 3",
    "SELECT count(*) AS n FROM item GROUP BY price < :p ORDER BY 1",
)
WRITES = (
    "UPDATE item SET price = :p WHERE id = 1",
    "UPDATE item SET price = price + :p WHERE id = 2",
    "UPDATE item SET stock = :p WHERE id = 3",
    "INSERT INTO item (id, price) VALUES (9, :p)",
    "UPDATE item SET stock = 0 WHERE price = :p",
    "DELETE FROM item WHERE price = :p",
)
ALL = "SELECT id, price, stock, note FROM item ORDER BY id"


@pytest.fixture
def shop(tmp_path: Path, database: Database[dict[str, Any]]) -> Proposal:
    """Items whose prices SQLite keeps as floats."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.execute(TABLE)
        connection.executemany("INSERT INTO item VALUES (?, ?, ?, ?)", ROWS)
    address = f"sqlite:///{tmp_path / 'shop.db'}"
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(proposal, address, database)
    return proposal


def answers(connection: sqlite3.Connection, sql: str, **values: object) -> list[dict[str, object]]:
    cursor = connection.execute(sql, values)
    names = [each[0] for each in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sql", READS)
def test_it_is_compared_as_a_float(
    sql: str, shop: Proposal, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """Beside columns and in arithmetic the rows are those SQLite finds for the float."""
    store, function = Store(shop, database), written_function(shop, sql, "sqlite")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        for price in PRICES:
            wanted = answers(connection, sql, p=float(price))
            assert list(store.execute(sql, p=price)) == wanted, price
            assert function(database, p=price) == wanted, price


def test_each_of_a_list_is(shop: Proposal, database: Database[dict[str, Any]]) -> None:
    """Lists of decimals find what they hold."""
    sql = "SELECT id FROM item WHERE price IN :ps ORDER BY id"
    prices = [Decimal("410.28"), Decimal("0.1")]
    assert list(Store(shop, database).execute(sql, ps=prices)) == [{"id": 1}, {"id": 2}]
    assert written_function(shop, sql, "sqlite")(database, ps=prices) == [{"id": 1}, {"id": 2}]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("by_store", [True, False], ids=["store", "module"])
@pytest.mark.parametrize("sql", WRITES)
def test_it_is_stored_as_a_float(
    sql: str, by_store: bool, shop: Proposal, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """Nothing but the numbers SQLite keeps lies in the column afterwards."""
    store, price = Store(shop, database), Decimal("7.00" if "stock = :p" in sql else "410.28")
    if by_store:
        store.execute(sql, p=price)
    else:
        written_function(shop, sql, "sqlite")(database, p=price)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute(sql, {"p": float(price)})
        found, wanted = list(store.execute(ALL)), answers(connection, ALL)
    assert [repr(row) for row in found] == [repr(row) for row in wanted]
