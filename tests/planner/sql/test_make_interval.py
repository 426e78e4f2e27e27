"""PostgreSQL's make_interval by one named unit, beside PostgreSQL."""

from __future__ import annotations

import pytest

from nestling.common.errors import GapError, WorkloadError
from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside_of, written

TABLES = """
CREATE TABLE visit (id int PRIMARY KEY, at timestamptz NOT NULL, local timestamp, day date, n int);
INSERT INTO visit VALUES (1, '2024-01-31 10:00:00+00', '2024-01-31 10:00:00', '2024-01-31', 3),
  (2, '2024-02-29 23:59:59.5+00', NULL, NULL, NULL);
"""
STATEMENTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("SELECT at + make_interval(mins => :m) AS r FROM visit ORDER BY id", {"m": 45}),
    ("SELECT at - make_interval(hours => :m) AS r, local + make_interval(days => 2) AS l FROM visit ORDER BY id", {"m": -3}),
    ("SELECT at + make_interval(months => :m) AS r, day + make_interval(years => 1) AS d FROM visit ORDER BY id", {"m": 1}),
    ("SELECT at + make_interval(weeks => n) AS r FROM visit ORDER BY id", {}),
    ("SELECT id FROM visit WHERE at > timestamptz '2024-03-01' - make_interval(secs => :m)", {"m": 30}),
    ("SELECT at + make_interval(mins => :m) AS r FROM visit ORDER BY id", {"m": None}),
    ("UPDATE visit SET at = at + make_interval(mins => :m) WHERE id = 1", {"m": 15}),
)  # fmt: skip


served = beside_of(TABLES, scope="module")


@pytest.mark.parametrize(("sql", "values"), STATEMENTS)
def test_one_unit_is_an_interval(sql: str, values: dict[str, object], served: Beside) -> None:
    """Of a constant, a column or a parameter."""
    store = Store(served.proposal, served.database)
    asked = sql.replace(":m", ":m::int") if values else sql
    theirs = served.theirs(asked, values)
    assert [tuple(map(written, row.values())) for row in store.execute(sql, **values)] == theirs
    rows = "SELECT id, at FROM visit ORDER BY id"
    assert [tuple(map(written, row.values())) for row in store.execute(rows)] == served.theirs(rows)


def test_several_units_and_fractions_are_refused(served: Beside) -> None:
    """What is not converted says so."""
    store = Store(served.proposal, served.database)
    with pytest.raises(GapError, match="MAKE_INTERVAL"):
        store.execute("SELECT at + make_interval(hours => 1, mins => 5) FROM visit")
    with pytest.raises(WorkloadError, match="`m` must be of type integer"):
        store.execute("SELECT at + make_interval(mins => :m) FROM visit", m=1.5)
