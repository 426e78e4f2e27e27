"""Which side holds the ids of a relationship that is not embedded (A3, A4, A11, rules 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.model import Cardinality, Relationship
from nestling.ir.primitives import Holder
from nestling.ir.proposal import Alternative, Choice, Reason
from nestling.ir.quantity_words import first_of, short
from nestling.ir.situation.situation import Situation
from nestling.strategies.placement.nesting import Nesting, alike, respelled
from nestling.strategies.placement.ownership import mentioned_only, other_parents


@dataclass(frozen=True, slots=True)
class ReferenceChoice:
    """The choice among the three references, why, and the others."""

    choice: Choice
    reasons: tuple[Reason, ...]
    alternatives: tuple[Alternative, ...]

    @property
    def holders(self) -> frozenset[Holder]:
        """The sides that hold the ids."""
        both = frozenset({Holder.PARENT, Holder.CHILD})
        return {Choice.CHILD_REFERENCE: frozenset({Holder.PARENT}), Choice.TWO_WAY_REFERENCE: both}.get(
            self.choice, frozenset({Holder.CHILD})
        )


def hold(situation: Situation, link: Relationship, nesting: Nesting) -> ReferenceChoice:
    """Child ids in the parent if the tree says so and there is no reason against it, else the parent's id in the child."""
    obstacle = next(_obstacles(situation, link, nesting), None)
    footprint = situation.footprints[link.name]
    if obstacle is not None:
        return _by_parent_id(link, obstacle)
    number = situation.fan_outs[link.name].projected
    bound = Reason("rule-4", f"array of ids bounded? {number:,.0f} of {situation.thresholds.array_ids:,}", number)
    if footprint.up:
        price = "the price is two updates, and no single atomic reassignment outside a transaction"
        often = f"{short(footprint.with_parent)}/s down, {short(footprint.up)}/s up"
        what = f"read both ways ({often}): both sides hold the id; {price}"
        return ReferenceChoice(
            Choice.TWO_WAY_REFERENCE,
            (bound, Reason("A11", what, footprint.up)),
            (
                Alternative(
                    Choice.CHILD_REFERENCE, f"finding the `{link.parent}` of one `{link.child}` would search the arrays"
                ),
                Alternative(
                    Choice.PARENT_REFERENCE, f"listing one `{link.parent}`'s `{link.child}` would need its own index"
                ),
            ),
        )
    if why := _loss(situation, link) or _of_several_parents(situation, link):
        return _by_parent_id(link, why)
    return ReferenceChoice(
        Choice.CHILD_REFERENCE,
        (bound, Reason("A3", f"reference: each `{link.parent}` holds the ids of its `{link.child}` rows", number)),
        (
            Alternative(
                Choice.PARENT_REFERENCE, "the tree holds child ids in the parent while their array is bounded (A3)"
            ),
            Alternative(
                Choice.TWO_WAY_REFERENCE, "no statement looks the parent up from a child, so its price buys nothing"
            ),
        ),
    )


def _by_parent_id(link: Relationship, why: Reason) -> ReferenceChoice:
    what = f"reference: each `{link.child}` holds the id of its `{link.parent}`"
    instead = (Alternative(Choice.CHILD_REFERENCE, why.text), Alternative(Choice.TWO_WAY_REFERENCE, why.text))
    return ReferenceChoice(Choice.PARENT_REFERENCE, (why, Reason("A6", what)), instead)


def _obstacles(situation: Situation, link: Relationship, nesting: Nesting) -> Iterator[Reason]:
    """What forbids, or speaks against, an array of child ids in the parent."""
    if link.is_self or link.cardinality is Cardinality.ONE_TO_ONE:
        yield Reason(
            "invariant", "one id in the child is enough" if not link.is_self else "the parent ids of a tree are enough"
        )
    if situation.may_be_respelled(link):
        yield respelled(situation, link)
    if situation.may_be_alike(link.parent):
        yield alike(link.parent)
    yield from _of_numbers(situation, link)
    if link.parent in nesting.homes:
        yield Reason("invariant", f"`{link.parent}` is embedded; only a root document holds ids of its children")
    if link.child in nesting.homes:
        yield Reason(
            "invariant",
            f"`{link.child}` lies in `{nesting.homes[link.child].parent}`: they have no `_id` that an array of ids could hold",
        )
    child = situation.model.entity(link.child)
    if not child.key:
        yield Reason("invariant", f"`{link.child}` has no key, so there are no ids to hold")
    if any(set(link.child_attributes) & set(group) for group in child.uniques):
        yield Reason(
            "invariant", f"{', '.join(link.child_attributes)} is part of a unique group, which needs it in the child"
        )
    footprint = situation.footprints[link.name]
    if footprint.reads and not footprint.with_parent:
        yield Reason("rule-5", f"no statement goes from `{link.parent}` to its `{link.child}`", 0)


def _of_numbers(situation: Situation, link: Relationship) -> Iterator[Reason]:
    fan_out, thresholds = situation.fan_outs[link.name], situation.thresholds
    if fan_out.grows:
        yield Reason("A4", "an array of ids would grow for ever", fan_out.largest)
    if fan_out.projected is None:
        yield Reason(
            "rule-4", f"an array of ids must be bounded, and how long it becomes is not known ({fan_out.text})"
        )
    elif fan_out.projected > thresholds.array_ids:
        what = f"an array of {fan_out.projected:,.0f} ids exceeds {thresholds.array_ids:,}"
        yield Reason("rule-4", what, fan_out.projected)
    bound = situation.requirements.array_bound
    if bound is not None and (fan_out.projected or 0) > bound:
        yield Reason("A12", f"the required array bound is {bound:,}", fan_out.projected)
    if why := mentioned_only(situation, link):
        yield Reason("owner", why)
    kinds = sum(not each.is_self for each in situation.children[link.parent])
    if kinds >= thresholds.hub_ids:
        what = (
            f"{kinds} relationships refer to `{link.parent}`: with an array for each, every new child would change it"
        )
        yield Reason("rule-4", what, kinds)
    if reason := _classifier(situation, link):
        yield reason


def _classifier(situation: Situation, link: Relationship) -> Reason | None:
    """A parent of few rows, each of many children, which no statement reads together with them: a list of kinds."""
    fan_out, thresholds = situation.fan_outs[link.name], situation.thresholds
    rows = situation.statistics.entity(link.parent).count
    if rows is None or rows.value > thresholds.lookup_rows or (fan_out.mean or 0) <= thresholds.few:
        return None
    if situation.footprints[link.name].with_parent:
        return None
    what = (
        f"`{link.parent}` is taken to be a mere classification: {rows.value:,.0f} rows, {fan_out.mean:,.0f}"
        f" `{link.child}` each on average (at most {thresholds.lookup_rows:,}: `lookup_rows`, nestling's number)"
    )
    return Reason("rule-4", what, rows.value)


def _of_several_parents(situation: Situation, link: Relationship) -> Reason | None:
    """Ids in the parent alone are for a child of one parent: of several, one read of the child would search all their arrays."""
    others = other_parents(situation, link)
    if not others:
        return None
    named = first_of([f"`{name}`" for name in others], 3)
    what = f"`{link.child}` also belongs to {named}: it stands alone, and says itself what it belongs to"
    return Reason("rule-2", what, len(others) + 1)


def _loss(situation: Situation, link: Relationship) -> Reason | None:
    """What an array of ids alone cannot represent: dangling foreign keys, or partly NULL ones."""
    if situation.is_total(link):
        return None
    if len(link.child_attributes) > 1:
        return Reason(
            "invariant", "a foreign key of several attributes may be partly NULL, which a list of ids cannot express"
        )
    dangling = situation.statistics.relationship(link.name).dangling
    if dangling is None:
        return Reason(
            "invariant",
            "whether every foreign key finds its parent is not known; a list of ids cannot hold those that do not",
        )
    if dangling.value:
        what = f"{dangling.value:,.0f} foreign keys point to nothing, which a list of ids cannot express"
        return Reason("invariant", what, dangling.value)
    return None
