"""A write that a CHECK refuses, in SQLite and in MongoDB, says which value was given and what is allowed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store
from nestling.common.errors import ConstraintError, LoadError
from nestling.pipeline import design, inspect, load

TABLE = """
CREATE TABLE entry (id INTEGER PRIMARY KEY, hours REAL NOT NULL CHECK (hours > 0), rate REAL CHECK (rate >= 0.5),
                    state TEXT CHECK (state IN ('open', 'done')), rank INTEGER CHECK (rank BETWEEN 1 AND 5),
                    code TEXT CHECK (length(code) <= 3), share REAL CHECK (share >= 0 AND share < 1));
INSERT INTO entry VALUES (1, 0.5, 1.5, 'open', 3, 'abc', 0.5);
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("hours = -1.5", "`entry.hours` is -1.5, not above 0"),
        ("rate = 0.25", "`entry.rate` is 0.25, not at least 0.5"),
        ("state = 'lost'", "`entry.state` is 'lost', not one of 'open', 'done'"),
        ("rank = 9", "`entry.rank` is 9, not at most 5"),
        ("code = 'abcdef'", "`entry.code` has 6 characters, not at most 3"),
        ("share = 1.0", "`entry.share` is 1.0, not below 1"),
    ],
)
def test_the_value_and_what_is_allowed_are_said(
    change: str, said: str, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """By writes with the next move, and by a load of rows that are there already."""
    address = f"sqlite:///{tmp_path / 'a.db'}"
    sql = f"UPDATE entry SET {change} WHERE id = 1"
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript(TABLE)
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(sql)
        connection.commit()
        proposal = design(inspect(address), "normalized")
        load(proposal, address, database)
        with pytest.raises(ConstraintError) as refused:
            Store(proposal, database).execute(sql)
        (problem,) = refused.value.problems
        assert said in problem.what
        assert "give an allowed value" in problem.next_move
        assert "an enum's values in its `type`" in problem.next_move
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(sql)
        connection.commit()
    database.drop_collection("entry")
    with pytest.raises(LoadError) as broken:
        load(proposal, address, database)
    assert said in str(broken.value)
