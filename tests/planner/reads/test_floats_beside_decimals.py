"""A float that is given beside decimals is the decimal it is shown as, without the noise of its bits: beside PostgreSQL."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa

from nestling import Store
from nestling.common.errors import WorkloadError
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLE = """CREATE TABLE account (id int PRIMARY KEY, balance numeric(12,2), rate numeric(20,10), n int, x float8);
    INSERT INTO account VALUES (1, 10.05, 0.1, 3, 0.5), (2, -0.50, 1.15, -7, 1e10), (3, NULL, NULL, NULL, NULL)"""
GIVEN = (0.1, 1.1, 0.7, -2.675, 1.005, 3.0, 1e-9, 2, Decimal("0.1"))
READS = (
    "SELECT id, balance + :p FROM account ORDER BY id", "SELECT id, :p * rate FROM account ORDER BY id",
    "SELECT id, balance - :p * rate FROM account ORDER BY id", "SELECT sum(balance * :p) FROM account",
    "SELECT id, x + :p FROM account ORDER BY id", "SELECT id FROM account WHERE balance * :p > 1 ORDER BY id",
)  # fmt: skip
WRITES = ("UPDATE account SET balance = balance + :p", "UPDATE account SET rate = rate * :p, x = x + :p")


tables = beside_of(TABLE)
"""The table, loaded."""


def _numbers(rows: Any) -> list[list[float | None]]:
    return [[None if each is None else float(f"{each:.12g}") for each in row] for row in rows]


@pytest.mark.thorough
@pytest.mark.parametrize("sql", READS)
def test_it_is_read_as_postgresql_reads_it(tables: Beside, sql: str) -> None:
    """To twelve digits, which the noise of floats does not reach there."""
    store = Store(tables.proposal, tables.database)
    for value in GIVEN:
        with tables.engine.connect() as connection:
            theirs = _numbers(connection.execute(sa.text(sql), {"p": value}))
        assert _numbers(row.values() for row in store.execute(sql, p=value)) == theirs, value


def test_it_has_no_noise(tables: Beside) -> None:
    """Its digits are those that were meant."""
    store = Store(tables.proposal, tables.database)
    for value, said in ((0.1, "10.15"), (1.1, "11.15"), (0.7, "10.75")):
        (row,) = store.execute("SELECT balance + :p AS sum FROM account WHERE id = 1", p=value)
        assert row["sum"] == Decimal(said)


@pytest.mark.thorough
@pytest.mark.parametrize("sql", WRITES)
def test_it_is_written_as_postgresql_writes_it(tables: Beside, sql: str) -> None:
    """Rounded to the column's digits, halves away from zero."""
    store, everything = Store(tables.proposal, tables.database), "SELECT * FROM account ORDER BY id"
    for value in GIVEN:
        with tables.engine.begin() as connection:
            connection.execute(sa.text(sql), {"p": value})
            theirs = _numbers(connection.execute(sa.text(everything)))
        store.execute(sql, p=value)
        assert _numbers(row.values() for row in store.execute(everything)) == theirs, value


@pytest.mark.thorough
def test_a_float_with_noise_of_its_own_is_refused(tables: Beside) -> None:
    """Its decimal has more digits than any that was meant."""
    with pytest.raises(WorkloadError, match="`p` must be of type decimal"):
        Store(tables.proposal, tables.database).execute("UPDATE account SET balance = balance + :p", p=0.1 + 0.2)
