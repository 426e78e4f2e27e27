"""Indexes that nobody needs are not in a design of least cost: beside a compound `_id`, and for a saving of next to nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from tests.doctor.looking import found, look
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE task (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE step (task_id INTEGER NOT NULL REFERENCES task (id), number INTEGER NOT NULL, member_id INTEGER NOT NULL
    REFERENCES member (id), text TEXT NOT NULL, PRIMARY KEY (task_id, number));"""
ROWS: dict[str, list[tuple[object, ...]]] = {
    "member": [(n, f"member {n}") for n in range(50)],
    "task": [(n, f"task {n}") for n in range(40)],
    "step": [(n % 40, n // 40, n % 50, f"step {n} of much text " * 40) for n in range(2400)],
}
WORKLOAD = """
-- name: title, rate: 50/s
-- params: {"task": 3}
SELECT title FROM task WHERE id = :task;

-- name: steps, rate: 50/s
-- params: {"task": 3, "after": 7}
SELECT number, text FROM step WHERE task_id = :task AND number > :after ORDER BY number LIMIT 5;

-- name: last, rate: 10/s
-- params: {"task": 3}
SELECT number FROM step WHERE task_id = :task ORDER BY number DESC LIMIT 1;

-- name: name, rate: 10/s
-- params: {"member": 3}
SELECT name FROM member WHERE id = :member;

-- name: done, rate: 5/s
INSERT INTO step (task_id, number, member_id, text) VALUES (:task, :number, :member, :text);
"""


def steps(folder: Path) -> Scenario:
    """Sixty long steps of each of forty tasks, which are asked for a few at a time, in their order."""
    return scenario(folder, DDL, ROWS, WORKLOAD)


def keys(proposal: Proposal) -> list[tuple[tuple[str, int], ...]]:
    """The indexes over steps."""
    return [each.keys for each in planned_indexes(proposal.design) if each.collection == "step"]


@pytest.mark.thorough
def test_nothing_stands_beside_a_compound_id(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A range of `_id`s finds a task's steps in their order: only the other reference has an index."""
    application = steps(tmp_path)
    proposal = application.designed()
    assert proposal.design.store("step").id == ("task_id", "number")
    assert keys(proposal) == [(("member_id", 1),)]
    application.proved(proposal, database)
    for name in ("steps", "last"):
        sql = next(each.sql for each in application.reading.workload.statements if each.name == name)
        read = pipeline.convert(proposal, sql, name=name)
        assert isinstance(read, CompiledRead)
        assert [path for path, _ in read.sort] == ["_id"]


@pytest.mark.thorough
def test_the_doctor_misses_no_index_there(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """The first part of a compound `_id` wants no index of its own."""
    application = steps(tmp_path)
    pipeline.load(application.designed(), application.address, database)
    assert "unindexed-reference" not in {each.rule for each in found(look(database))}


def test_an_index_that_saves_next_to_nothing_is_not_kept(tmp_path: Path) -> None:
    """An index that holds all that is asked saves the fetch of one document: less than what any structure has to save."""
    proposal = steps(tmp_path).designed()
    assert all(not index.serves for index in proposal.design.indexes)
    assert [each.structure for each in proposal.weighed if each.chosen and "index" in each.structure] == []
