"""The relaxation takes in products as they are broken, and comes to the same as all of them at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from nestling.ir.design_problem import Charge, DesignProblem, Group, Structure
from nestling.optimizer.formulation import formulation
from nestling.optimizer.growing_model import GrowingModel
from nestling.optimizer.highs import Status, minimise, relax
from nestling.optimizer.presolve import weighted
from nestling.optimizer.presolve.hoisting import hoisting
from nestling.optimizer.presolve.reduced import Reduced
from tests.optimizer.problems import problems
from tests.soaking import examples


@given(problems())
@settings(max_examples=examples(60, 5000))
def test_it_comes_to_what_the_whole_model_does(problem: DesignProblem) -> None:
    """Its bound is the cost without whole numbers, and its reduced costs promise no more than that."""
    model = formulation(hoisting(Reduced(weighted(problem))).problem)
    grown, whole = relax(model, seconds=60), minimise(replace(model, binary=0), seconds=60)
    assert grown.status is whole.status
    if grown.status is Status.OPTIMAL:
        scale = float(np.abs(model.cost).max(initial=1.0))
        assert grown.bound == pytest.approx(whole.bound, rel=1e-7, abs=1e-6 * scale)
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
    assert relax(model, seconds=60).bound == pytest.approx(5.0)
