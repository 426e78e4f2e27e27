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
        (
            READ,
            "with more of its `person` than is copied joins two collections; stored more than once: person.name in note",
        ),
        (
            READ.replace("900/s", "1/day") + RENAMED,
            "with its `person` joins two collections; nothing is stored twice",
        ),
    ],
)
def test_a_copy_is_told_by_what_it_is_copied_along(
    workload: str, said: str, tmp_path: Path, database: Database[Any]
) -> None:
    """The price of a reference names the copies along it; the documents hold them."""
    small = notes(tmp_path, workload)
    proposal = small.designed()
    (price,) = (each.text for made in proposal.decisions for each in made.reasons if each.rule == "price")
    assert price == f"reading `note` {said}"
    assert bool(chosen(proposal, "extended-reference")) == ("more than once:" in price)
    small.proved(proposal, database)
    held = database["note"].find_one() or {}
    assert ("name 0" in str(held)) == ("more than once:" in price)


@pytest.mark.parametrize(
    ("per_parent", "said"), [(1, "touches 1 note row, at most 1 ("), (3, "touches 3 note rows, at most 3 (")]
)
def test_rows_that_a_change_touches_are_counted(per_parent: int, said: str, tmp_path: Path) -> None:
    """One row is no rows."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "person": [(n, f"name {n}") for n in range(2000)],
        "note": [(n, n % 2000, "text") for n in range(2000 * per_parent)],
    }
    proposal = scenario(
        tmp_path, TABLES, rows, READ + "-- name: one, rate: 900/s\nSELECT name FROM person WHERE id = 1;"
    ).designed()
    assert any(said in each.price for each in proposal.weighed), proposal.weighed
