"""The checker finds what a solution says falsely, and certifies bounds of small problems by code of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, reject, settings

from nestling.common.errors import CheckError, InfeasibleError
from nestling.ir.design_problem import DesignProblem, Solution
from nestling.optimizer import check, part, relaxation, solve
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.highs import Outcome, Status
from nestling.optimizer.highs import minimise as solved
from nestling.optimizer.least import least_cost
from nestling.optimizer.linear_model import LinearModel
from tests.optimizer.exhaustive import exhaustive
from tests.optimizer.problems import problems
from tests.optimizer.shop import shop
from tests.soaking import examples


def test_a_right_solution_is_certified():
    """Cost, modes and bound of a small problem are all computed again."""
    assert check(shop(), solve(shop()))


def wrong_bound(found: Solution) -> Solution:
    return replace(found, bound=found.bound * 1.01)


def wrong_cost(found: Solution) -> Solution:
    return replace(found, cost=found.cost * 1.01)


def low_cost(found: Solution) -> Solution:
    return replace(found, cost=found.cost * 0.99, bound=found.bound * 0.99)


def other_mode(found: Solution) -> Solution:
    return replace(found, modes={**found.modes, ("page", "lines"): 1})


def no_such_mode(found: Solution) -> Solution:
    return replace(found, modes={**found.modes, ("page", "lines"): 99})


@pytest.mark.parametrize("claim", [wrong_bound, wrong_cost, low_cost, other_mode, no_such_mode])
def test_a_false_claim_is_found(claim):
    """A bound or cost that is off by one in a hundred, and a mode that is not possible."""
    with pytest.raises(CheckError):
        check(shop(), claim(solve(shop())))


def dearer() -> Solution:
    """Another design of the shop, whose numbers are right for it alone."""
    chosen = frozenset({"inside"})
    found = evaluate(shop(), chosen)
    assert found is not None
    return Solution(chosen, found.modes, found.cost, found.cost, 0.0, proved=True)


def test_a_bound_that_is_the_cost_of_a_dearer_design_is_found():
    """The bound is right beside the design's own cost, but another design costs less."""
    with pytest.raises(CheckError, match="least cost"):
        check(shop(), dearer())
    with pytest.raises(CheckError, match="proved"):
        check(shop(), replace(dearer(), bound=0.0))
    assert check(shop(), replace(dearer(), bound=0.0, proved=False))


def test_what_is_too_large_is_not_certified():
    """With no partial choice to try, the bound is the solver's word."""
    assert not check(shop(), solve(shop()), effort=0)


@settings(max_examples=examples(60, 5000))
@given(problems())
def test_the_least_cost_is_that_of_trying_everything(problem):
    """What the checker leaves out costs more."""
    try:
        expected = exhaustive(problem).cost
    except InfeasibleError:
        expected = float("inf")
    assert least_cost(problem, 10**8) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def stopped(model: LinearModel, **options: object) -> Outcome:
    """A solver whose time is up before it has anything, but for any choice at all."""
    return Outcome(Status.STOPPED, float("-inf"), None) if model.cost.any() else solved(model, **options)  # type: ignore[arg-type]


@pytest.mark.thorough
@settings(max_examples=examples(60, 2000))
@given(problems())
def test_a_bound_is_right_where_the_time_is_up(problem: DesignProblem):
    """Any choice is taken, and the bound is below the least cost all the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(part, "minimise", stopped)
        patch.setattr(relaxation, "relax", lambda growing, **options: stopped(growing.of, **options))
        try:
            found = solve(problem)
        except InfeasibleError:
            reject()
    assert check(problem, found, effort=10**8)
