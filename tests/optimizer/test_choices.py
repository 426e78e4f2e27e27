"""What the presolve takes for certain when it compares two structures."""

from __future__ import annotations

import pytest

from nestling.ir.design_problem import Charge, DesignProblem, Group, Structure
from nestling.optimizer.presolve.choices import choices
from nestling.optimizer.presolve.reduced import Reduced
from nestling.optimizer.presolve.weighted import weighted
from tests.optimizer.exhaustive import exhaustive

INDEX = Charge("s", "upkeep", ("index",), 10.0)
"""So dear that no best choice has it."""


@pytest.mark.parametrize(
    ("charge", "left"),
    [
        (Charge("s", "upkeep", ("apart",), 2.0), {"inside"}),
        (Charge("s", "upkeep", ("apart", "index"), 2.0), {"apart", "inside"}),
        (Charge("s", "saved", ("inside",), -5.0), {"inside"}),
        (Charge("s", "saved", ("inside", "index"), -5.0), {"apart", "inside"}),
        (Charge("s", "saved", ("inside", "index"), -15.0), {"apart", "inside", "index"}),
        (Charge("s", "saved", ("apart", "index"), -5.0), {"apart"}),
        (Charge("s", "saved", ("apart", "index"), -15.0), {"apart", "index"}),
    ],
    ids=lambda given: f"{given.cost} with {' and '.join(given.when)}" if isinstance(given, Charge) else "",
)
def test_what_two_structures_cost_or_save_together_is_not_certain(charge: Charge, left: set[str]) -> None:
    """`inside` costs 1 more than `apart`; what either costs or saves is certain only where it does so alone."""
    problem = weighted(
        DesignProblem(
            (Structure("apart", ""), Structure("inside", ""), Structure("index", "")),
            (Group("home", ("apart", "inside")),),
            (),
            (),
            (Charge("s", "upkeep", ("inside",), 1.0), INDEX, charge),
            (),
            {"s": 1.0},
        )
    )
    found = choices(Reduced(problem)).problem
    assert {structure.id for structure in found.structures} == left
    assert exhaustive(found).cost == exhaustive(problem).cost
