"""The advisor's exam: its settings, its two gaps, and the comparison of two runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.exam import Exam
from benchmarks.exam_again import again, agree
from benchmarks.exam_settings import Variation, variations
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.proof import Proof
from nestling.ir.proposal import Costs, Proposal
from tests.emitters.proofs import PROOF


def exam(**costs: float) -> Exam:
    """The proof made by hand, with prices of the search for some of its designs."""
    empty = Proposal("costed", Design(Model("shop", ()), ()))
    made = {name: replace(empty, costs=Costs(cost, 0.0, "default", ())) for name, cost in costs.items()}
    return Exam("shop", made, PROOF, ())


def figures(times: float, low: float, high: float, cost: float = 1.0) -> dict[str, Any]:
    """A design as a run's JSON has it."""
    return {"times": times, "times_interval": [low, high], "cost": cost}


def run(regret: float, **designs: dict[str, Any]) -> dict[str, Any]:
    """A workload as a run's JSON has it."""
    return {"workload": "shop", "setting": "as stated", "regret": regret, "noise": 0.02, "designs": designs}


def test_the_sweeps() -> None:
    """One thing is changed at a time, and every line says what."""
    found = variations(Variation(scale=0.5), ["writes", "data", "cache"])
    assert [str(each) for each in found] == [
        "data × 0.5",
        "writes × 10, data × 0.5",
        "writes × 100, data × 0.5",
        "data × 5",
        "data × 0.5, data ÷ cache 0.2",
        "data × 0.5, data ÷ cache 5",
    ]
    assert [str(each) for each in variations(Variation(), [])] == ["as stated"]


def test_the_gap_of_the_search_and_that_of_the_model() -> None:
    """A cheaper design overlooked is the search's; a cheap design that is slow is the model's; the wrong one does not count."""
    overlooked = exam(chosen=3.0, normalized=2.0, embedded=4.0, tree=1.0)
    assert overlooked.search_gap() == pytest.approx(2.0)
    assert overlooked.model_gap() == pytest.approx(0.9), "the model picks normalized, 1.9 times the best"
    right = exam(chosen=1.0, normalized=1.0, embedded=4.0)
    assert (right.search_gap(), right.model_gap()) == (0.0, 0.0)


def timed(proof: Proof, **times: float) -> Proof:
    """The proof with other times for some designs."""
    return replace(
        proof, designs=tuple(replace(each, times=times.get(each.name, each.times)) for each in proof.designs)
    )


def test_the_final_has_the_last_word() -> None:
    """A design that only the heats found fast is not the best, if the final says otherwise; yardsticks are always in it."""
    heats = replace(exam(chosen=1.0, normalized=2.0, embedded=3.0), heats=timed(PROOF, normalized=0.6, embedded=0.8))
    assert set(heats.finalists(0)) == {"chosen", "normalized", "embedded"}
    assert heats.proof.regret == pytest.approx(1 / 0.6 - 1)
    later = timed(PROOF, embedded=1.2)
    final = replace(heats, final=replace(later, designs=tuple(d for d in later.designs if d.name != "normalized")))
    assert (final.proof.best, final.proof.regret) == ("chosen", 0.0)
    assert {each.name for each in final.measured()} == {each.name for each in PROOF.designs}
    assert (final.times()["embedded"], final.times()["normalized"]) == (1.2, 0.6)
    assert final.model_gap() == 0.0, "the winner is one of the final's, whatever the heats said of others"


def test_two_runs_that_agree() -> None:
    """Times agree within the error bars of both; the advised design and one that is another now tell nothing."""
    assert agree(figures(1.2, 1.1, 1.3), figures(1.3, 1.25, 1.35))
    assert agree(figures(1.2, 1.19, 1.21), figures(1.3, 1.25, 1.35)) is False
    assert agree(figures(1.0, 1.0, 1.0), figures(1.0, 1.0, 1.0)) is None
    before = run(0.0, chosen=figures(1, 1, 1), tree=figures(1.2, 1.1, 1.3), random=figures(2, 1.9, 2.1))
    now = run(0.1, chosen=figures(1, 1, 1), tree=figures(1.9, 1.8, 2.0), random=figures(3, 2.9, 3.1, cost=2.0))
    told = list(again([before], [now]))
    assert "| shop | as stated | 0 of 1 | 0.0% | 10.0% | 2.0% |" in told
    assert told[-1].strip().startswith("0 of 1 times agree")
