"""The tree's answer for a many-to-many: arrays of ids on one side or both, or rows in one of them, or a junction (A5)."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.model import ManyToMany, Relationship
from nestling.ir.proposal import Alternative, Choice, Decision, Reason
from nestling.ir.quantity_words import short
from nestling.ir.situation.situation import Situation
from nestling.strategies.placement.decided_relationships import has_payload, sides
from nestling.strategies.placement.nesting import Nesting, alike, respelled
from nestling.strategies.placement.ownership import is_named_after


@dataclass(frozen=True, slots=True)
class Linked:
    """The decision on a many-to-many; `mirrored` is the side whose parent also keeps ids, "" when only one does."""

    decision: Decision
    mirrored: str = ""


def place(situation: Situation, both: ManyToMany, nesting: Nesting) -> Linked:
    """Embed the junction in the best side that may hold it (recorded in `nesting`), and decide on the other side."""
    every = sides(situation, both)
    asked = tuple(_asked(situation, side) for side in every)
    payload = has_payload(situation, both)
    refused: list[Reason] = []
    for side in sorted(every, key=lambda side: _preference(situation, side, payload=payload)):
        why = _objection(situation, side, payload=payload) or nesting.refusal(side)
        if why is None:
            nesting.embed(side)
            first = _asked(situation, side)  # the reason that a table of decisions shows
            return _held(situation, both, side, tuple(dict.fromkeys((first, *asked))), tuple(refused))
        refused.append(why)
    reference = Choice.PARENT_REFERENCE
    instead = tuple(
        Alternative(Choice.EMBED if payload else Choice.CHILD_REFERENCE, text)
        for text in dict.fromkeys(r.text for r in refused)
    )
    kept = Reason("A5", f"the junction `{both.through}` keeps a collection of its own, with the ids of both sides")
    reasons = (*asked, *dict.fromkeys(refused), kept)
    return Linked(Decision(both.name, reference, (str(reference),), reasons, instead))


def _asked(situation: Situation, side: Relationship) -> Reason:
    fan_out = situation.fan_outs[side.name]
    return Reason(
        "A5", f"cardinality? many-to-many: `{side.child}` per `{side.parent}`: {fan_out.text}", fan_out.projected
    )


def _preference(situation: Situation, side: Relationship, *, payload: bool) -> tuple[bool, bool, float]:
    """The side statements start from, then the one its rows are named after, then the one with the shorter array."""
    number = situation.fan_outs[side.name].projected
    starts = bool(situation.footprints[side.name].down) or not situation.has_workload
    return not starts, payload and not is_named_after(side), number if number is not None else float("inf")


def _objection(situation: Situation, side: Relationship, *, payload: bool) -> Reason | None:
    """Why the rules do not let this side hold the array."""
    fan_out, thresholds = situation.fan_outs[side.name], situation.thresholds
    if fan_out.grows:
        return Reason("rule-4", f"the array in `{side.parent}` would grow for ever", fan_out.largest)
    bound = thresholds.array_embed if payload else thresholds.array_ids
    if fan_out.projected is None:
        if not payload:
            return None
        return Reason("rule-4", f"how many `{side.child}` rows one `{side.parent}` would embed is not known")
    if fan_out.projected > bound:
        what = "rows" if payload else "ids"
        number = f"{fan_out.projected:,.0f} {what} in one `{side.parent}`"
        return Reason("rule-4", f"{number} are more than {bound:,}", fan_out.projected)
    share = situation.footprints[side.name].independent_share
    if payload and share > thresholds.stand_alone_share:
        what = f"{share:.0%} of the reads of `{side.child}` do not come through `{side.parent}`"
        return Reason("rule-2", what, share)
    return None


def _held(
    situation: Situation, both: ManyToMany, side: Relationship, asked: tuple[Reason, ...], refused: tuple[Reason, ...]
) -> Linked:
    other = next((each for each in sides(situation, both) if each is not side), None)
    junction = Alternative(
        Choice.PARENT_REFERENCE, f"A5 holds the ids in an array; a collection `{both.through}` costs a join"
    )
    number = situation.fan_outs[side.name].projected
    if has_payload(situation, both):
        held = Reason(
            "A5", f"the rows of `{both.through}` carry attributes of their own and live in `{side.parent}`", number
        )
        twice = Alternative(Choice.TWO_WAY_REFERENCE, "both sides would repeat the attributes of each link")
        decision = Decision(both.name, Choice.EMBED, (str(Choice.EMBED),), (*asked, *refused, held), (junction, twice))
        return Linked(decision)
    held = Reason("A5", f"an array of ids in `{side.parent}`{_assumption(number)}", number)
    why_not = "there is no other side" if other is None else _one_way(situation, side, other)
    if why_not or other is None:
        twice = Alternative(Choice.TWO_WAY_REFERENCE, why_not)
        choice = Choice.CHILD_REFERENCE
        return Linked(Decision(both.name, choice, (str(choice),), (*asked, *refused, held), (junction, twice)))
    rates = [situation.footprints[each.name].down for each in (side, other)]
    what = f"read from both sides ({short(rates[0])}/s and {short(rates[1])}/s): `{other.parent}` holds ids too"
    price = Reason("A11", f"{what}; the price is two updates for each change", rates[1])
    choice = Choice.TWO_WAY_REFERENCE
    once = Alternative(
        Choice.CHILD_REFERENCE, f"reading from `{other.parent}` would search the arrays of `{side.parent}`"
    )
    return Linked(
        Decision(both.name, choice, (str(choice),), (*asked, *refused, held, price), (once, junction)), other.name
    )


def _assumption(number: float | None) -> str:
    return ", assumed to stay short: how long it becomes is not known (rule-4)" if number is None else ""


def _one_way(situation: Situation, side: Relationship, other: Relationship) -> str:
    """Why only one side holds ids; "" when both should."""
    if not (situation.footprints[side.name].down and situation.footprints[other.name].down):
        return (
            "the workload does not read from both sides"
            if situation.has_workload
            else "no workload reads from both sides"
        )
    if situation.may_be_respelled(other):
        return respelled(situation, other).text
    if situation.may_be_alike(other.parent):
        return alike(other.parent).text
    objection = _objection(situation, other, payload=False)
    if objection is not None:
        return objection.text
    bound, number = situation.requirements.array_bound, situation.fan_outs[other.name].projected
    if bound is not None and number is not None and number > bound:
        return f"{number:,.0f} ids exceed the required array bound of {bound:,}"
    return "an id of several attributes is held on one side only" if len(side.child_attributes) > 1 else ""
