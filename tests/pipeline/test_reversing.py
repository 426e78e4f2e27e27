"""What a design in place is to be changed to: only what saves something that shows, and nothing once that is done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.ir.design import Design
from nestling.ir.options import Solution
from nestling.ir.proposal import Costs, Proposal
from nestling.ir.reading import Reading
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.sampled import sampled
from nestling.pipeline import Redesign, design, redesign
from nestling.pipeline.designing import posed
from nestling.sources.mongo import LiveDatabase
from nestling.strategies import assembled

SHOWS = 1e-4
"""The least share of the costs a change may be proposed for."""


@pytest.mark.parametrize("seed", range(6))
def test_a_change_has_a_gain_that_shows(reading: Reading, seed: int) -> None:
    """For designs of all kinds in place and few statements: what is new saves a share of the costs, and then nothing is left."""
    today = _any_design(reading, seed)
    few = _asking(reading, {seed, 7 * seed + 3})
    made = redesign(LiveDatabase(few, Proposal("", today)), "optimal")
    _shows(made)
    again = redesign(LiveDatabase(few, made.proposal), "optimal")
    assert again.changes == ()


@pytest.mark.parametrize("strategy", ["embedded", "normalized", "tree"])
def test_what_nothing_asks_for_stays(reading: Reading, strategy: str) -> None:
    """Arrays and collections no statement goes by stay where they are, unless documents that are read become smaller."""
    made = redesign(LiveDatabase(_asking(reading, {0}), Proposal("", design(reading, strategy).design)), "optimal")
    _shows(made)


def _shows(made: Redesign) -> None:
    """Whatever is new saves something that shows."""
    assert made.today is not None
    for change in made.changes:
        assert change.gain is not None
        assert not change.come or change.gain > SHOWS * made.today, change


def _asking(reading: Reading, asked: set[int]) -> Reading:
    """The reading with only these statements, and each at one a second."""
    every = reading.workload.statements
    chosen = tuple(every[place] for place in sorted({each % len(every) for each in asked}))
    return replace(reading, workload=replace(reading.workload, statements=chosen))


def _any_design(reading: Reading, seed: int) -> Design:
    """A design by chance."""
    of = posed(reading, None, None)
    chosen = next(iter(sampled(of.problem, 1, seed=seed)))
    found = evaluate(of.problem, chosen)
    assert found is not None
    solution = Solution(chosen, found.modes, found.cost, 0.0, 0.0, proved=False)
    return assembled(of.situation, of.candidates, solution, (), Costs(0.0, 0.0, of.profile.name)).design
