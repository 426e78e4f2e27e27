"""A decision that is not what most of its factors say names what outweighs them, and no other decision does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from nestling.ir.outline import Outline
from nestling.ir.proposal import Choice, Decision, Proposal, Reason
from nestling.ir.rules import OUTWEIGHS

INSIDE = (Choice.EMBED, Choice.CHILD_REFERENCE)


def _against(decision: Decision, proposal: Proposal) -> bool:
    """Whether most factors that lean say otherwise than the choice; a table has one home, whatever else it relates to."""
    factors = [each.text for each in decision.reasons if each.rule == "A7"]
    embedding, referencing = (
        sum(f"leans to {side} " in each for each in factors) for side in ("embedding", "referencing")
    )
    nodes = [node for store in proposal.design.stores for node in store.nodes()]
    links = {node.embedding.relationship for node in nodes if node.embedding is not None}
    halves = [
        (each.left, each.right) for each in proposal.design.model.many_to_many if each.name == decision.relationship
    ]
    is_inside = bool(links & {decision.relationship, *(halves[0] if halves else ())})
    return referencing > embedding if is_inside else embedding > referencing


@pytest.mark.parametrize("strategy", ["optimal", "tree", "embedded", "normalized"])
def test_what_outweighs_the_factors_is_said_where_they_say_otherwise(
    shop_design: Callable[[str], Proposal], strategy: str
) -> None:
    """Once, with how many factors say what; and nowhere else."""
    proposal = shop_design(strategy)
    told = {each.relationship: [r.text for r in each.reasons if r.rule == OUTWEIGHS] for each in proposal.decisions}
    expected = {each.relationship for each in proposal.decisions if _against(each, proposal)}
    assert expected
    assert {name for name, texts in told.items() if texts} == expected
    for name in expected:
        (text,) = told[name]
        assert " of the 7 factors say " in text, name
        assert text.partition("what decides: ")[2], name


def test_the_number_is_what_the_other_choice_costs_more(shop_design: Callable[[str], Proposal]) -> None:
    """The cost of the cheapest design that embeds, beside that of the design, and the statement that pays."""
    proposal = shop_design("optimal")
    decision = proposal.decision("product_category")
    assert decision is not None
    assert proposal.costs is not None
    (why,) = (each for each in decision.reasons if each.rule == OUTWEIGHS)
    cheapest = min(each.cost for each in decision.alternatives if each.choice in INSIDE and each.cost is not None)
    assert why.number == pytest.approx(cheapest - proposal.costs.cost)
    assert why.text.startswith(
        "4 of the 7 factors say embedding, 2 referencing; what decides: product_category in category costs "
    )
    assert (
        "in category_listing (300/s); either would do: between designs that are about equal, the lower cost decides"
        in why.text
    )
    assert "category_listing" in why.statements


def test_what_is_moved_out_no_longer_says_what_outweighed() -> None:
    """The bound that moved it out decides then."""
    decided = Decision("a_b", Choice.EMBED, reasons=(Reason(OUTWEIGHS, "b in a collection of its own costs more"),))
    moved = Outline((decided,), {"b": "a_b"}).without("a_b", "a_b", Reason("A12", "one `a` would pass 16 MB"))
    assert moved.decisions == (replace(moved.decisions[0], reasons=(Reason("A12", "one `a` would pass 16 MB"),)),)
