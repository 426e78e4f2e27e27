"""A design made of SQLite's DDL, or of an empty database, takes the rows of that very database, or says what it was made for."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import LoadError
from nestling.ir.types import FLOAT, INTEGER

DDL = "CREATE TABLE k (id INTEGER PRIMARY KEY, price DECIMAL(10,2) NOT NULL DEFAULT 2, cost NUMERIC, at DATETIME);"
ALL = "SELECT id, price, typeof(price), cost, typeof(cost) FROM k ORDER BY id"


def made(tmp_path: Path, *rows: tuple[object, ...]) -> str:
    """The address of a database with these rows."""
    with closing(sqlite3.connect(tmp_path / "k.db")) as connection, connection:
        connection.executescript(DDL)
        connection.executemany("INSERT INTO k VALUES (?, ?, ?, ?)", rows)
    return f"sqlite:///{tmp_path / 'k.db'}"


def test_decimals_are_floats_and_integers(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """As SQLite keeps them: all rows are loaded, and are the same."""
    address = made(tmp_path, (1, 2.5, 3, "2024-01-01 10:00:00"), (2, 3, "2.50", None))
    (tmp_path / "k.sql").write_text(DDL)
    proposal = pipeline.design(pipeline.inspect(str(tmp_path / "k.sql"), dialect="sqlite"), "normalized")
    price = proposal.design.model.entity("k").attribute("price")
    assert (price.type, price.also) == (FLOAT, (INTEGER,))
    done = pipeline.load(proposal, address, database)
    assert done.verified is not None
    assert done.verified.equal


@pytest.mark.parametrize("of_ddl", [True, False], ids=["DDL", "empty database"])
def test_what_is_inserted_is_what_sqlite_keeps(
    of_ddl: bool, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """Fractions, texts of numbers, whole numbers and the default."""
    address = made(tmp_path)
    (tmp_path / "k.sql").write_text(DDL)
    reading = pipeline.inspect(str(tmp_path / "k.sql"), dialect="sqlite") if of_ddl else pipeline.inspect(address)
    proposal = pipeline.design(reading, "normalized")
    pipeline.load(proposal, address, database)
    with closing(sqlite3.connect(tmp_path / "k.db")) as connection, connection:
        for sql in (
            "INSERT INTO k (id, price, cost) VALUES (1, 2.5, '2.50'), (2, 2, 2.0)",
            "INSERT INTO k (id) VALUES (3)",
            "UPDATE k SET price = price * 2",
        ):
            Store(proposal, database).execute(sql)
            connection.execute(sql)
        wanted = [tuple(map(repr, row)) for row in connection.execute(ALL)]
    assert [tuple(map(repr, row.values())) for row in Store(proposal, database).execute(ALL)] == wanted


def test_moments_of_another_form_are_told(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """DDL does not say that a column's moments have milliseconds: the refusal does, and what to do."""
    address = made(tmp_path, (1, 2.5, 3, "2024-01-01 10:00:00.250"))
    (tmp_path / "k.sql").write_text(DDL)
    proposal = pipeline.design(pipeline.inspect(str(tmp_path / "k.sql"), dialect="sqlite"), "normalized")
    with pytest.raises(LoadError) as caught:
        pipeline.load(proposal, address, database)
    (problem,) = caught.value.problems
    assert "`k.at` is a text written YYYY-MM-DD HH:MM:SS.fff, which the design does not read as a date" in problem.what
    assert "design from the database itself" in (problem.next_move or "")
