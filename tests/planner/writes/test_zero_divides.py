"""What divides by zero in a write of MySQL: refused as with the default `sql_mode`, but for IGNORE and DELETE."""

from __future__ import annotations

import pymysql
import pytest

from nestling import Store
from nestling.common.errors import NestlingError
from tests.beside_mariadb import Both, both_of

TABLE = """
CREATE TABLE item (id int PRIMARY KEY, a int, b double, d decimal(10, 2), v varchar(20));
INSERT INTO item VALUES (1, 10, 1.5, 2.50, 'x'), (2, 0, 2, 0, 'y'), (3, NULL, NULL, NULL, NULL)
"""
REFUSED = (
    "UPDATE item SET a = a / 0 WHERE id = 1",
    "UPDATE item SET b = 5 / a",
    "UPDATE item SET b = 5 / a WHERE id = 2",
    "UPDATE item SET d = d / d WHERE id = 2",
    "UPDATE item SET a = 5 DIV a WHERE id = 2",
    "UPDATE item SET a = 7 % a WHERE id = 2",
    "UPDATE item SET v = CONCAT('a', 1 / 0) WHERE id = 2",
    "UPDATE item SET a = COALESCE(1 / 0, 5) WHERE id = 2",
    "INSERT INTO item (id, a) VALUES (10, 1 / 0)",
    "REPLACE INTO item (id, a) VALUES (1, 5 % 0)",
    "INSERT INTO item (id, b) SELECT id + 20, 1 / a FROM item",
)
TAKEN = (
    "UPDATE item SET b = 5 / a WHERE id IN (1, 3)",
    "UPDATE item SET a = IF(a = 0, 0, 50 / a)",
    "UPDATE item SET b = 5 / NULLIF(a, 0)",
    "UPDATE item SET a = 5 DIV a, d = d / 4 WHERE id = 1",
    "INSERT INTO item (id, a, b) VALUES (10, 7 % 4, 1 / 3)",
    "INSERT INTO item (id, b) SELECT id + 20, 1 / a FROM item WHERE a <> 0",
    "DELETE FROM item WHERE 5 / a > 100",
    "INSERT IGNORE INTO item (id, a, b) VALUES (10, 1, 1 / 0)",
)
both = both_of(TABLE, "normalized")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", REFUSED)
def test_it_is_refused(both: Both, sql: str) -> None:
    """By both, and all rows are as they were."""
    with pytest.raises(NestlingError):
        Store(both.proposal, both.database).execute(sql)
    with pytest.raises(pymysql.Error, match="Division by 0"):
        both.cursor.execute(sql)
    both.assert_equal()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", TAKEN)
def test_what_does_not_is_taken(both: Both, sql: str) -> None:
    """With the same rows afterwards."""
    Store(both.proposal, both.database).execute(sql)
    both.cursor.execute(sql)
    both.assert_equal()


def test_a_read_gives_null(both: Both) -> None:
    """A SELECT does not refuse it."""
    here, there = both.answers("SELECT id, 5 / a, 5 DIV a, 5 % a FROM item ORDER BY id")
    assert here == there
