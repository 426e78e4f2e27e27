"""What costs the same is decided for the lighter design, and for the one that is there."""

from __future__ import annotations

import pytest

from nestling.ir.design_problem import Charge, DesignProblem, Group, Structure
from nestling.optimizer.equal_moves import equal_moves


def _problem(*structures: Structure, group: Group | None = None, charges: tuple[Charge, ...] = ()) -> DesignProblem:
    return DesignProblem(structures, (group,) if group else (), (), (), charges, (), {"s": 1.0})


def test_what_saves_nothing_goes() -> None:
    """A structure of any weight that no statement gains by is dropped, also one that is there today."""
    problem = _problem(Structure("index", ""), Structure("two", "", weight=2), Structure("old", "", in_place=True))
    assert equal_moves(problem, frozenset({"index", "two", "old"}), extra_cost=0.0) == frozenset()


@pytest.mark.parametrize(("in_place", "kept"), [(False, False), (True, True)])
def test_what_is_there_stays_where_its_rival_weighs_as_much(in_place: bool, kept: bool) -> None:
    """Of two homes that cost the same, today's; else nothing is moved for nothing."""
    homes = Structure("apart", "", in_place=in_place), Structure("inside", "")
    problem = _problem(*homes, group=Group("home", ("apart", "inside")))
    assert ("apart" in equal_moves(problem, frozenset({"inside"}), extra_cost=0.0)) == kept


def test_a_dearer_move_is_not_made() -> None:
    """The lighter one costs more than may be spent."""
    homes = Structure("heavy", "", weight=3), Structure("light", "")
    problem = _problem(
        *homes, group=Group("home", ("heavy", "light")), charges=(Charge("s", "write", ("light",), 2.0),)
    )
    assert equal_moves(problem, frozenset({"heavy"}), extra_cost=1.0) == {"heavy"}
    assert equal_moves(problem, frozenset({"heavy"}), extra_cost=2.0) == {"light"}
