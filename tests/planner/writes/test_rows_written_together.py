"""Rows of one INSERT whose values have several types: each is kept as by itself, as in MariaDB and PostgreSQL."""

from __future__ import annotations

import pytest

from nestling import Store
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLE = """
CREATE TABLE item (id int PRIMARY KEY, v varchar(60), u varchar(10) UNIQUE, e enum('2', '1', 'x'), d decimal(10, 3), n int,
    x double, at datetime, day date, j json, s set('a', 'b', 'c'), b tinyint(1), bits bit(8));
INSERT INTO item (id, v) VALUES (1, 'first')
"""
ROWS = (
    "(id, v) VALUES (10, 5), (11, 1.50)",
    "(id, v) VALUES (10, 5), (11, TRUE), (12, 1.50), (13, 'x'), (14, NULL)",
    "(id, e) VALUES (10, 1), (11, 'x'), (12, '1')",
    "(id, u) VALUES (10, 7), (11, 8.5)",
    "(id, u) VALUES (10, 5), (11, 5.0)",
    "(id, d) VALUES (10, 5), (11, '6.5')",
    "(id, n) VALUES (10, '4'), (11, 2.5)",
    "(id, x) VALUES (10, 1), (11, '1.25')",
    "(id, at) VALUES (10, '2024-01-01 00:00:00'), (11, CAST('2024-01-02' AS date)), (12, NULL)",
    "(id, day) VALUES (10, CAST('2024-01-02' AS date)), (11, '2024-01-01')",
    """(id, j) VALUES (10, 5), (11, '{"a": 1}')""",
    "(id, s) VALUES (10, 3), (11, 'a,c')",
    "(id, b) VALUES (10, TRUE), (11, 0), (12, '1')",
    "(id, e) VALUES (10, 'X'), (11, 2)",
    "(id, bits) VALUES (10, b'101'), (11, 7), (12, TRUE)",
    "(id, v, n) VALUES (10, 5, '3'), (11, 'y', 4.4) ON DUPLICATE KEY UPDATE v = VALUES(v)",
    "(id, v) VALUES (1, 2), (11, 2.50) ON DUPLICATE KEY UPDATE v = VALUES(v)",
)
both = both_of(TABLE, "normalized")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rows", ROWS)
def test_beside_mariadb(both: Both, rows: str) -> None:
    """A constant of another row changes none."""
    assert both.written(f"INSERT INTO item {rows}") == (True, True)
    both.assert_equal()


def test_rows_with_a_table_of_their_own(both: Both) -> None:
    """What WITH names is known in them."""
    store = Store(both.proposal, both.database)
    store.execute("WITH x AS (SELECT 10 AS n) INSERT INTO item (id, v) VALUES ((SELECT n FROM x), 'a'), (11, 'b')")
    both.cursor.execute("INSERT INTO item (id, v) VALUES (10, 'a'), (11, 'b')")
    both.assert_equal()


def test_what_was_written_is_taken(both: Both) -> None:
    """The second `7` of a unique text is refused by both."""
    assert both.written("INSERT INTO item (id, u) VALUES (10, 7), (11, 8.5)") == (True, True)
    assert both.written("INSERT INTO item (id, u) VALUES (12, '7')") == (False, False)


TABLES = """
CREATE TABLE item (id integer PRIMARY KEY, v text, d numeric(10, 3), n integer, x double precision, at timestamp, day date)
"""
GIVEN = (
    "(id, v) VALUES (10, 5), (11, 1.50)",
    "(id, v) VALUES (20, 5), (21, TRUE), (22, 1.50), (23, 'x'), (24, NULL)",
    "(id, d) VALUES (30, 5), (31, '6.5')",
    "(id, n) VALUES (40, '4'), (41, 2.5)",
    "(id, x) VALUES (50, 1), (51, '1.25')",
    "(id, at) VALUES (60, '2024-01-01 00:00:00'), (61, CAST('2024-01-02' AS date))",
    "(id, day) VALUES (70, CAST('2024-01-02' AS date)), (71, '2024-01-01')",
    "(id, v) VALUES (80, CAST('2024-01-02' AS date)), (81, 8)",
)


items = beside_of(TABLES, scope="module")
"""The table on both."""


@pytest.mark.parametrize("rows", GIVEN)
def test_beside_postgresql(items: Beside, rows: str) -> None:
    """Of each row the values PostgreSQL keeps."""
    sql = f"INSERT INTO item {rows}"
    with items.engine.begin() as connection:
        connection.exec_driver_sql(sql.replace("%", "%%"))
    Store(items.proposal, items.database).execute(sql)
    read = "SELECT * FROM item ORDER BY id"
    assert items.ours(read) == items.theirs(read)
