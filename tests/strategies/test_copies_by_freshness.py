"""Attributes of one parent that may be stale for different times are copied apart, each as the search priced it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.programs.compiled import Operation
from nestling.ir.text import read_proposal, write_proposal
from nestling.pipeline import explain
from nestling.pipeline.proving.statements import predicted_seconds
from tests.patterns.scenario import Scenario, chosen, scenario

TABLES = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, mood TEXT);
CREATE TABLE note (
    id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (id), at INTEGER NOT NULL, text TEXT
);
"""
WORKLOAD = """
-- freshness: person.name async(5s)

-- name: page, rate: 900/s
SELECT note.text, person.name, person.city FROM note JOIN person ON person.id = note.person_id WHERE note.id = 1;
-- name: latest, rate: 900/s
SELECT note.text, person.city FROM note JOIN person ON person.id = note.person_id ORDER BY note.at DESC LIMIT 3;
-- name: rename, rate: 1/s
UPDATE person SET name = :name WHERE id = :id;
"""


@pytest.fixture
def notes(tmp_path: Path) -> Scenario:
    rows: dict[str, list[tuple[object, ...]]] = {
        "person": [(n, f"name {n}", f"city {n}", None) for n in range(20)],
        "note": [(n, n % 20, n, "text") for n in range(6000)],
    }
    return scenario(tmp_path, TABLES, rows, WORKLOAD)


@pytest.mark.thorough
def test_copies_are_as_fresh_as_they_were_priced(notes: Scenario, database: Database[Any]) -> None:
    """The name waits for the sync although the city beside it does not; a join with both finds them in two fields."""
    proposal = notes.designed()
    assert len(chosen(proposal, "extended-reference")) == 2
    notes.proved(proposal, database)
    held = database["note"].find_one({"_id": 1})
    assert held is not None
    assert held["person"] == {"city": "city 1"}
    assert held["person_async"] == {"name": "name 1"}
    assert notes.compiled(proposal, "page").operation is Operation.FIND


def test_a_write_is_compiled_to_what_was_priced(notes: Scenario) -> None:
    """A change of the name costs what the search took it for: one document, and none of the many copies."""
    proposal = notes.designed()
    assert proposal.costs is not None
    rename = notes.reading.workload.statement("rename")
    assert rename is not None
    compiled = predicted_seconds(proposal, notes.reading, rename)
    assert compiled is not None
    assert compiled <= 1.05 * dict(proposal.costs.statements)["rename"]


@pytest.mark.thorough
def test_rows_that_a_copy_completes_are_sorted_once(notes: Scenario) -> None:
    """The limit comes before the join; where the copy needs no lookup, nothing is sorted again, and a `find` says it."""
    latest = notes.compiled(notes.designed(), "latest")
    assert latest.operation is Operation.FIND
    assert (latest.sort, latest.limit) == ((("at", -1),), 3)


def test_a_design_says_what_the_sync_has_to_keep_right(notes: Scenario) -> None:
    """Only the copy that may be stale is left to it; `explain` tells so, and the file."""
    said = "`note.person_async` (async(5s)) follows its source only while `nestling sync DESIGN URI` runs"
    proposal = notes.designed()
    told = [note for note in proposal.notes if "nestling sync" in note]
    assert told == [f"{said}, and goes stale without it"]
    assert told[0] in explain(proposal).notes
    assert told[0] in read_proposal(write_proposal(proposal), "d.yaml").notes
