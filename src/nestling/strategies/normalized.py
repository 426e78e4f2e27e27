"""`normalized`: one collection per entity; every child holds its parent's id.

The baseline every other design is compared with: no row is stored within another, and every join of the application
remains one.
"""

from __future__ import annotations

from nestling.ir.outline import Outline
from nestling.ir.proposal import Alternative, Choice, Decision, Reason
from nestling.ir.situation.situation import Situation
from nestling.strategies.placement.decided_relationships import in_model_order, plain_links

_REFERENCE = (str(Choice.PARENT_REFERENCE),)


def outline(situation: Situation) -> Outline:
    """Embed nothing; every child holds its parent's id."""
    decisions = {
        link.name: Decision(
            link.name,
            Choice.PARENT_REFERENCE,
            _REFERENCE,
            (
                Reason("strategy", "normalized: one collection for each entity"),
                Reason("A12", f"`{link.child}` per `{link.parent}`: {fan_out.text}", fan_out.largest),
            ),
            (Alternative(Choice.EMBED, "normalized never embeds; `--strategy embedded` or `tree` does (rule-1)"),),
        )
        for link in plain_links(situation)
        for fan_out in (situation.fan_outs[link.name],)
    }
    for both in situation.model.many_to_many:
        reason = Reason("strategy", f"normalized: the junction `{both.through}` keeps a collection of its own")
        instead = Alternative(
            Choice.CHILD_REFERENCE,
            "normalized keeps no arrays of ids; `--strategy tree` does where they save the junction (A5)",
        )
        decisions[both.name] = Decision(both.name, Choice.PARENT_REFERENCE, _REFERENCE, (reason,), (instead,))
    return Outline(in_model_order(situation, decisions))
