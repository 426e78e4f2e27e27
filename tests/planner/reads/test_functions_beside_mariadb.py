"""TRIM of a text, TIME, ADDTIME, JSON_LENGTH, DIV of decimals and GROUP_CONCAT of distinct numbers, beside MariaDB."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from nestling.ir.value_forms.time_text import clock_of
from tests.beside_mariadb import Both, both_of

both = both_of(
    r"""CREATE TABLE item (id int PRIMARY KEY, d date, dt datetime, d3 datetime(3), d6 datetime(6), ts timestamp NULL, tm time,
  t3 time(3), s varchar(40) COLLATE utf8mb4_bin, n int, x decimal(10, 2), y decimal(8, 3), big bigint,
  e enum('new', 'old'), j json);
SET time_zone = '+00:00';
INSERT INTO item VALUES
(1, '2024-01-31', '2024-01-31 10:20:30', '2024-01-31 10:20:30.120', '2024-01-31 10:20:30.123456', '2024-01-31 10:20:30',
  '10:20:30', '10:20:30.500', '  ab  ', 7, 12.34, -7.125, 12345678901, 'new', '{"a": [1, 2, 3], "b": {"c": 1}, "d": "x"}'),
(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(3, '1999-12-31', '1999-12-31 23:59:59', '1999-12-31 23:59:59.999', '1999-12-31 23:59:59.999999', '1999-12-31 23:59:59',
  '23:59:59', '00:00:00.001', 'xxaxx', 0, 0, 0, 0, 'old', '[]'),
(4, '2025-06-15', '2025-06-15', '2025-06-15', '2025-06-15', '2025-06-15', '00:00:00', '12:00', 'xx', -7,
  -12.34, 7.999, -5, 'new', '{}'),
(5, '0999-02-03', '1970-01-01 00:00:01', '1969-12-31 23:59:59.5', '1969-12-31 23:59:59.500001', '1970-01-02 00:00:01',
  '01:02:03', '01:02:03.04', 'xyxyx', 100, 99999999.99, -0.001, 9007199254740993, 'old', 'null'),
(6, '2000-02-29', '2000-02-29 23:59:59', '2000-02-29', '2000-02-29', '2037-01-01', '20:00:00', '20:00:00.12', '', 7,
  -0.01, 13, 14, 'new', '"s"'),
(7, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'xyx\n', NULL, 8, 0.1, NULL, NULL, '5')""",
    "normalized",
    scope="module",
)
VALUES = (
    "TRIM(BOTH ' ' FROM s)", "TRIM(LEADING 'x' FROM s)", "TRIM(TRAILING 'x' FROM s)", "TRIM('x' FROM s)",
    "TRIM(BOTH 'xy' FROM s)", "TRIM(LEADING 'xy' FROM s)", "TRIM(TRAILING 'yx' FROM s)", "TRIM('' FROM s)",
    "TRIM(NULL FROM s)", "TRIM(TRAILING FROM s)", "TRIM('X' FROM s)", "TRIM('-' FROM d)", "TRIM('xyx' FROM s)",
    "TRIM('xx' FROM 'xxxxx')", "TRIM('.*' FROM '.*a.*')", "TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM x))",
    "TRIM(BOTH '\n' FROM s)", "TRIM(TRAILING 'x\n' FROM s)", "TIME(dt)", "TIME(d3)", "TIME(d6)", "TIME(ts)", "TIME(d)",
    "TIME(tm)", "TIME(t3)", "TIME(dt) > '10:00'", "TIME(dt) = tm", "TIME(dt) BETWEEN '09:00:00' AND '23:00:00'",
    "TIME(d3) < '23:59:59.5'", "CONCAT(TIME(d3))", "CONCAT(TIME(d6))", "HOUR(TIME(dt))", "SECOND(TIME(d3))",
    "CAST(dt AS TIME)", "COALESCE(TIME(dt), 'none')", "TIME(NOW()) IS NULL", "JSON_LENGTH(j)", "JSON_LENGTH(j, '$.a')",
    "JSON_LENGTH(j, '$.b')", "JSON_LENGTH(j, '$.d')", "JSON_LENGTH(j, '$.zz')", "JSON_LENGTH(j, '$.b.c')",
    "ADDTIME(dt, '01:00:00')", "ADDTIME(d3, '01:00:00')", "ADDTIME(dt, '01:00:00.5')", "SUBTIME(dt, '25:30:00')",
    "SUBTIME(dt, '1 01:00:00')", "ADDTIME(dt, '1:0')", "ADDTIME(d6, '00:00:01')", "ADDTIME(dt, '-01:00:00')",
    "INTERVAL(x, 0, 100)", "INTERVAL(n, -7, 0, 7)", "INTERVAL(n + 1, 1, 5, 9, 10, 11, 12, 13, 14, 15)",
    "d + INTERVAL (1) DAY", "n DIV 2", "x DIV 7", "x DIV -7", "x DIV 0.5", "n DIV 0.3", "x DIV y", "y DIV x", "x DIV 0",
    "x DIV 0.00", "x DIV n", "big DIV 0.7", "x DIV 2.5 * 2", "-x DIV 2", "(x + 1) DIV 3", "x / 3 DIV 2",
)  # fmt: skip
STATEMENTS = (
    "SELECT GROUP_CONCAT(DISTINCT n ORDER BY n DESC) FROM item",
    "SELECT GROUP_CONCAT(DISTINCT n ORDER BY n SEPARATOR '|') FROM item",
    "SELECT GROUP_CONCAT(DISTINCT n % 3 ORDER BY n % 3) FROM item",
    "SELECT GROUP_CONCAT(DISTINCT x ORDER BY x DESC) FROM item",
    "SELECT GROUP_CONCAT(DISTINCT x / 3 ORDER BY x / 3) FROM item",
    "SELECT GROUP_CONCAT(DISTINCT big ORDER BY big DESC) FROM item",
    "SELECT GROUP_CONCAT(DISTINCT d ORDER BY d DESC) FROM item",
    "SELECT e, GROUP_CONCAT(DISTINCT n ORDER BY n DESC) FROM item GROUP BY e ORDER BY e",
    "SELECT GROUP_CONCAT(DISTINCT n ORDER BY n) FROM item WHERE id > 99",
    "SELECT INTERVAL(x, 0, 100) i, COUNT(*) FROM item GROUP BY i ORDER BY i",
    "SELECT SUM(x) DIV 7 FROM item",
    "SELECT id FROM item WHERE x DIV 7 = 1",
    "SELECT id FROM item WHERE TIME(dt) IN ('10:20:30', '00:00:00') ORDER BY 1",
    "SELECT TIME(dt) AS v, COUNT(*) FROM item GROUP BY v ORDER BY v",
    "SELECT MAX(TIME(d3)) FROM item",
    "SELECT id FROM item WHERE ADDTIME(dt, '00:01:30') > '2024-01-31 10:21:00' ORDER BY 1",
)


def _as_stored(row: Any) -> tuple[Any, ...]:
    return tuple(clock_of(value) if isinstance(value, timedelta) else value for value in row)


@pytest.mark.parametrize("value", VALUES)
def test_values_are_mariadbs(both: Both, value: str) -> None:
    """Of NULL, empty texts, zeros and numbers below 0 too."""
    here, there = both.answers(f"SELECT id, {value} AS value FROM item ORDER BY id")
    assert here == [*map(_as_stored, there)]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_statements_are_mariadbs(both: Both, sql: str) -> None:
    """In groups, conditions and orders."""
    here, there = both.answers(sql)
    assert here == [*map(_as_stored, there)]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("INTERVAL(n, 5, 1)", "INTERVAL() of other than"),
        ("TRIM(s FROM s)", "TRIM of a text that is not a constant"),
        ("TIME(s)", "to timestamp"),
        ("CAST(d3 AS TIME)", "write `TIME(x)`"),
        ("JSON_LENGTH(j, '$.a[0]')", "whose path does not consist of constant keys"),
        ("JSON_LENGTH(s)", "not on a JSON column"),
        ("ADDTIME(tm, '01:00:00')", "write an interval"),
        ("ADDTIME(dt, tm)", "a time that is not a constant"),
        ("ADDTIME(dt, 130)", "write hours, minutes and seconds"),
        ("ADDTIME(dt, '01:60:00')", "which is no time"),
        ("ADDTIME(dt, '900:00:00')", "longer or finer"),
    ],
)
def test_what_stays_a_gap(both: Both, value: str, said: str) -> None:
    """With what to write instead, where there is something."""
    assert said in both.gap(f"SELECT {value} AS value FROM item")
