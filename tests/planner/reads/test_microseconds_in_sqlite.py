"""Date functions of texts with microseconds, which SQLite rounds to the millisecond: in columns of texts and of moments."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline

MOMENTS = (
    "2024-06-25 23:32:05.000600",
    "2024-11-12 14:32:28.848791",
    "2024-12-31 23:59:59.999400",
    "2024-12-31 23:59:59.000400",
    "2024-06-25 23:32:05.123456",
    "2024-02-29 00:00:00.999499",
    "2024-03-01 10:00:00.000000",
)
HALVES = tuple(
    f"2024-03-01 10:00:{second:02}.{place:03}500" for second in (0, 5, 47) for place in (0, 1, 12, 500, 501, 998)
)
"""Which way each goes is told by the float of its seconds."""
OTHERS = ("2024-06-25 23:32:05.1", "2024-06-25 23:32", "12:30:01.0016", "2024-06-25T23:32:05.00059999+02:00", "x", None)
"""Texts of other forms."""
FUNCTIONS = (
    "julianday(at)",
    "unixepoch(at)",
    "datetime(at)",
    "date(at)",
    "time(at)",
    "datetime(at, '+1 hour')",
    "strftime('%f', at, '+1 month')",
    "strftime('%s %w %j %W', at)",
    "strftime('%f', at, 'start of day', '+1.5 seconds')",
    "strftime('%Y-%m-%d %H:%M:%f', at, 'weekday 3')",
    "at > datetime(at, '-1 day')",
)


@pytest.fixture
def both(tmp_path: Path, database: Database[dict[str, Any]]) -> tuple[Path, Store]:
    """A SQLite file, and a Store of what was loaded from it."""
    path = tmp_path / "moments.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, kind, moments in (
            ("t", "TEXT", (*MOMENTS, *HALVES, *OTHERS)),
            ("w", "TIMESTAMP", (*MOMENTS, *HALVES)),
        ):
            connection.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, at {kind})")
            connection.executemany(f"INSERT INTO {table} (at) VALUES (?)", ((each,) for each in moments))
    proposal = pipeline.design(pipeline.inspect(f"sqlite:///{path}"), "normalized")
    pipeline.load(proposal, f"sqlite:///{path}", database)
    return path, Store(proposal, database)


def test_date_functions_round_as_sqlite_does(both: tuple[Path, Store]) -> None:
    """Whether the column is one of texts or of moments, by every function."""
    path, store = both
    asked = [f"SELECT id, {each} AS found FROM {table} ORDER BY id" for each in FUNCTIONS for table in ("t", "w")]
    asked += [
        f"SELECT id, strftime('%f', at) FROM {table} WHERE id <= {len(MOMENTS)} ORDER BY id" for table in ("t", "w")
    ]
    with closing(sqlite3.connect(path)) as connection:
        for sql in asked:
            assert [tuple(row.values()) for row in store.execute(sql)] == connection.execute(sql).fetchall(), sql


def test_a_moment_that_is_given_is_rounded_too(both: tuple[Path, Store]) -> None:
    """A parameter is a text to SQLite."""
    path, store = both
    sql = "SELECT julianday(:at) AS day, strftime('%f', :at, '+1 hour') AS second FROM t WHERE id = 1"
    with closing(sqlite3.connect(path)) as connection:
        for at in MOMENTS:
            theirs = connection.execute(sql, {"at": at}).fetchall()
            assert [tuple(row.values()) for row in store.execute(sql, at=at)] == theirs, at


def test_no_fraction_is_of_the_next_second(both: tuple[Path, Store]) -> None:
    """As in SQLite since 3.49; before, the last half of a millisecond was the next second's."""
    _, store = both
    at = "2024-12-31 23:59:59.999600"
    sql = "SELECT unixepoch(:at) AS s, strftime('%f', :at) AS f, datetime(:at, '+1 hour') AS d FROM t WHERE id = 1"
    assert [tuple(row.values()) for row in store.execute(sql, at=at)] == [(1735689599, "59.999", "2025-01-01 00:59:59")]
