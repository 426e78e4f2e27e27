"""Patterns together: each candidate bears the name of its pattern's file, and one id is one structure."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import patterns
from nestling.ir.candidate import Candidate, FirstChildren, Nested
from nestling.ir.situation import Thresholds, situation
from nestling.patterns import pattern_names, propose
from tests.patterns.scenario import scenario

DDL = """
CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE road (id INTEGER PRIMARY KEY, start_id INTEGER NOT NULL REFERENCES town (id),
    end_id INTEGER NOT NULL REFERENCES town (id), name TEXT NOT NULL);
CREATE TABLE toll (id INTEGER PRIMARY KEY, road_id INTEGER NOT NULL REFERENCES road (id), at INTEGER NOT NULL,
    price INTEGER NOT NULL, payer TEXT NOT NULL);"""
WORKLOAD = """
-- name: starts, rate: 9/s
SELECT t.name, r.name, o.price FROM town t JOIN road r ON r.start_id = t.id JOIN toll o ON o.road_id = r.id WHERE t.id = :id;
-- name: ends, rate: 9/s
SELECT t.name, r.name, o.price FROM town t JOIN road r ON r.end_id = t.id JOIN toll o ON o.road_id = r.id WHERE t.id = :id;
-- name: prices, rate: 9/s
SELECT price FROM toll WHERE road_id = :id ORDER BY at DESC LIMIT 5;
-- name: payers, rate: 9/s
SELECT payer FROM toll WHERE road_id = :id ORDER BY at DESC LIMIT 5;
"""
ROWS: dict[str, list[tuple[object, ...]]] = {
    "town": [(n, f"town {n}") for n in range(20)],
    "road": [(n, n % 20, (n + 1) % 20, f"road {n}") for n in range(40)],
    "toll": [(n, n % 40, n, n % 7, f"payer {n}") for n in range(400)],
}


def proposed(folder: Path) -> dict[str, Candidate]:
    """The candidates by id."""
    found = propose(situation(scenario(folder, DDL, ROWS, WORKLOAD).reading, Thresholds()))
    assert len({each.id for each in found}) == len(found)
    return {each.id: each for each in found}


def test_a_pattern_is_called_as_its_file(tmp_path: Path) -> None:
    """With hyphens, wherever a candidate's pattern is told."""
    names = {each.pattern for each in proposed(tmp_path).values()}
    assert (
        {"compound-index", "embed", "own-collection", "subset"}
        <= names
        <= {n.replace("_", "-") for n in pattern_names()}
    )


def test_what_several_relationships_lead_to_is_told_apart(tmp_path: Path) -> None:
    """At every level of a chain of embeddings."""
    found = proposed(tmp_path)
    for link in ("start", "end"):
        part = found[f"toll in road in town by town_road_by_{link}_id"].part
        assert isinstance(part, Nested)
        assert part.links[1] == f"town_road_by_{link}_id"


def test_statements_that_ask_for_the_same_few_share_a_subset(tmp_path: Path) -> None:
    """It has what any of them shows, and is wanted by all."""
    found = proposed(tmp_path)["first 5 toll by -at in road"]
    assert isinstance(found.part, FirstChildren)
    assert {"price", "payer"} <= {*found.part.attributes}
    assert found.motives == ("prices", "payers")


def test_all_patterns_that_propose_a_structure_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the statements of each, in the catalogue's order, in whatever order their files are found."""
    workload = """
        -- name: ends, rate: 9/s
        SELECT end_id FROM road WHERE start_id = :s;
        -- name: which, rate: 9/s
        SELECT * FROM road WHERE start_id = :s AND end_id = :e;"""
    known = situation(scenario(tmp_path, DDL, ROWS, workload).reading, Thresholds())
    name = "index of road on start_id, end_id"
    found = next(each for each in propose(known) if each.id == name)
    assert found.patterns == ("compound-index", "covered-index")
    assert found.motives == ("which", "ends")
    names = pattern_names()
    monkeypatch.setattr(patterns, "pattern_names", lambda: names[::-1])
    assert found in propose(known)
