"""A column of integers and floats is one of numbers: no statement looks for texts in it, and answers stay SQLite's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal

TABLE = "CREATE TABLE item (id INTEGER PRIMARY KEY, a DECIMAL(10,2), b NUMERIC, c NUMERIC NOT NULL, kind TEXT)"
MOST = 2**63 - 1
ROWS = [
    (1, 2.5, 3, 0.1, "x"),
    (2, 3, 0.2, 7, "x"),
    (3, 0.1, 0.2, 0.3, "y"),
    (4, None, -4, 4, "y"),
    (5, 1e300, 2**53 + 1, -0.5, "x"),
    (6, -7, 2, 3, "z"),
    (7, MOST, 1, 2, "w"),
    (8, 0, 0.5, 0, "3"),
    (9, 0.3, 0.2, 0.1, "2.5"),
]
SHORT = (
    "SELECT SUM(a) AS s FROM item WHERE id < 5",
    "SELECT kind, SUM(b) AS s, AVG(c) AS v, TOTAL(b) AS t, MAX(a) AS m FROM item WHERE id < 7 GROUP BY kind ORDER BY kind",
    "SELECT id, a * 2 AS x, b - c AS y, c + a AS z FROM item WHERE id <> 7 ORDER BY id",
    "SELECT id, a + b + c AS x, a * b * c AS y, a + 0.1 + c AS z FROM item WHERE id <> 7 ORDER BY id",
    "SELECT (SELECT 0.1) + SUM(b) + SUM(c) AS x, SUM(a) + SUM(b) + SUM(c) AS y FROM item WHERE id IN (3, 9)",
    "SELECT id, a / 2 AS x, b / c AS y, a % 3 AS z, -b AS n FROM item ORDER BY id",
    "SELECT id, abs(b) AS x, round(a) AS y, round(c, 1) AS z, sign(c) AS s FROM item WHERE id <> 7 ORDER BY id",
    "SELECT id, CAST(c AS INTEGER) AS x, CAST(c AS REAL) AS y, CAST(c AS NUMERIC) AS z FROM item ORDER BY id",
    "SELECT id, a || '' AS x, typeof(b) AS y FROM item WHERE id <> 5 ORDER BY id",
    "SELECT id FROM item WHERE c ORDER BY id",
    "SELECT id FROM item WHERE a > 2 AND b < 1 ORDER BY id",
    "SELECT id FROM item WHERE a BETWEEN 0 AND 3 ORDER BY a DESC, id",
    "SELECT id, coalesce(a, b) AS x, CASE WHEN a > b THEN a ELSE c END AS y FROM item ORDER BY id",
    "SELECT SUM(DISTINCT c) AS s, COUNT(DISTINCT a) AS n FROM item WHERE c NOT IN (0.1, 0.3)",
    "SELECT SUM(b) AS s FROM item WHERE a IS NULL AND id = 99",
    "UPDATE item SET a = a * 2 WHERE id < 6",
    "UPDATE item SET a = b + 0.5, b = c WHERE id < 6",
)
PARAMETERS = tuple(f"SELECT id FROM item WHERE a {sign} :p ORDER BY id" for sign in ("<", "<=", ">", ">=", "=", "<>"))
BESIDE = (
    "SELECT i.id AS i, j.id AS j FROM item i JOIN item j ON i.a = j.kind ORDER BY 1, 2",
    "SELECT x + 1 AS y FROM (SELECT a AS x FROM item WHERE id < 5) ORDER BY 1",
)
ALL = "SELECT id, a, typeof(a), b, typeof(b), c FROM item ORDER BY id"


@pytest.fixture
def shop(tmp_path: Path, database: Database[dict[str, Any]]) -> Proposal:
    """Items, loaded."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.execute(TABLE)
        connection.executemany("INSERT INTO item VALUES (?, ?, ?, ?, ?)", ROWS)
    address = f"sqlite:///{tmp_path / 'shop.db'}"
    proposal = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(proposal, address, database)
    return proposal


def texts(rows: Any) -> list[list[str]]:
    """Rows with the classes of their values."""
    return [[repr(value) for value in row] for row in rows]


@pytest.mark.thorough
def test_answers_are_sqlites(shop: Proposal, tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Values, classes and order, in reads and writes."""
    store = Store(shop, database)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        for sql in (*SHORT, *BESIDE):
            wanted = texts(connection.execute(sql))
            found = store.execute(sql)
            if sql.startswith("UPDATE"):
                wanted, found = texts(connection.execute(ALL)), store.execute(ALL)
            assert texts(row.values() for row in found) == wanted, sql
        for sql in PARAMETERS:
            for value in (3, 3.0, 2.5, "3", "x", None, MOST, 1e301):
                wanted = texts(connection.execute(sql, {"p": value}))
                assert texts(row.values() for row in store.execute(sql, p=value)) == wanted, (sql, value)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sql", SHORT)
def test_no_text_is_looked_for(sql: str, shop: Proposal) -> None:
    """The validator takes none: nothing reads one as a number."""
    made = pipeline.convert(shop, sql, name="statement", dialect="sqlite")
    assert not isinstance(made, NotCompiled), made
    assert "^[ \\t" not in repr(made)


def test_a_sum_is_short(shop: Proposal) -> None:
    """It is a `$sum` and its NULL: `SUM(price)` of the bundled shop is 6 lines of MQL, and was 246."""
    made = pipeline.convert(shop, "SELECT SUM(a) AS s FROM item", name="statement", dialect="sqlite")
    assert not isinstance(made, NotCompiled)
    assert len(repr(made)) < 2000
