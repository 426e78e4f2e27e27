"""Upkeep is derived once: what the prices say a write must keep right is what the design's upkeeps are triggered by."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nestling.ir.candidate import Aggregate, Candidate, CopiedAttribute, FirstChildren, Mirror
from nestling.ir.design import Design
from nestling.ir.design_problem import DesignProblem, Solution
from nestling.ir.freshness import Level
from nestling.ir.model import Model
from nestling.ir.primitives import Copy
from nestling.ir.proposal import Costs
from nestling.ir.reading import Reading
from nestling.ir.upkeep import Upkeep
from nestling.ir.workload import Statement
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.sampled import sampled
from nestling.pipeline.designing import posed_problem
from nestling.planner.upkeep import ChangeKind, RowChange, fired_triggers, upkeeps_of
from nestling.planner.upkeep.triggers import path_of
from nestling.strategies import assembled
from tests.bundled_shop import shop_reading, write_shop

DESIGNS = 30
Kept = tuple[str, str]
"""Whose documents hold it, and the relationship it comes along."""
MORE_WRITES = """
-- name: rename_customer, rate: 1/min
UPDATE customer SET name = :name WHERE customer_id = :id;
-- name: change_rating, rate: 1/min
UPDATE review SET rating = :rating WHERE review_id = :id;
-- name: drop_review, rate: 1/min
DELETE FROM review WHERE review_id = :id;
"""


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """The bundled shop with its workload, and writes to what may be copied or counted."""
    folder = tmp_path_factory.mktemp("shop")
    write_shop(folder, MORE_WRITES)
    return shop_reading(folder)


def test_a_write_is_charged_for_what_it_triggers(reading: Reading) -> None:
    """For many designs and every write: it costs something for a copy or aggregate exactly when a trigger of that fires."""
    of = posed_problem(reading, None, None)
    by_id = {each.id: each for each in of.candidates}
    seen = set[Kept]()
    for chosen in sampled(of.problem, DESIGNS, seed=3):
        found = evaluate(of.problem, chosen)
        assert found is not None
        solution = Solution(chosen, found.modes, found.cost, 0.0, 0.0, proved=False)
        design = assembled(of.situation, of.candidates, solution, (), Costs(0.0, 0.0, of.profile.name)).design
        derived = [by_id[name] for name in sorted(chosen) if not _is_snapshot(by_id[name])]
        for statement in reading.workload.statements:
            if statement.kind.writes:
                charged = set(_charged(of.problem, statement, derived, reading.model))
                assert charged == set(_triggered(design, statement)), statement.name
                seen |= charged
    assert len(seen) >= 8


def _is_snapshot(candidate: Candidate) -> bool:
    part = candidate.part
    return isinstance(part, CopiedAttribute | FirstChildren | Aggregate) and part.freshness.level is Level.SNAPSHOT


def _charged(problem: DesignProblem, statement: Statement, derived: list[Candidate], model: Model) -> Iterator[Kept]:
    named = {name for charge in problem.charges if charge.statement == statement.name for name in charge.when}
    steps = (step for step in problem.steps if step.statement == statement.name)
    named |= {name for step in steps for mode in step.modes for name in mode.without}
    for each in derived:
        if each.id in named and (kept := _kept(each, model)) is not None:
            yield kept


def _kept(candidate: Candidate, model: Model) -> Kept | None:
    match candidate.part:
        case CopiedAttribute(holder, path):
            return holder, path[0].relationship
        case FirstChildren(relationship) | Aggregate(relationship) | Mirror(_, relationship):
            return model.relationship(relationship).parent, relationship
        case _:
            return None


def _triggered(design: Design, statement: Statement) -> Iterator[Kept]:
    for access in statement.accesses:
        if access.kind.writes:
            change = RowChange(access.entity, ChangeKind(access.kind.value), "rows", frozenset(access.attributes))
            found = (each for each in upkeeps_of(design) if each.freshness.level is not Level.SNAPSHOT)
            yield from (_holding(each, design.model) for each in found if _fires(each, change, design.model))


def _fires(upkeep: Upkeep, change: RowChange, model: Model) -> bool:
    """What a new parent keeps of its children, who are yet to come, costs nothing: it is empty."""
    to_one = isinstance(upkeep.what, Copy) and upkeep.what.is_to_one(model)
    due = fired_triggers(model, upkeep.freshness, upkeep.triggers, change)
    return any(trigger.back or to_one for trigger in due)


def _holding(upkeep: Upkeep, model: Model) -> Kept:
    return upkeep.holder, path_of(model, upkeep.what)[0].relationship
