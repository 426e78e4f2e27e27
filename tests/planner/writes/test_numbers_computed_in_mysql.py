"""A parameter that MySQL takes into account: the number it is given as, beside a MariaDB."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from nestling.ir.programs.program import CompiledWrite
from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE account (id int PRIMARY KEY, n int NOT NULL, m int, bal decimal(12,2) NOT NULL, x double NOT NULL, at datetime);
INSERT INTO account VALUES (1, 5, 5, 10.05, 1.5, '2024-01-31 10:00:00'), (2, -3, NULL, -0.50, 0.1, '2024-02-29 23:59:59'),
    (3, 0, 0, 0, 1e10, NULL)
"""
both = both_of(SCRIPT, "normalized")
WHOLE = (3, -2, 0, None)
NUMBERS = (*WHOLE, Decimal("1.5"), Decimal("-0.005"), Decimal("2.50"))
READS: dict[str, tuple[Any, ...]] = {
    "SELECT id, bal * :k FROM account ORDER BY id": NUMBERS,
    "SELECT id, n + :k FROM account ORDER BY id": NUMBERS,
    "SELECT id, :k - m FROM account ORDER BY id": NUMBERS,
    "SELECT id, -:k FROM account ORDER BY id": NUMBERS,
    "SELECT id, n % :k FROM account ORDER BY id": WHOLE,
    "SELECT id, x * :k FROM account ORDER BY id": (*NUMBERS, 2.5),
    "SELECT id, :k * 2 + :k FROM account ORDER BY id": NUMBERS,
    "SELECT sum(bal + :k) FROM account": NUMBERS,
    "SELECT sum(bal) + :k FROM account": NUMBERS,
    "SELECT id, round(bal * :k, 1) FROM account ORDER BY id": NUMBERS,
    "SELECT id, greatest(n - :k, -1) FROM account ORDER BY id": NUMBERS,
    "SELECT id, coalesce(m + :k, 7) FROM account ORDER BY id": NUMBERS,
    "SELECT id, abs(:k) FROM account ORDER BY id": NUMBERS,
    "SELECT id, bal / CAST(:k AS DECIMAL(10, 2)) FROM account ORDER BY id": NUMBERS,
    "SELECT id, n DIV CAST(:k AS SIGNED) FROM account ORDER BY id": WHOLE,
    "SELECT id, CAST(:k AS SIGNED) FROM account ORDER BY id": NUMBERS,
    "SELECT id FROM account WHERE n + :k > 1 ORDER BY id": NUMBERS,
    "SELECT id FROM account WHERE id > :k - 1 ORDER BY id": NUMBERS,
    "SELECT id FROM account WHERE bal * :k = 15.075 ORDER BY id": NUMBERS,
    "SELECT id, DATE_ADD(at, INTERVAL :k DAY) FROM account ORDER BY id": WHOLE,
    "SELECT id, DATE_SUB(at, INTERVAL :k MONTH) FROM account ORDER BY id": WHOLE,
    "SELECT id FROM account WHERE at > '2024-02-10' - INTERVAL :k DAY ORDER BY id": WHOLE,
    "SELECT id, SUBSTRING('abcdef', 2, :k) FROM account ORDER BY id": WHOLE,
}
WRITES: dict[str, tuple[Any, ...]] = {
    "UPDATE account SET n = n + :k WHERE id = 1": (3, -2, 0),
    "UPDATE account SET n = n - :k": (3, -2, 0),
    "UPDATE account SET m = m + :k": WHOLE,
    "UPDATE account SET n = n * :k": (3, Decimal("1.5"), Decimal("-0.5")),
    "UPDATE account SET n = :k + n": (3, Decimal("1.5"), Decimal("-0.5")),
    "UPDATE account SET bal = bal + :k WHERE id = 1": (3, Decimal("1.505"), Decimal("-0.005"), Decimal("2.50")),
    "UPDATE account SET bal = bal * :k": (3, Decimal("1.5"), Decimal("-1.005")),
    "UPDATE account SET x = x + :k": (3, Decimal("0.25"), 2.5),
    "UPDATE account SET n = n + 1 WHERE n + :k > 1": (3, Decimal("1.5")),
    "UPDATE account SET at = at + INTERVAL :k DAY": WHOLE,
}


def _store(both: Both) -> Store:
    return Store(both.proposal, both.database)


def _row(values: Any) -> list[Any]:
    return [Decimal(each).normalize() if isinstance(each, int | Decimal) else each for each in values]


@pytest.mark.thorough
def test_it_is_read_as_mariadb_reads_it(both: Both) -> None:
    """Whole numbers, decimals and NULL, in every place arithmetic may stand."""
    store = _store(both)
    for sql, values in READS.items():
        for value in values:
            both.cursor.execute(sql.replace("%", "%%").replace(":k", "%(k)s"), {"k": value})
            there = [_row(row) for row in both.cursor.fetchall()]
            assert [_row(row.values()) for row in store.execute(sql, k=value)] == there, (sql, value)


def test_it_is_written_as_mariadb_writes_it(both: Both) -> None:
    """What is added, multiplied and rounded is the same there."""
    store = _store(both)
    for sql, values in WRITES.items():
        for value in values:
            both.cursor.execute(sql.replace(":k", "%(k)s"), {"k": value})
            store.execute(sql, k=value)
            assert _kept(store) == _there(both), (sql, value)
    both.assert_equal()


def _kept(store: Store) -> list[list[Any]]:
    return [_row(row.values()) for row in store.execute("SELECT * FROM account ORDER BY id")]


def _there(both: Both) -> list[list[Any]]:
    both.cursor.execute("SELECT * FROM account ORDER BY id")
    return [_row(row) for row in both.cursor.fetchall()]


def test_what_is_added_to_an_integer_is_one_command(both: Both) -> None:
    """The server adds it: `$inc`."""
    write = pipeline.convert(both.proposal, "UPDATE account SET n = n + :k WHERE id = :id", dialect="mysql")
    assert isinstance(write, CompiledWrite)
    assert "$inc" in str(write), write


def test_what_is_no_exact_number_is_refused(both: Both) -> None:
    """MySQL makes a float of it, which exact numbers are not assumed here."""
    store = _store(both)
    for value in ("3", "abc", 1.5, b"3"):
        for sql in (
            "SELECT bal + :k FROM account",
            "UPDATE account SET bal = bal + :k",
            "UPDATE account SET n = n + :k",
        ):
            with pytest.raises(WorkloadError, match="`k` must be of type"):
                store.execute(sql, k=value)
    both.assert_equal()


def test_a_fraction_of_an_integer_is_refused(both: Both) -> None:
    """MySQL rounds the sum, which the server's own addition does not."""
    with pytest.raises(WorkloadError, match="`k` must be of type integer"):
        _store(both).execute("UPDATE account SET n = n + :k", k=Decimal("1.5"))


def test_digits_that_nothing_says_are_a_gap(both: Both) -> None:
    """MySQL's quotients have as many digits as their operands say."""
    unknown = (
        "bal / :k",
        "bal / 3 * :k",
        "CASE WHEN n > 0 THEN bal / 3 ELSE n + :k END",
        "avg(n + :k)",
        "CONCAT(n + :k)",
    )
    for text in unknown:
        assert both.gap(f"SELECT {text} FROM account")
