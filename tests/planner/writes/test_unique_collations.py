"""Unique texts of a column that leaves case out: an index of the server would tell them apart, so a write looks for them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling import pipeline
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.row_source import SqlDatabase
from tests.write_traces import Trace

TABLES = """
CREATE TABLE member (id INTEGER PRIMARY KEY, email TEXT NOT NULL COLLATE NOCASE UNIQUE, nick TEXT COLLATE NOCASE UNIQUE);
CREATE TABLE code (code TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, note TEXT);
INSERT INTO member VALUES (1, 'Ann@x.org', 'Ann'), (2, 'bob@x.org', NULL), (3, 'Éva@x.org', NULL);
INSERT INTO code VALUES ('DE', 'Germany');
"""
REFUSED = (
    "INSERT INTO member VALUES (4, 'ANN@X.ORG', NULL)",
    "INSERT INTO member VALUES (4, 'cem@x.org', 'aNN')",
    "INSERT INTO member VALUES (4, 'dan@x.org', NULL), (5, 'DAN@x.org', NULL)",
    "UPDATE member SET email = 'ann@x.org' WHERE id = 2",
    "INSERT INTO code VALUES ('de', NULL)",
)
DONE = (
    "INSERT INTO member VALUES (4, 'éva@x.org', NULL)",  # only A to Z lose their case
    "UPDATE member SET email = 'ANN@x.org' WHERE id = 1",
    "INSERT OR IGNORE INTO member VALUES (5, 'BOB@x.org', NULL)",
    "INSERT INTO member VALUES (6, 'Bob@x.org', 'b') ON CONFLICT (email) DO UPDATE SET nick = excluded.nick",
    "INSERT OR REPLACE INTO code VALUES ('De', 'Deutschland')",
)


def test_texts_that_differ_by_case_alone_are_the_same(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """What SQLite refuses, ignores or updates by such an index is refused, ignored or updated, and all else is done."""
    path = tmp_path / "members.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
    url = f"sqlite:///{path}"
    proposal = pipeline.design(pipeline.inspect(url), "normalized")
    pipeline.load(proposal, url, database)
    with closing(sqlite3.connect(path)) as connection:
        source = SqlDatabase(parse_address(url), proposal.design.model)
        run = Trace(proposal.design, database, source, connection)
        for sql in (*REFUSED, *DONE):
            run.run(sql)
        assert (run.refused, run.done, run.gaps) == (list(REFUSED), list(DONE), [])
        run.check()
