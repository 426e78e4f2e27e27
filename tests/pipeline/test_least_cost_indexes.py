"""Designs by rule are measured with the indexes the search would choose for them, so that none loses for want of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.ir.proof import YARDSTICKS
from nestling.ir.proposal import Proposal
from nestling.pipeline.designing import design
from nestling.pipeline.rivals import rivals
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE event (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL REFERENCES project (id), at INTEGER NOT NULL,
    verb TEXT NOT NULL);"""
ROWS: dict[str, list[tuple[object, ...]]] = {
    "project": [(n, f"project {n}") for n in range(20)],
    "event": [(n, n % 20, n * 7919 % 6000, "changed") for n in range(6000)],
}
WORKLOAD = """
-- name: feed, rate: 60/s
-- params: {"project": 3}
SELECT at, verb FROM event WHERE project_id = :project ORDER BY at DESC LIMIT 30;

-- name: log, rate: 20/s
INSERT INTO event (id, project_id, at, verb) VALUES (:id, :project, :at, :verb);
"""
SORTED = [("project_id", 1), ("at", -1)]


def events(folder: Path) -> Scenario:
    """Three hundred events of each of twenty projects."""
    return scenario(folder, DDL, ROWS, WORKLOAD)


def keys(proposal: Proposal) -> list[list[tuple[str, int]]]:
    """The indexes over events."""
    return [list(index.keys) for index in proposal.design.indexes if index.collection == "event"]


def test_yardsticks_have_the_index_that_sorts(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A feed is read in the order of an index, which takes the place of the one on its foreign key; the design answers right."""
    application = events(tmp_path)
    assert SORTED not in keys(design(application.reading, "normalized"))
    found = rivals(application.reading, application.designed())
    apart = [each for name, each in found.items() if name in YARDSTICKS and keys(each)]
    assert apart or keys(found["chosen"]) == [SORTED], "a yardstick that is the chosen design is left out"
    assert all(keys(each) == [SORTED] for each in apart)
    application.proved((apart or [found["chosen"]])[0], database)
