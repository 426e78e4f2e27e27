"""The relaxation takes in products as they are broken, and comes to the same as all of them at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from nestling.ir.design_problem import Charge, DesignProblem, Group, Structure
from nestling.optimizer.formulation import formulation
from nestling.optimizer.growing_model import GrowingModel
from nestling.optimizer.highs import Status, relax
from nestling.optimizer.presolve import presolve, weighted
from nestling.optimizer.relaxation import LARGEST
from tests.optimizer.problems import problems
from tests.soaking import examples


@given(problems())
@settings(max_examples=examples(60, 5000))
def test_it_comes_to_what_the_whole_model_does(problem: DesignProblem) -> None:
    """Its bound is the cost without whole numbers, and its reduced costs promise no more than that."""
    model = formulation(presolve(problem).problem)
    at_once = replace(model, products=np.zeros(0, dtype=np.int32))
    largest = float(np.abs(model.cost).max(initial=0.0)) or 1.0
    grown, whole = (relax(GrowingModel(each), seconds=60, scale=largest / LARGEST) for each in (model, at_once))
    assert grown.status is whole.status
    if grown.status is Status.OPTIMAL:
        assert grown.bound == pytest.approx(whole.bound, rel=1e-7, abs=1e-7 * largest)
        assert grown.values is not None
        assert grown.reduced_costs is not None
        assert len(grown.values) == len(grown.reduced_costs) == len(model.cost)


def test_only_what_is_broken_comes_in() -> None:
    """Of three pairs of structures two are chosen whatever they cost together, and of these one pair costs: that comes in."""
    names = ("a", "b", "c", "d")
    charges = (
        Charge("q", "both", ("a", "b"), 5.0),
        Charge("q", "neither", ("a", "c"), 5.0),
        Charge("q", "nor", ("c", "d"), 5.0),
    )
    forced = tuple(Group(name, (name,)) for name in names[:2])
    free = tuple(Group(name, (name,), optional=True) for name in names[2:])
    structures = tuple(Structure(name, name) for name in names)
    problem = DesignProblem(structures, (*forced, *free), (), (), charges, (), {"q": 1.0})
    model = formulation(weighted(problem))
    growing = GrowingModel(model)
    assert len(model.products) == 3
    assert len(growing.columns) == len(names)
    rows = growing.add(np.array([1.0, 1.0, 0.0, 0.0]))
    assert rows is not None
    assert len(rows.lower) == 1
    assert growing.add(np.array([1.0, 1.0, 0.0, 0.0, 1.0])) is None
    assert relax(GrowingModel(model), seconds=60).bound == pytest.approx(5.0)
