"""What `solve` returns, its second thoughts about ties, budgets and the time limit."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from nestling.common.errors import CheckError, InfeasibleError
from nestling.ir.design_problem import Charge, DesignProblem, Group, Limit, Mode, Needs, StatementStep, Structure
from nestling.optimizer import check, pareto, part, solve, storage_budget
from nestling.optimizer.budget import with_limits
from tests.optimizer.exhaustive import exhaustive
from tests.optimizer.shop import shop


def test_the_cheapest_design_is_chosen_with_its_proof():
    """Lines inside, the name copied: 100 + 41 + 50, and bound equals cost."""
    found = solve(shop())
    assert found.chosen == {"inside", "copy"}
    assert found.cost == pytest.approx(191.0)
    assert found.proved
    assert found.gap <= 1e-6
    assert found.modes["page", "lines"] == 0


def test_nothing_reaches_standard_output(capfd):
    """The solver's own messages are off."""
    solve(shop())
    assert capfd.readouterr() == ("", "")


def test_an_empty_problem_has_an_empty_answer():
    """Nothing to choose costs nothing."""
    found = solve(DesignProblem((), (), (), (), (), (), {}))
    assert (found.chosen, found.cost, found.proved) == (frozenset(), 0.0, True)


def test_a_budget_is_kept_and_costs():
    """With 110 bytes there is no room for the copy."""
    problem = shop()
    found = solve(problem, budgets=[storage_budget(problem, 110.0)])
    assert found.chosen == {"inside"}
    assert found.cost > solve(problem).cost


def test_ties_go_to_fewer_structures_and_then_to_what_is_in_place():
    """Three ways cost the same: the pair weighs more, and one of the other two is there already."""
    structures = (
        Structure("first", "", weight=1),
        Structure("second", "", weight=1, in_place=True),
        Structure("pair", "", weight=2),
    )
    groups = (Group("way", ("first", "second", "pair")),)
    modes = tuple(Mode(name, (name,), 1.0) for name in ("first", "second", "pair"))
    problem = DesignProblem(structures, groups, (), (StatementStep("q", "hop", modes),), (), (), {"q": 1.0})
    assert solve(problem).chosen == {"second"}


def test_costs_of_very_different_size_meet_in_one_problem():
    """A millionth decides although another way would cost 10^15 times as much."""
    names = ("a", "b", "c")
    modes = (Mode("a", ("a",), 2e-9), Mode("b", ("b",), 1e-9), Mode("c", ("c",), 1e6))
    other = (Mode("with", ("a",), 1e-9, (("d", 1e6),)), Mode("without", (), 1.5e-9))
    structures = tuple(Structure(name, "") for name in (*names, "d"))
    steps = (
        StatementStep("q", "one", modes),
        StatementStep("q", "two", other),
        StatementStep("q", "three", (Mode("d", ("d",), 0.0), Mode("", (), 1e-10))),
    )
    problem = DesignProblem(structures, (Group("way", names),), (), steps, (), (), {"q": 1.0})
    assert solve(problem).cost == pytest.approx(exhaustive(problem).cost, rel=1e-9)


def hard(size: int) -> DesignProblem:
    """Equal products everywhere: a bound that is far below the best."""
    names = [f"s{place}" for place in range(size)]
    pairs = [(one, other) for place, one in enumerate(names) for other in names[:place]]
    charges = tuple(Charge("q", "", pair, 1.0 + (place * 7919 % 101) / 100) for place, pair in enumerate(pairs))
    limit = Limit("enough", tuple(((name,), -1.0) for name in names), -size / 2)
    return DesignProblem(tuple(Structure(name, "") for name in names), (), (), (), charges, (limit,), {"q": 1.0})


@pytest.mark.thorough
def test_out_of_time_the_best_so_far_comes_with_its_gap():
    """A problem too hard for a second is answered, its answer is right, and it does not claim to be the best."""
    problem = hard(60)
    found = solve(problem, limit_seconds=1.0)
    check(problem, found)
    assert not found.proved
    assert found.gap > 1e-6


@pytest.mark.thorough
def test_out_of_time_before_any_design_it_is_what_needs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second is left: everything in a collection of its own is a design, and it does not claim to be the best."""
    monkeypatch.setattr(part, "GRACE_SECONDS", -1.0)
    problem = hard(160)
    names = [structure.id for structure in problem.structures]
    groups = tuple(Group(f"home of {name}", (f"{name} inside", name)) for name in names)
    needs = tuple(Needs(f"{name} inside", (other,)) for name, other in pairwise(names))
    inside = tuple(Structure(f"{name} inside", "") for name in names)
    grouped = replace(problem, structures=(*problem.structures, *inside), groups=groups, needs=needs)
    found = solve(grouped, limit_seconds=-1.0)
    check(grouped, found)
    assert not found.proved


def test_limits_over_several_parts_are_kept():
    """Ten parts that share nothing but a budget for four of ten copies."""
    structures = tuple(Structure(f"copy {place}", "", bytes=1.0) for place in range(10))
    steps = tuple(
        StatementStep(
            "q", f"hop {place}", (Mode("copied", (f"copy {place}",), 0.0), Mode("looked up", (), 1.0 + place))
        )
        for place in range(10)
    )
    problem = DesignProblem(structures, (), (), steps, (), (), {"q": 1.0})
    found = solve(problem, budgets=[storage_budget(problem, 4.0)])
    assert found.chosen == {f"copy {place}" for place in range(6, 10)}
    assert found.proved


def test_pareto_points_trade_bytes_for_time():
    """From the smallest design to the fastest: more bytes, less cost, none beaten by another."""
    problem = shop()
    points = pareto(problem, points=4)
    assert points[-1].solution.chosen == {"inside", "copy"}
    assert points[0].solution.chosen == {"inside"}
    assert [point.amount for point in points] == sorted(point.amount for point in points)
    assert [point.solution.cost for point in points] == sorted((point.solution.cost for point in points), reverse=True)


def test_conflicting_requirements_are_named_and_no_others():
    """A home that needs 90 bytes and a limit of 50 conflict; the harmless limit is not blamed."""
    problem = shop()
    tight = replace(storage_budget(problem, 50.0), requirement="storage of at most 50 bytes")
    harmless = Limit("copies", ((("copy",), 1.0),), 1.0, "at most one copy")
    with pytest.raises(InfeasibleError) as caught:
        solve(with_limits(problem, [tight, harmless]))
    text = str(caught.value)
    assert "storage of at most 50 bytes" in text
    assert "home of line: exactly one of `apart`, `inside`" in text
    assert "at least 90" in text
    assert "copy" not in text


def test_a_need_and_a_statement_can_be_to_blame():
    """A statement that only an index answers, and an index that needs what a limit forbids."""
    problem = replace(
        shop(),
        steps=(StatementStep("page", "lines", (Mode("seek", ("index",), 1.0),)),),
        charges=(),
        needs=(Needs("index", ("apart",)),),
        limits=(Limit("no own collection", ((("apart",), 1.0),), 0.0),),
    )
    with pytest.raises(InfeasibleError) as caught:
        solve(problem)
    text = str(caught.value)
    assert "statement `page` has to be answered at `lines`" in text
    assert "`index` needs `apart`" in text
    assert "no own collection" in text


def test_the_checker_finds_each_kind_of_lie():
    """A wrong cost, a wrong mode, a broken group, an unknown structure and a bound above the cost are all said."""
    problem, found = shop(), solve(shop())
    lies = {
        "costs": replace(found, cost=found.cost * 1.001, bound=0.0),
        "answered by mode": replace(found, modes={**found.modes, ("page", "lines"): 2}),
        "home of line": replace(found, chosen=found.chosen | {"apart"}),
        "no structure `ghost`": replace(found, chosen=found.chosen | {"ghost"}),
        "bound": replace(found, bound=found.cost * 1.1),
    }
    check(problem, found)
    for word, lie in lies.items():
        with pytest.raises(CheckError, match=word):
            check(problem, lie)
