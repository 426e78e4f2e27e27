"""Names that differ by case alone are refused, and never taken for each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.planner.sql import StatementGap, translate

TABLES = """
CREATE TABLE t (id int PRIMARY KEY, "Status" text, status text, other text);
CREATE TABLE u (id int PRIMARY KEY, status text);
CREATE TABLE "Item" (id int PRIMARY KEY, a text);
CREATE TABLE item (id int PRIMARY KEY, b text);
CREATE VIEW odd AS SELECT "Status" AS said FROM t;
CREATE VIEW whole AS SELECT * FROM t;
"""
REFUSED = [
    'SELECT "Status", status FROM t',
    "SELECT id FROM t WHERE status = 'b'",
    "UPDATE t SET status = 'written' WHERE id = 1",
    "INSERT INTO t (id, status) VALUES (1, 'x')",
    'SELECT x."Status" FROM (SELECT * FROM t) x',
    "SELECT id FROM t NATURAL JOIN u",
    "SELECT said FROM odd",
    "SELECT status FROM whole",
    "SELECT * FROM item",
    'SELECT * FROM "Item"',
    "SELECT u.id FROM u WHERE id IN (SELECT id FROM item)",
    "DELETE FROM item",
]
READ = ["SELECT id, other FROM t", "SELECT * FROM t", "SELECT status FROM u", "UPDATE t SET other = 'x' WHERE id = 1"]


def test_names_alike(tmp_path: Path) -> None:
    """Statements that name them are gaps, others of the same tables are converted; `inspect` says so."""
    (tmp_path / "schema.sql").write_text(TABLES)
    reading = pipeline.inspect(tmp_path / "schema.sql", dialect="postgresql")
    for sql in REFUSED:
        with pytest.raises(StatementGap, match="differs from another by case alone"):
            translate(sql, reading.model, "postgresql")
    for sql in READ:
        translate(sql, reading.model, "postgresql")
    move = "differ by case alone: statements that name them are gaps; rename all but one at the source"
    assert [note for note in reading.notes if "by case alone" in note] == [
        f"`Item` and `item` {move}",
        f"`t`: `Status` and `status` {move}",
    ]


def test_all_columns(tmp_path: Path, database: Database[Any]) -> None:
    """`*` has both columns, each with its own values."""
    (tmp_path / "schema.sql").write_text(TABLES)
    proposal = pipeline.design(pipeline.inspect(tmp_path / "schema.sql", dialect="postgresql"), "normalized")
    pipeline.load(proposal, None, database)
    store = Store(proposal, database)
    store.execute("INSERT INTO t VALUES (1, 'A', 'b', 'c')")
    assert [*store.execute("SELECT * FROM t")] == [{"id": 1, "Status": "A", "status": "b", "other": "c"}]
