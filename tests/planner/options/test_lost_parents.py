"""A foreign key that a statement sets to NULL: no parent is held, and what is copied of it goes in the same command."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline
from tests.least_cost import designed
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT NOT NULL, person_id INTEGER REFERENCES person (id));
"""
STATEMENTS = """
-- name: shown, rate: 10/s
SELECT task.title, person.name FROM task LEFT JOIN person ON person.id = task.person_id WHERE task.id = :id;
-- name: given, rate: 1/s
UPDATE task SET person_id = :person WHERE id = :id;
-- name: taken, rate: 1/s
UPDATE task SET person_id = NULL WHERE id = :id;
"""


@pytest.mark.parametrize("strategy", ["optimal", "normalized", "embedded"])
def test_the_search_prices_it_as_it_is_compiled(strategy: str, tmp_path: Path) -> None:
    """One command, where a new parent takes a transaction."""
    (tmp_path / "tasks.sql").write_text(TABLES)
    (tmp_path / "work.sql").write_text(STATEMENTS)
    reading = pipeline.inspect(tmp_path / "tasks.sql", workload=tmp_path / "work.sql", dialect="sqlite")
    prices = two_prices(reading, designed(reading, strategy))
    assert {name: each for name, each in prices.items() if each.factor > 1.25} == {}
    assert prices["taken"].search < 0.6 * prices["given"].search
