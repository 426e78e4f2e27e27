"""A decision says that nothing is stored twice only where nothing is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from tests.patterns.scenario import Scenario, chosen, scenario

TABLES = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE note (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (id), text TEXT);
"""
READ = """
-- name: page, rate: 900/s
SELECT note.text, person.name FROM note JOIN person ON person.id = note.person_id WHERE note.id = 1;
"""
RENAMED = """
-- name: rename, rate: 900/s
UPDATE person SET name = :name WHERE id = :id;
-- name: grow, rate: 900/s
INSERT INTO note (id, person_id, text) VALUES (:id, :person, :text);
"""


def notes(folder: Path, workload: str) -> Scenario:
    rows: dict[str, list[tuple[object, ...]]] = {
        "person": [(n, f"name {n}") for n in range(20)],
        "note": [(n, n % 20, "text") for n in range(6000)],
    }
    return scenario(folder, TABLES, rows, workload)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("workload", "said"),
    [
        (READ, "joins two collections; stored more than once: person.name in note"),
        (READ.replace("900/s", "1/day") + RENAMED, "joins two collections; nothing is stored twice"),
    ],
)
def test_a_copy_is_told_by_what_it_is_copied_along(
    workload: str, said: str, tmp_path: Path, database: Database[Any]
) -> None:
    """The price of a reference names the copies along it; the documents hold them."""
    small = notes(tmp_path, workload)
    proposal = small.designed()
    (price,) = (each.text for made in proposal.decisions for each in made.reasons if each.rule == "price")
    assert price == f"reading `note` with its `person` {said}"
    assert bool(chosen(proposal, "extended-reference")) == ("more than once:" in price)
    small.proved(proposal, database)
    held = database["note"].find_one() or {}
    assert ("name 0" in str(held)) == ("more than once:" in price)
