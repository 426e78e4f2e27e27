"""The designs a design is measured against."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings

from nestling.common.errors import InputError
from nestling.ir.options import DesignProblem
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.text import write_proposal
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.sampled import sampled
from nestling.pipeline import design, inspect
from nestling.pipeline.rivals import rivals
from tests.optimizer.problems import problems
from tests.optimizer.shop import shop as small_shop


@pytest.fixture(scope="module")
def chosen(shop_design: Callable[[str], Proposal]) -> Proposal:
    """The design nestling advises for it."""
    return shop_design("optimal")


def test_rivals_are_different_designs_none_cheaper_by_the_model(reading: Reading, chosen: Proposal, tmp_path: Path):
    """Yardsticks, a file, runner-ups, ablations and random designs, each once; the advised one is first and costs least."""
    path = tmp_path / "expert.yaml"
    path.write_text(write_proposal(design(reading, "embedded")), encoding="utf-8")
    found = rivals(reading, chosen, files=[path], random=10, seed=3)
    names = list(found)
    assert names[:4] == ["chosen", "normalized", "embedded", "tree"]
    assert sum(name.startswith("random") for name in names) == 10
    assert sum(name.startswith("runner-up: ") for name in names) == 2
    assert sum(name.startswith("ablation: ") for name in names) == 3
    assert "expert" not in names, "it is the embedded design"
    for one, other in combinations(found.values(), 2):
        assert one.design != other.design
    assert chosen.costs is not None
    assert all(each.costs is None or each.costs.cost >= chosen.costs.cost for each in found.values())
    again = rivals(reading, chosen, random=10, seed=3)
    assert {name: again[name].design for name in again} == {name: found[name].design for name in again}


def test_a_design_of_another_model_is_refused(reading: Reading, chosen: Proposal, tmp_path: Path):
    """The error names the file and what differs."""
    other = inspect(_note(tmp_path))
    path = tmp_path / "other.yaml"
    path.write_text(write_proposal(design(other, "normalized")), encoding="utf-8")
    with pytest.raises(InputError, match=r"design of another model: .*`note`"):
        rivals(reading, chosen, files=[path])


def _note(folder: Path) -> str:
    path = folder / "schema.sql"
    path.write_text("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);", encoding="utf-8")
    return str(path)


def test_without_statements_only_yardsticks_are_rivals(tmp_path: Path):
    """Where costs decided nothing there is no decision to take another way."""
    reading = inspect(_note(tmp_path))
    assert set(rivals(reading, design(reading), random=5)) <= {"chosen", "normalized", "embedded", "tree"}


def test_every_way_to_take_the_decisions_is_tried_first():
    """Of two homes, both are among the first few choices sampled."""
    found = list(sampled(small_shop(), 6))
    assert {"apart", "inside"} == {name for chosen in found[:4] for name in chosen & {"apart", "inside"}}
    assert len(set(found)) == len(found)


@given(problems())
@settings(max_examples=20)
def test_sampled_choices_are_allowed(problem: DesignProblem):
    """Whatever the problem: only allowed choices, none twice, the same again for the same seed."""
    found = list(sampled(problem, 3, seed=1))
    assert all(evaluate(problem, chosen) is not None for chosen in found)
    assert len(set(found)) == len(found)
    assert list(sampled(problem, 3, seed=1)) == found
