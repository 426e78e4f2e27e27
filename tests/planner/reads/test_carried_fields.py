"""Of rows unwound from arrays, the first of each group has what is used of it: the documents around them are not held whole."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from tests.least_cost import designed
from tests.patterns.scenario import Scenario, scenario

DDL = """
CREATE TABLE firm (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE entry (id INTEGER PRIMARY KEY, firm_id INTEGER NOT NULL REFERENCES firm(id) ON DELETE CASCADE, note TEXT);
CREATE TABLE issue (id INTEGER PRIMARY KEY, firm_id INTEGER NOT NULL REFERENCES firm(id) ON DELETE CASCADE, title TEXT,
    spec TEXT);
CREATE TABLE remark (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL REFERENCES issue(id) ON DELETE CASCADE, body TEXT,
    at INTEGER);
"""
ROWS: dict[str, list[tuple[object, ...]]] = {
    "firm": [(n, f"f{n}" if n else None) for n in range(4)],
    "entry": [(n, n % 4, f"n{n}") for n in range(20)],
    "issue": [(n, n % 3, f"t{n}" if n % 5 else None, "long") for n in range(12)],
    "remark": [(n, n % 9, f"b{n}" if n % 4 else None, n % 5 if n % 3 else None) for n in range(60)],
}
NEWEST = "SELECT r.*, row_number() OVER (PARTITION BY r.issue_id ORDER BY r.at DESC, r.id) AS place FROM remark r"
STATEMENTS: dict[str, list[str] | None] = {
    f"SELECT issue_id, body FROM ({NEWEST}) t WHERE place = 1 ORDER BY issue_id": [
        "issue.id",
        "issue.remark.body",
    ],
    f"SELECT t.*, i.title FROM ({NEWEST}) t JOIN issue i ON i.id = t.issue_id WHERE place = 1 ORDER BY t.id": [
        "issue.id",
        "issue.remark.at",
        "issue.remark.body",
        "issue.remark.id",
        "issue.title",
    ],
    f"SELECT f.name, upper(t.body) FROM ({NEWEST}) t JOIN issue i ON i.id = t.issue_id JOIN firm f ON f.id = i.firm_id"
    " WHERE place = 1 AND t.at > 1 ORDER BY t.issue_id": ["issue.id", "issue.remark.at", "issue.remark.body", "name"],
    "SELECT name, title FROM (SELECT f.id, f.name, i.title, row_number() OVER (PARTITION BY f.name ORDER BY i.title, i.id)"
    " AS place FROM firm f LEFT JOIN issue i ON i.firm_id = f.id) t WHERE place = 1 ORDER BY name": [
        "issue.title",
        "name",
    ],
    "SELECT t.title, (SELECT count(*) FROM remark r WHERE r.issue_id = t.id) FROM (SELECT i.id, i.title, i.firm_id,"
    " row_number() OVER (PARTITION BY i.firm_id ORDER BY i.id DESC) AS place FROM issue i) t WHERE place = 1 ORDER BY 1": None,
    f"SELECT f.id, (SELECT count(*) FROM ({NEWEST}) t WHERE place = 1 AND t.at > f.id AND t.body <> f.name) FROM firm f"
    " ORDER BY f.id": None,
}
"""The paths that are kept before the first rows are taken; None where it is enough that the answer is right."""


@pytest.fixture(scope="module")
def firms(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    """Firms, their issues and what was remarked on them, some of it NULL."""
    return scenario(tmp_path_factory.mktemp("firms"), DDL, ROWS, "-- rate: 1/s\nSELECT name FROM firm WHERE id = 1;")


@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_what_is_used_of_unwound_rows_is_kept(firms: Scenario, strategy: str, database: Database[Any]) -> None:
    """And of documents of a collection, where an index may have the first rows, all of it."""
    made = designed(firms.reading, strategy)
    pipeline.load(made, firms.address, database)
    with closing(sqlite3.connect(firms.address.removeprefix("sqlite:///"))) as source:
        for sql, fields in STATEMENTS.items():
            read = pipeline.convert(made, sql, dialect="sqlite")
            assert isinstance(read, CompiledRead), sql
            assert [tuple(row) for row in run_read(database, read)] == source.execute(sql).fetchall(), sql
            before = kept_before_the_first(list(read.pipeline))
            if strategy == "normalized":
                assert not before, sql
            elif fields is not None:
                assert before == fields, sql


def kept_before_the_first(stages: list[Any]) -> list[str]:
    """The paths that the stage before that of the first rows keeps, if it does nothing else."""
    taken = next((place for place, stage in enumerate(stages) if "first" in stage.get("$group", {})), 0)
    return [path for path, kept in stages[taken - 1].get("$project", {}).items() if kept]
