"""What `unload` does not declare again in SQLite, as the type map says."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.pipeline import design, inspect, load, unload


def test_digits_and_plain_indexes_are_not_declared(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Decimals of SQLite are NUMERIC without their digits, and plain indexes are gone."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript("""
            CREATE TABLE t (id INTEGER PRIMARY KEY, cost decimal(5,2), hours decimal(5,2), word TEXT UNIQUE, rank INTEGER);
            CREATE INDEX t_rank ON t (rank);
            INSERT INTO t VALUES (1, 1.5, 2, 'a', 3);
        """)
    source, target = f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "b.db"
    reading = inspect(source)
    proposal = design(reading, "normalized")
    load(proposal, source, database)
    unload(proposal, f"sqlite:///{target}", database)
    with closing(sqlite3.connect(target)) as connection:
        columns = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA table_info(t)")}
        assert (columns["cost"], columns["hours"]) == ("NUMERIC", "NUMERIC")
        assert [name for _, name, *_ in connection.execute("PRAGMA index_list(t)")] == ["sqlite_autoindex_t_1"]
