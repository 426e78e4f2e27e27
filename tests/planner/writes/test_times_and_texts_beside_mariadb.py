"""Dates and moments stored in texts, texts of dates stored in dates, and constants without all zeros, beside MariaDB."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.common.errors import NestlingError
from nestling.ir.programs.compiled import NotCompiled
from tests.beside_mariadb import Both, both_of

both = both_of(
    """CREATE TABLE item (id int PRIMARY KEY, d date, dt datetime, d3 datetime(3), d6 datetime(6), ts timestamp NULL, tm time,
  t3 time(3), s varchar(40), n int);
SET time_zone = '+00:00';
INSERT INTO item VALUES
(1, '2024-01-31', '2024-01-31 10:20:30', '2024-01-31 10:20:30.120', '2024-01-31 10:20:30.123456', '2024-01-31 10:20:30',
  '10:20:30', '10:20:30.5', 'a', 7),
(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
(3, '1999-12-31', '1999-12-31 23:59:59', '1999-12-31 23:59:59.999', '1999-12-31 23:59:59.999999', '1999-12-31 23:59:59',
  '23:59:59', '00:00:00.001', '', 0)""",
    "normalized",
)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE item SET d = COALESCE(d, '2099-12-31'), dt = COALESCE(dt, '2024-01-01 10:00:00')",
        "UPDATE item SET d = IFNULL(d, '2099-1-3')",
        "UPDATE item SET d3 = COALESCE(dt, '2024-01-01 10:00:00.25')",
        "UPDATE item SET dt = IFNULL(d3, '2024-01-01 10:00:00')",
        "UPDATE item SET d = IF(n > 0, dt, '2024-01-01')",
        "UPDATE item SET ts = IFNULL(ts, '2001-01-09 10:00:00')",
        "UPDATE item SET s = dt",
        "UPDATE item SET s = d3",
        "UPDATE item SET s = d6",
        "UPDATE item SET s = ts",
        "UPDATE item SET s = tm",
        "UPDATE item SET s = CONCAT(dt, '!')",
        "UPDATE item SET s = COALESCE(d, 'none')",
        "UPDATE item SET dt = ADDTIME(dt, '01:30:00')",
        "UPDATE item SET d = '2001-1-9', dt = '2001-1-9 1:2:3' WHERE id = 1",
        "INSERT INTO item (id, d, dt) VALUES (50, '2001-1-9', '2001-1-9 1:2:3'), (51, NULL, '2020-2-3')",
        "INSERT INTO item (id, d) VALUES (1, '2020-2-3') ON DUPLICATE KEY UPDATE d = '2021-2-3', s = 'q'",
        "REPLACE INTO item (id, dt) VALUES (1, '2024-2-3 4:5:6')",
        "INSERT INTO item (id, s) SELECT id + 100, dt FROM item",
        "INSERT INTO item (id, s) SELECT id + 100, MAX(d3) FROM item GROUP BY id",
        "DELETE FROM item WHERE COALESCE(d, '2099-12-31') > '2024-01-01'",
        "DELETE FROM item WHERE d = '2024-1-31'",
    ],
)
def test_the_same_is_stored(both: Both, sql: str) -> None:
    """A column of texts stores the text with the digits of a second that the other column declares."""
    assert both.written(sql) == (True, True)
    both.assert_equal()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE item SET d = COALESCE(d, 'none')",
        "UPDATE item SET s = t3",
        "UPDATE item SET s = dt + INTERVAL 1 SECOND",
        "UPDATE item SET tm = COALESCE(tm, '10:00:00')",
    ],
)
def test_what_is_refused(both: Both, sql: str) -> None:
    """Texts that may be no dates, and those whose digits of a second are not known."""
    assert isinstance(pipeline.convert(both.proposal, sql, dialect="mysql"), NotCompiled)


@pytest.mark.parametrize("text", ["2001-1-9x", "2001-13-9", "2001-2-30"])
def test_no_date_is_refused(both: Both, text: str) -> None:
    """Nor does MariaDB store it."""
    with pytest.raises(NestlingError, match="cannot be stored as date"):
        pipeline.convert(both.proposal, f"UPDATE item SET d = '{text}'", dialect="mysql")
