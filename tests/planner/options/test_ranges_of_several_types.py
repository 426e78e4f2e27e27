"""A range of values of several types is an expression, as SQL orders them otherwise: in an array no index serves it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.primitives import Index
from nestling.ir.reading import Reading
from nestling.pipeline.designing import posed_problem
from nestling.pipeline.proving.statements import predicted_seconds
from tests.least_cost import designed

TABLES = """
CREATE TABLE bill (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE part (id INTEGER PRIMARY KEY, bill_id INTEGER NOT NULL REFERENCES bill (id), due INTEGER NOT NULL);
"""
STATEMENTS = {
    "later": "SELECT id FROM part WHERE due > 3980 ORDER BY id",
    "same": "SELECT id FROM part WHERE due = 3981",
    "whole": "SELECT b.name, p.id FROM bill b JOIN part p ON p.bill_id = b.id WHERE b.id = 7",
}


@pytest.fixture(scope="module")
def bills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thousand bills of four parts, some of which are due at once and not on a day."""
    path = tmp_path_factory.mktemp("bills") / "bills.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        connection.executemany("INSERT INTO bill VALUES (?, ?)", ((n, f"bill {n}") for n in range(1_000)))
        parts = ((n, n % 1_000, "at once" if n % 10 == 0 else n) for n in range(4_000))
        connection.executemany("INSERT INTO part VALUES (?, ?, ?)", parts)
    path.with_suffix(".sql").write_text("\n".join(f"-- name: {name}\n{sql};" for name, sql in STATEMENTS.items()))
    return path


@pytest.fixture(scope="module")
def reading(bills: Path) -> Reading:
    """What is read of them."""
    return pipeline.inspect(f"sqlite:///{bills}", workload=bills.with_suffix(".sql"))


def test_the_search_has_none_there(reading: Reading) -> None:
    """What equals a value has one there as well, and a range has one where each row is a document."""
    by = {
        each.statement: {mode.needs[0] for mode in each.modes if any("on due" in name for name in mode.needs)}
        for each in posed_problem(reading, None, None).problem.steps
    }
    assert by["same"] >= {"part in bill", "part in a collection of its own"}
    assert "part in bill" not in by["later"]
    assert "part in a collection of its own" in by["later"]


def test_nor_has_the_compiled_query(reading: Reading, bills: Path, database: Database[dict[str, Any]]) -> None:
    """The server reads the index for what is equal alone, and the price of the range is that without it."""
    found = designed(reading, "embedded")
    plain = replace(found.design, indexes=tuple(each for each in found.design.indexes if not each.serves))
    indexed = replace(plain, indexes=(*plain.indexes, Index("bill", (("part.due", 1),), serves=("same",))))
    with_none, with_one = (replace(found, design=each) for each in (plain, indexed))
    later = reading.workload.statements[0]
    assert predicted_seconds(with_one, reading, later) == predicted_seconds(with_none, reading, later)
    pipeline.load(with_one, bills, database)
    store = Store(with_one, database, workload=bills.with_suffix(".sql"))
    for name, reads in (("later", 0), ("same", 1)):
        before = times_read(database)
        with closing(sqlite3.connect(bills)) as connection:
            assert [tuple(row.values()) for row in store.run(name)] == connection.execute(STATEMENTS[name]).fetchall()
        assert times_read(database) - before == reads


def times_read(database: Database[dict[str, Any]]) -> int:
    """How often the index on the day was read."""
    told = {tuple(each["key"]): each["accesses"]["ops"] for each in database["bill"].aggregate([{"$indexStats": {}}])}
    return int(told["part.due",])
