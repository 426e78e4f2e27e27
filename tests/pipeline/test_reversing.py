"""What a design in place is to be changed to: only what saves something that shows, and nothing once that is done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nestling.ir.design import Design
from nestling.ir.design_problem import CHANGE, Charge, Solution
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Computed
from nestling.ir.proposal import Costs, Proposal
from nestling.ir.reading import Reading
from nestling.ir.rows import AggregateKind, Hop
from nestling.optimizer import solve
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.sampled import sampled
from nestling.pipeline import Redesign, design, redesign
from nestling.pipeline.designing import explained_proposal, posed_problem
from nestling.sources.mongo import LiveDatabase
from nestling.strategies import assembled
from tests.patterns.scenario import scenario

SHOWS = 1e-4
"""The least share of the costs a change may be proposed for."""


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(6))
def test_a_change_has_a_gain_that_shows(reading: Reading, seed: int) -> None:
    """For designs of all kinds in place and few statements: what is new saves a share of the costs, and then nothing is left."""
    today = _any_design(reading, seed)
    few = _asking(reading, {seed, 7 * seed + 3})
    made = redesign(LiveDatabase(few, Proposal("", today)), "optimal")
    _shows(made)
    again = redesign(LiveDatabase(few, made.proposal), "optimal")
    assert again.changes == ()


@pytest.mark.one_in(2)
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
    of = posed_problem(reading, None, None)
    chosen = next(iter(sampled(of.problem, 1, seed=seed)))
    found = evaluate(of.problem, chosen)
    assert found is not None
    solution = Solution(chosen, found.modes, found.cost, 0.0, 0.0, proved=False)
    return assembled(of.situation, of.candidates, solution, (), Costs(0.0, 0.0, of.profile.name)).design


TABLES = """
CREATE TABLE chat (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL);
CREATE TABLE message (id INTEGER PRIMARY KEY NOT NULL, chat_id INTEGER NOT NULL REFERENCES chat (id), at INTEGER NOT NULL);
"""
WORKLOAD = """
-- name: room, rate: 20/s
SELECT id, at FROM message WHERE chat_id = :chat ORDER BY at DESC LIMIT 50;
-- name: say, rate: 20/s
INSERT INTO message (id, chat_id, at) VALUES (:id, :chat, :at);
"""


def test_only_what_is_there_stays(tmp_path: Path) -> None:
    """What is chosen beside a larger change stays where today's design has it; elsewhere it is the smaller change."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "chat": [(n, "c") for n in range(5)],
        "message": [(n, n % 5, n) for n in range(500)],
    }
    reading = scenario(tmp_path, TABLES, rows, WORKLOAD).reading
    today = design(reading, "normalized").design
    of = posed_problem(reading, None, None, today=today)

    def said(*arriving: str) -> str:
        more = tuple(Charge(CHANGE, name, (name,), 0.0) for name in arriving)
        problem = replace(of.problem, charges=(*of.problem.charges, *more))
        made = explained_proposal(replace(of, problem=problem), solve(problem), today).decision("chat_message")
        assert made is not None
        return next(reason.text for reason in made.reasons if reason.rule == "cost")

    home = "message in a collection of its own"
    assert said().startswith(f"{home} stays")
    assert said(home).startswith(f"{home} is the smaller change")


COUNTED = """
CREATE TABLE product (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL);
CREATE TABLE review (
  id INTEGER PRIMARY KEY NOT NULL, product_id INTEGER NOT NULL REFERENCES product (id), stars INTEGER NOT NULL
);
"""
ASKED = """
-- name: stars, rate: 600/s
SELECT COUNT(*) AS n, SUM(stars) AS total FROM review WHERE product_id = :id;
-- name: page, rate: 800/s
SELECT name FROM product WHERE id = :id;
-- name: write, rate: 3/s
INSERT INTO review (id, product_id, stars) VALUES (:id, :product, :stars);
"""


def test_what_only_stays_saves_nothing(tmp_path: Path) -> None:
    """A counter that is there and that no statement reads costs its upkeep; the threshold is not told as its gain."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "product": [(n, "p") for n in range(50)],
        "review": [(n, n % 50, 5) for n in range(2000)],
    }
    reading = scenario(tmp_path, COUNTED, rows, ASKED).reading
    plain = design(reading, "normalized").design
    counter = Computed("review_count", (Hop("product_review", up=False),), AggregateKind.COUNT, TRANSACTION)
    today = replace(
        plain,
        collections=tuple(
            replace(each, body=replace(each.body, computed=(counter,))) if each.root == "product" else each
            for each in plain.collections
        ),
    )
    made = redesign(LiveDatabase(reading, Proposal("", today)), "optimal").proposal
    kept = next(each for each in made.weighed if each.structure.startswith("count of review"))
    assert kept.chosen
    assert kept.stays
    assert kept.gain is not None
    assert kept.gain < 0 < kept.threshold
    assert kept.motives == ()
    assert CHANGE not in kept.because
    assert "in write" in kept.because
