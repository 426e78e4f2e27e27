"""JSON of SQLite, which is a text there: its value is kept, so what the text decides is a gap and not another answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import GapError

DOCS = (
    None,
    "[5,1]",
    "[3]",
    '{"a": 1}',
    '{"a":1}',
    '"s"',
    "true",
    '{"b": 1, "a": 2}',
    '{"a": 2, "b": 1}',
    "[]",
    "null",
)
GAPS = (
    "SELECT id FROM t ORDER BY j, id",
    "SELECT max(j) FROM t",
    "SELECT min(j) FROM t",
    "SELECT count(DISTINCT j) FROM t",
    "SELECT DISTINCT j FROM t",
    "SELECT j, count(*) FROM t GROUP BY j",
    "SELECT a.id, b.id FROM t a JOIN t b ON a.j = b.j AND a.id < b.id",
    "SELECT id FROM t WHERE j IN (SELECT j FROM t WHERE id = 4)",
    "SELECT id, row_number() OVER (ORDER BY j) FROM t",
    "SELECT id, count(*) OVER (PARTITION BY j) FROM t",
    "SELECT j FROM t UNION SELECT j FROM t",
    "SELECT id FROM t WHERE j > (SELECT j FROM t WHERE id = 4)",
    "UPDATE t SET g = g + 1 WHERE id = (SELECT id FROM t ORDER BY j LIMIT 1)",
)
SAME = (
    "SELECT id FROM t WHERE j IS NULL ORDER BY id",
    "SELECT g, count(j) FROM t GROUP BY g ORDER BY g",
    "SELECT id, g, j IS NULL AS lacks, count(*) AS n FROM t GROUP BY id, g, j ORDER BY id",
)


@pytest.fixture
def both(database: Database[dict[str, Any]], tmp_path: Path) -> Iterator[tuple[sqlite3.Connection, Store]]:
    """The table in SQLite, and loaded."""
    file = tmp_path / "j.db"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE t (id integer PRIMARY KEY, j json, g integer)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(n, doc, n % 3) for n, doc in enumerate(DOCS)])
    connection.commit()
    proposal = pipeline.design(pipeline.inspect(f"sqlite:///{file}"), "normalized")
    pipeline.load(proposal, f"sqlite:///{file}", database)
    yield connection, Store(proposal, database)
    connection.close()


def test_what_the_text_decides_is_a_gap(both: tuple[sqlite3.Connection, Store]) -> None:
    """Its order, and which of two are equal."""
    _, store = both
    for sql in GAPS:
        with pytest.raises(GapError, match=r"(?i)json"):
            store.execute(sql)


@pytest.mark.parametrize("sql", SAME)
def test_what_the_value_decides_is_the_same(both: tuple[sqlite3.Connection, Store], sql: str) -> None:
    """Whether it is there, what is in it, and groups by the whole key beside it."""
    connection, store = both
    assert [tuple(row.values()) for row in store.execute(sql)] == connection.execute(sql).fetchall()
