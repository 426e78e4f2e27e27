"""Alternatives and flip points, beside what trying everything says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, reject, settings

from nestling.common.errors import InfeasibleError, SearchError
from nestling.ir.design_problem import DesignProblem
from nestling.optimizer import alternatives, flip, solve
from nestling.optimizer.alternatives import choice, part_of, problem_with_forced
from nestling.optimizer.flips import rate_flips
from tests.optimizer.exhaustive import exhaustive
from tests.optimizer.problems import problems
from tests.optimizer.shop import shop
from tests.soaking import examples


def test_the_rejected_home_has_its_price():
    """Lines apart cost 300 for reading, 5 + 2.5 for writing instead of 100 + 50."""
    problem = shop()
    [other] = alternatives(problem, solve(problem), "home of line")
    assert other.structure == "apart"
    assert other.cost == pytest.approx(191.0 - 150.0 + 307.5)
    [none] = alternatives(problem, solve(problem), "product name")
    assert none.structure is None
    assert none.cost == pytest.approx(191.0 - 40.0 + 200.0)


def test_a_decision_that_does_not_exist_is_said():
    """The error lists the decisions there are."""
    with pytest.raises(SearchError, match="home of line"):
        alternatives(shop(), solve(shop()), "home of lines")


def test_the_name_is_copied_until_renames_reach_five_a_second():
    """A copy saves 2 x 100 and costs 40 per rename: it turns at 5 renames a second, or below 20 pages a second."""
    found = {(flip.quantity, flip.to): flip.at for flip in rate_flips(part_of(shop(), "product name"), "product name")}
    assert found == {
        ("rate of rename", None): pytest.approx(5.0),
        ("rate of page", None): pytest.approx(20.0),
    }


@pytest.mark.parametrize("pages", [30.0, 1_000.0, 1e6])
def test_a_flip_is_found_however_far_below(pages: float):
    """The name is looked up again below 20 pages a second, be that two thirds of the present rate or a fifty thousandth of it."""
    found = {flip.quantity: flip for flip in rate_flips(part_of(shop(reads=pages), "product name"), "product name")}
    assert found["rate of page"].now == pages
    assert found["rate of page"].at == pytest.approx(20.0)
    assert found["rate of page"].to is None


def test_lines_move_out_when_writes_outgrow_reads():
    """Inside costs 1 a page and 10 a line, apart 3 and 1.5: apart wins above 23.5 lines a second."""
    found = {flip.quantity: flip for flip in rate_flips(part_of(shop(), "home of line"), "home of line")}
    assert found["rate of line"].at == pytest.approx(200.0 / 8.5)
    assert found["rate of line"].to == "apart"


def test_a_flip_of_any_quantity():
    """The width of a name is no rate: a scale of the copy's upkeep turns the decision where it is five times as dear."""

    def at(scale: float) -> DesignProblem:
        problem = shop()
        charges = tuple(replace(charge, cost=charge.cost * scale**2) for charge in problem.charges)
        return replace(problem, charges=charges)

    [found] = flip(at, 1.0, "product name", quantity="width", low=0.0, high=100.0)
    assert found.to is None
    assert found.at == pytest.approx(5.0**0.5)


def test_a_decision_that_never_turns_has_no_flip():
    """With no line ever written, no rate of pages moves the lines out."""
    problem = replace(shop(), rates={"page": 100.0, "rename": 1.0, "line": 0.0})
    found = rate_flips(part_of(problem, "home of line"), "home of line", statements=["page"])
    assert [flip for flip in found if flip.at > 100.0] == []


@pytest.mark.thorough
@settings(max_examples=examples(30, 1000))
@given(problems())
def test_alternatives_cost_what_trying_everything_says(problem):
    """Each alternative's cost is the enumerator's with that alternative forced."""
    assume(problem.groups)
    try:
        found = solve(problem)
    except InfeasibleError:
        reject()
    group = problem.groups[0]
    for other in alternatives(problem, found, group.name):
        try:
            expected = exhaustive(problem_with_forced(problem, group, other.structure)).cost
        except InfeasibleError:
            expected = None
        assert other.cost == (pytest.approx(expected, rel=1e-7, abs=1e-12) if expected is not None else None)


@settings(max_examples=examples(20, 1000))
@given(problems())
def test_at_a_flip_both_choices_cost_the_same_and_none_before(problem):
    """At the flip the present choice and the other cost the same, and half-way to it the present one is still best."""
    assume(problem.groups)
    try:
        solve(problem)
    except InfeasibleError:
        reject()
    group, statement = problem.groups[0], min(problem.rates)

    def at(rate: float) -> DesignProblem:
        return replace(problem, rates={**problem.rates, statement: rate})

    now = choice(group, solve(problem).chosen)
    for found in rate_flips(part_of(problem, group.name), group.name, statements=[statement]):
        there = exhaustive(at(found.at)).cost
        assert exhaustive(problem_with_forced(at(found.at), group, found.to)).cost == pytest.approx(
            there, rel=1e-6, abs=1e-9
        )
        assert exhaustive(problem_with_forced(at(found.at), group, now)).cost == pytest.approx(
            there, rel=1e-6, abs=1e-9
        )
        between = at((found.now + found.at) / 2)
        assert exhaustive(problem_with_forced(between, group, now)).cost == pytest.approx(
            exhaustive(between).cost, rel=1e-6, abs=1e-9
        )
