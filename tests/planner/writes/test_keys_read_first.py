"""Rows that go with one row are told by their keys where what refers to them is reached in another way, too."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.paths.write_path import Fetch, steps_within
from nestling.ir.proposal import Proposal
from nestling.ir.statements.algebra import Query
from nestling.planner.sql import translate
from nestling.planner.writes import plan_write

TABLES = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, mail TEXT NOT NULL UNIQUE, city TEXT);
CREATE TABLE address (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id) ON DELETE CASCADE);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id) ON DELETE SET NULL,
    address_id INTEGER REFERENCES address (id) ON DELETE SET NULL);
"""
DELETES = (
    "DELETE FROM customer WHERE id = 1",
    "DELETE FROM customer WHERE mail = 'm2'",
    "DELETE FROM customer WHERE id = 99",
    "DELETE FROM address WHERE id = 5",
    "DELETE FROM customer WHERE city = 'Oslo'",
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Customers with addresses, and purchases that are sent to the address of another one."""
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        connection.executemany(
            "INSERT INTO customer VALUES (?, ?, ?)", ((n, f"m{n}", "Oslo" if n % 2 else None) for n in range(8))
        )
        connection.executemany("INSERT INTO address VALUES (?, ?)", ((n, n % 8) for n in range(16)))
        purchases = ((n, n % 8 if n % 5 else None, n * 7 % 16 if n % 3 else None) for n in range(60))
        connection.executemany("INSERT INTO purchase VALUES (?, ?, ?)", purchases)
    return path


def _fetches(proposal: Proposal, sql: str) -> list[Fetch]:
    write = translate(sql, proposal.design.model, "sqlite")
    assert not isinstance(write, Query)
    return [each for each in steps_within(plan_write(write, proposal.design).steps) if isinstance(each, Fetch)]


@pytest.mark.parametrize("sql", DELETES[:3])
def test_purchases_are_found_by_their_customer_or_by_the_keys_of_its_addresses(sql: str, source: Path) -> None:
    """No address is looked up for every purchase there is."""
    fetches = _fetches(pipeline.design(source, "normalized"), sql)
    assert any(each.lists for each in fetches)
    assert not any("Correlate(" in str(each.plan) or "Lookup(" in str(each.plan) for each in fetches)


def test_no_list_is_made_of_many_rows(source: Path) -> None:
    """It may not fit into a command."""
    assert not any(each.lists for each in _fetches(pipeline.design(source, "normalized"), DELETES[-1]))


@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_the_rows_are_sqlites(strategy: str, source: Path, database: Database[dict[str, Any]]) -> None:
    """After all of them, every row that is left says what it says there."""
    proposal = pipeline.design(source, strategy)
    pipeline.load(proposal, f"sqlite:///{source}", database)
    with closing(sqlite3.connect(source)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")
        for sql in DELETES:
            affected = Store(proposal, database).execute(sql).affected
            assert affected == connection.execute(sql).rowcount
    assert pipeline.verify(proposal, f"sqlite:///{source}", database).equal
