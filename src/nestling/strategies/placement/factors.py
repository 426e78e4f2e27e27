"""The seven decision factors (A7): to which side each leans for one relationship, and by what number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nestling.ir.model import Relationship
from nestling.ir.proposal import Decision, Reason
from nestling.ir.quantity_words import counted, short, size
from nestling.ir.situation.situation import Situation
from nestling.strategies.placement.nesting import Nesting
from nestling.strategies.placement.outweighing import (
    EMBEDDING,
    NEITHER,
    REFERENCING,
    LeaningFactor,
    with_what_outweighs,
)


def weighed(situation: Situation, homes: Mapping[str, str], decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """The decisions with their factors; a many-to-many is weighed by the side that holds it, else by its first."""
    nesting = Nesting(situation)
    for home in homes.values():
        nesting.embed(situation.model.relationship(home))
    first = {both.name: homes.get(both.through, both.left) for both in situation.model.many_to_many}
    sides = {both.name: (both.left, both.right) for both in situation.model.many_to_many}
    found = []
    for made in decisions:
        name = first.get(made.relationship, made.relationship)
        if made.relationship in sides and name not in sides[made.relationship]:
            name = sides[made.relationship][0]
        seven = factors(situation, situation.model.relationship(name), nesting)
        link = situation.model.relationship(name)
        told = with_what_outweighs(
            made, seven, embeds=homes.get(link.child) in (name, *sides.get(made.relationship, ()))
        )
        found.append(replace(told, reasons=(*told.reasons, *(each.reason for each in seven))))
    return tuple(found)


def factors(situation: Situation, link: Relationship, nesting: Nesting) -> tuple[LeaningFactor, ...]:
    """The seven factors in the published order; `nesting`: what is embedded, for the size of documents."""
    return (
        _read_pattern(situation, link),
        _write_pattern(situation, link),
        _data_size(situation, link, nesting),
        _atomicity(situation, link),
        _duplication(situation, link),
        _cardinality(situation, link),
        _document_size(situation, link, nesting),
    )


def _factor(name: str, embeds: bool | None, evidence: str, number: float | None = None) -> LeaningFactor:
    side = NEITHER if embeds is None else EMBEDDING if embeds else REFERENCING
    return LeaningFactor(side, Reason("A7", f"{name}: leans to {side} – {evidence}", number))


def _read_pattern(situation: Situation, link: Relationship) -> LeaningFactor:
    footprint = situation.footprints[link.name]
    if not footprint.reads:
        return _factor("read pattern", None, _unread(situation, link))
    share = footprint.with_parent / footprint.reads
    evidence = f"{share:.0%} of the reads of `{link.child}` come through `{link.parent}`"
    return _factor("read pattern", share >= situation.thresholds.stand_alone_share, evidence, share)


def _write_pattern(situation: Situation, link: Relationship) -> LeaningFactor:
    footprint = situation.footprints[link.name]
    if not footprint.reads and not footprint.child_writes:
        return _factor("write pattern", None, _unread(situation, link))
    ratio = footprint.child_writes / footprint.reads if footprint.reads else float("inf")
    evidence = f"{short(footprint.child_writes)}/s writes and {short(footprint.reads)}/s reads of `{link.child}` (A9)"
    return _factor("write pattern", ratio < situation.thresholds.writes_per_read, evidence, footprint.child_writes)


def _data_size(situation: Situation, link: Relationship, nesting: Nesting) -> LeaningFactor:
    fan_out, each = situation.fan_outs[link.name], nesting.bytes[link.child]
    if fan_out.grows:
        return _factor("data size", False, f"one `{link.parent}` keeps getting `{link.child}` rows")
    if fan_out.largest is None:
        return _factor("data size", None, f"{each:,.0f} bytes each, but their number is not known")
    size = fan_out.largest * each
    evidence = f"up to {fan_out.largest:,.0f} × {each:,.0f} bytes in one `{link.parent}`"
    return _factor("data size", size <= situation.thresholds.children_bytes, evidence, size)


def _atomicity(situation: Situation, link: Relationship) -> LeaningFactor:
    atomic = situation.footprints[link.name].atomic
    if atomic:
        return _factor("atomicity", True, f"both change at once: {', '.join(atomic)}", len(atomic))
    if not situation.has_workload:
        return _factor("atomicity", None, "no workload says what changes together")
    return _factor("atomicity", None, "no statement changes both at once", 0)


def _duplication(situation: Situation, link: Relationship) -> LeaningFactor:
    others = {p.parent for p in situation.parents[link.child] if p is not link and p.parent != link.child}
    if not others:
        return _factor("duplication", True, f"`{link.child}` has no other parent, so nothing is stored twice", 0)
    which = f"also belongs to {counted(len(others), 'other parent')}, which would reach it only through this one"
    evidence = f"`{link.child}` {which}"
    return _factor("duplication", False, evidence, len(others))


def _cardinality(situation: Situation, link: Relationship) -> LeaningFactor:
    fan_out, bound = situation.fan_outs[link.name], situation.thresholds.array_embed
    number = fan_out.projected
    if number is None:
        return _factor("cardinality", False if fan_out.grows else None, fan_out.text, fan_out.mean)
    return _factor(
        "cardinality", number <= bound and not fan_out.grows, f"{fan_out.text}; the bound is {bound}", number
    )


def _document_size(situation: Situation, link: Relationship, nesting: Nesting) -> LeaningFactor:
    bound, root = situation.requirements.document_bound_bytes, nesting.root_of(link.parent)
    fan_out, now = situation.fan_outs[link.name], situation.elements(link)
    if fan_out.largest is None:
        return _factor("document size", None, f"the fan-out is not known; the bound is {size(bound)}")
    expected = max(fan_out.projected or now, now)
    held = now if root == nesting.root_of(link.child) else 0.0
    reached = nesting.bytes[root] + (expected - held) * nesting.bytes[link.child]
    growth = f" {fan_out.with_growth}" if round(expected) > now else ""
    evidence = f"one `{root}` would reach {size(reached)}{growth}; the bound is {size(bound)}"
    return _factor("document size", reached < bound * situation.thresholds.document_share, evidence, reached)


def _unread(situation: Situation, link: Relationship) -> str:
    return f"no statement reads `{link.child}`" if situation.has_workload else "no workload given"
