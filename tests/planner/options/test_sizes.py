"""How many rows conditions let through: by the values statements compare with, where it is known how an attribute's lie."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from nestling import pipeline
from nestling.ir.reading import Reading
from nestling.ir.situation import Thresholds, situation
from nestling.ir.statistics import CLOSED_RANGE, without_values
from nestling.planner.known.selectivity import UNKNOWN_EQUALITY
from nestling.planner.options.sizes.sizes import Sizes

STATEMENTS = {
    "by_status": ("SELECT id FROM purchase WHERE status = 'placed'", "{}"),
    "by_status_given": ("SELECT id FROM purchase WHERE status = :status", '{"status": "lost"}'),
    "by_status_unsaid": ("SELECT id FROM purchase WHERE status = :status", "{}"),
    "by_days": (
        "SELECT id FROM purchase WHERE placed BETWEEN :first AND :last",
        '{"first": "2024-01-01", "last": "2024-01-05"}',
    ),
    "by_amount": ("SELECT c.name FROM customer c JOIN purchase p ON p.customer_id = c.id WHERE p.amount > 900", "{}"),
    "by_some": ("SELECT id FROM purchase WHERE status IN ('placed', 'lost')", "{}"),
    "by_customer": ("SELECT id FROM purchase WHERE customer_id = :customer", '{"customer": 1}'),
    "settle": ("UPDATE purchase SET amount = 0 WHERE amount < :most", '{"most": 100}'),
    "odd": ("SELECT id FROM purchase WHERE amount % 2 = 1", "{}"),
}


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """A thousand purchases: 90 % placed, one in a hundred lost, amounts and days spread evenly; half are of customer 1."""
    folder = tmp_path_factory.mktemp("sizes")
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.executescript("""
            CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id),
                status TEXT, amount INTEGER, placed DATE);
        """)
        connection.executemany("INSERT INTO customer VALUES (?, ?)", ((n, f"name {n}") for n in range(1, 101)))
        rows = (
            (n, 1 if n % 2 else n % 100 + 1, "lost" if n % 100 == 0 else "sent" if n % 11 == 0 else "placed", n)
            for n in range(1000)
        )
        connection.executemany("INSERT INTO purchase VALUES (?, ?, ?, ?, date('2024-01-01', '+' || (? / 10) || ' days'))",
                               ((*row, row[0]) for row in rows))  # fmt: skip
    text = "".join(f"-- name: {n}, rate: 1/s\n-- params: {p}\n{sql};\n" for n, (sql, p) in STATEMENTS.items())
    (folder / "workload.sql").write_text(text)
    return pipeline.inspect(f"sqlite:///{folder / 'shop.db'}", workload=folder / "workload.sql")


def found(reading: Reading, name: str) -> float:
    """Rows of purchases a statement's conditions let through, it being the only one."""
    statement = reading.workload.statement(name)
    assert statement is not None
    alone = replace(reading, workload=replace(reading.workload, statements=(statement,)))
    (access,) = (each for each in statement.accesses if each.entity == "purchase")
    return Sizes(situation(alone, Thresholds())).found(access)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("by_status", 900),
        ("by_status_given", 10),
        ("by_status_unsaid", 1000 * (0.9**2 + 0.09**2 + 0.01**2)),
        ("by_days", 50),
        ("by_amount", 99),
        ("by_some", 910),
        ("by_customer", 10),  # as many as parents have on average: what an embedding holds, too
        ("settle", 100),
        ("odd", 1000 * UNKNOWN_EQUALITY),
    ],
)
def test_rows_found(reading: Reading, name: str, rows: float) -> None:
    """As many as there are, or as many as are asked for on average when the value is not known."""
    of_a_day = 10 if name == "by_days" else 1  # which may lie on either side of a bound
    assert found(reading, name) == pytest.approx(rows, rel=0.08, abs=of_a_day)


def test_guesses_where_values_are_not_known(reading: Reading) -> None:
    """Without values an equality finds what one of so many values has, a list what so many have, a range its customary share."""
    blind = replace(reading, statistics=without_values(reading.statistics))
    assert found(blind, "by_status_given") == pytest.approx(1000 / 3)
    assert found(blind, "by_some") == pytest.approx(2 / 3 * 1000)
    assert found(blind, "by_days") == pytest.approx(1000 * CLOSED_RANGE)


def test_accesses_alike_are_told_apart_by_their_rates(reading: Reading) -> None:
    """Two statements with the same access count by how often each runs."""
    seldom = reading.workload.statement("by_status_given")
    assert seldom is not None
    often = replace(seldom, name="often", rate_per_second=3.0, samples=(("status", "placed"),))
    both = (often, seldom)
    known = situation(replace(reading, workload=replace(reading.workload, statements=both)), Thresholds())
    assert Sizes(known).found(often.accesses[0]) == pytest.approx((3 * 900 + 10) / 4, rel=0.05)
