"""Truncated times, zones, intervals and differences as Django writes them, beside MariaDB; of milliseconds and microseconds."""

from __future__ import annotations

import subprocess
from shutil import which

import pytest

from nestling.common.errors import NestlingError
from nestling.executors.run import run_read
from tests.beside_mariadb import Both, both_of

_MOMENTS = (
    "1969-12-31 23:59:59.999", "1970-01-01 00:00:00", "1970-01-01 00:00:01.5", "2000-02-29 12:30:45.123", "2023-12-31 23:30:00",
    "2024-01-01 00:00:00", "2024-03-31 00:59:59.999", "2024-03-31 01:00:00", "2024-05-05 22:15:30.25", "2024-05-06 00:00:00",
    "2024-10-27 00:30:00", "2024-10-27 01:30:00.001", "2024-12-30 05:06:07.089", "2025-07-01 23:59:59.999",
)  # fmt: skip
_ROWS = ", ".join(
    f"({place}, '{text}', '{text}' + INTERVAL {place * 77} MICROSECOND, DATE('{text}'), '{text}')"
    for place, text in enumerate(_MOMENTS)
)
both = both_of(
    f"""CREATE TABLE sale (id int PRIMARY KEY, at datetime(3), fine datetime(6), day date, second datetime);
SET time_zone = '+00:00';
INSERT INTO sale VALUES {_ROWS}, (99, NULL, NULL, NULL, NULL)""",
    "normalized",
    scope="module",
)
COLUMNS = ("at", "fine", "day", "second")
CUTS = (
    "CAST(DATE_FORMAT({}, '%Y-01-01 00:00:00') AS DATETIME)",
    "CAST(DATE_FORMAT({}, '%Y-%m-01 00:00:00') AS DATETIME)",
    "CAST(DATE_FORMAT({}, '%Y-%m-%d 00:00:00') AS DATETIME)",
    "CAST(DATE_FORMAT({}, '%Y-%m-%d %H:00:00') AS DATETIME)",
    "CAST(DATE_FORMAT({}, '%Y-%m-%d %H:%i:00') AS DATETIME)",
    "CAST(DATE_FORMAT({}, '%Y-%m-%d %H:%i:%s') AS DATETIME)",
    "CAST(DATE_FORMAT(DATE_SUB({0}, INTERVAL WEEKDAY({0}) DAY), '%Y-%m-%d 00:00:00') AS DATETIME)",
    "CAST(DATE_FORMAT({}, '%Y-01-01') AS DATE)",
    "CAST(DATE_FORMAT({}, '%Y-%m-01') AS DATE)",
    "CAST(DATE_FORMAT({}, '%Y-%m-%d') AS DATETIME)",
    "DATE_SUB(CAST({0} AS DATE), INTERVAL WEEKDAY({0}) DAY)",
    "DATE_SUB({0}, INTERVAL WEEKDAY({0}) DAY)",
    "MAKEDATE(YEAR({}), 1)",
    "MAKEDATE(YEAR({0}), 1) + INTERVAL QUARTER({0}) QUARTER - INTERVAL 1 QUARTER",
    "({} + INTERVAL 86400000000 MICROSECOND)",
    "({} - INTERVAL 1500000 MICROSECOND)",
    "({} + INTERVAL 90 MINUTE)",
    "({} - INTERVAL 1 MONTH)",
    "TIMESTAMPDIFF(MICROSECOND, {}, fine)",
    "TIMESTAMPDIFF(SECOND, fine, {} + INTERVAL 3 HOUR)",
    "TIMESTAMPDIFF(DAY, {}, '2024-05-06 01:02:03')",
    "({0} + INTERVAL 1 DAY > {0})",
)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("value", CUTS)
def test_values_are_mariadbs(both: Both, value: str, column: str) -> None:
    """Of days, and of moments before 1970 too."""
    here, there = both.answers(f"SELECT id, {value.format(column)} AS value FROM sale ORDER BY id")
    assert here == there


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT CAST(DATE_FORMAT(fine, '%Y-%m-01 00:00:00') AS DATETIME) AS m, COUNT(*) AS n FROM sale GROUP BY 1 ORDER BY 1",
        "SELECT CAST(DATE_FORMAT(at, '%Y-%m-%d %H:00:00') AS DATETIME) AS m, COUNT(*) FROM sale GROUP BY m ORDER BY m",
        "SELECT id FROM sale WHERE CAST(DATE_FORMAT(at, '%Y-01-01') AS DATE) = '2024-01-01' ORDER BY id",
        "SELECT id FROM sale WHERE fine > at + INTERVAL 500000 MICROSECOND OR at + INTERVAL 1000 MICROSECOND > fine ORDER BY id",
        "SELECT id FROM sale ORDER BY fine + INTERVAL 86400000000 MICROSECOND DESC, id",
        "SELECT id, TIMESTAMPDIFF(MICROSECOND, at, fine) AS d FROM sale WHERE fine > at ORDER BY id",
    ],
)
def test_statements_are_mariadbs(both: Both, sql: str) -> None:
    """In groups, conditions and orders."""
    here, there = both.answers(sql)
    assert here == there


@pytest.fixture(scope="module")
def zoned(both: Both) -> Both:
    """The same with the names of zones in MariaDB."""
    program = which("mariadb-tzinfo-to-sql") or which("mysql_tzinfo_to_sql")
    assert program is not None
    both.cursor.execute("SELECT DATABASE()")
    (own,) = both.cursor.fetchone()
    both.cursor.execute("USE mysql")
    for zone in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"):
        both.cursor.execute("SELECT COUNT(*) FROM time_zone_name WHERE Name = %s", (zone,))
        if both.cursor.fetchone() == (0,):
            made = subprocess.run(
                [program, f"/usr/share/zoneinfo/{zone}", zone], capture_output=True, text=True, check=True
            )
            for statement in filter(str.strip, made.stdout.split(";\n")):
                both.cursor.execute(statement)
    both.cursor.execute(f"USE {own}")
    return both


@pytest.mark.one_in(2)
@pytest.mark.parametrize("column", ["at", "fine", "second"])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC", "+05:30", "-03:00"])
def test_zones_are_mariadbs(zoned: Both, zone: str, column: str) -> None:
    """As Django writes what is to be shown in another zone: parts, days, formats and truncated moments."""
    moved = f"CONVERT_TZ({column}, '{'+00:00' if zone[0] in '+-' else 'UTC'}', '{zone}')"
    for value in (
        moved,
        f"EXTRACT(HOUR FROM {moved})",
        f"DATE({moved})",
        f"DATE_FORMAT({moved}, '%Y-%m-%d %H:%i')",
        f"DAYOFWEEK({moved})",
        f"WEEKDAY({moved})",
        f"CAST(DATE_FORMAT({moved}, '%Y-%m-01 00:00:00') AS DATETIME)",
        f"CAST(DATE_FORMAT({moved}, '%Y-%m-%d %H:00:00') AS DATETIME)",
        f"CAST(DATE_FORMAT(DATE_SUB({moved}, INTERVAL WEEKDAY({moved}) DAY), '%Y-%m-%d 00:00:00') AS DATETIME)",
    ):
        here, there = zoned.answers(f"SELECT id, {value} AS value FROM sale ORDER BY id")
        assert here == there, value


def test_zones_that_are_not_known(both: Both) -> None:
    """From another zone than UTC, and by none that is written; a moment that MySQL's versions convert otherwise fails."""
    assert "CONVERT_TZ from `Europe/Berlin`" in both.gap("SELECT CONVERT_TZ(at, 'Europe/Berlin', 'UTC') FROM sale")
    assert "CONVERT_TZ to `CET`" in both.gap("SELECT CONVERT_TZ(at, 'UTC', 'CET') FROM sale")
    assert "finer than a millisecond" in both.gap("SELECT at + INTERVAL 1 MICROSECOND FROM sale")
    with pytest.raises(NestlingError, match="after 2038"):
        list(
            run_read(
                both.database, both.convert("SELECT CONVERT_TZ(at + INTERVAL 40 YEAR, 'UTC', 'Asia/Tokyo') FROM sale")
            )
        )
