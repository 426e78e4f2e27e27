"""Keys and foreign keys that hold the time of a bucket's window: found in the bucket it lies in, beside SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from types import ModuleType
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal

TABLES = """
PRAGMA foreign_keys = ON;
CREATE TABLE reading (sensor TEXT NOT NULL, ts TIMESTAMP NOT NULL, temp INTEGER, PRIMARY KEY (sensor, ts));
CREATE TABLE alarm (id INTEGER PRIMARY KEY NOT NULL, sensor TEXT, ts TIMESTAMP,
  FOREIGN KEY (sensor, ts) REFERENCES reading ON DELETE CASCADE ON UPDATE CASCADE);
"""
DESIGN = """
nestling: 1
strategy: by hand
dialect: DIALECT
model:
  name: m
  entities:
    reading: {key: [sensor, ts], attributes: {sensor: text!, ts: TYPE!, temp: integer}}
    alarm: {key: [id], attributes: {id: integer!, sensor: text, ts: TYPE}}
  relationships:
    ra: {parent: reading, child: alarm, attributes: [sensor, ts], on_delete: cascade, on_update: cascade}
design:
  collections:
    readings:
      root: reading
      bucket: {by: [sensor], field: readings, limit: 60, window: {attribute: ts, unit: UNIT}}
    alarms: {root: alarm, id: [id], references: {ra: parent-reference}}
"""
WRITES = (
    "INSERT INTO reading VALUES ('s', '2025-01-01 10:37:00', 1)",
    "INSERT INTO reading VALUES ('s', '2025-01-01 10:37:00', 2)",
    "INSERT INTO reading VALUES ('s', '2025-01-01 10:38:00', 3)",
    "UPDATE reading SET ts = '2025-01-01 10:37:00' WHERE ts = '2025-01-01 10:38:00'",
    "INSERT INTO alarm VALUES (1, 's', '2025-01-01 10:37:00')",
    "INSERT INTO alarm VALUES (2, 's', '2025-01-01 10:39:00')",
    "INSERT INTO alarm VALUES (2, 's', NULL)",
    "UPDATE alarm SET ts = '2025-01-01 10:38:00' WHERE id = 2",
    "UPDATE alarm SET ts = '2025-01-01 10:40:00' WHERE id = 2",
    "UPDATE reading SET ts = '2025-02-01 12:05:00' WHERE ts = '2025-01-01 10:37:00'",
    "DELETE FROM reading WHERE sensor = 's' AND ts = '2025-01-01 10:38:00'",
    "INSERT INTO reading SELECT sensor, '2025-02-01 12:05:00', 9 FROM reading",
)
KINDS = [("sqlite", "timestamp"), ("postgresql", "timestamp"), ("postgresql", "timestamp(6)"), ("mysql", "timestamp")]


def designed(dialect: str, kind: str, unit: str) -> Proposal:
    """The readings of each unit of time in a bucket."""
    text = DESIGN.replace("DIALECT", dialect).replace("TYPE", kind).replace("UNIT", unit)
    return read_proposal(text, "design.yaml")


@pytest.mark.in_turn("unit")
@pytest.mark.parametrize("unit", ["minute", "hour", "day", "month"])
@pytest.mark.parametrize(("dialect", "kind"), KINDS)
def test_writes_do_what_they_do_in_sqlite(database: Database[Any], dialect: str, kind: str, unit: str) -> None:
    """Each is refused by both or by none, and afterwards both have the same rows."""
    proposal = designed(dialect, kind, unit)
    pipeline.load(proposal, None, database)
    store = Store(proposal, database)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(TABLES)
        for sql in WRITES:
            try:
                connection.execute(sql)
            except sqlite3.IntegrityError:
                with pytest.raises(ConstraintError):
                    store.execute(sql)
            else:
                store.execute(sql)
            for asked in ("SELECT sensor, ts, temp FROM reading ORDER BY ts", "SELECT id, ts FROM alarm ORDER BY id"):
                here = [tuple(row.values()) for row in store.execute(asked)]
                there = [*map(tuple, connection.execute(asked))]
                assert [tuple(map(str, row)) for row in here] == [tuple(map(str, row)) for row in there], sql
    assert pipeline.check(proposal, database).clean


def test_programs_of_python_find_them(database: Database[Any]) -> None:
    """What is emitted has the server find the beginning of the window, too."""
    proposal = designed("sqlite", "timestamp", "hour")
    pipeline.load(proposal, None, database)
    made = pipeline.convert(proposal, "INSERT INTO reading VALUES ('s', '2025-01-01 10:37:00', 1)", name="added")
    assert not isinstance(made, NotCompiled)
    emitted = ModuleType("emitted")
    exec(module([made], title="One."), emitted.__dict__)
    emitted.added(database)
    with pytest.raises(ValueError, match="the same"):
        emitted.added(database)
