"""Of indexes that serve alike, the one that stores less."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nestling.common.errors import NestlingError
from nestling.ir.design_problem import DesignProblem, Group, Mode, StatementStep, Structure
from nestling.optimizer import solve
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.preference import preference, tie_limit
from nestling.optimizer.smaller import smaller
from tests.optimizer.problems import problems


def served(*ways: tuple[str, float, float], in_place: str = "") -> DesignProblem:
    """One read, by a scan or by any of these indexes: name, bytes and seconds."""
    return DesignProblem(
        structures=(
            Structure("home", "home"),
            *(Structure(name, name, bytes=size, in_place=name == in_place) for name, size, _ in ways),
        ),
        groups=(Group("home of line", ("home",)),),
        needs=(),
        steps=(
            StatementStep(
                "page",
                "read",
                (Mode("scan", ("home",), 9.0), *(Mode(name, ("home", name), cost) for name, _, cost in ways)),
            ),
        ),
        charges=(),
        limits=(),
        rates={"page": 1.0},
    )


@pytest.mark.parametrize(
    ("ways", "in_place", "expected"),
    [
        ((("a", 300.0, 1.0), ("b", 100.0, 1.0), ("c", 200.0, 1.0)), "", "b"),
        ((("a", 300.0, 1.0), ("b", 100.0, 1.5), ("c", 200.0, 1.0)), "", "c"),
        ((("a", 300.0, 1.0), ("b", 100.0, 1.0)), "a", "a"),
    ],
    ids=["the smallest", "one that costs more is none", "one that is there stays"],
)
def test_of_equals_the_smallest(ways: tuple[tuple[str, float, float], ...], in_place: str, expected: str) -> None:
    """Bytes decide after the cost, and after what is there already."""
    assert solve(served(*ways, in_place=in_place)).chosen == {"home", expected}


def without_loads(problem: DesignProblem) -> DesignProblem:
    """As presolve leaves it, though not with the same costs."""
    steps = tuple(replace(step, modes=tuple(replace(mode, loads=()) for mode in step.modes)) for step in problem.steps)
    return replace(problem, steps=steps, loads=())


@settings(max_examples=50)
@given(problems(), st.data())
def test_nothing_else_is_worse(problem: DesignProblem, data: st.DataObject) -> None:
    """Whatever the sizes: as cheap, as preferred, and no larger."""
    problem = without_loads(problem)
    structures = tuple(replace(each, bytes=float(data.draw(st.integers(0, 5)))) for each in problem.structures)
    sized, sizes = replace(problem, structures=structures), {each.id: each.bytes for each in structures}
    try:
        best = solve(problem)
    except NestlingError:
        assume(False)
    found = smaller(sized, best.chosen, best.cost)
    now = evaluate(sized, found)
    assert now is not None
    assert now.cost <= tie_limit(tie_limit(best.cost))
    assert preference(sized, found) == preference(sized, best.chosen)
    assert sum(sizes[name] for name in found) <= sum(sizes[name] for name in best.chosen)
