"""Rows inside their parents, of which few have any: those asked for by their parent's key are in one that has some."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling.ir.statements.algebra import Query
from nestling.pipeline import design, inspect
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work.estimate import expected_rows

SCHEMA = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE post (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (id), title TEXT NOT NULL);
"""


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT title FROM post WHERE person_id = :person", 10),
        ("SELECT p.name, o.title FROM person p JOIN post o ON o.person_id = p.id WHERE p.id = :person", 1),
        ("SELECT p.name, o.title FROM person p JOIN post o ON o.person_id = p.id WHERE o.person_id = :person", 10),
    ],
)
def test_who_is_asked_for_posts_has_some(tmp_path: Path, sql: str, rows: float) -> None:
    """A tenth of 500 people write ten posts each; a person asked for as one may have none."""
    path = tmp_path / "posts.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO person VALUES (?, ?)", [(n, f"person {n}") for n in range(500)])
        connection.executemany(
            "INSERT INTO post VALUES (?, ?, ?)", [(n, n // 10 * 10, f"post {n}") for n in range(500)]
        )
        connection.commit()
    proposal = design(inspect(f"sqlite:///{path}"), "embedded")
    query = translate(sql, proposal.design.model, "sqlite")
    assert isinstance(query, Query)
    plan = plan_read(query, proposal.design, statistics=proposal.statistics)
    assert expected_rows(plan.step, proposal.design, proposal.statistics) == pytest.approx(rows, rel=0.1)
