"""`tree`: the published decision tree and rules, with configurable thresholds (A1 – A12).

Each relationship is taken through the tree separately (`placement.questions`). Relationships for which it says embed are then
embedded in the order of ownership, as far as the invariants allow; many-to-many links get their arrays; the rest is referenced,
from the side that the rules name. Every step is a reason.

The sources' examples have one parent for each child. Their tree stores child ids in the parent, and this is done for a child
with one parent. The following cases are an interpretation:

- A child of several parents holds their ids (rule 2). It stands alone: it can be found by any of them. With ids only in the
  parents, one read of the child would search an array in each. If the workload reads both ways, both sides hold the id (A11).
- A parent to which many relationships refer (`hub_ids`) holds no arrays of ids (rule 4). With one array for each kind of child,
  every new child would write the parent's document, and the arrays would grow with all activity.
- A parent of few rows (`lookup_rows`) with more than a few children each, which no statement reads together with them, is
  assumed to classify them, like a list of states: it holds no array of ids (rule 4).
- Without a workload, a child is assumed to be accessed by itself (rule 2) if the schema suggests it: others refer to it;
  something other than its parent makes it unique; or it belongs to another parent too and owns many children, as an order owns
  its lines.
"""

from __future__ import annotations

from nestling.ir.model import Relationship
from nestling.ir.outline import Outline
from nestling.ir.proposal import Alternative, Choice, Decision, Reason
from nestling.ir.situation.situation import Situation
from nestling.strategies.placement.decided_relationships import in_model_order, plain_links
from nestling.strategies.placement.many_to_many import Linked, place
from nestling.strategies.placement.nesting import Nesting
from nestling.strategies.placement.ownership import owners, preference
from nestling.strategies.placement.questions import TreeAnswer, ask
from nestling.strategies.placement.referencing import hold


def outline(situation: Situation) -> Outline:
    """Ask, embed, link, reference."""
    owned_by = owners(situation)
    answers = {link.name: _answer(situation, link, ask(situation, link, owned_by)) for link in plain_links(situation)}
    nesting = Nesting(situation, levels=situation.thresholds.nesting_levels)
    wanted = [link for link in plain_links(situation) if answers[link.name].embeds]
    refusals: dict[str, Reason] = {}
    for link in sorted(wanted, key=lambda link: preference(situation, link)):
        refusal = nesting.refusal(link)
        if refusal is None:
            nesting.embed(link)
        else:
            refusals[link.name] = refusal
    linked = {both.name: place(situation, both, nesting) for both in situation.model.many_to_many}
    return _decided(situation, nesting, answers, refusals, linked)


def _answer(situation: Situation, link: Relationship, answer: TreeAnswer) -> TreeAnswer:
    """A junction belongs to the sides it joins; its further parents never embed it."""
    if not any(both.through == link.child for both in situation.model.many_to_many):
        return answer
    why = f"`{link.child}` is a junction: it lives in one of the two sides it joins, or alone"
    return TreeAnswer(embeds=False, reasons=(Reason("owner", why),), against=why)


def _decided(
    situation: Situation,
    nesting: Nesting,
    answers: dict[str, TreeAnswer],
    refusals: dict[str, Reason],
    linked: dict[str, Linked],
) -> Outline:
    decisions = {name: each.decision for name, each in linked.items()}
    held = {}
    for link in plain_links(situation):
        answer, refusal = answers[link.name], refusals.get(link.name)
        if answer.embeds and refusal is None:
            decisions[link.name] = _embedded(situation, link, answer)
            continue
        reference = hold(situation, link, nesting)
        held[link.name] = reference.holders
        refused = () if refusal is None else (refusal,)
        instead = Alternative(Choice.EMBED, refusal.text if refusal is not None else answer.against)
        decisions[link.name] = Decision(
            link.name,
            reference.choice,
            (str(reference.choice),),
            tuple(dict.fromkeys((*answer.reasons, *refused, *reference.reasons))),
            (instead, *reference.alternatives),
        )
    homes = {child: home.name for child, home in nesting.homes.items()}
    mirrored = {name: each.mirrored for name, each in linked.items() if each.mirrored}
    return Outline(in_model_order(situation, decisions), homes, held, mirrored)


def _embedded(situation: Situation, link: Relationship, answer: TreeAnswer) -> Decision:
    orphans: tuple[Reason, ...] = ()
    if not situation.is_total(link):
        share = situation.lacking_share(link)
        orphans = (
            Reason("invariant", f"the few `{link.child}` without a `{link.parent}` go to an orphans collection", share),
        )
    instead = Alternative(
        Choice.PARENT_REFERENCE, f"reading one `{link.parent}` with its `{link.child}` would cost a join (rule-3)"
    )
    return Decision(link.name, Choice.EMBED, (str(Choice.EMBED),), (*answer.reasons, *orphans), (instead,))
