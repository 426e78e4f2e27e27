"""The greatest value of a group of few rows lies where the values of its column do."""

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


@pytest.mark.parametrize(("since", "rows"), [(100, 399), (400, 99), (498, 1)])
def test_groups_are_left_as_rows_would_be(tmp_path: Path, since: int, rows: float) -> None:
    """500 people with a stay each, which end on 500 days; those are left that end after a day."""
    path = tmp_path / "stays.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE stay (id INTEGER PRIMARY KEY, person INTEGER NOT NULL, ends INTEGER NOT NULL)")
        connection.executemany("INSERT INTO stay VALUES (?, ?, ?)", [(n, n, n) for n in range(500)])
        connection.commit()
    proposal = design(inspect(f"sqlite:///{path}"), "normalized")
    sql = f"SELECT person, MAX(ends) AS last FROM stay GROUP BY person HAVING MAX(ends) > {since}"
    query = translate(sql, proposal.design.model, "sqlite")
    assert isinstance(query, Query)
    plan = plan_read(query, proposal.design, statistics=proposal.statistics)
    assert expected_rows(plan.step, proposal.design, proposal.statistics) == pytest.approx(rows, abs=5)
