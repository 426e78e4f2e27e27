"""The decision tree's questions about one relationship, in the tree's order, with their answers (A1 – A4, A6, A10, A12).

Cardinality is judged by the largest known fan-out, including growth. If the workload does not answer a question, the schema
does, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nestling.ir.model import Cardinality, OnDelete, Relationship
from nestling.ir.proposal import Reason
from nestling.ir.quantity_words import agreeing, first_of, short
from nestling.ir.situation.situation import Situation
from nestling.strategies.placement.ownership import (
    is_identifying,
    mentioned_only,
    other_parents,
    own_children,
    references_from_elsewhere,
)


@dataclass(frozen=True, slots=True)
class TreeAnswer:
    """Whether the tree says embed, and the questions that led there; `against`: reasons against embedding."""

    embeds: bool
    reasons: tuple[Reason, ...]
    against: str = ""


def ask(situation: Situation, link: Relationship, owned_by: Mapping[str, Relationship]) -> TreeAnswer:
    """Walk the tree for one 1:1 or 1:N relationship; `owned_by` is each child's best owner."""
    if link.is_self:
        return _no(
            Reason("invariant", f"`{link.child}` relates to itself: a tree of no fixed depth cannot be embedded")
        )
    if why := mentioned_only(situation, link):
        return _no(Reason("owner", why))
    if link.cardinality is Cardinality.ONE_TO_ONE:
        asked = Reason("A1", f"cardinality? one-to-one: one `{link.parent}` has at most one `{link.child}`", 1)
        return _of_few(situation, link, owned_by, asked)
    fan_out, thresholds = situation.fan_outs[link.name], situation.thresholds
    number = fan_out.projected if fan_out.projected is not None else fan_out.mean
    if fan_out.grows or (number is not None and number > thresholds.many):
        return _of_squillions(situation, link, number)
    if fan_out.projected is not None and fan_out.projected < thresholds.few:
        what = f"cardinality? one-to-few: {fan_out.text}, fewer than {thresholds.few}"
        return _of_few(situation, link, owned_by, Reason("A2", what, fan_out.projected))
    return _of_many(situation, link, owned_by)


def _no(*reasons: Reason) -> TreeAnswer:
    return TreeAnswer(embeds=False, reasons=reasons, against=reasons[-1].text)


def _of_squillions(situation: Situation, link: Relationship, number: float | None) -> TreeAnswer:
    fan_out = situation.fan_outs[link.name]
    what = (
        f"{fan_out.text}, and it keeps growing"
        if fan_out.grows
        else f"{fan_out.text}, beyond {situation.thresholds.many:,}"
    )
    return _no(
        Reason("A4", f"cardinality? one-to-squillions: {what}", number),
        Reason("rule-4", "arrays must not grow without bound, whether of documents or of ids", number),
    )


def _of_few(
    situation: Situation, link: Relationship, owned_by: Mapping[str, Relationship], asked: Reason
) -> TreeAnswer:
    """One or few: embed, unless the child must stand alone and nothing says that both change together."""
    footprint = situation.footprints[link.name]
    alone = _stands_alone(situation, link, owned_by)
    if alone is None:
        reasons = [asked, Reason("rule-1", "favour embedding: nothing compelling speaks against it")]
        if footprint.independent:
            what = f"accessed independently? {footprint.independent_share:.0%} of its reads, which is not compelling"
            reasons.insert(1, Reason("rule-2", what, footprint.independent_share))
        return TreeAnswer(embeds=True, reasons=tuple(reasons))
    if footprint.atomic:
        atomic = _atomic(situation, link)
        draw = Reason(
            "A10", f"{alone.rule} says reference, {asked.rule} and A3 embed: atomic updates decide", atomic.number
        )
        return TreeAnswer(embeds=True, reasons=(asked, alone, atomic, draw))
    draw = Reason(
        "A10", f"{asked.rule} says embed, {alone.rule} says reference: stand-alone access decides", alone.number
    )
    return TreeAnswer(embeds=False, reasons=(asked, alone, draw), against=alone.text)


def _of_many(situation: Situation, link: Relationship, owned_by: Mapping[str, Relationship]) -> TreeAnswer:
    """Fifty to thousands, or unknown: always with the parent? independently? atomically? Those are the questions."""
    fan_out, footprint = situation.fan_outs[link.name], situation.footprints[link.name]
    number = fan_out.projected if fan_out.projected is not None else fan_out.mean
    what = f"cardinality? one-to-many: {fan_out.text}"
    if fan_out.projected is None:
        what = f"cardinality? {fan_out.text}: the tree takes it as one-to-many"
    asked = Reason("A3" if fan_out.projected is not None else "A12", what, number)
    always, answers = _by_workload(situation, link) if footprint.reads else _by_schema(situation, link, owned_by)
    atomic = _atomic(situation, link)
    reasons = [asked, *answers, atomic]
    if not always and footprint.atomic:
        what = "the tree's `accessed independently` says reference, A3 says embed: atomic updates decide"
        reasons.append(Reason("A10", what, atomic.number))
    if not always and not footprint.atomic:
        why = "it is not always accessed with its parent, and no update must change both at once"
        return TreeAnswer(embeds=False, reasons=tuple(reasons), against=why)
    return _bounded(situation, link, number, reasons)


def _bounded(situation: Situation, link: Relationship, number: float | None, reasons: list[Reason]) -> TreeAnswer:
    """A3 says embed, but rule 4 has its own bound."""
    bound = situation.thresholds.array_embed
    if number is not None and number > bound:
        why = f"{number:,.0f} elements: A3 says embed, rule-4 says do not embed more than {bound}; the number decides"
        return TreeAnswer(embeds=False, reasons=(*reasons, Reason("A10", why, number)), against=why)
    checked = f"{number:,.0f} elements of {bound}" if situation.fan_outs[link.name].largest is not None else "not known"
    reasons.append(Reason("rule-4", f"array bounded? {checked}", number))
    reasons.append(Reason("rule-1", "favour embedding: nothing compelling speaks against it"))
    return TreeAnswer(embeds=True, reasons=tuple(reasons))


def _by_workload(situation: Situation, link: Relationship) -> tuple[bool, list[Reason]]:
    footprint = situation.footprints[link.name]
    share = footprint.independent_share
    always = share <= situation.thresholds.independent_share
    what = f"always accessed with its parent? {'yes' if always else 'no'}: {1 - share:.0%} of its reads come through it"
    reasons = [Reason("A3", what, 1 - share)]
    if not always:
        what = f"accessed independently? yes: {short(footprint.independent)} reads/s find `{link.child}` another way"
        reasons.append(Reason("A3", what, footprint.independent))
    return always, reasons


def _by_schema(
    situation: Situation, link: Relationship, owned_by: Mapping[str, Relationship]
) -> tuple[bool, list[Reason]]:
    """Without reads: a child that cannot exist without its parent is assumed to be read with it.

    A cascading delete is weak evidence (many schemas let all of them cascade), so it counts only for arrays known to be
    bounded.
    """
    because = ""
    if is_identifying(situation, link):
        because = f"the key of `{link.child}` contains that of `{link.parent}`"
    elif link.on_delete is OnDelete.CASCADE and situation.is_total(link) and _is_measured(situation, link):
        because = f"deleting one `{link.parent}` deletes its `{link.child}`"
    nobody = "no statement reads it" if situation.has_workload else "no workload given"
    assumed = f"assumed yes, because {because}" if because else "assumed no, because the child's key stands on its own"
    reasons = [Reason("A3", f"always accessed with its parent? {nobody}; {assumed}")]
    alone = _alone_by_schema(situation, link, owned_by)
    if because and alone is not None:
        what, number = alone
        reasons.append(Reason("A3", f"accessed independently? {nobody}; assumed yes, because {what}", number))
    return bool(because) and alone is None, reasons


def _alone_by_schema(
    situation: Situation, link: Relationship, owned_by: Mapping[str, Relationship]
) -> tuple[str, int] | None:
    """What in the schema suggests that the child is searched for without this parent, and a count of it."""
    others = references_from_elsewhere(situation, link.child, owned_by)
    if others:
        return f"{_names(others)} {agreeing(len(others), 'refers', 'refer')} to it from elsewhere", len(others)
    if link.cardinality is Cardinality.ONE_TO_ONE:
        return None
    uniques = situation.model.entity(link.child).uniques
    own = next((group for group in uniques if not set(group) & set(link.child_attributes)), ())
    if own:
        unique = agreeing(len(own), "is unique", "are unique together")
        return (
            f"{_names(own)} {unique} regardless of `{link.parent}`, which no index enforces among array elements",
            len(own),
        )
    parents = tuple(name for name in other_parents(situation, link) if name != link.child)
    children = own_children(situation, link.child, owned_by)
    if parents and children and not is_identifying(situation, link):
        return f"it also belongs to {_names(parents)} and has {_names(children)} of its own", len(parents)
    return None


def _is_measured(situation: Situation, link: Relationship) -> bool:
    return situation.fan_outs[link.name].largest is not None


def _stands_alone(situation: Situation, link: Relationship, owned_by: Mapping[str, Relationship]) -> Reason | None:
    """Rule 2's compelling reason: most reads find the child without its parent, or the schema says so."""
    footprint, bound = situation.footprints[link.name], situation.thresholds.stand_alone_share
    if footprint.reads:
        share = footprint.independent_share
        if share <= bound:
            return None
        return Reason("rule-2", f"accessed independently? {share:.0%} of its reads, above {bound:.0%}", share)
    alone = _alone_by_schema(situation, link, owned_by)
    if alone is None:
        return None
    what, number = alone
    return Reason("rule-2", f"accessed independently? no workload given; assumed yes, because {what}", number)


def _atomic(situation: Situation, link: Relationship) -> Reason:
    atomic = situation.footprints[link.name].atomic
    found = f"yes: {', '.join(atomic)}" if atomic else "none is known"
    return Reason("A3", f"atomic updates of both needed? {found}", len(atomic))


def _names(entities: tuple[str, ...]) -> str:
    return first_of([f"`{name}`" for name in entities], 3)
