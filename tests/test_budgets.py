"""Budgets on storage: kept, traded against cost, and refused in words when nothing keeps them."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.common.errors import InfeasibleError
from nestling.ir.reading import Reading
from tests.cli.commands import nestling

TABLES = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, at TEXT NOT NULL, customer_id INTEGER NOT NULL REFERENCES customer);
CREATE TABLE line (
  id INTEGER PRIMARY KEY, quantity INTEGER NOT NULL, order_id INTEGER NOT NULL REFERENCES orders
);
"""
WORKLOAD = """
-- name: page, rate: 900/s
SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.id = :id;
-- name: lines, rate: 90/s
SELECT id, quantity FROM line WHERE order_id = :order;
-- name: by_time, rate: 50/s
SELECT id, customer_id FROM orders WHERE at = :at;
-- name: line_by_quantity, rate: 5/s
SELECT id, order_id FROM line WHERE quantity = :quantity;
-- name: rename, rate: 0.1/s
UPDATE customer SET name = :name WHERE id = :id;
"""


@dataclass(frozen=True)
class Shop:
    """A database and its workload."""

    address: str
    workload: Path
    reading: Reading


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder = tmp_path_factory.mktemp("shop")
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.executescript(TABLES)
        connection.executemany("INSERT INTO customer VALUES (?, ?)", [(n, f"customer {n}") for n in range(50)])
        connection.executemany(
            "INSERT INTO orders VALUES (?, ?, ?)", [(n, f"day {n % 90}", n % 50) for n in range(500)]
        )
        connection.executemany("INSERT INTO line VALUES (?, ?, ?)", [(n, n % 40, n % 500) for n in range(2000)])
    workload = folder / "workload.sql"
    workload.write_text(WORKLOAD)
    address = f"sqlite:///{folder / 'shop.db'}"
    return Shop(address, workload, pipeline.inspect(address, workload=workload))


@pytest.mark.thorough
def test_more_bytes_buy_less_work(shop):
    """Points grow in bytes and fall in cost; the last is the design without a budget."""
    points = pipeline.pareto(shop.reading, 4)
    assert len(points) >= 2
    for less, more in pairwise(points):
        assert less.amount < more.amount
        assert less.solution.cost > more.solution.cost
    costs = pipeline.design(shop.reading).costs
    assert costs is not None
    assert points[-1].solution.cost == pytest.approx(costs.cost)


def test_a_budget_is_kept_and_written_down(shop):
    """With the bytes of a cheaper point the design costs what that point says, and names the budget."""
    point = pipeline.pareto(shop.reading, 4)[0]
    made = pipeline.design(shop.reading, storage_budget_bytes=int(point.amount) + 1)
    assert made.costs is not None
    assert made.costs.cost == pytest.approx(point.solution.cost)
    assert made.requirements.storage_budget_bytes == int(point.amount) + 1


@pytest.mark.thorough
def test_a_budget_below_the_data_is_refused_in_words(shop):
    """The error names the budget and the least that is possible, in units people write; with that least there is a design."""
    with pytest.raises(InfeasibleError) as caught:
        pipeline.design(shop.reading, storage_budget_bytes=1_000)
    text = str(caught.value)
    assert "the storage budget (at most 1.0 kB)" in text
    least = re.search(r"the storage budget: at least (\d+\.?\d*) kB", text)
    assert least is not None, text
    assert pipeline.design(shop.reading, storage_budget_bytes=round(float(least[1]) * 1000)).costs is not None


def test_the_command_cannot_run_on_what_cannot_be(shop, tmp_path):
    """`nestling design` ends with 2 and the conflict in words."""
    workload = tmp_path / "workload.sql"
    workload.write_text(f"-- storage: 1 KB\n{WORKLOAD}")
    ran = nestling("design", shop.address, "--workload", workload)
    assert ran.code == 2
    assert "the storage budget (at most 1.0 kB)" in ran.err


@pytest.mark.thorough
def test_weighing_does_not_depend_on_the_machine(shop):
    """Two runs tell the same alternatives and the same flips."""
    assert pipeline.design(shop.reading).decisions == pipeline.design(shop.reading).decisions
