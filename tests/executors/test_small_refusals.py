"""Mistakes that are told at once and by the model's names, and what notebooks show of a store and its results."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError, InputError, WorkloadError
from nestling.ir.proposal import Proposal


@pytest.fixture
def proposal(tmp_path: Path, database: Database[Any]) -> Proposal:
    """Labels and notes, loaded by themselves."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.executescript(
            """CREATE TABLE label (code INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE note (id INTEGER PRIMARY KEY, label_code INTEGER NOT NULL REFERENCES label, body TEXT);
            INSERT INTO label VALUES (1, 'a'); INSERT INTO note VALUES (900, 1, NULL);"""
        )
    made = pipeline.design(pipeline.inspect(f"sqlite:///{tmp_path / 'a.db'}"), "normalized")
    pipeline.load(made, f"sqlite:///{tmp_path / 'a.db'}", database)
    return made


def test_a_column_named_twice_is_refused(proposal: Proposal, database: Database[Any]) -> None:
    """Whose value would be lost in silence."""
    with pytest.raises(WorkloadError, match="INSERT names `name` more than once"):
        Store(proposal, database).execute("INSERT INTO label (name, NAME) VALUES ('a', 'b')")


def test_an_unknown_dialect_is_refused_at_once(proposal: Proposal, database: Database[Any]) -> None:
    """With those there are; other names of a dialect are taken."""
    with pytest.raises(InputError, match=r"no dialect `oracle`.*`postgresql`"):
        Store(proposal, database, dialect="oracle")
    assert Store(proposal, database, dialect="Postgres").execute("SELECT 1 AS one")[0] == {"one": 1}


def test_a_key_is_called_as_in_the_model(proposal: Proposal, database: Database[Any]) -> None:
    """Where the write touches a parent in another collection, too."""
    with pytest.raises(ConstraintError, match=r"the same `note\.id` already exists; note\.id = 900") as refused:
        Store(proposal, database).execute("INSERT INTO note VALUES (900, 1, 'again')")
    assert refused.value.violation == "key"


def test_notebooks_show_rows_and_statements(proposal: Proposal, database: Database[Any], tmp_path: Path) -> None:
    """NULL as such, texts as text."""
    (tmp_path / "workload.sql").write_text("-- name: all_notes, rate: 1/s\nSELECT id FROM note;\n", encoding="utf-8")
    store = Store(proposal, database, workload=tmp_path / "workload.sql")
    assert "<td>all_notes</td>" in store._repr_html_()
    assert re.fullmatch(f"<Store of '[^']+' in '{database.name}': 1 statement>", repr(store))
    found = store.execute("SELECT id, body, '<b>' AS tag FROM note")._repr_html_()
    assert "<td>900</td><td>NULL</td><td>&lt;b&gt;</td>" in found
    assert "1 affected" in store.execute("DELETE FROM note WHERE id = 900")._repr_html_()
    assert "0 rows" in store.execute("SELECT id FROM note")._repr_html_()
