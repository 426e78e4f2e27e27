"""New rows in whose place one is there: a CHECK that the source asks of them and this does not is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal

TABLE = (
    "CREATE TABLE licence (id INTEGER PRIMARY KEY, points INTEGER NOT NULL CHECK (points BETWEEN 0 AND 18), name TEXT)"
)
UPSERT = "INSERT INTO licence (id, points) VALUES (:id, {}) ON CONFLICT (id) DO {}"


@pytest.fixture(scope="module")
def proposal(tmp_path_factory: pytest.TempPathFactory) -> Proposal:
    """One table with a CHECK, a row in it, which its own INSERT refuses."""
    path: Path = tmp_path_factory.mktemp("licences") / "a.db"
    with closing(sqlite3.connect(path)) as source, source:
        source.executescript(f"{TABLE}; INSERT INTO licence VALUES (7, 0, 'Ada')")
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):  # though the row would be changed rightly
            source.execute(UPSERT.format(99, "UPDATE SET points = points + 1"), {"id": 7})
    return pipeline.design(pipeline.inspect(f"sqlite:///{path}"), "normalized")


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        (UPSERT.format(":points", "UPDATE SET points = points + 1"), True),
        (UPSERT.format(":points", "NOTHING"), True),
        (UPSERT.format("99", "NOTHING"), True),
        (UPSERT.format("9", "UPDATE SET points = points + 1"), False),
        (
            "INSERT INTO licence (id, points) SELECT id + 1, points + 1 FROM licence WHERE 1 ON CONFLICT DO NOTHING",
            True,
        ),
        ("INSERT INTO licence (id, points) VALUES (:id, :points)", False),
        ("INSERT OR REPLACE INTO licence (id, points) VALUES (:id, :points)", False),
        ("INSERT OR IGNORE INTO licence (id, points) VALUES (:id, :points)", False),
    ],
)
def test_a_check_of_a_row_that_is_not_stored_is_told(proposal: Proposal, sql: str, told: bool) -> None:
    """Where its values may break one: constants that keep it do not."""
    made = pipeline.convert(proposal, sql)
    assert isinstance(made, CompiledWrite)
    assert any("CHECKs of `licence`" in note for note in made.notes) is told
