"""The optimizer's numbers in words: the statements behind a difference, and the rates at which a choice turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nestling import pipeline
from nestling.ir.design_problem import Solution, Turn, Weighing
from nestling.ir.proposal import Flip
from nestling.ir.workload import Statement, StatementKind
from nestling.optimizer.alternatives import OtherChoice, alternatives_within
from nestling.strategies.placement.wording import about_equal, causes, flips, more
from tests.strategies.readings import entity, fan_out, read, reading, relationship

RATES = {"read": 60.0, "write": 10.0, "page": 1.0}


def solution(cost: float) -> Solution:
    """A solution of that cost."""
    return Solution(frozenset(), {}, cost, cost, 0.0, proved=True)


def test_the_largest_causes_are_named():
    """Statements that pay or save most come with their rate; those that hardly do are counted, and next to nothing is not."""
    said = causes([("read", 0.0027), ("write", -0.0002), ("page", 5e-5), ("speck", 1e-6)], RATES)
    assert said == "adds 2.7 ms/s in read (60/s), saves 0.2 ms/s in write (10/s); 1 other changes a little"


def test_nothing_has_no_cause():
    """No difference, no words."""
    assert causes([("read", 0.0)], RATES) == ""


def test_what_is_no_statement_is_named_as_it_is() -> None:
    """The price of further structures among the causes, without a rate."""
    said = causes([("complexity", 0.003), ("write", 0.002), ("read", -0.001)], RATES)
    assert said == "adds 3 ms/s for complexity and 2 ms/s in write (10/s), saves 1 ms/s in read (60/s)"


def test_a_difference_has_its_share():
    """Milliseconds a second, and the share of the whole; within rounding it is no difference."""
    assert more(0.0025, solution(1.0)) == "2.5 ms/s more (0.25% of the workload)"
    assert more(1e-12, solution(1.0)) == "just as much"


def test_a_slight_difference_is_called_one():
    """Below a hundredth of the workload, either way; larger ones are said as they are."""
    assert about_equal(0.0099, solution(1.0)) == about_equal(-0.0099, solution(1.0)) == "about equal: "
    assert about_equal(0.0101, solution(1.0)) == ""


def test_a_decision_that_rests_on_little_says_so() -> None:
    """Both where it is compared with the runner-up and where with the decision tree."""
    people, link = [entity("person", "name"), entity("pet", "person_id", "name")], relationship("person", "pet")

    def said(rate: float) -> list[str]:
        pets = Statement("pets", "SELECT name FROM pet WHERE person_id = :id", StatementKind.SELECT, 1.0)
        page = Statement("page", "SELECT name FROM person WHERE id = :id", StatementKind.SELECT, rate)
        pets, page = (
            replace(pets, accesses=(replace(read("pet", "person_id"), attributes=("name",)),)),
            replace(page, accesses=(replace(read("person", "id"), attributes=("name",)),)),
        )
        found = reading(people, [link], fan_outs={"person_pet": fan_out(5, mean=2)}, statements=(pets, page))
        decision = pipeline.design(found).decision("person_pet")
        assert decision is not None
        return [reason.text for reason in decision.reasons if reason.rule in ("cost", "A10")]

    assert all("about equal: " in text for text in said(1e4))


@pytest.mark.parametrize(
    ("weighed", "said"),
    [
        (0, "costs least; its alternatives were not weighed one by one"),
        (1, "costs least; its alternatives were not weighed one by one"),
        (9, "any other place would exceed a document bound or a budget, or remove what is there"),
    ],
)
def test_what_other_places_break_is_told_where_all_were_weighed(
    weighed: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them may be allowed; where the time sufficed for some of them alone, nothing is known of the others."""

    def none_allowed(*arguments: Any, **options: Any) -> tuple[OtherChoice, ...]:
        return tuple(replace(each, cost=None) for each in alternatives_within(*arguments, **options)[:weighed])

    monkeypatch.setattr("nestling.optimizer.weigh.alternatives_within", none_allowed)
    people = [entity("person", "name"), entity("city", "name"), entity("pet", "person_id", "city_id", "name")]
    links = [relationship("person", "pet"), relationship("city", "pet")]
    accesses = {"mine": "person_id", "here": "city_id"}
    statements = tuple(
        replace(
            Statement(name, f"SELECT name FROM pet WHERE {by} = :id", StatementKind.SELECT, 10.0),
            accesses=(replace(read("pet", by), attributes=("name",)),),
        )
        for name, by in accesses.items()
    )
    fans = {each.name: fan_out(5, mean=2) for each in links}
    decision = pipeline.design(reading(people, links, fan_outs=fans, statements=statements)).decision("person_pet")
    assert decision is not None
    assert [reason.text for reason in decision.reasons if reason.rule == "cost" and said in reason.text]


def test_only_a_proved_turn_counts():
    """A turn that was proved stands; where an alternative overtakes the design as it is, the design may be another one."""
    turn = Turn("rate of read", 60.0, 40.0, "alone")
    weighing = Weighing("home of part", (("alone", 12.0),), (turn,), ((("read", 3.0), ("write", -1.0)),))
    found = flips(weighing, RATES, {"alone": "parent-reference"}, "embed")
    assert found == (Flip("rate of read", 60.0, 40.0, "parent-reference"),)


def test_the_same_choice_elsewhere_is_no_flip():
    """Another place that means the same for the relationship is not worth a word."""
    turn = Turn("rate of read", 60.0, 40.0, "other")
    weighing = Weighing("home of part", (("other", 12.0),), (turn,), ((("read", 3.0),),))
    assert flips(weighing, RATES, {"other": "embed"}, "embed") == ()
