"""A sum of whole numbers that could pass 64 bits is not kept: a write would fail that the source does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import WriteError
from tests.patterns.scenario import chosen, scenario

DDL = """CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), total INTEGER);"""
WORKLOAD = """-- name: spent, rate: 5000/s
SELECT c.id, c.name, (SELECT sum(total) FROM purchase p WHERE p.customer_id = c.id) AS total FROM customer c WHERE c.id = :id;
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("large", "kept"), [(9223372036854775807, False), (-9223372036854775807, False), (5000, True)])
def test_a_row_moves_whatever_its_sums_are(
    database: Database[dict[str, Any]], tmp_path: Path, large: int, kept: bool
) -> None:
    """As it does in SQLite, where only reading the sum fails."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "customer": [(1, "Ann"), (2, "Bob")],
        "purchase": [(10, 1, 100), (14, 2, large)],
    }
    known = scenario(tmp_path, DDL, rows, WORKLOAD)
    proposal = known.designed()
    assert bool(chosen(proposal, "computed")) is kept
    pipeline.load(proposal, known.address, database)
    store = Store(proposal, database)
    assert store.execute("UPDATE purchase SET customer_id = 2 WHERE id = 10").affected == 1
    assert [row["customer_id"] for row in store.execute("SELECT customer_id FROM purchase")] == [2, 2]


@pytest.mark.thorough
def test_a_kept_sum_that_would_pass_64_bits_is_named(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Nobody knew of such values; the write is refused in words, and nothing of it stays."""
    known = scenario(tmp_path, DDL, {"customer": [(1, "Ann")], "purchase": [(10, 1, 100)]}, WORKLOAD)
    proposal = known.designed()
    pipeline.load(proposal, known.address, database)
    store = Store(proposal, database)
    with pytest.raises(WriteError, match=r"a whole number exceeds 64 bits.*purchase_total_sum"):
        store.execute(f"INSERT INTO purchase VALUES (11, 1, {(1 << 63) - 1})")
    assert len(list(store.execute("SELECT id FROM purchase"))) == 1
