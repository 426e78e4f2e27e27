"""Names that differ by case alone, or are the same name in MongoDB, are refused, and never taken for each other."""

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
        with pytest.raises(StatementGap, match="differs from another only in case"):
            translate(sql, reading.model, "postgresql")
    for sql in READ:
        translate(sql, reading.model, "postgresql")
    move = "differ only in case: statements that name them are not converted; rename all but one in the source"
    assert [note for note in reading.notes if "differ only in case" in note] == [
        f"`Item` and `item` {move}",
        f"`t`: `Status` and `status` {move}",
    ]


STORED_ALIKE = """
CREATE TABLE m (id INTEGER PRIMARY KEY, _id TEXT, _id_ TEXT);
CREATE TABLE n (id INTEGER PRIMARY KEY, m_id INTEGER REFERENCES m, "a.b" TEXT);
CREATE VIEW seen AS SELECT id FROM m;
"""


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO m VALUES (2, 'k', 'l')",
        "SELECT _id FROM m",
        "SELECT n.id FROM n JOIN m ON m.id = n.m_id",
        "SELECT * FROM seen",
    ],
)
def test_names_that_are_one_when_stored(tmp_path: Path, sql: str) -> None:
    """MongoDB keeps `_id` for itself, so the column's own name is the other's."""
    (tmp_path / "schema.sql").write_text(STORED_ALIKE)
    reading = pipeline.inspect(tmp_path / "schema.sql")
    with pytest.raises(StatementGap, match="`m`, where `_id` and `_id_` are the same name in MongoDB"):
        translate(sql, reading.model, "sqlite")
    translate('SELECT "a.b" FROM n', reading.model, "sqlite")
    said = "`m`: `_id` and `_id_` are the same name in MongoDB: statements on `m` are not converted; rename all but one in the source"  # noqa: E501
    assert said in reading.notes


def test_names_stored_otherwise_are_told(tmp_path: Path) -> None:
    """Those that MongoDB does not take; a key called `_id` is its own."""
    odd = 'CREATE TABLE "$t" (_id INTEGER PRIMARY KEY, "Line No." TEXT, "$x" TEXT, plain TEXT);'
    (tmp_path / "schema.sql").write_text(f"{odd} CREATE TABLE u (_id INTEGER PRIMARY KEY);")
    told = [
        note for note in pipeline.inspect(tmp_path / "schema.sql").notes if note.startswith("stored under other names")
    ]
    assert len(told) == 1
    assert "`$t` as `＄t`, `$t.Line No.` as `Line No．`, `$t.$x` as `＄x`: MongoDB does not allow names" in told[0]


def test_all_columns(tmp_path: Path, database: Database[Any]) -> None:
    """`*` has both columns, each with its own values."""
    (tmp_path / "schema.sql").write_text(TABLES)
    proposal = pipeline.design(pipeline.inspect(tmp_path / "schema.sql", dialect="postgresql"), "normalized")
    pipeline.load(proposal, None, database)
    store = Store(proposal, database)
    store.execute("INSERT INTO t VALUES (1, 'A', 'b', 'c')")
    assert [*store.execute("SELECT * FROM t")] == [{"id": 1, "Status": "A", "status": "b", "other": "c"}]
