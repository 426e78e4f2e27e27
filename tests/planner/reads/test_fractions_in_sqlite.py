# ruff: noqa: DTZ001 - SQLite's moments have no zone
"""Moments as Django writes them into SQLite, with fractions or without: texts, which compare as SQLite compares them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.reading import Reading
from tests.written_module import written_function

TABLE = "CREATE TABLE event (id INTEGER PRIMARY KEY, written DATETIME DEFAULT CURRENT_TIMESTAMP, note TEXT)"
MOMENTS = [
    datetime(2024, 3, 4, 10, 0, 0, 456),
    datetime(2024, 3, 4, 10),
    datetime(2024, 3, 4, 9, 59, 59, 999999),
    datetime(2024, 3, 4, 10, 0, 0, 500000),
    datetime(2025, 1, 1),
    None,
]
READS = (
    "SELECT id, written FROM event ORDER BY written, id",
    "SELECT id FROM event ORDER BY written DESC, id LIMIT 3",
    "SELECT id FROM event WHERE written > '2024-03-04 10:00:00' ORDER BY id",
    "SELECT id FROM event WHERE written BETWEEN '2024-03-04' AND '2024-03-05' ORDER BY id",
    "SELECT strftime('%Y', written) AS y, COUNT(*) AS n FROM event GROUP BY 1 ORDER BY 1",
    "SELECT date(written) AS d, MAX(written) AS last FROM event GROUP BY 1 ORDER BY 1",
)
GIVEN = (
    *(f"SELECT id FROM event WHERE written {sign} :at ORDER BY id" for sign in ("=", "<>", "<", "<=", ">", ">=", "IS")),
    "SELECT id FROM event WHERE written IN (:at, '2025-01-01 00:00:00') ORDER BY id",
    "SELECT id FROM event WHERE coalesce(written < :at, 0) ORDER BY id",
    "SELECT id FROM event WHERE coalesce(written, :at) = :at ORDER BY id",
    "SELECT id FROM event WHERE strftime('%H', written) = strftime('%H', :at) ORDER BY id",
)


def written_by(values: list[datetime | None]) -> list[str | None]:
    """The texts Django and Python's sqlite3 make of them."""
    return [None if value is None else value.isoformat(" ") for value in values]


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """A table of events in SQLite."""
    with closing(sqlite3.connect(tmp_path / "log.db")) as connection, connection:
        connection.execute(TABLE)
        connection.executemany("INSERT INTO event VALUES (?, ?, 'x')", enumerate(written_by(MOMENTS), 1))
    return pipeline.inspect(f"sqlite:///{tmp_path / 'log.db'}")


@pytest.fixture
def store(reading: Reading, tmp_path: Path, database: Database[dict[str, Any]]) -> Store:
    """The events, loaded."""
    proposal = pipeline.design(reading, "normalized")
    done = pipeline.load(proposal, f"sqlite:///{tmp_path / 'log.db'}", database)
    assert done.verified is not None
    assert done.verified.equal
    return Store(proposal, database)


def asked(tmp_path: Path, sql: str, **values: object) -> list[dict[str, object]]:
    with closing(sqlite3.connect(tmp_path / "log.db")) as connection:
        cursor = connection.execute(sql, values)
        names = [each[0] for each in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]


def function(store: Store, sql: str) -> Any:
    """The statement in a written module."""
    return written_function(store._proposal, sql, "sqlite")


def test_fractions_of_several_lengths_are_text(reading: Reading) -> None:
    """The column is text, and a note says why."""
    (event,) = reading.model.entities
    assert str(event.attribute("written").type) == "text"
    assert event.attribute("written").also == ()
    (note,) = [each for each in reading.notes if "event.written" in each]
    assert "not all of the same usual length; SQLite compares them as text" in note


@pytest.mark.parametrize("odd", ["2024-03-04T10:00:00", "2024-02-30 10:00:00.5", "soon", 5])
def test_other_values_change_nothing_of_that(
    odd: object, reading: Reading, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """One value that is no such moment: the others are compared as texts all the same, and microseconds can be stored."""
    with closing(sqlite3.connect(tmp_path / "log.db")) as connection, connection:
        connection.execute("INSERT INTO event VALUES (99, ?, 'x')", (odd,))
    source = f"sqlite:///{tmp_path / 'log.db'}"
    found = pipeline.inspect(source)
    written = found.model.entity("event").attribute("written")
    assert (str(written.type), [str(each) for each in written.also]) == ("text", ["integer"] if odd == 5 else [])
    done = pipeline.load(pipeline.design(found, "normalized"), source, database)
    assert done.verified is not None
    assert done.verified.equal


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", READS)
def test_answers_are_sqlites(sql: str, store: Store, tmp_path: Path) -> None:
    """Order, ranges and functions of times."""
    assert list(store.execute(sql)) == asked(tmp_path, sql)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("sql", GIVEN)
def test_a_datetime_is_the_text_its_drivers_write(
    sql: str, store: Store, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """By a store and by a written module."""
    call = function(store, sql)
    for moment in MOMENTS[:5]:
        wanted = asked(tmp_path, sql, at=moment.isoformat(" ") if moment else None)
        assert list(store.execute(sql, at=moment)) == wanted, moment
        assert call(database, at=moment) == wanted, moment


def test_each_of_a_list_is(store: Store, database: Database[dict[str, Any]]) -> None:
    """Lists of moments find what they hold."""
    sql = "SELECT id FROM event WHERE written IN :many ORDER BY id"
    assert list(store.execute(sql, many=MOMENTS[:2])) == [{"id": 1}, {"id": 2}]
    assert function(store, sql)(database, many=MOMENTS[:2]) == [{"id": 1}, {"id": 2}]


def test_it_is_stored_as_that_text(store: Store, database: Database[dict[str, Any]]) -> None:
    """Whoever writes, and what the default makes is a text as well."""
    insert = "INSERT INTO event (id, written) VALUES (:id, :at)"
    for number, moment in enumerate(MOMENTS[:2]):
        store.execute(insert, id=20 + number, at=moment)
        function(store, insert)(database, id=30 + number, at=moment)
    stored = {each["_id"]: each["written"] for each in database["event"].find({"_id": {"$gte": 20}})}
    texts = written_by(MOMENTS[:2])
    assert stored == {20: texts[0], 21: texts[1], 30: texts[0], 31: texts[1]}
    store.execute("INSERT INTO event (id) VALUES (40)")
    (made,) = database["event"].find({"_id": 40})
    assert isinstance(made["written"], str)
    assert len(made["written"]) == len("2024-03-04 10:00:00")
