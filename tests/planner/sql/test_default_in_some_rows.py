"""DEFAULT in some of an INSERT's rows, and columns without a value, are the column's default there, beside PostgreSQL."""

from __future__ import annotations

import pytest

from nestling.common.errors import GapError, WorkloadError
from nestling.planner.sql import translate
from nestling.sources.ddl import read_ddl
from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside_of, written

TABLES = """
CREATE TYPE mood AS ENUM ('calm', 'sad');
CREATE TABLE item (id serial PRIMARY KEY, n int DEFAULT 7, name text NOT NULL DEFAULT 'it''s', price numeric(8, 2) DEFAULT 1.50,
  is_new boolean NOT NULL DEFAULT true, mood mood DEFAULT 'sad', day date DEFAULT '2024-02-29', note text,
  share double precision DEFAULT 0.25, odd double precision DEFAULT 'NaN');
INSERT INTO item (n) VALUES (1);
"""
ROWS = "SELECT id, n, name, price, is_new, mood, day, note, share FROM item ORDER BY id"
STATEMENTS = (
    "INSERT INTO item (id, n, name) VALUES (10, DEFAULT, 'a'), (11, 4, DEFAULT), (12, NULL, 'c')",
    "INSERT INTO item (id, price, is_new, mood) VALUES (20, 2.25, DEFAULT, DEFAULT), (21, DEFAULT, false, 'calm')",
    "INSERT INTO item (id, note, day) VALUES (30, 'x', DEFAULT), (31, DEFAULT, '2024-01-01')",
    "INSERT INTO item (id, n, note) VALUES (40, 1, DEFAULT), (41, 2, DEFAULT)",
    "INSERT INTO item (id, n) VALUES (10, DEFAULT), (10, 99) ON CONFLICT (id) DO NOTHING",
    "INSERT INTO item VALUES (50, 3)",
    "INSERT INTO item VALUES (51, DEFAULT, 'a'), (52, 4, DEFAULT)",
    "INSERT INTO item SELECT id + 100, n FROM item WHERE id < 12",
    "INSERT INTO item SELECT 53, 5",
    "INSERT INTO item VALUES (50, 3) ON CONFLICT (id) DO UPDATE SET note = 'again'",
)


served = beside_of(TABLES, scope="module")


def test_the_rows_are_postgresqls(served: Beside) -> None:
    """Constants of each type, none at all, and beside a conflict."""
    store = Store(served.proposal, served.database)
    for sql in STATEMENTS:
        with served.engine.begin() as connection:
            changed = connection.exec_driver_sql(sql).rowcount
        assert store.execute(sql).affected == changed
        assert [tuple(map(written, row.values())) for row in store.execute(ROWS)] == served.theirs(ROWS)


def test_values_without_columns_are_mistakes() -> None:
    """Only PostgreSQL takes fewer values than columns where none is named; none takes fewer than are named, or more."""
    for dialect in ("postgresql", "mysql", "sqlite"):
        model = read_ddl("CREATE TABLE t (id integer PRIMARY KEY, a integer, b integer)", "t", dialect=dialect).model
        for sql in (
            "INSERT INTO t (id, a) VALUES (1)",
            "INSERT INTO t VALUES (1, 2, 3, 4)",
            "INSERT INTO t SELECT 1, 2, 3, 4",
        ):
            with pytest.raises(WorkloadError, match=r"values? for \d columns"):
                translate(sql, model, dialect)
        if dialect != "postgresql":
            with pytest.raises(WorkloadError, match="2 values for 3 columns"):
                translate("INSERT INTO t VALUES (1, 2)", model, dialect)


def test_a_number_that_is_made_is_a_gap(served: Beside) -> None:
    """And what no literal says."""
    with pytest.raises(GapError, match="DEFAULT of `odd` in some rows only"):
        Store(served.proposal, served.database).execute("INSERT INTO item (id, odd) VALUES (60, DEFAULT), (61, 2)")
    with pytest.raises(GapError, match="DEFAULT of `id` in some rows only"):
        Store(served.proposal, served.database).execute("INSERT INTO item (id, n) VALUES (DEFAULT, 1), (50, 2)")
