"""Weighing every decision of a solution within an allowance."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from nestling.ir.design_problem import Charge, DesignProblem, Group, Mode, StatementStep, Structure
from nestling.optimizer import solve, solved_parts
from nestling.optimizer.alternatives import OtherChoice, part_of
from nestling.optimizer.flips import rate_flips
from nestling.optimizer.part import solve_part
from nestling.optimizer.weigh import come_instead, weigh
from tests.optimizer.shop import shop

GROUPS = ("home of line", "product name")


def test_every_decision_is_weighed_with_its_flips():
    """Alternatives cost what they cost alone, and flips are those found one by one."""
    problem = shop()
    solution = solve(problem)
    found = weigh(problem, solution, GROUPS, limit_seconds=60.0)
    by_group = {each.group: each for each in found.weighings}
    [(structure, cost)] = by_group["home of line"].alternatives
    assert structure == "apart"
    assert cost == pytest.approx(191.0 - 150.0 + 307.5)
    [(structure, cost)] = by_group["product name"].alternatives
    assert structure is None
    assert cost == pytest.approx(191.0 - 40.0 + 200.0)
    for name, each in by_group.items():
        alone = [(flip.quantity, flip.at, flip.to) for flip in rate_flips(part_of(problem, name), name)]
        assert [(turn.quantity, turn.at, turn.to) for turn in each.turns] == alone
    assert found.notes == ()


def test_what_takes_the_place_of_a_choice_is_named():
    """An index saves little over the other one, and much over none: both are told."""
    found = ("wide index", "narrow index")
    modes = tuple(Mode(name, (name,), seconds) for name, seconds in zip(found, (1.0, 1.5), strict=True))
    step = StatementStep("page", "find", (*modes, Mode("scan", (), 40.0)))
    charges = tuple(Charge("write", "entry", (name,), 0.25) for name in found)
    groups = tuple(Group(name, (name,), optional=True) for name in found)
    structures = tuple(Structure(name, name) for name in found)
    problem = DesignProblem(structures, groups, (), (step,), charges, (), {"page": 1.0, "write": 1.0})
    (one, other) = weigh(problem, solve(problem), found, limit_seconds=60.0).weighings
    assert (one.alternatives, one.come, one.dropped) == (((None, 1.75),), (("narrow index",),), 40.0)
    assert (other.alternatives, other.come) == ((("narrow index", 1.5),), (("narrow index",),))


def test_what_is_built_anyway_takes_its_place_for_nothing():
    """Without the wide index the narrow one is there, chosen or not, or only then; what is built anyway cannot be left out."""
    found = ("wide index", "narrow index")
    modes = tuple(Mode(name, (name,), seconds) for name, seconds in zip(found, (1.0, 1.5), strict=True))
    step = StatementStep("page", "find", (*modes, Mode("scan", (), 40.0)))
    charges = tuple(Charge("write", "entry", (name,), 0.25) for name in found)
    groups = tuple(Group(name, (name,), optional=True) for name in found)
    structures = tuple(Structure(name, name) for name in found)
    problem = DesignProblem(structures, groups, (), (step,), charges, (), {"page": 1.0, "write": 1.0})
    solution = solve(problem)
    for instead, entries in ((frozenset(), 0.0), (frozenset({"wide index"}), 0.25)):
        built = {"narrow index": instead}
        (one, _) = weigh(problem, solution, found, limit_seconds=60.0, built=built).weighings
        assert one.dropped == pytest.approx(solution.cost + 0.5 - 0.25 + entries)
    (one, _) = weigh(problem, solution, found, limit_seconds=60.0, built=dict.fromkeys(found, frozenset())).weighings
    assert one.dropped is None


def test_what_may_as_well_stay_is_not_named():
    """An alternative found with another home of equal cost, which has nothing to do with it, has the home as it was."""
    homes, copy = Group("home", ("fifty", "two hundred")), Group("copy", ("copy",), optional=True)
    places = StatementStep("page", "home", tuple(Mode(name, (name,), 1.0) for name in homes.among))
    copied = StatementStep("page", "copy", (Mode("copied", ("copy",), 1.0), Mode("joined", (), 5.0)))
    structures = tuple(Structure(name, name) for name in (*homes.among, "copy"))
    problem = DesignProblem(structures, (homes, copy), (), (places, copied), (), (), {"page": 1.0})
    solution = replace(solve(problem), chosen=frozenset({"fifty", "copy"}))
    other = OtherChoice(None, 6.0, True, frozenset({"two hundred"}))
    assert come_instead(problem, solution, other, copy) == ()


@pytest.mark.thorough
def test_parts_that_a_decision_does_not_touch_are_solved_once(monkeypatch: pytest.MonkeyPatch):
    """Decisions that only a mode nobody uses ties together: each alternative solves its own part again, not all of them."""
    names, solved = [f"d{number}" for number in range(30)], list[DesignProblem]()

    def counted(part: DesignProblem, deadline: float, *, any_of_equals: bool):
        solved.append(part)
        return solve_part(part, deadline, any_of_equals=any_of_equals)

    monkeypatch.setattr(solved_parts, "solve_part", counted)
    groups = tuple(Group(name, (f"{name} a", f"{name} b")) for name in names)
    structures = tuple(Structure(each, each) for group in groups for each in group.among)
    steps = [
        StatementStep(name, "own", (Mode("a", (f"{name} a",), 1.0), Mode("b", (f"{name} b",), 2.0))) for name in names
    ]  # fmt: skip
    steps += [
        StatementStep(one, "both", (Mode("tied", (f"{one} b", f"{other} b"), 9.0), Mode("plain", (), 3.0)))
        for one, other in pairwise(names)
    ]  # fmt: skip
    problem = DesignProblem(structures, groups, (), tuple(steps), (), (), dict.fromkeys(names, 1.0))
    solution = solve(problem)
    del solved[:]
    found = weigh(problem, solution, names, limit_seconds=60.0, modes=1e6)
    assert [each.alternatives for each in found.weighings] == [((f"{name} b", solution.cost + 1.0),) for name in names]
    assert len(solved) < 10 * len(names)


def test_a_small_allowance_says_what_it_left_out():
    """One solve's worth: one decision is weighed, the other is counted as left out."""
    problem = shop()
    found = weigh(problem, solve(problem), GROUPS, limit_seconds=60.0, modes=300.0)
    assert [each.group for each in found.weighings] == ["home of line"]
    assert found.left_out == ("product name",)
    assert "1 of 2 decisions" in found.notes[0]


def test_no_time_is_said():
    """When it is the time that runs out, the notes say what to raise."""
    problem = shop()
    found = weigh(problem, solve(problem), GROUPS, limit_seconds=-1.0)
    assert found.weighings == ()
    assert "raise --time-limit" in found.notes[-1]


def test_the_decisions_by_which_most_is_paid_come_first():
    """Where there is room for one decision only, it is the one on which more of the cost depends."""
    found = ("cheap index", "dear index")
    steps = tuple(
        StatementStep(name, "find", (Mode(name, (name,), seconds), Mode("scan", (), 40.0)))
        for name, seconds in zip(found, (1.0, 2.0), strict=True)
    )
    groups = tuple(Group(name, (name,), optional=True) for name in found)
    structures = tuple(Structure(name, name) for name in found)
    problem = DesignProblem(structures, groups, (), steps, (), (), dict.fromkeys(found, 1.0))
    weighed = weigh(problem, solve(problem), found, limit_seconds=60.0, modes=300.0)
    assert [each.group for each in weighed.weighings] == ["dear index"]
    assert weighed.left_out == ("cheap index",)
    assert "1 of 2 decisions" in weighed.notes[0]
