"""Dates, moments and times of day among texts, and constants that are dates without all zeros, beside MariaDB."""

from __future__ import annotations

import pytest

from tests.beside_mariadb import Both, both_of

both = both_of(
    """CREATE TABLE item (id int PRIMARY KEY, d date, dt datetime, d3 datetime(3), d6 datetime(6), ts timestamp NULL, tm time,
  t3 time(3), s varchar(40), b varchar(40) COLLATE utf8mb4_bin, n int, x decimal(10, 2), e enum('new', 'old'));
SET time_zone = '+00:00';
INSERT INTO item VALUES
(1, '2024-01-31', '2024-01-31 10:20:30', '2024-01-31 10:20:30.120', '2024-01-31 10:20:30.123456', '2024-01-31 10:20:30',
  '10:20:30', '10:20:30.500', '2024-01-31', '2024-01-31', 7, 12.34, 'new'),
(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(3, '1999-12-31', '1999-12-31 23:59:59', '1999-12-31 23:59:59.999', '1999-12-31 23:59:59.999999', '1999-12-31 23:59:59',
  '23:59:59', '00:00:00.001', '', '', 0, 0, 'old'),
(4, '2025-06-15', '2025-06-15', '2025-06-15', '2025-06-15', '2025-06-15', '00:00:00', '12:00', 'Äpfel', 'Open', -7, -12.3, 'new'),
(5, '0999-02-03', '1970-01-01 00:00:01', '1969-12-31 23:59:59.5', '1969-12-31 23:59:59.500001', '1970-01-02 00:00:01', '01:02:03',
  '01:02:03.04', '2026-01-01 ', '2020-1-5', 100, 99999999.99, 'old');
CREATE TABLE visit (id int PRIMARY KEY, item_id int, day date NOT NULL);
INSERT INTO visit VALUES (1, 1, '2024-01-31'), (2, 1, '2024-02-01'), (3, 3, '1999-12-31'), (4, 9, '2025-06-15');
SET sql_mode = '';
CREATE TABLE zero (id int PRIMARY KEY, d date, at datetime);
INSERT INTO zero VALUES (1, '0000-00-00', '0000-00-00 00:00:00'), (2, '2024-05-06', '2024-05-06 07:08:09'), (3, NULL, NULL)""",
    "normalized",
    scope="module",
)
VALUES = (
    "COALESCE(d, '2099-12-31')", "COALESCE(d, '2099-12-31') < '2025-01-01'", "COALESCE(dt, '2099-12-31')",
    "COALESCE(d3, 'x')", "COALESCE(d6, 'x')", "COALESCE(ts, 'x')", "COALESCE(tm, 'x')", "COALESCE(t3, 'x')",
    "COALESCE(t3, s)", "IFNULL(d, 'open') = 'OPEN'", "IFNULL(d, b)", "IFNULL(b, d)", "IF(n > 0, d, 'none')",
    "CASE WHEN n > 0 THEN d WHEN n = 0 THEN dt ELSE s END", "COALESCE(d, 0)", "CASE e WHEN 'new' THEN d ELSE '' END",
    "COALESCE(d, n)", "COALESCE(d, x)", "COALESCE(e, d)", "COALESCE(tm, '00:00:00')", "COALESCE(d, 'Ä') = 'ä'",
    "CASE WHEN n > 0 THEN d WHEN n < 0 THEN d3 ELSE n END", "CONCAT(d)", "CONCAT(dt)", "CONCAT(d3)", "CONCAT(d6, '!')",
    "CONCAT(ts)", "CONCAT(tm)", "CONCAT(t3)", "CONCAT_WS('/', d, dt, tm)", "CAST(dt AS CHAR)", "CAST(dt AS CHAR(10))",
    "CAST(d3 AS CHAR)", "CAST(t3 AS CHAR)", "LEFT(dt, 10)", "LENGTH(d3)", "REPLACE(dt, '-', '/')",
    "CONCAT(dt + INTERVAL 1 MONTH)", "CONCAT(COALESCE(d3, dt))", "CONCAT((SELECT MAX(dt) FROM item))",
    "IFNULL((SELECT MAX(day) FROM visit WHERE item_id = item.id), '-')", "LEAST(COALESCE(d, '2099-12-31'), '2024-06-01')",
    "GREATEST(COALESCE(d, '2099-12-31'), IFNULL(dt, '2024-06-01'))", "COALESCE(d, '2099-12-31') = d",
    "COALESCE(d, '2099-12-31') >= dt", "COALESCE(d3, '2099-12-31') > dt", "dt > IFNULL(d, '2024-1-5')",
    "YEAR(COALESCE(d, '2099-12-31'))", "DATEDIFF(COALESCE(d, '2099-12-31'), '2024-01-01')",
    "CAST(COALESCE(d, '2099-12-31') AS DATE)", "TIMESTAMPDIFF(MONTH, COALESCE(d, '2020-01-01'), '2024-06-01')",
    "DATE_FORMAT(COALESCE(d, '2098-12-31'), '%d.%m.%Y')", "DATE_FORMAT(dt, '%Y-%m-%d') = d",
    "d < '2024-01-31' + INTERVAL 1 HOUR",
    "COALESCE(d, '2099-12-31') < CAST('2024-01-31' AS DATE) + INTERVAL 1 DAY", "LAST_DAY(IFNULL(dt, '2024-02-01'))",
)  # fmt: skip
WRITTEN = (
    "d = '2024-1-31'", "d <> '2024-1-31 '", "dt >= '2024-1-31'", "d IN ('2024-1-31', '1999-12-31')",
    "d BETWEEN '2024-1-1' AND '2024-12-1'", "dt = '2024-1-31 10:20:30'", "d3 = '2024-1-31 10:20:30.12'",
    "d6 > '2024-1-31 10:20:30.123'", "d = '2024-1-31 0:0'", "DATEDIFF(d, '2024-1-1')", "YEAR('2024-1-31')",
    "TIMESTAMPDIFF(DAY, '2024-1-1', d)", "COALESCE(d, '2024-1-31') = '2024-1-31'",
)  # fmt: skip
STATEMENTS = (
    "SELECT SUM(COALESCE(d, '2099-12-31') < '2025-01-01') FROM item",
    "SELECT COALESCE(dt, 'none') AS v, COUNT(*) FROM item GROUP BY v ORDER BY v",
    "SELECT CONCAT(MAX(d3)), MIN(CONCAT(dt)), CONCAT(MIN(d6)) FROM item",
    "SELECT CONCAT(q.m) FROM (SELECT e, MAX(dt) AS m FROM item GROUP BY e) q ORDER BY 1",
    "SELECT CONCAT(q.m) FROM (SELECT d3 AS m FROM item UNION ALL SELECT dt FROM item) q ORDER BY 1",
    "WITH w AS (SELECT d3 AS m FROM item) SELECT COALESCE(m, '-') FROM w ORDER BY 1",
    "SELECT id FROM item WHERE COALESCE(d, '2099-12-31') BETWEEN '2024-01-01' AND '2025-12-31' ORDER BY id",
    "SELECT id FROM item WHERE COALESCE(d, '2099-12-31') IN ('2024-01-31', '2099-12-31') ORDER BY id",
    "SELECT id FROM item WHERE dt LIKE '2024-01%' ORDER BY id",
    "SELECT id FROM item WHERE d6 LIKE '%:59.99%' ORDER BY id",
    "SELECT id FROM item WHERE t3 LIKE '%0' ORDER BY id",
    "SELECT id FROM item WHERE dt REGEXP '^2024-0[1-6]' ORDER BY id",
    "SELECT GROUP_CONCAT(dt ORDER BY dt) FROM item",
    "SELECT item.id, IFNULL(MIN(day), 'never') FROM item LEFT JOIN visit ON item_id = item.id GROUP BY item.id ORDER BY 1",
    "SELECT item.id FROM item LEFT JOIN visit ON item_id = item.id WHERE COALESCE(day, '9999-12-31') > '2024-01-15' ORDER BY 1",
    "SELECT id, COALESCE(d, 'x'), CONCAT(at) FROM zero ORDER BY id",
)


@pytest.mark.parametrize("value", [*VALUES, *WRITTEN])
def test_values_are_mariadbs(both: Both, value: str) -> None:
    """A time becomes a text with the digits of its column, and is compared as one."""
    here, there = both.answers(f"SELECT id, {value} AS value FROM item ORDER BY id")
    assert here == there


@pytest.mark.parametrize("sql", STATEMENTS)
def test_statements_are_mariadbs(both: Both, sql: str) -> None:
    """In groups, conditions, orders and derived tables."""
    here, there = both.answers(sql)
    assert here == there


@pytest.mark.parametrize(
    ("value", "move"),
    [
        ("LEAST(d, '2024-06-01')", "write `CAST('…' AS DATE)`"),
        ("COALESCE(d, '2099-12-31') + INTERVAL 1 DAY", "write `CAST(… AS DATE)`"),
        ("COALESCE(d, '2099-12-31') < '2024-01-31' + INTERVAL 1 HOUR", "turns into a text"),
        ("d = '2024/1/31'", "write '2024-01-31'"),
        ("CONCAT(d + INTERVAL 1 SECOND)", "write the form"),
    ],
)
def test_what_stays_a_gap_says_what_to_write(both: Both, value: str, move: str) -> None:
    """MySQL and MariaDB differ there, or the digits of a second are not known."""
    assert move in both.gap(f"SELECT {value} AS value FROM item")
