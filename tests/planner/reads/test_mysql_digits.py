"""MySQL's exact numbers, digit by digit: kept longer than they are shown, and rounded where they are seen. Beside MariaDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo.database import Database

from tests.beside_mariadb import Both, beside_mariadb

_SCRIPT = """
CREATE TABLE part (id int PRIMARY KEY, a int, b int, n decimal(12,3), m decimal(10,2), g varchar(2), r double);
INSERT INTO part VALUES (1, 10, 3, 2.5, 7.00, 'x', 0.1), (2, 1, 7, 0.001, 3.33, 'x', 2.5),
  (3, 200, 6, 12345.678, 0.07, 'y', 1e10), (4, NULL, 4, NULL, 1, 'y', NULL),
  (5, -7, 0, -2.250, 99.99, 'y', -1.5), (6, 10, 3, 10.000, 3.00, NULL, 0)
"""


@pytest.fixture(scope="module")
def both(mariadb: str, mongo_client: Any) -> Iterator[Both]:
    """The table filled, read and loaded."""
    database: Database[Any] = mongo_client["mysql_digits"]
    with beside_mariadb(mariadb, database, _SCRIPT, "normalized") as found:
        yield found
    mongo_client.drop_database(database.name)


VALUES = (
    "a / b", "a / b * b", "a / b * 100", "a / 3 * 3", "n / m", "n / m * m", "n / b", "a / b / b", "a / b / b * 9", "n / m / m",
    "100 * n / m", "n / 100 * m", "n / 100 * 1.19", "a / b - a / 7", "-(a / b)", "abs(a / b) * 3", "n * m * n", "n + m / 3",
    "round(a / b, 3)", "round(a / b * b, 2)", "truncate(a / b, 5)", "if(g = 'x', a / b, 0)", "coalesce(a / b, 0) * 3",
    "ifnull(n / b, a)", "nullif(a / b, 3.3333)", "greatest(a / b, n)", "CASE WHEN a > 5 THEN n / 7 ELSE m END", "mod(n, 0.7)",
    "a % 0.3", "0.1 / 3", "1 / 3 * 3", "r / 3", "a / r", "floor(n / b)", "a / b = 3.3333", "a / b > 3.3333", "a / b * 3 = 10",
    "a / b IN (3.3333, 1)",
    "n / b BETWEEN 0.8 AND 1", "sum(a / b) OVER (ORDER BY id)", "avg(n) OVER () * 3", "lag(a / b) OVER (ORDER BY id)",
    "(SELECT avg(p.a) FROM part p) * 3", "concat(n, '!')", "concat(a / b)", "cast(n AS char)", "cast(a / b AS char(3))",
    "concat_ws('-', n * 2, -n, 1.50)",
)  # fmt: skip
AGGREGATES = (
    "avg(a)", "avg(n)", "avg(a) * 3", "avg(a / b)", "avg(n / m)", "avg(a) * avg(a)", "sum(a / b)", "sum(a / b) * 3",
    "round(sum(a / b), 8)", "sum(n) / sum(m)", "sum(n) / count(*) * 100", "sum(n / m) / 3", "max(a / b)", "max(a / b) * 3",
    "min(n / 7)", "count(DISTINCT a / b)", "avg(DISTINCT a)", "avg(DISTINCT n) * 3", "sum(DISTINCT n / b)", "sum(DISTINCT a > 3)",
    "count(DISTINCT a, b)", "count(DISTINCT g, a / b)", "count(DISTINCT a, n, 1)", "avg(DISTINCT m / b)", "avg(DISTINCT r)",
    "sum(CASE WHEN a > 5 THEN 1 ELSE 0 END) / count(*) * 100", "avg(r)", "sum(r) / 3",
    "concat(avg(a), '%')", "group_concat(a / b ORDER BY id)", "round(avg(n), 1)", "sum(n * m) / sum(m)",
)  # fmt: skip
STATEMENTS = (
    *(f"SELECT id, {value} AS value FROM part" for value in VALUES),
    *(f"SELECT {value} AS value FROM part" for value in AGGREGATES),
    *(f"SELECT g, {value} AS value FROM part GROUP BY g" for value in AGGREGATES),
    "SELECT q * 3 FROM (SELECT a / b AS q FROM part) x",
    "SELECT q FROM (SELECT a / b AS q FROM part) x",
    "SELECT q * 3 FROM (SELECT DISTINCT a / b AS q FROM part) x",
    "SELECT q * 3 FROM (SELECT avg(a) AS q FROM part GROUP BY g) x",
    "WITH x AS (SELECT a / b AS q FROM part) SELECT q * 3 FROM x",
    "WITH x AS (SELECT a / b AS q FROM part ORDER BY id LIMIT 3) SELECT q * 3 FROM x",
    "SELECT a / 3 FROM part UNION SELECT n / 3 FROM part",
    "SELECT a / b AS k, count(*) FROM part GROUP BY k",
    "SELECT id FROM part WHERE a / b IN (SELECT a / b FROM part)",
    "SELECT id FROM part ORDER BY a / b * 3, id DESC",
    "SELECT g FROM part GROUP BY g HAVING avg(a) * 3 > 1 ORDER BY avg(a), g",
    "SELECT (SELECT avg(p.a) FROM part p WHERE p.id < 4) * 3, (SELECT avg(p.a) FROM part p WHERE p.id < 4)",
    "SELECT ifnull(sum(n), 0), coalesce(max(m), 1.5), sum(if(g = 'none', n, 0)) FROM part WHERE id < 4",
    "SELECT ifnull(sum(n), 0), coalesce(max(a / b), 0) FROM part WHERE id > 99",
    "SELECT id, if(id > 2, n, 0), CASE WHEN id > 2 THEN 5 ELSE m END, ifnull(m, -1.5), greatest(n, 3) FROM part",
    "SELECT id, (SELECT p.a / 7 FROM part p WHERE p.id = part.id) * 3 FROM part",
    "SELECT id FROM part WHERE a / b BETWEEN 3.33331 AND 3.33334",
    "SELECT id FROM part WHERE a / b BETWEEN 3.3333 AND 3.33331",
    "SELECT id FROM part WHERE a / b = 3.3333 + r * 0",
    "SELECT id FROM part WHERE a / b > 3.33331 + r * 0",
    "SELECT id FROM part WHERE a / b IN (SELECT 3.3333 + r * 0 FROM part)",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_every_digit_is_mariadbs(both: Both, sql: str) -> None:
    """Those at the end too, zeros or not, and the order where one is asked for."""
    found, expected = both.answers(sql)
    mine, theirs = (["|".join(map(str, row)) for row in rows] for rows in (found, expected))
    if "ORDER BY a" in sql:
        assert mine == theirs
    else:
        assert Counter(mine) == Counter(theirs)


def test_digits_nobody_declared_are_a_gap(both: Both) -> None:
    """A quotient of what is given: how many digits it has follows from the value."""
    assert "undeclared number of digits" in both.gap("SELECT :given * n / 3 FROM part")
