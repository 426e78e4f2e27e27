"""Aggregates of distinct values, in groups and HAVING, beside PostgreSQL and MariaDB."""

from __future__ import annotations

from collections import Counter

import pytest

from nestling.executors.run import run_read
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import Beside, beside_of

_ROWS = """
CREATE TABLE sale (id integer PRIMARY KEY, shop varchar(10), n integer, price decimal(8, 2), day date, rate {double});
INSERT INTO sale VALUES (1, 'a', 2, 2.50, '2024-01-01', 0.5), (2, 'a', 2, 2.50, '2024-01-01', 0.5), (3, 'A', 3, 7, NULL, 1.5),
    (4, 'b', NULL, NULL, '2024-01-02', NULL), (5, 'b', 7, 0.01, '2024-01-02', 0.5), (6, NULL, 1, 2.5, '2024-01-02', 2),
    (7, 'c', NULL, NULL, NULL, NULL), (8, 'b', 7, 0.03, '2024-01-01', 0.25), (9, NULL, 1, 2.5, NULL, 2)
"""
VALUES = (
    "avg(DISTINCT n)", "avg(DISTINCT price)", "sum(DISTINCT n)", "sum(DISTINCT price)", "avg(DISTINCT rate)",
    "sum(DISTINCT rate)",
    "avg(DISTINCT n * price)", "count(DISTINCT n)", "count(DISTINCT day)", "max(DISTINCT price)", "min(DISTINCT day)",
    "avg(DISTINCT n) + sum(DISTINCT n)", "count(DISTINCT CASE WHEN n > 1 THEN shop END)",
    "sum(DISTINCT CASE WHEN n > 1 THEN n END)",
)  # fmt: skip
STATEMENTS = (
    *(f"SELECT {value} AS value FROM sale" for value in VALUES),
    *(f"SELECT day, {value} AS value FROM sale GROUP BY day" for value in VALUES),
    "SELECT avg(DISTINCT price), sum(DISTINCT n), count(DISTINCT shop) FROM sale WHERE id > 99",
    "SELECT day FROM sale GROUP BY day HAVING avg(DISTINCT n) > 2 AND sum(DISTINCT price) > 1",
    "SELECT day, count(*) FROM sale GROUP BY day HAVING count(DISTINCT shop) >= 2 ORDER BY avg(DISTINCT price), day",
    "SELECT id FROM sale WHERE n > (SELECT avg(DISTINCT n) FROM sale)",
)
POSTGRESQL = (
    "SELECT count(DISTINCT (shop, n)), count(DISTINCT row(day, price)) FROM sale",
    "SELECT day, count(DISTINCT (shop, n)) AS many FROM sale GROUP BY day HAVING count(DISTINCT (shop, price)) > 1",
    "SELECT count(DISTINCT (day, n)) FILTER (WHERE n > 1), avg(DISTINCT price) FILTER (WHERE n > 1) FROM sale",
    "SELECT count(DISTINCT (n, price, rate)) FROM sale WHERE id > 99",
)
MARIADB = (
    "SELECT COUNT(DISTINCT shop, n), COUNT(DISTINCT day, price) FROM sale",
    "SELECT day, COUNT(DISTINCT shop, n) AS many FROM sale GROUP BY day HAVING COUNT(DISTINCT shop, price) > 1",
    "SELECT COUNT(DISTINCT n, price, rate) FROM sale WHERE id > 99",
    "SELECT shop, COUNT(DISTINCT n, price, day) FROM sale GROUP BY shop",
    "SELECT COUNT(DISTINCT lower(shop), n % 2) FROM sale",
)
both = both_of(_ROWS.format(double="double"), "normalized", scope="module")


sales = beside_of(_ROWS.format(double="float8"), scope="module")
"""The table in PostgreSQL, and loaded."""


@pytest.mark.parametrize("sql", [*STATEMENTS, *POSTGRESQL])
def test_answers_are_postgresqls(sales: Beside, sql: str) -> None:
    """To the last digit of an average; a row of values counts with NULLs in it."""
    assert Counter(sales.ours(sql)) == Counter(sales.theirs(sql))


@pytest.mark.parametrize("sql", [*STATEMENTS, *MARIADB])
def test_answers_are_mariadbs(both: Both, sql: str) -> None:
    """Whatever the case of texts; several values count where none is NULL."""
    read = both.convert(sql)
    both.cursor.execute(sql)
    ours = Counter(tuple(map(str, row)) for row in run_read(both.database, read))
    assert ours == Counter(tuple(map(str, row)) for row in both.cursor.fetchall())
