"""A limited order before what other tables are asked for: the search takes into account the rows that are asked in turn alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling import pipeline
from tests.least_cost import designed
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE guest (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE stay (id INTEGER PRIMARY KEY, guest_id INTEGER NOT NULL REFERENCES guest (id), kind INTEGER NOT NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO guest SELECT i, 'g' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
  INSERT INTO stay SELECT i, 1 + (i * 7919) % 5000, i % 50 FROM n;
"""
STATEMENTS = {
    "exists": "SELECT id FROM guest g WHERE EXISTS (SELECT 1 FROM stay s WHERE s.guest_id = g.id) ORDER BY id DESC LIMIT 5",
    "listed": "SELECT id FROM guest WHERE id IN (SELECT guest_id FROM stay) ORDER BY id LIMIT 5",
    "lacking": "SELECT id FROM guest WHERE id NOT IN (SELECT guest_id FROM stay WHERE kind = 5) ORDER BY id LIMIT 5",
}


@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("strategy", ["normalized", "embedded", "optimal"])
@pytest.mark.parametrize("name", STATEMENTS)
def test_both_prices_agree(name: str, strategy: str, tmp_path: Path) -> None:
    """Of all guests none is looked up for but the first few."""
    with closing(sqlite3.connect(tmp_path / "hotel.db")) as connection:
        connection.executescript(TABLES)
    (tmp_path / "workload.sql").write_text(f"-- name: s, rate: 3/s\n{STATEMENTS[name]};")
    reading = pipeline.inspect(tmp_path / "hotel.db", workload=tmp_path / "workload.sql")
    assert two_prices(reading, designed(reading, strategy))["s"].factor < 2
