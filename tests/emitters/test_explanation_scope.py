"""What a proposal says of a statement: by what its reasons are about, not by how they are worded."""

from __future__ import annotations

from nestling.emitters.explanation_scope import scope
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document, Holder, Reference
from nestling.ir.proposal import Choice, Costs, Decision, Proposal, Reason, Weighed
from tests.planner.home_cases import LINE, ORDER, ORDER_LINE


def test_a_statement_that_a_text_leaves_out() -> None:
    """A statement is among those a reason is about though its text tells only the first."""
    line = Document("line", references=(Reference(ORDER_LINE.name, Holder.CHILD),))
    collections = (Collection("orders", Document("order"), ("id",)), Collection("lines", line))
    reasons = (Reason("A9", "joined along by first (5/s) and 1 more", statements=("first", "second")),)
    decision = Decision(ORDER_LINE.name, Choice.PARENT_REFERENCE, reasons=reasons)
    count = Weighed("count", "computed", False, -1.0, because="first (5/s) 2 ms/s more", statements=("first", "third"))
    costs = Costs(1.0, 1.0, "default", (("first", 0.1), ("second", 0.1), ("third", 0.1)))
    design = Design(Model("m", (ORDER, LINE), (ORDER_LINE,)), collections)
    proposal = Proposal("optimal", design, (decision,), weighed=(count,), costs=costs)
    assert scope(proposal, "second") == ((decision,), (), ())
    assert scope(proposal, "third") == ((), (count,), ())
