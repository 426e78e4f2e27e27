"""A one-screen explanation: what decided each decision, its flip point, and other structures, in a line or two each."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.emitters.explanation.explanation import Explained, Explanation
from nestling.emitters.explanation.flip_words import flip_text
from nestling.emitters.explanation.text import (
    WIDTH,
    UnbrokenLine,
    built,
    head,
    joined,
    kept_and_not,
    legend,
    listed,
    near,
    number,
    wrapped,
)
from nestling.emitters.explanation.weighed_words import rate_and_share, staying
from nestling.ir.proposal import Costs, Weighed
from nestling.ir.quantity_words import counted
from nestling.ir.words.proposal_rows import EQUAL, STAYS_WORD, UNTRIED, UNUSED

MORE_IN_FULL = (
    "`nestling explain DESIGN.YAML NAME` explains one relationship, entity or statement in full, `--all` everything."
)


def short_text(explained: Explanation, *, width: int = WIDTH) -> str:
    """The explanation of a whole design, without factors, prices and rejected alternatives."""
    blocks = head(explained)
    blocks += [list(_decided(each)) for each in explained.decisions]
    blocks += [list(_besides(explained))] if explained.weighed else []
    blocks += [list(built(explained.built_besides))] if explained.built_besides else []
    blocks += listed("Not taken into account", explained.gaps)
    blocks += listed("Good to know", explained.notes)
    blocks += legend({step.rule for each in explained.decisions for step in each.steps[:1]})
    blocks += [wrapped(MORE_IN_FULL, "")]
    return joined(blocks, width)


def _decided(each: Explained) -> Iterator[UnbrokenLine]:
    """The decision, the step that settled it, and the nearest quantity that turns it."""
    yield from wrapped(f"{each.relationship}: {each.choice} ({each.subject})", "", indent=2)
    for step in each.steps[:1]:
        yield from wrapped(f"{step.text}{number(step.number, step.text)}", f"  {step.rule:<10}")
    for flip in near(each.flips)[:1]:
        yield from wrapped(flip_text(flip), "  turns     ")


def _besides(explained: Explanation) -> Iterator[UnbrokenLine]:
    kept, rest = kept_and_not(explained.weighed)
    if kept:
        yield UnbrokenLine("Kept besides")
    for each in kept:
        yield from wrapped(_saved(each, explained.costs), "  ", indent=4)
    if rest:
        yield from wrapped(f"considered and not kept: {counted(len(rest), 'other')}", "  … ")


def _saved(each: Weighed, costs: Costs | None) -> str:
    """The structure, its saving, and the statements that it serves."""
    serves = f", for {', '.join(each.motives)}" if each.motives else ""
    if each.stays:
        return f"{each.structure}: {STAYS_WORD}{serves or f', for {UNUSED}'}; {staying(each, costs)}"
    if each.gain is not None and each.gain < 0:
        return f"{each.structure}: leaving it out would save {rate_and_share(-each.gain, costs)}, {UNTRIED}{serves}"
    if each.gain:
        return f"{each.structure}: saves {rate_and_share(each.gain, costs)}{serves}"
    return f"{each.structure}: {EQUAL}{serves}" if each.gain is not None else f"{each.structure}{serves}"
