"""Conditions with subqueries are asked in the order that looks up least, whichever way round the statement says them."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.pipeline import convert

ROWS = """
CREATE TABLE issue (id INTEGER PRIMARY KEY, title TEXT NOT NULL, state TEXT NOT NULL);
CREATE TABLE label (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE issue_label (
  issue_id INTEGER NOT NULL REFERENCES issue, label_id INTEGER NOT NULL REFERENCES label, PRIMARY KEY (issue_id, label_id)
);
CREATE TABLE issue_comment (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL REFERENCES issue, author_id INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
  INSERT INTO issue SELECT i, 'issue ' || i, CASE i % 3 WHEN 0 THEN 'open' ELSE 'done' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
  INSERT INTO label SELECT i, CASE i % 2 WHEN 0 THEN 'bug' ELSE 'ux' END FROM n;
INSERT INTO issue_label SELECT i.id, l.id FROM issue i JOIN label l ON (i.id * 7 + l.id) % 37 = 0;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
  INSERT INTO issue_comment SELECT i, 1 + i * 13 % 210, CASE WHEN i % 8 THEN i % 30 END FROM n;
"""
LABELLED = "EXISTS (SELECT 1 FROM issue_label il JOIN label l ON l.id = il.label_id WHERE il.issue_id = i.id AND l.name = 'bug')"
SILENT = "NOT EXISTS (SELECT 1 FROM issue_comment c WHERE c.issue_id = i.id)"
UNSIGNED = "i.id NOT IN (SELECT issue_id FROM issue_comment WHERE author_id IS NULL)"
EITHER = "(i.state = 'open' OR EXISTS (SELECT 1 FROM issue_comment c WHERE c.issue_id = i.id AND c.author_id = 7))"
SETS = ((LABELLED, SILENT), (LABELLED, UNSIGNED, EITHER), (SILENT, EITHER))
STRATEGIES = ("normalized", "embedded", "tree")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "desk.db")) as connection:
        connection.executescript(ROWS)
    return tmp_path / "desk.db"


def _designed(desk: Path, strategy: str) -> Proposal:
    return pipeline.design(pipeline.inspect(desk), strategy)


def _ways_round(conditions: tuple[str, ...]) -> list[str]:
    return [
        f"SELECT i.id, i.title FROM issue i WHERE {' AND '.join(each)} ORDER BY i.id LIMIT 10"
        for each in permutations(conditions)
    ]


def _steps(proposal: Proposal, sql: str) -> str:
    """What is done, without the numbers in the names that subqueries are given."""
    found = convert(proposal, sql)
    assert isinstance(found, CompiledRead)
    return re.sub(r"_\d+|\b\d+\b", "", found.access_path)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_plan_is_the_same_whichever_comes_first(strategy: str, desk: Path) -> None:
    """Every way round reads the same."""
    proposal = _designed(desk, strategy)
    for conditions in SETS:
        assert len({_steps(proposal, sql) for sql in _ways_round(conditions)}) == 1, conditions


def test_what_the_document_tells_comes_before_lookups(desk: Path) -> None:
    """Issues with comments in their documents are left out before anything is looked up for the others."""
    proposal = _designed(desk, "embedded")
    for sql in _ways_round((SILENT, f"({LABELLED} OR i.state = 'none')")):
        steps = _steps(proposal, sql)
        assert 0 < steps.index("skip documents with an element of `issue_comment`") < steps.index("look up")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_answers_are_sqlites(strategy: str, desk: Path, database: Database[Any]) -> None:
    """Whichever comes first."""
    proposal = _designed(desk, strategy)
    pipeline.load(proposal, desk, database)
    store = Store(proposal, database)
    with closing(sqlite3.connect(desk)) as connection:
        for conditions in SETS:
            for sql in _ways_round(conditions):
                rows = [tuple(row.values()) for row in store.execute(sql)]
                assert rows == connection.execute(sql).fetchall() != [], sql
