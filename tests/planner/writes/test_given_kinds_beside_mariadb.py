"""Values of every kind given for every kind of column: MariaDB's rows and answers, or refused in words."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pymysql
import pytest

from nestling import Store
from nestling.common.errors import NestlingError
from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE item (id int PRIMARY KEY, v varchar(60), c char(40), b varbinary(60), j json, d decimal(30,10), x double,
    at datetime, day date, n bigint, bin varchar(20) COLLATE utf8mb4_bin);
INSERT INTO item (id, v, n, bin) VALUES (1, '1', 1, '1.50'), (2, 'x', 2, 'x'), (3, NULL, NULL, NULL), (4, '2024-01-02', 0, 'X')
"""
GIVEN: tuple[object, ...] = (
    True, False, 5, 2**40, Decimal("1.50"), Decimal("1E+2"), Decimal("1E-7"), 1.5, 0.1 + 0.2, 1e14, 1e15, 1e20, 1e-5, 1e-16, 2.5,
    -0.5, 100.0, -0.0, 3979037099708957.5, b"ab", b"\xff", date(2024, 1, 2), datetime.fromisoformat("2024-01-02T03:04:05"),
    time(3, 4), "x", "", "5", " 7 ", "1e2", "\\x41", None, UUID(int=5),
)  # fmt: skip
READS = (
    "SELECT id FROM item WHERE v = :g ORDER BY id", "SELECT id FROM item WHERE v <> :g ORDER BY id",
    "SELECT id FROM item WHERE bin = :g ORDER BY id", "SELECT id FROM item WHERE bin IN (:g, 'y') ORDER BY id",
    "SELECT id FROM item WHERE n = :g ORDER BY id", "SELECT CONCAT(:g, '!')", "SELECT CONCAT(v, :g) FROM item WHERE id = 1",
    "SELECT COALESCE(v, :g) FROM item ORDER BY id", "SELECT IF(id > 2, v, :g) FROM item ORDER BY id", "SELECT UPPER(:g)",
)  # fmt: skip
LEAST_STORED = {"v": 31, "c": 31, "b": 10, "j": 23, "d": 22, "x": 23, "n": 22, "at": 3, "day": 3}
LEAST_READ = 11
"""Values that are not refused."""
both = both_of(SCRIPT, "normalized")


@pytest.mark.thorough
@pytest.mark.parametrize("column", ["v", "c", "b", "j", "d", "x", "n", "at", "day"])
def test_it_is_stored_as_mariadb_stores_it(both: Both, column: str) -> None:
    """The text of a number or of bytes too; what is refused here leaves the row as it is."""
    store, sql, compared = Store(both.proposal, both.database), f"UPDATE item SET {column} = :g WHERE id = 1", 0
    for value in GIVEN:
        try:
            store.execute(sql, g=value)
        except NestlingError:
            continue
        both.cursor.execute(sql.replace(":g", "%(g)s"), {"g": value})
        both.assert_equal()
        compared += 1
    assert compared >= LEAST_STORED[column], compared


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sql", READS)
def test_it_is_asked_as_mariadb_is(both: Both, sql: str) -> None:
    """A number is never compared with a text as one."""
    store, compared = Store(both.proposal, both.database), 0
    for value in GIVEN:
        try:
            found: Any = [row.values() for row in store.execute(sql, g=value)]
        except NestlingError:
            continue
        both.cursor.execute(sql.replace(":g", "%(g)s"), {"g": value})
        assert [*map(tuple, found)] == [*both.cursor.fetchall()], value
        compared += 1
    assert compared >= LEAST_READ, compared


def test_constants_of_a_query_are_stored_as_those_of_values(both: Both) -> None:
    """A text for a date, a number, JSON; a text that is none is refused by both."""
    values = "{}, '2030-01-01', '2030-01-01 10:00', {}, '0.5', '[1]'"
    row = f"INSERT INTO item (id, day, at, d, x, j) SELECT {values} FROM item WHERE id = 1"
    assert both.written(row.format(10, "'1.5'")) == (True, True)
    both.assert_equal()
    with pytest.raises(NestlingError, match="cannot be stored"):
        Store(both.proposal, both.database).execute(row.format(11, "'abc'"))
    with pytest.raises(pymysql.Error):
        both.cursor.execute(row.format(11, "'abc'"))
