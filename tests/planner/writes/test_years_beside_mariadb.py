"""Numbers and texts stored in a YEAR: of two digits they are of 1970 to 2069, and 0 and 1901 to 2155 is all it takes."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

import pymysql
import pytest

from nestling import Store
from nestling.common.errors import NestlingError
from tests.beside_mariadb import Both, both_of
from tests.written_module import written_function

_SCRIPT = """
CREATE TABLE car (id int PRIMARY KEY, built year, sold year NOT NULL DEFAULT 99, i int, f double, d decimal(5,1), c varchar(9));
INSERT INTO car VALUES (1, 2024, 2000, 2, 1.6, 69.5, '70'), (2, 1999, 1999, 70, 70.6, 2155.4, '0'),
  (3, NULL, 0, NULL, NULL, NULL, NULL)
"""
_VALUES = (
    "0", "1", "69", "70", "99", "100", "1900", "1901", "2155", "2156", "-1", "70.4", "69.5", "70.5e0", "2155.4", "true",
    "false", "'0'", "'00'", "'000'", "'0000'", "'5'", "'70'", "'070'", "'100'", "'1970'", "'2156'", "' 70'", "'70 '",
    "'70x'", "'1.5'", "'+70'", "'-1'", "'2e3'", "''", "'2024-02-02'", "i", "f", "d", "c", "i + 2000", "i / 2", "i - i",
    "sold + 1", "sold - 100", "built + 1000", "CASE WHEN id = 1 THEN 70 ELSE built END", "coalesce(built, 7)",
    "greatest(sold, i)", "i > 1", "DEFAULT",
)  # fmt: skip
_GIVEN: tuple[object, ...] = (
    0, 5, 70, 1900, 2155, 2156, "0", "70", "0000", "x", 69.6, 70.4, Decimal("69.6"), True, False, date(2024, 1, 1), 2**70, 1e30,
    None,
)  # fmt: skip
_TAKING = (":p", "if(id = 1, :p, built)", "coalesce(built, :p)", "sold + :p", "sold - :p")

both = both_of(_SCRIPT, "normalized")


def _same(both: Both, write: Any, sql: str, given: dict[str, object] | None = None) -> bool:
    """The rows are the same after it, and it fails there where it fails here; whether it was done."""
    try:
        write()
    except NestlingError as error:
        if "nestling does not convert this" not in str(error) and "must be" not in str(error):
            with pytest.raises(pymysql.Error):
                both.cursor.execute(sql.replace(":p", "%(p)s"), given)
        return False
    both.cursor.execute(sql.replace(":p", "%(p)s"), given)
    both.assert_equal()
    return True


@pytest.mark.thorough
def test_what_a_statement_says_is_mariadbs_year(both: Both) -> None:
    """Constants, columns, sums of them, and other values the server computes."""
    done = 0
    for value in _VALUES:
        for where in ("id = 1", "id = 2"):
            sql = f"UPDATE car SET built = {value} WHERE {where}"
            done += _same(both, partial(Store(both.proposal, both.database).execute, sql), sql)
    assert done >= 76, done


@pytest.mark.thorough
def test_a_parameter_is_mariadbs_year(both: Both) -> None:
    """Alone, and in sums and choices."""
    done = 0
    for taking in _TAKING:
        for value in _GIVEN:
            sql = f"UPDATE car SET built = {taking} WHERE id = 1"
            done += _same(both, partial(Store(both.proposal, both.database).execute, sql, p=value), sql, {"p": value})
    assert done >= 42, done


@pytest.mark.thorough
def test_written_functions_store_the_same(both: Both) -> None:
    """A written module converts as a store does."""
    sql = "UPDATE car SET built = :p WHERE id = 1"
    function = written_function(both.proposal, sql, "mysql")
    for value in (0, 5, 70, "0", "70", "0000", 69.6):
        function(both.database, p=value)
        both.cursor.execute(sql.replace(":p", "%(p)s"), {"p": value})
        both.assert_equal()


def test_rows_that_are_inserted_hold_mariadbs_years(both: Both) -> None:
    """By VALUES, of another table, by default, and where the row is there already."""
    done = 0
    for sql in (
        "INSERT INTO car (id, built) VALUES (4, 5), (5, '70')",
        "INSERT INTO car (id, built) SELECT id + 10, i FROM car WHERE i IS NOT NULL",
        "INSERT INTO car (id, built, sold) SELECT id + 30, 70, 5 FROM car WHERE id < 3",
        "INSERT INTO car (id, built) VALUES (1, 7) ON DUPLICATE KEY UPDATE built = VALUES(built), sold = sold + 1",
        "INSERT INTO car (id, built) VALUES (50, 2200)",
    ):
        done += _same(both, partial(Store(both.proposal, both.database).execute, sql), sql)
    assert done == 4
