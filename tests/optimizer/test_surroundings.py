"""What lies around a decision: a choice of it is one of the whole problem, and what the whole chose is its best."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nestling.common.errors import NestlingError
from nestling.ir.design_problem import (
    Charge,
    DesignProblem,
    Group,
    Mode,
    Needs,
    Solution,
    StatementStep,
    Structure,
)
from nestling.optimizer import solve, surroundings
from nestling.optimizer.alternatives import alternatives, problem_with_forced
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.solve import attempt
from nestling.optimizer.surroundings import Surroundings
from nestling.optimizer.weigh import weigh
from tests.optimizer.problems import problems
from tests.optimizer.shop import shop

ROUNDING = 1e-6
"""The gap up to which a solution counts as proved."""


def solved(problem: DesignProblem) -> Solution:
    """The best choice; another example where there is none."""
    try:
        return solve(problem)
    except NestlingError:
        assume(False)
        raise


@pytest.mark.thorough
@settings(max_examples=60)
@given(problems(), st.sampled_from([1, 4, 1_000]), st.integers(1, 3))
def test_a_choice_around_is_one_of_the_whole(problem: DesignProblem, modes: int, hops: int) -> None:
    """However little is around: as chosen it is the best there, and each other choice costs in the whole what it costs more."""
    assume(problem.groups)
    solution = solved(problem)
    with patch.object(surroundings, "MODES", modes), patch.object(surroundings, "HOPS", hops):
        around = Surroundings(problem, solution.chosen)
        parts = {group.name: around.of(group) for group in problem.groups}
    for group in problem.groups:
        part = parts[group.name]
        here = frozenset(each.id for each in part.structures)
        now = evaluate(part, solution.chosen & here)
        assert now is not None
        best = solve(part)
        near = ROUNDING * max(abs(solution.cost), abs(now.cost), 1.0)
        assert best.cost == pytest.approx(now.cost, abs=near)
        for other in group.among:
            found = attempt(problem_with_forced(part, group, other), limit_seconds=60.0)
            if found is not None:
                whole = evaluate(problem, (solution.chosen - here) | found.chosen)
                assert whole is not None
                assert whole.cost - solution.cost == pytest.approx(
                    found.cost - now.cost, abs=near + ROUNDING * abs(found.cost)
                )


def test_what_needs_more_than_is_around_it_is_not_told_as_not_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A place that another far away has to change for is left out, as it was not weighed: a design with it may be allowed."""
    places = ("inside", "apart", "near", "far")
    problem = DesignProblem(
        structures=tuple(Structure(name, name) for name in places),
        groups=(Group("home of line", ("inside", "apart")), Group("home of order", ("near", "far"))),
        needs=(Needs("apart", ("far",)),),
        steps=(StatementStep("page", "read", (Mode("seek", ("inside",), 1.0), Mode("scan", ("apart",), 5.0))),),
        charges=(Charge("page", "more", ("far",), 1.0),),
        limits=(),
        rates={"page": 1.0},
    )
    solution = solve(problem)
    assert solution.chosen == {"inside", "near"}
    assert [each.cost for each in alternatives(problem, solution, "home of line")] == [6.0]
    monkeypatch.setattr("nestling.optimizer.weigh.MOST_MODES_SOLVED_AGAIN", 1)
    for hops, weighed, left in ((surroundings.HOPS, [("apart", 6.0)], ()), (0, [], ("home of line",))):
        monkeypatch.setattr(surroundings, "HOPS", hops)
        found = weigh(problem, solution, ["home of line"], limit_seconds=60.0)
        assert [one for each in found.weighings for one in each.alternatives] == weighed
        assert found.left_out == left


def test_a_large_part_is_weighed_around_each_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its alternatives cost no less than the best ones, and how they were found is said; flips are not sought."""
    monkeypatch.setattr("nestling.optimizer.weigh.MOST_MODES_SOLVED_AGAIN", 1)
    problem = shop()
    solution = solve(problem)
    groups = [group.name for group in problem.groups if len(group.among) > 1 or group.optional]
    found = weigh(problem, solution, groups, limit_seconds=60.0)
    assert found.nearby == tuple(each.group for each in found.weighings)
    assert "is priced with only its surroundings chosen anew" in found.notes[0]
    for each in found.weighings:
        assert each.turns == ()
        best = {one.structure: one.cost for one in alternatives(problem, solution, each.group)}
        for structure, cost in each.alternatives:
            least = best[structure]
            assert cost is None if least is None else cost is None or cost >= least - 1e-9


def test_what_answers_together_with_a_place_is_nearest() -> None:
    """Lines in a collection of their own are weighed with the index on them, though many other indexes are in the same steps."""
    others = tuple(f"index {number}" for number in range(2 * surroundings.MODES))
    names = ("inside", "apart", *others, "index on lines")
    ways = (
        Mode("unwound", ("inside",), 1.0),
        *(Mode(name, ("inside", name), 2.0) for name in others),
        Mode("searched", ("apart",), 5_000.0),
        Mode("sought", ("apart", "index on lines"), 1.5),
    )
    problem = DesignProblem(
        structures=tuple(Structure(name, name) for name in names),
        groups=(Group("home of line", ("inside", "apart")),),
        needs=(),
        steps=(StatementStep("page", "read", ways),),
        charges=(),
        limits=(),
        rates={"page": 1.0},
    )
    part = Surroundings(problem, frozenset({"inside"})).of(problem.groups[0])
    assert "index on lines" in {structure.id for structure in part.structures}
    other = attempt(problem_with_forced(part, part.groups[0], "apart"), limit_seconds=60.0)
    assert other is not None
    assert other.cost == pytest.approx(1.5)
