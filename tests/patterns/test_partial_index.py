"""Indexes over the few rows that statements ask for with a constant: smaller, and free for writes of all others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.programs.compiled import bind
from nestling.ir.proposal import Proposal
from nestling.ir.situation import Thresholds, situation
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.patterns import propose
from nestling.planner.options.structures.in_place import with_in_place
from nestling.store import Store
from tests.patterns.scenario import Scenario, chosen, scenario
from tests.two_prices import two_prices

DDL = """CREATE TABLE worker (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE event (id INTEGER PRIMARY KEY, worker_id INTEGER NOT NULL REFERENCES worker (id), level TEXT NOT NULL,
    at INTEGER NOT NULL, seen_at TEXT, urgent BOOLEAN NOT NULL, routine BOOLEAN NOT NULL, score INTEGER NOT NULL, note TEXT);"""
HAPPENED = """
-- name: happened, rate: 2000/s
-- params: {"id": 100001, "worker": 3, "level": "info", "at": 7, "urgent": 0, "routine": 1, "score": 3}
INSERT INTO event (id, worker_id, level, at, seen_at, urgent, routine, score, note)
VALUES (:id, :worker, :level, :at, 'then', :urgent, :routine, :score, 'n');
"""
ERRORS = """
-- name: errors, rate: 50/s
-- params: {"since": 900}
SELECT id, note FROM event WHERE level = 'error' AND at >= :since ORDER BY at DESC;
"""


def events(folder: Path, *statements: str) -> Scenario:
    """A log in which one of fifty events is an error, one of forty is not seen, one of thirty urgent, few score high."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "worker": [(n, f"worker {n}") for n in range(100)],
        "event": [
            (
                n,
                n % 100,
                "error" if n % 50 == 7 else "info",
                n * 13 % 1009,
                None if n % 40 == 7 else "then",
                n % 30 == 7,
                n % 45 != 7,
                n % 97,
                f"note {n}",
            )
            for n in range(2_000)
        ],
    }
    return scenario(folder, DDL, rows, "".join((HAPPENED, *statements))).with_counts(event=2_000_000)


def partial_index(proposal: Proposal) -> tuple[tuple[str, ...], tuple[Clause, ...]]:
    """The paths of the only partial index, and what holds in it."""
    (found,) = [each for each in proposal.design.indexes if each.partial]
    return tuple(path for path, _ in found.keys), found.partial


def used(plan: object) -> set[str]:
    """The names of the indexes a plan of the server's goes over."""
    if isinstance(plan, dict):
        own = {plan["indexName"]} if plan.get("stage") == "IXSCAN" else set()
        return own.union(*map(used, plan.values()))
    return set().union(*map(used, plan)) if isinstance(plan, list) else set()


def times_used(database: Database[dict[str, Any]]) -> int:
    """How often the server went over the only partial index."""
    (name,) = [each["name"] for each in database["event"].list_indexes() if "partialFilterExpression" in each]
    uses = {each["name"]: each["accesses"]["ops"] for each in database["event"].aggregate([{"$indexStats": {}}])}
    return int(uses[name])


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ("level = 'error'", Clause("level", ClauseOperator.EQUAL, "error")),
        ("seen_at IS NULL", Clause("seen_at", ClauseOperator.NULL)),
        ("urgent", Clause("urgent", ClauseOperator.EQUAL, True)),
        ("NOT routine", Clause("routine", ClauseOperator.EQUAL, False)),
        ("level = 'error' AND seen_at IS NULL", Clause("seen_at", ClauseOperator.NULL)),
        ("score > 93", Clause("score", ClauseOperator.GREATER, 93)),
    ],
)
def test_few_rows_asked_for_by_a_constant(
    asked: str, holds: Clause, tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """The index over them is chosen, the server takes it for the statement as it is compiled, and answers are SQLite's."""
    application = events(tmp_path, ERRORS.replace("level = 'error'", asked))
    proposal = application.designed()
    keys, found = partial_index(proposal)
    assert keys[-1] == "at"
    assert holds in found
    application.proved(proposal, database)
    read = application.compiled(proposal, "errors")
    asked_for = bind(read, {"since": 900}).filter
    told = database["event"].find(asked_for).sort("at", -1).explain()
    assert used(told["queryPlanner"]["winningPlan"])
    assert two_prices(application.reading, proposal)["errors"].factor < 2
    assert told["executionStats"]["totalKeysExamined"] == told["executionStats"]["nReturned"] > 0


@pytest.mark.thorough
def test_children_are_looked_up_among_few(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A join to the errors of a worker goes over an index on the foreign key that has errors alone."""
    joined = """
-- name: of_worker, rate: 900/s
-- params: {"name": "worker 7"}
SELECT w.id, e.note FROM worker w JOIN event e ON e.worker_id = w.id WHERE w.name = :name AND e.level = 'error';

-- name: renamed, rate: 900/s
-- params: {"name": "worker 7", "id": 7}
UPDATE worker SET name = :name WHERE id = :id;
"""
    application = events(tmp_path, joined)
    proposal = application.designed()
    assert partial_index(proposal) == (("worker_id",), (Clause("level", ClauseOperator.EQUAL, "error"),))
    application.proved(proposal, database)
    assert times_used(database) > 0


def test_rows_that_leave_are_found_and_taken_out(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """A queue: a row comes as new and is done soon. The write that finds it goes over the index, and both pay for an entry."""
    queue = """
-- name: waiting, rate: 400/s
-- params: {"score": 7}
SELECT id, note FROM event WHERE score = :score AND level = 'error' ORDER BY at LIMIT 5;

-- name: drop, rate: 1/s
-- params: {"score": 7, "at": 4}
UPDATE event SET level = 'info' WHERE score = :score AND level = 'error' AND at < :at;
"""
    application = events(tmp_path, queue)
    proposal = application.designed()
    keys, holds = partial_index(proposal)
    assert (keys[0], holds) == ("score", (Clause("level", ClauseOperator.EQUAL, "error"),))
    application.proved(proposal, database)
    before = times_used(database)
    Store(proposal, database, workload=application.reading.workload).run("drop", score=7, at=2000)
    assert times_used(database) > before
    assert database["event"].count_documents({"score": 7, "level": "error"}) == 0
    assert pipeline.check(proposal, database).clean


@pytest.mark.thorough
def test_a_foreign_key_has_an_index_anyway(tmp_path: Path) -> None:
    """Beside it one over errors costs an entry for few events, one over all rows an entry for each."""
    of_worker = ERRORS.replace("at >= :since", "worker_id = :worker").replace("since", "worker").replace("900", "7")
    proposal = pipeline.design(events(tmp_path, of_worker).reading)
    assert partial_index(proposal) == (("worker_id", "at"), (Clause("level", ClauseOperator.EQUAL, "error"),))
    built = {tuple(path for path, _ in each.keys): each.partial for each in planned_indexes(proposal.design)}
    assert built[("worker_id",)] == ()
    (full,) = [each for each in proposal.weighed if each.structure == "index of event on level, worker_id, -at"]
    assert full.gain is not None
    assert full.gain < 0
    assert full.statements == ("happened",)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "asked",
    [
        "level = :level",  # it can be any level
        "level = 'info'",  # most rows are
        "note = 'note 7'",  # one of many values is an example
        "(level = 'error' OR score > 95)",  # neither holds of all rows found
        "urgent = 1",  # compared as a number, which an index on truths does not serve
    ],
)
def test_what_no_such_index_can_be_made_for(asked: str, tmp_path: Path) -> None:
    """None is proposed."""
    statement = ERRORS.replace("level = 'error'", asked).replace('{"since"', '{"level": "error", "since"')
    if ":level" not in asked:
        statement = statement.replace('"level": "error", ', "")
    application = events(tmp_path, statement)
    assert not [each for each in application.designed().weighed if each.pattern == "partial-index"]


@pytest.mark.thorough
def test_it_is_explained_and_turns(tmp_path: Path) -> None:
    """The report says which rows are in it, how many of all, and at which rates the decision is another."""
    (found,) = [each for each in events(tmp_path, ERRORS).explained().weighed if each.chosen]
    assert 'with level = "error", 0.02 of all' in found.price
    assert found.flips


def test_it_is_read_back_from_a_design(tmp_path: Path) -> None:
    """A design that has one is made of the same structures the next time: nothing changes."""
    application = events(tmp_path, ERRORS)
    proposal = application.designed()
    again = with_in_place(proposal.design, propose(situation(application.reading, Thresholds())))
    assert chosen(proposal, "partial-index")[0] in again.chosen


@pytest.mark.thorough
@pytest.mark.parametrize("happened", [1e-2, 1e-1])
def test_rates_far_apart_turn_somewhere(happened: float, tmp_path: Path) -> None:
    """Where the decision turns is sought to an end, however little a write a minute matters beside many reads."""
    proposal = events(tmp_path, ERRORS).with_rates(happened=happened, errors=10_000).explained()
    assert any(each.flips for each in proposal.weighed)
