"""Foreign keys of several types in a source other than MongoDB: joins along them are computed, and priced as such."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from nestling.ir.reading import Reading
from nestling.pipeline import design, inspect

WORKLOAD = """
-- name: of_status, rate: 50/s
SELECT c.vip, COUNT(*) AS n FROM orders o JOIN customer c ON c.id = o.customer WHERE o.status = :status GROUP BY c.vip;
-- name: one, rate: 50/s
SELECT o.status, c.name FROM orders o JOIN customer c ON c.id = o.customer WHERE o.id = :id;
-- name: of_customer, rate: 50/s
SELECT c.name, o.status FROM customer c JOIN orders o ON o.customer = c.id WHERE c.id = :id;
"""


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    """Orders, a tenth of which name their customer by a text."""
    source = sqlite3.connect(tmp_path / "a.db")
    source.executescript("""
        CREATE TABLE customer (id INT PRIMARY KEY NOT NULL, name TEXT, vip TEXT);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INT NOT NULL REFERENCES customer (id), status TEXT);
        CREATE INDEX by_customer ON orders (customer);
    """)
    people = [f"c{i}" if i % 10 == 0 else i for i in range(800)]
    source.executemany(
        "INSERT INTO customer VALUES (?, ?, ?)", [(p, f"n{p}", f"v{n % 3}") for n, p in enumerate(people)]
    )
    rows = [(i, people[i * 7 % 800], f"s{i % 5}") for i in range(4000)]
    source.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
    source.commit()
    source.close()
    workload = tmp_path / "workload.sql"
    workload.write_text(WORKLOAD)
    return inspect(f"sqlite:///{tmp_path / 'a.db'}", workload=workload)


def test_nothing_is_kept_that_no_query_reads(reading: Reading) -> None:
    """The queries look parents up by a computed key: a copy of what they want would not be read."""
    key = reading.model.entity("orders").attribute("customer")
    assert key.is_of_several_types
    assert not reading.model.strict_types
    found = design(reading, "optimal")
    assert not [copy for each in found.design.collections for copy in each.body.copies]
