"""Rows in arrays of one document go or change by one command, and all that follows is as it was with one for each."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.database import Database
from pymongo.monitoring import CommandListener, CommandStartedEvent

from nestling import pipeline
from nestling.common.server import Server
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite
from tests.least_cost import designed
from tests.patterns.scenario import scenario

DDL = """
CREATE TABLE firm (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE entry (id INTEGER PRIMARY KEY, firm_id INTEGER NOT NULL REFERENCES firm(id) ON DELETE CASCADE,
    at INTEGER NOT NULL, read_at INTEGER, kind TEXT);
CREATE TABLE issue (id INTEGER PRIMARY KEY, firm_id INTEGER NOT NULL REFERENCES firm(id) ON DELETE CASCADE, title TEXT);
CREATE TABLE remark (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL REFERENCES issue(id) ON DELETE CASCADE, body TEXT);
CREATE TABLE vote (issue_id INTEGER NOT NULL REFERENCES issue(id) ON DELETE CASCADE, no INTEGER NOT NULL, mark TEXT,
    PRIMARY KEY (issue_id, no));
CREATE TABLE seat (firm_id INTEGER NOT NULL REFERENCES firm(id) ON DELETE CASCADE, row TEXT NOT NULL, no INTEGER NOT NULL,
    held TEXT, PRIMARY KEY (firm_id, row, no));
CREATE TABLE place (firm_id INTEGER NOT NULL REFERENCES firm(id) ON DELETE CASCADE, no INTEGER NOT NULL, held TEXT,
    PRIMARY KEY (firm_id, no));
"""
ROWS: dict[str, list[tuple[object, ...]]] = {
    "firm": [(n, f"f{n}") for n in range(4)],
    "entry": [(n, n % 4, n, n if n % 3 else None, f"k{n % 2}") for n in range(200)],
    "issue": [(n, n % 4, f"t{n}") for n in range(12)],
    "remark": [(n, n % 12, f"b{n}") for n in range(120)],
    "vote": [(n % 12, n // 12, "x") for n in range(60)],
    "place": [(n % 4, n // 4, None) for n in range(40)],
    "seat": [(n % 4, f"r{n // 4 % 3}", n // 12, None) for n in range(60)],
}
WRITES = {
    "DELETE FROM entry WHERE at < 40": 4,
    "UPDATE entry SET read_at = NULL WHERE at > 60": 4,
    "UPDATE entry SET kind = CASE WHEN at < 150 THEN 'old' END WHERE at > 100": 4,
    "UPDATE entry SET at = at + 1, kind = 'k' WHERE at BETWEEN 60 AND 69": 4,
    "UPDATE entry SET kind = '$k' || at, read_at = nullif(read_at, 81) WHERE at BETWEEN 80 AND 83": 4,
    "UPDATE remark SET body = 'new' WHERE id < 60": 4,
    "DELETE FROM remark WHERE id BETWEEN 12 AND 35": 4,
    "UPDATE vote SET mark = NULL WHERE no < 2": 12,
    "DELETE FROM vote WHERE no > 2": 12,
    "UPDATE remark SET body = body || '!' WHERE id > 110": 9,
    "UPDATE place SET held = no || 'x' WHERE no > 2": 4,
    "UPDATE seat SET held = 'y' WHERE no > 2": 12,
    "DELETE FROM seat WHERE no = 1 AND row > 'r0'": 8,
}
"""How many commands each is: one a document, of each array in others where keys begin again, of each row there with a value of
its own."""


class Updates(CommandListener):
    """Counts updates, however many a request has."""

    def __init__(self) -> None:
        self.count = 0

    def started(self, event: CommandStartedEvent) -> None:
        self.count += len(event.command.get("updates", ()))

    def succeeded(self, event: object) -> None:
        """Nothing more to count."""

    def failed(self, event: object) -> None:
        """Nothing more to count."""


def test_they_leave_what_sqlite_leaves(tmp_path: Path, mongod: Server, database: Database[Any]) -> None:
    """With as few commands as there can be."""
    source = scenario(tmp_path, DDL, ROWS, "-- rate: 1/s\nSELECT name FROM firm WHERE id = 1;")
    made = designed(source.reading, "embedded")
    pipeline.load(made, source.address, database)
    assert [store.name for store in made.design.stores] == ["firm"]
    sent = Counter[str]()
    with closing(sqlite3.connect(source.address.removeprefix("sqlite:///"))) as tables:
        for sql in WRITES:
            heard = Updates()
            write = pipeline.convert(made, sql, dialect="sqlite")
            assert isinstance(write, CompiledWrite), write
            with MongoClient[dict[str, Any]](mongod.uri, event_listeners=[heard]) as client:
                result = run_write(client[database.name], write)
            assert result.affected == tables.execute(sql).rowcount, sql
            sent[sql] = heard.count
        tables.commit()
    checked = pipeline.verify(made, source.address, database)
    assert checked.equal, checked.differences
    assert sent == WRITES
