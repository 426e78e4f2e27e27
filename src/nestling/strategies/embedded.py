"""`embedded`: everything lives in its owner's document, as far as the invariants allow.

Relationships are taken in the order of ownership (`placement.ownership`); each is embedded unless its child has a home already,
or the embedding would make a cycle, pass the document or array bound, hold an array declared to grow, or leave more than a few
rows without a home.
"""

from __future__ import annotations

from nestling.ir.model import ManyToMany, Relationship
from nestling.ir.outline import Outline
from nestling.ir.proposal import Alternative, Choice, Decision, Reason
from nestling.ir.situation.situation import Situation
from nestling.strategies.placement.decided_relationships import has_payload, in_model_order, plain_links, sides
from nestling.strategies.placement.nesting import Nesting
from nestling.strategies.placement.ownership import mentioned_only, preference

Refusals = dict[str, Reason]


def outline(situation: Situation) -> Outline:
    """Embed in order of ownership, then say why for each relationship."""
    nesting, refusals = Nesting(situation), Refusals()
    for link in sorted(_candidates(situation), key=lambda link: preference(situation, link)):
        refusal = _not_an_owner(situation, link) or nesting.refusal(link)
        if refusal is None:
            nesting.embed(link)
        else:
            refusals[link.name] = refusal
    decisions = {link.name: _decision(situation, link, refusals.get(link.name)) for link in plain_links(situation)}
    for both in situation.model.many_to_many:
        decisions[both.name] = _decision_on_junction(situation, both, nesting, refusals)
    homes = {child: home.name for child, home in nesting.homes.items()}
    return Outline(in_model_order(situation, decisions), homes)


def _candidates(situation: Situation) -> list[Relationship]:
    """Every relationship, but of a junction's only the two that make it one."""
    junctions = {both.through for both in situation.model.many_to_many}
    return [e for e in situation.model.relationships if e.child not in junctions or e.name in situation.linked]


def _not_an_owner(situation: Situation, link: Relationship) -> Reason | None:
    why = mentioned_only(situation, link)
    return Reason("owner", why) if why else None


def _decision(situation: Situation, link: Relationship, refusal: Reason | None) -> Decision:
    fan_out = situation.fan_outs[link.name]
    number = Reason("A12", f"`{link.child}` per `{link.parent}`: {fan_out.text}", fan_out.largest)
    if link.child in {both.through for both in situation.model.many_to_many}:
        refusal = Reason("owner", f"`{link.child}` is a junction: it lives in one of the two sides it joins, or alone")
    if refusal is not None:
        instead = Alternative(Choice.EMBED, refusal.text)
        reference = Choice.PARENT_REFERENCE
        return Decision(link.name, reference, (str(reference),), (number, refusal), (instead,))
    reasons = [
        Reason("rule-1", f"embedded: no invariant speaks against it, and `{link.parent}` is its first owner"),
        number,
    ]
    if not situation.is_total(link):
        share = situation.lacking_share(link)
        reasons.append(
            Reason("invariant", f"the few `{link.child}` without a `{link.parent}` go to an orphans collection", share)
        )
    instead = Alternative(
        Choice.PARENT_REFERENCE, f"a collection of its own would cost a join to read `{link.child}` (rule-3)"
    )
    return Decision(link.name, Choice.EMBED, (str(Choice.EMBED),), tuple(reasons), (instead,))


def _decision_on_junction(situation: Situation, both: ManyToMany, nesting: Nesting, refusals: Refusals) -> Decision:
    numbers = tuple(
        Reason("A12", f"`{side.child}` per `{side.parent}`: {fan_out.text}", fan_out.largest)
        for side in sides(situation, both)
        for fan_out in (situation.fan_outs[side.name],)
    )
    home = nesting.homes.get(both.through)
    if home is None or home.name not in (both.left, both.right):
        found = [refusals.get(side.name) for side in sides(situation, both)]
        why = tuple(dict.fromkeys(reason for reason in found if reason is not None))
        choice, refused = Choice.PARENT_REFERENCE, "; ".join(reason.text for reason in why)
        instead = Alternative(Choice.EMBED, refused or "the junction lives elsewhere")
        return Decision(both.name, choice, (str(choice),), (*numbers, *why), (instead,))
    choice = Choice.EMBED if has_payload(situation, both) else Choice.CHILD_REFERENCE
    what = "its rows" if choice is Choice.EMBED else "the ids of the other side"
    reason = Reason("A5", f"{what} are held in `{home.parent}`, the owner among the two sides")
    instead = Alternative(Choice.PARENT_REFERENCE, f"a collection for `{both.through}` would cost a join on every read")
    return Decision(both.name, choice, (str(choice),), (reason, *numbers), (instead,))
