"""Seconds since 1970 as times, and days of the week, beside SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store
from nestling.common.errors import ReadError
from nestling.ir.programs.compiled import NotCompiled
from nestling.pipeline import convert, design, inspect, load

_SECONDS = (
    0,
    1,
    -1,
    1_700_000_000,
    951_782_400,
    253_402_300_799,
    253_402_300_800,
    -62_135_500_000,
    -210_866_760_001,
    4_102_444_799,
)
_TABLE = "CREATE TABLE event (id INTEGER PRIMARY KEY, n INTEGER, f REAL, at DATETIME, d DATE)"
STATEMENTS = (
    "SELECT id, datetime(n, 'unixepoch') AS t FROM event ORDER BY id",
    "SELECT id, date(n, 'unixepoch') AS t FROM event ORDER BY id",
    "SELECT id, strftime('%Y-%m', n, 'unixepoch', '-1 day') AS t FROM event ORDER BY id",
    "SELECT date(n, 'unixepoch') AS t, count(*) AS c FROM event GROUP BY 1 ORDER BY 1",
    "SELECT id FROM event WHERE datetime(n, 'unixepoch') > '2000-01-01' ORDER BY id",
    "SELECT id FROM event WHERE date(n, 'unixepoch') = '1970-01-01' ORDER BY id",
    *(f"SELECT id, date(at, 'weekday {day}') AS t, datetime(d, 'weekday {day}') AS u FROM event ORDER BY id" for day in range(7)),
    "SELECT id, date(at, 'weekday 0', '-6 days') AS monday FROM event ORDER BY id",
    "SELECT id, date(at, '+3000 years') AS t, date(d, '+36013 months', '-32500 months') AS u FROM event ORDER BY id",
    "SELECT id, date(at, '-2024 years') AS t, date('1000-02-28', '+3000 years') AS u FROM event ORDER BY id",
    "SELECT date(d, '-6 days', 'weekday 1') AS monday, count(*) AS c FROM event GROUP BY 1 ORDER BY 1",
)  # fmt: skip


@pytest.fixture
def both(tmp_path: Path, database: Database[Any]) -> Any:
    """The same rows in SQLite and loaded."""
    path = f"sqlite:///{tmp_path / 'a.db'}"
    with closing(sqlite3.connect(tmp_path / "a.db")) as source:
        source.execute(_TABLE)
        rows = [
            (place, number, number / 2, f"2024-02-{20 + place % 10} 1{place % 10}:00:00", f"2023-12-{20 + place % 12}")
            for place, number in enumerate(_SECONDS)
        ]
        source.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?)", [*rows, (99, None, None, None, None)])
        source.commit()
        made = design(inspect(path), "normalized")
        load(made, path, database)
        yield source, made, Store(made, database)


def test_answers_are_sqlites(both: Any) -> None:
    """Around 1970, at both ends of what is a time, and of NULL."""
    source, _, store = both
    for sql in STATEMENTS:
        assert [tuple(row.values()) for row in store.execute(sql)] == source.execute(sql).fetchall(), sql


OF_GIVEN = (
    "julianday(:t) - julianday(d)",
    "CAST(julianday(d) - julianday(:t) AS INTEGER)",
    "date(:t)",
    "datetime(:t, '-7 days')",
    "strftime('%Y', :t)",
    "unixepoch(:t)",
    "d <= date(:t, 'start of month')",
    "at < datetime(:t, '+1 day')",
)


@pytest.mark.parametrize("value", OF_GIVEN)
def test_a_parameter_is_a_text_as_in_sqlite(both: Any, value: str) -> None:
    """A date and a datetime too."""
    source, _, store = both
    sql = f"SELECT id, {value} AS v FROM event ORDER BY id"
    for given in ("2024-02-25", "2024-02-25 12:00:00", "2024-02-25T12:00", "no time", None):
        assert [tuple(row.values()) for row in store.execute(sql, t=given)] == source.execute(sql, [given]).fetchall()
    for moment in (date(2024, 2, 25), datetime(2024, 2, 25, 12, 30)):  # noqa: DTZ001 - without a zone
        there = source.execute(sql, [moment.isoformat()]).fetchall()
        assert [tuple(row.values()) for row in store.execute(sql, t=moment)] == there


@pytest.mark.parametrize(
    "value",
    ["date(at, '-3000 years')", "date(d, '-2030 years')", "datetime(at, '+8000 years')", "date(at, '-900000 days')"],
)
def test_years_that_the_server_has_not(both: Any, value: str) -> None:
    """Before the year 0, which SQLite writes with a sign, and after 9999, which are NULL there: an error in words."""
    with pytest.raises(ReadError, match="a date is before the year 0 or after 9999"):
        both[2].execute(f"SELECT {value} AS v FROM event")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "value",
    [
        "datetime(f, 'unixepoch')",
        "datetime('now', 'unixepoch')",
        "date(at, 'weekday 7')",
        "date(at, '+1 day', 'unixepoch')",
    ],
)
def test_what_is_a_gap(both: Any, value: str) -> None:
    """Fractions of a second, and what SQLite itself does not read."""
    assert isinstance(convert(both[1], f"SELECT {value} FROM event"), NotCompiled)
