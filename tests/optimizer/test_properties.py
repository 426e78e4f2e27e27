"""The laws of the search, on random small problems beside the enumerator."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, event, example, given, settings

from nestling.common.errors import InfeasibleError
from nestling.ir.design_problem import (
    Charge,
    DesignProblem,
    Group,
    Limit,
    Load,
    Mode,
    Solution,
    StatementStep,
    Structure,
)
from nestling.optimizer import check, solve, storage_budget
from nestling.optimizer.equal_moves import equal_moves
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.plain_choice import plain_choice
from nestling.optimizer.preference import preference
from nestling.optimizer.presolve import PASSES, weighted
from nestling.optimizer.presolve.hoisting import hoisting
from nestling.optimizer.presolve.reduced import Reduced
from nestling.optimizer.single_moves import cheaper
from tests.optimizer.exhaustive import exhaustive
from tests.optimizer.problems import problems
from tests.soaking import examples

SAME = 1e-8
FEWER = settings(max_examples=examples(25, 5000))


def best(problem: DesignProblem) -> Solution | None:
    try:
        return exhaustive(problem)
    except InfeasibleError:
        return None


def has_specks(problem: DesignProblem, cost: float) -> bool:
    """Whether some cost is so small beside the whole that a tie of the whole is none of its part: two preferences are right."""
    costs = sizes(problem)
    return any(0 < small < 1e-7 * max([abs(cost), *costs]) for small in costs)


def sizes(problem: DesignProblem) -> list[float]:
    """How much a second each cost is."""
    rated = [(step.statement, mode.cost) for step in problem.steps for mode in step.modes]
    rated += [(step.statement, extra) for step in problem.steps for mode in step.modes for _, extra in mode.also]
    rated += [(charge.statement, charge.cost) for charge in problem.charges]
    amounts = {load.name: [load.base, *(amount for _, amount in load.amounts)] for load in problem.loads}
    rated += [
        (step.statement, each * amount)
        for step in problem.steps
        for mode in step.modes
        for name, each in mode.loads
        for amount in amounts[name]
    ]
    return [abs(problem.rates[statement] * seconds) for statement, seconds in rated]


def is_told_by_floats(problem: DesignProblem) -> bool:
    """Whether a sum of its costs keeps some digits of each: what is proved of others is no more than these are known to."""
    costs = [each for each in sizes(problem) if each]
    return not costs or min(costs) > 1e-13 * max(costs)


def assert_best(problem: DesignProblem) -> None:
    expected = best(problem)
    if expected is None:
        with pytest.raises(InfeasibleError):
            solve(problem)
        return
    found = solve(problem)
    check(problem, found)
    assert found.cost == pytest.approx(expected.cost, rel=SAME, abs=1e-12)
    assert found.proved or not is_told_by_floats(problem)
    assert found.bound <= expected.cost + SAME * abs(expected.cost) + 1e-12
    if not has_specks(problem, found.cost):
        assert preference(problem, found.chosen) == preference(problem, expected.chosen)


NEXT_TO_NOTHING = DesignProblem(
    structures=(Structure("s0", "s0"), Structure("s1", "s1")),
    groups=(Group("decision 0", ("s0", "s1")), Group("crossing", ("s0",), optional=True)),
    needs=(),
    charges=(),
    steps=(
        StatementStep(
            "q", "hop", (Mode("way", (), 0.0, without=("s1",), loads=(("load", -1.0),)), Mode("always", (), 1e-9))
        ),
    ),
    limits=(Limit("limit", ((("s0",), 1.0),), 0.0),),
    rates={"q": 0.001},
    loads=(Load("load", (), base=15.0),),
)
"""All of it costs a picosecond a second, of which the solver's last digit is a millionth."""

SPECK_BESIDE_SAVINGS = DesignProblem(
    structures=tuple(Structure(name, name) for name in ("s0", "s1", "s2")),
    groups=(Group("decision", ("s0", "s1")),),
    needs=(),
    charges=(Charge("q", "saved", ("s0",), -15.75), Charge("q", "upkeep", ("s2", "s0"), 1e-9)),
    steps=(StatementStep("q", "hop", (Mode("way", ("s2",), 0.0),)),),
    limits=(),
    rates={"q": 0.001},
    loads=(),
)
"""What is left of the best cost once the savings are taken from it has no digit but the last."""

BESIDE_WHAT_NOBODY_PAYS = DesignProblem(
    structures=tuple(Structure(name, name) for name in ("s0", "s1", "s2")),
    groups=(Group("decision", ("s0", "s1")),),
    needs=(),
    charges=(Charge("q1", "saved", ("s0", "s2"), -0.125),),
    steps=(StatementStep("q0", "hop", (Mode("way", (), 1000.0), Mode("way", ("s0",), 0.0))),),
    limits=(),
    rates={"q0": 900.0, "q1": 0.001},
    loads=(),
)
"""One alternative costs ten digits more than what the rest is about."""


@settings(max_examples=examples(50, 5000))
@given(problems())
@example(NEXT_TO_NOTHING)
@example(BESIDE_WHAT_NOBODY_PAYS)
@example(SPECK_BESIDE_SAVINGS)
def test_the_search_finds_what_trying_everything_finds(problem):
    """Cost, feasibility and preference equal the enumerator's, and the checker agrees."""
    assert_best(problem)


@pytest.mark.soak
@settings(max_examples=20_000)
@given(problems())
def test_the_search_finds_what_trying_everything_finds_at_length(problem):
    """The same, many more times."""
    assert_best(problem)


@FEWER
@given(problems())
def test_reductions_change_no_cost(problem):
    """After each pass, the best of what is left costs what the best of all did."""
    reduced = Reduced(weighted(problem))
    expected = best(problem)
    for reduction in PASSES:
        reduced = reduction(reduced)
        found = best(reduced.problem)
        assert (found is None) == (expected is None), reduction
        if found is not None and expected is not None:
            assert found.cost == pytest.approx(expected.cost, rel=SAME, abs=1e-12), reduction
            whole = reduced.chosen | found.chosen
            assert has_specks(problem, found.cost) or preference(problem, whole) == preference(
                problem, expected.chosen
            ), reduction


@pytest.mark.thorough
@FEWER
@given(problems())
def test_equal_moves_cost_nothing_and_lead_to_what_is_preferred(problem):
    """From any allowed choice, moves end at one that is allowed, costs no more and is preferred no less."""
    flat = hoisting(Reduced(weighted(problem))).problem
    found = best(flat)
    assume(found is not None)
    assert found is not None
    crowded = frozenset(structure.id for structure in flat.structures)
    for start in (found.chosen, crowded):
        before = evaluate(flat, start)
        if before is not None:
            end = equal_moves(flat, start, extra_cost=0.0)
            after = evaluate(flat, end)
            assert after is not None
            assert after.cost <= before.cost + SAME * abs(before.cost) + 1e-12
            assert preference(flat, end) <= preference(flat, start)


@FEWER
@given(problems())
def test_what_there_is_when_the_time_is_up_is_allowed(problem):
    """A choice without a solver, bettered move by move: it is allowed, and no move costs more."""
    flat = hoisting(Reduced(weighted(problem))).problem
    plain = plain_choice(flat)
    event("a plain choice" if plain is not None else "none")
    if plain is None:
        return
    before = evaluate(flat, plain)
    assert before is not None
    after = evaluate(flat, cheaper(flat, plain, math.inf))
    assert after is not None
    if not flat.loads:
        assert after.cost <= before.cost + SAME * abs(before.cost) + 1e-12


@pytest.mark.thorough
@FEWER
@given(problems())
def test_scaling_all_rates_changes_no_choice(problem):
    """Twice the load is the same design at twice the cost."""
    assume(best(problem) is not None)
    doubled = replace(problem, rates={name: 2 * rate for name, rate in problem.rates.items()})
    once, twice = solve(problem), solve(doubled)
    assert twice.cost == pytest.approx(2 * once.cost, rel=SAME, abs=1e-12)
    assert has_specks(problem, once.cost) or preference(problem, twice.chosen) == preference(problem, once.chosen)


@pytest.mark.thorough
@FEWER
@given(problems())
def test_more_budget_never_costs_more(problem):
    """The best cost does not rise with the bytes allowed."""
    total = sum(structure.bytes for structure in problem.structures)
    costs = []
    for share in (0.25, 0.5, 0.75, 1.0):
        try:
            costs.append(solve(problem, budgets=[storage_budget(problem, share * total)]).cost)
        except InfeasibleError:
            costs.append(float("inf"))
    for less, more in pairwise(costs):
        assert more <= less + SAME * abs(less)


@pytest.mark.thorough
@FEWER
@given(problems())
def test_an_unused_structure_changes_nothing(problem):
    """A structure that nothing uses is not chosen."""
    assume(best(problem) is not None)
    statement = min(problem.rates)
    extra = replace(
        problem,
        structures=(*problem.structures, Structure("unused", "unused", 1.0)),
        charges=(*problem.charges, Charge(statement, "upkeep", ("unused",), 1.0)),
    )
    assert solve(extra).chosen == solve(problem).chosen
