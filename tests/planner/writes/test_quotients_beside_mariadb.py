"""Quotients and averages that are stored: by all digits MySQL keeps, or by those it shows where it keeps them in a table."""

from __future__ import annotations

import pytest

from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE part (id int PRIMARY KEY, g int, a int, n decimal(10,2), x double);
INSERT INTO part VALUES (1, 1, 1, 1.10, 0), (2, 1, 2, 2.25, 0), (3, 1, 2, 0.02, 0), (4, 2, 7, 1.11, 0), (5, 2, NULL, NULL, 0),
    (6, 3, 10, 3.33, 0);
CREATE TABLE kept (id int PRIMARY KEY, x double, fine decimal(30,20), coarse decimal(10,4), i int);
INSERT INTO kept (id) VALUES (101), (102)
"""
both = both_of(SCRIPT, "normalized")
ROWS = "INSERT INTO kept (id, x, fine, coarse, i) SELECT"
STATEMENTS = (
    "UPDATE kept SET x = (SELECT AVG(a) FROM part), fine = (SELECT AVG(n) FROM part), i = (SELECT AVG(a) FROM part)",
    "UPDATE kept SET x = (SELECT AVG(a) + 1 FROM part), fine = (SELECT AVG(a) FROM part) * 3, coarse = (SELECT AVG(a) FROM part)",
    "UPDATE kept SET x = (SELECT SUM(n) / 7 FROM part) WHERE id = 101",
    "UPDATE kept SET x = (SELECT a / 7 FROM part WHERE part.id = kept.id - 100)",
    "UPDATE kept JOIN (SELECT g, AVG(a) AS q FROM part GROUP BY g) d ON d.g = kept.id - 100 SET kept.x = d.q, kept.fine = d.q",
    "INSERT INTO kept (id, x) VALUES (90, (SELECT AVG(n) FROM part)), (91, 2 / 7)",
    f"{ROWS} id, a / 7, a / 7, a / 7, a / 7 FROM part",
    f"{ROWS} id + 10, a / 7, n / 7, n / 7, n / 7 FROM part ORDER BY id LIMIT 3",
    f"{ROWS} g + 20, AVG(a), AVG(n), AVG(a), AVG(a) FROM part GROUP BY g",
    f"{ROWS} g + 30, g / 7, SUM(a) / 7, SUM(a / 7), MAX(a / 7) FROM part GROUP BY g",
    f"{ROWS} 40, AVG(a), SUM(a / 7), MAX(a / 7) * 3, AVG(n) FROM part",
    "INSERT INTO kept (id, x, fine, coarse, i) (SELECT 41, AVG(a), AVG(a), 1, 1 FROM part)",
    f"{ROWS} DISTINCT g + 50, g / 7, g / 7, g / 7, 1 FROM part",
    f"{ROWS} id + 60, q, q, q, q FROM (SELECT id, a / 7 AS q FROM part) d",
    f"{ROWS} g + 70, q, q, q, q FROM (SELECT g, AVG(a) AS q FROM part GROUP BY g) d",
    f"{ROWS} id + 80, a / 7, a / 7, 1, 1 FROM part WHERE id < 3 UNION SELECT id + 80, a / 7, n, 1, 1 FROM part WHERE id > 3",
    "INSERT INTO part (id, x) SELECT id + 100, a / 7 FROM part",
    "INSERT INTO part (id, x) SELECT g + 200, AVG(a) FROM part WHERE g > 0 GROUP BY g",
    "INSERT INTO kept (id, x) VALUES (101, 5) ON DUPLICATE KEY UPDATE x = VALUES(x) / 7",
)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("sql", STATEMENTS)
def test_every_digit_is_mariadbs(both: Both, sql: str) -> None:
    """In doubles, and in decimals of more digits and of fewer."""
    assert both.written(sql) == (True, True)
    both.assert_equal()
