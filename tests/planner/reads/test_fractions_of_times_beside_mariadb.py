"""TIME with fractions of a second, which MySQL prints with all digits of its column: kept in one form, beside MariaDB."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time, timedelta
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient

from nestling import Store
from nestling.common.errors import GapError
from nestling.ir.value_forms.time_text import clock_of
from tests.beside_mariadb import Both, beside_mariadb

SCRIPT = """
CREATE TABLE v (id INT PRIMARY KEY, fine TIME(6), short TIME(3), whole TIME, note VARCHAR(20));
INSERT INTO v VALUES (1, '10:00:00.5', '10:00:00.5', '10:00:00', NULL), (2, '10:00:00.123456', '10:00:00.123', '10:00:01', NULL),
  (3, '10:00:00', '10:00:00', NULL, NULL)"""
HALF = ("10:00:00.5", "10:00:00.500", "10:00:00.500000", time(10, 0, 0, 500_000), timedelta(hours=10, seconds=0.5))
GIVEN = (*HALF, "10:00:00", "10:00", "10:00:00.123456", time(10), timedelta(hours=10))


@pytest.fixture(scope="module")
def both(mariadb: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Both]:
    """The table, and what was loaded of it."""
    name = f"test_{uuid4().hex}"
    with beside_mariadb(mariadb, mongo_client[name], SCRIPT, "normalized") as found:
        yield found
    mongo_client.drop_database(name)


@pytest.mark.parametrize("column", ["fine", "short", "whole"])
def test_they_are_found_and_written_alike(both: Both, column: str) -> None:
    """However many digits are given, and whether a row was loaded or written."""
    store = Store(both.proposal, both.database)
    for value in GIVEN:
        for condition in (f"{column} = %s", f"{column} > %s", f"{column} IN (%s, '00:00:00')"):
            sql = f"SELECT id FROM v WHERE {condition} ORDER BY id"
            both.cursor.execute(sql, [value])
            found = [(row["id"],) for row in store.execute(sql, [value])]
            assert found == [*both.cursor.fetchall()], (sql, value)
        update = f"UPDATE v SET {column} = %s WHERE id = 3"
        both.cursor.execute(update, [value])
        store.execute(update, [value])
        both.cursor.execute(f"SELECT {column} FROM v ORDER BY id")
        wanted = [None if found is None else clock_of(found) for (found,) in both.cursor.fetchall()]
        assert [row[column] for row in store.execute(f"SELECT {column} FROM v ORDER BY id")] == wanted
    both.assert_equal()


def test_texts_have_the_digits_a_column_declares(both: Both) -> None:
    """A column of whole seconds has none; where nobody knows how many there are it is a gap."""
    store = Store(both.proposal, both.database)
    for sql in ("CONCAT(fine, '')", "LENGTH(fine)", "CAST(MAX(fine) AS CHAR)"):
        with pytest.raises(GapError, match="a time of day as a text, whose digits of a second are not declared"):
            store.execute(f"SELECT {sql} AS x FROM v")
    with pytest.raises(GapError, match="a time with fractional seconds as a text"):
        store.execute("UPDATE v SET note = fine")
    for text in ("CONCAT(whole, '!')", "CAST(short AS CHAR)", "CONCAT(short, '')"):
        sql = f"SELECT {text} AS x FROM v WHERE id < 3 ORDER BY id"
        both.cursor.execute(sql)
        assert [(row["x"],) for row in store.execute(sql)] == [*both.cursor.fetchall()]
