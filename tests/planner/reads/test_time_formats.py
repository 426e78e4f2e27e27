"""Formats of dates, numbers of weeks and days added, beside MariaDB and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import Beside, beside

_DAYS = tuple(
    f"{year}-{day}" for year in (1969, 1999, 2000, 2004, 2008, 2009, 2015, 2016, 2020, 2021, 2022, 2023, 2024, 2025)
    for day in ("01-01", "01-02", "01-03", "01-04", "01-07", "02-21", "03-22", "06-11", "07-13", "12-28", "12-29", "12-31")
)  # fmt: skip
_ROWS = ", ".join(
    f"({place}, '{day}', '{day} {place % 24:02}:{place % 60:02}:07.125')" for place, day in enumerate(_DAYS)
)
both = both_of(
    f"CREATE TABLE day (id int PRIMARY KEY, d date, at datetime(3));\nINSERT INTO day VALUES {_ROWS}, (9999, NULL, NULL)",
    "normalized",
    scope="module",
)
OF_MARIADB = (
    "DATE_FORMAT({}, '%M %W, %b %a')",
    "DATE_FORMAT({}, '%c/%e/%y %h:%i %p')",
    "DATE_FORMAT({}, '%r | %T | %k | %l | %I')",
    "DATE_FORMAT({}, '%D of %M')",
    "DATE_FORMAT({}, '%x-%v %X-%V %u %U %w %j')",
    "DATE_FORMAT({}, 'week %v: 100%%')",
    "DATE_FORMAT({}, '%YT%H')",
    *(f"WEEK({{}}, {mode})" for mode in range(8)),
    *(f"YEARWEEK({{}}, {mode})" for mode in range(8)),
    "WEEK({})",
    "YEARWEEK({})",
    "WEEKOFYEAR({})",
    "ADDDATE({}, 40)",
    "ADDDATE({}, INTERVAL 1 MONTH)",
    "SUBDATE({}, 40)",
    "SUBDATE({}, INTERVAL 1 YEAR)",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("column", ["d", "at"])
@pytest.mark.parametrize("call", OF_MARIADB)
def test_answers_are_mariadbs(both: Both, call: str, column: str) -> None:
    """Of days and moments around the ends of years, and of NULL."""
    here, there = both.answers(f"SELECT id, {call.format(column)} AS value FROM day ORDER BY id")
    assert here == there


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT YEARWEEK(d, 3) AS w, COUNT(*) FROM day GROUP BY YEARWEEK(d, 3) ORDER BY w",
        "SELECT DATE_FORMAT(at, '%b %Y') AS m, COUNT(*) FROM day GROUP BY m ORDER BY m",
        "SELECT id FROM day WHERE DATE_FORMAT(d, '%a') = 'sun' AND WEEK(at) > 50 ORDER BY id",
    ],
)
def test_statements_are_mariadbs(both: Both, sql: str) -> None:
    """In groups and conditions."""
    here, there = both.answers(sql)
    assert here == there


def test_a_format_that_is_not_known_is_a_gap(both: Both) -> None:
    """It is named."""
    assert "the format `%f of %M`" in both.gap("SELECT DATE_FORMAT(at, '%f of %M') FROM day")
    assert "mode" in both.gap("SELECT WEEK(d, id) FROM day")


OF_POSTGRESQL = (
    "Mon YYYY", "MON", "mon", "Month|", "MONTH|", "month|", "FMMonth FMDD, YYYY", "Dy DD Mon", "Day|", "FMDay", "FMDAY", "day|",
    "IYYY-IW", 'IYYY-"W"IW', "HH12:MI AM", "HH:MI pm", "yyyy-mm-dd hh24:mi:ss", "Q", '"Q"Q YYYY', "YY", "D ID", "FMMM/FMDD/YY",
    "FMHH24:MI", "FMHH12:FMMI", 'YYYY-MM-DD"T"HH24:MI:SS', "YYYYMMDD",
)  # fmt: skip


@pytest.fixture(scope="module")
def served(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Beside]:
    """The same days in PostgreSQL."""
    tables = f"""CREATE TABLE day (id int PRIMARY KEY, d date, at timestamp(3));
        INSERT INTO day VALUES {_ROWS}, (9999, NULL, NULL)"""
    with beside(postgresql, mongo_client, tables) as found:
        yield found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("column", ["d", "at"])
@pytest.mark.parametrize("pattern", OF_POSTGRESQL)
def test_answers_are_postgresqls(served: Beside, pattern: str, column: str) -> None:
    """Of days and moments around the ends of years, and of NULL."""
    sql = f"SELECT id, to_char({column}, '{pattern}') FROM day ORDER BY id"
    assert served.ours(sql) == served.theirs(sql)


@pytest.mark.parametrize("pattern", ["DDth", "SSSS", "IDDD", "TMMonth", "YYYY at HH24", "J", "US"])
def test_other_formats_are_gaps(served: Beside, pattern: str) -> None:
    """They are named."""
    assert pattern in served.gap(f"SELECT to_char(at, '{pattern}') FROM day")
