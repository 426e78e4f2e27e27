"""The designs a design is measured against."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings

from nestling.common.errors import InputError
from nestling.ir.design_problem import DesignProblem
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


@pytest.mark.thorough
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


MARKET = """nestling: 1
dialect: postgresql
model:
  name: market
  entities:
    user: {key: id, attributes: {id: integer!, handle: text!, bio: text}}
    listing: {key: id, attributes: {id: integer!, title: text!}}
    review: {key: id, attributes: {id: integer!, listing_id: integer!, author_id: integer!, stars: integer!, written: timestamp!}}
  relationships:
    reviewed: {parent: listing, child: review, attributes: listing_id, required: true}
    writes: {parent: user, child: review, attributes: author_id, required: true}
statistics:
  entities: {user: {count: 2000}, listing: {count: 5000}, review: {count: 10000}}
  relationships: {reviewed: {mean: 2, maximum: 200}, writes: {mean: 5, maximum: 100}}
workload:
  stars: {sql: "SELECT count(*), avg(stars) FROM review WHERE listing_id = :id AND stars > 1", rate: 300/s}
  latest:
    sql: >-
      SELECT r.stars, u.handle FROM review r JOIN "user" u ON u.id = r.author_id WHERE r.listing_id = :l
      ORDER BY r.written LIMIT 5
    rate: 300/s
  add: {sql: "INSERT INTO review (id, listing_id, author_id, stars, written) VALUES (:id, :l, :a, :s, :w)", rate: 2/s}
"""


def test_what_comes_with_another_choice_is_named(tmp_path: Path):
    """Without the copy, rows lie elsewhere too: what the copy itself buys was not measured."""
    path = tmp_path / "market.yaml"
    path.write_text(MARKET, encoding="utf-8")
    reading = inspect(str(path))
    found = rivals(reading, design(reading))
    named = [name for name in found if "without user.handle in review" in name]
    moved = {name: [each.name for each in found[name].design.collections] for name in named}
    assert moved
    assert all((", with review in user" in name) == ("review" not in stored) for name, stored in moved.items()), moved
    assert any("review" not in stored for stored in moved.values()), moved


@pytest.mark.thorough
def test_a_design_of_another_model_is_refused(reading: Reading, chosen: Proposal, tmp_path: Path):
    """The error names the file and what differs."""
    other = inspect(_note(tmp_path))
    path = tmp_path / "other.yaml"
    path.write_text(write_proposal(design(other, "normalized")), encoding="utf-8")
    with pytest.raises(InputError, match=r"design of a different model: .*`note`"):
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


@pytest.mark.thorough
@given(problems())
@settings(max_examples=20)
def test_sampled_choices_are_allowed(problem: DesignProblem):
    """Whatever the problem: only allowed choices, none twice, the same again for the same seed."""
    found = list(sampled(problem, 3, seed=1))
    assert all(evaluate(problem, chosen) is not None for chosen in found)
    assert len(set(found)) == len(found)
    assert list(sampled(problem, 3, seed=1)) == found
