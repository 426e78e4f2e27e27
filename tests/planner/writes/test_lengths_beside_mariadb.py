"""Texts too long and numbers too large for their columns: each refused here where MariaDB refuses it."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.common.errors import ReadError, WorkloadError, WriteError
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE item (id int PRIMARY KEY, code varchar(5), name varchar(40), price decimal(6,2), total decimal(10,4));
INSERT INTO item VALUES (1, 'abc', 'a name of many letters', 12.50, 1.0000),
  (2, NULL, 'ü', 9999.99, 2.5000), (3, 'x', NULL, NULL, NULL)
"""
WRITES = (
    "UPDATE item SET code = 'abcde' WHERE id = 1",
    "UPDATE item SET code = 'abcdef' WHERE id = 1",
    "UPDATE item SET code = 'äöüßé' WHERE id = 1",
    "UPDATE item SET code = 'ab     ' WHERE id = 1",
    "INSERT INTO item (id, code) VALUES (4, 'abcdef')",
    "UPDATE item SET code = name WHERE id = 2",
    "UPDATE item SET code = name WHERE id = 1",
    "UPDATE item SET code = concat(code, 'xyz') WHERE id = 3",
    "UPDATE item SET code = concat(code, 'xyz') WHERE id = 3",
    "UPDATE item SET code = concat(code, 'xyz') WHERE code IS NULL",
    "UPDATE item SET name = code",
    "UPDATE item SET price = 9999.994 WHERE id = 1",
    "UPDATE item SET price = 9999.996 WHERE id = 1",
    "UPDATE item SET price = 10000 WHERE id = 1",
    "UPDATE item SET price = -10000 WHERE id = 1",
    "UPDATE item SET price = 12.5 WHERE id = 1",
    "UPDATE item SET price = price * 100 WHERE id = 1",
    "UPDATE item SET price = price * 100 WHERE id = 1",
    "UPDATE item SET price = price + 1 WHERE id = 2",
    "UPDATE item SET total = price * 2, price = total WHERE id = 2",
    "UPDATE item SET total = 12345678 WHERE id = 2",
    "INSERT INTO item (id, price) SELECT id + 10, price * 1000 FROM item WHERE id = 1",
    "INSERT INTO item (id, code) SELECT id + 10, name FROM item WHERE id = 1",
    "INSERT INTO item (id, price) SELECT id + 20, price FROM item WHERE id = 1",
)

both = both_of(_SCRIPT, "normalized")


def _done_here(both: Both, sql: str, values: dict[str, object] | None = None) -> bool:
    try:
        write = pipeline.convert(both.proposal, sql, dialect="mysql")
        assert isinstance(write, CompiledWrite), f"{sql}: {write}"
        run_write(both.database, write, values)
    except (ReadError, WorkloadError, WriteError) as refused:
        if "cannot be stored as" not in str(refused):
            raise
        return False
    return True


def _done_there(both: Both, sql: str) -> bool:
    import pymysql

    try:
        both.cursor.execute(sql)
    except (pymysql.err.DataError, pymysql.err.OperationalError):
        return False
    return True


@pytest.mark.thorough
def test_lengths_and_precisions_are_kept(both: Both) -> None:
    """What one refuses, so does the other, and the rows stay the same."""
    for sql in WRITES:
        assert _done_here(both, sql) == _done_there(both, sql), sql
        both.assert_equal()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("value", "fits"), [("abcde", True), ("abcdef", False), ("abcde  ", True)])
def test_lengths_of_parameters_are_kept(both: Both, value: str, fits: bool) -> None:
    """Also of one that is computed with."""
    assert _done_here(both, "UPDATE item SET code = :code WHERE id = 1", {"code": value}) is fits
    assert _done_here(both, "UPDATE item SET code = concat(:code, '') WHERE id = 1", {"code": value}) is fits
