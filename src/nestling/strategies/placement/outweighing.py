"""What outweighs the seven factors, if most of them disagree with the decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nestling.ir.proposal import Choice, Decision, Reason
from nestling.ir.rules import OUTWEIGHS

EMBEDDING, REFERENCING, NEITHER = "embedding", "referencing", "neither"
"""The sides a factor may lean to."""
_INSIDE = (Choice.EMBED, Choice.CHILD_REFERENCE)


@dataclass(frozen=True, slots=True)
class LeaningFactor:
    """The side one factor leans to, and why."""

    side: str
    reason: Reason


def with_what_outweighs(made: Decision, factors: Sequence[LeaningFactor], *, embeds: bool) -> Decision:
    """The decision with one more reason if most factors that lean disagree; `embeds`: the choice.

    An existing reason of that rule gives the number; otherwise the reason is why the other choice was not made.
    """
    leaning = [each.side for each in factors]
    for_it, against = (EMBEDDING, REFERENCING) if embeds else (REFERENCING, EMBEDDING)
    others = tuple(each for each in made.reasons if each.rule != OUTWEIGHS)
    if leaning.count(against) <= leaning.count(for_it):
        return replace(made, reasons=others)
    said = f"{leaning.count(against)} of the {len(factors)} factors say {against}, {leaning.count(for_it) or 'none'} {for_it}"
    found = next((each for each in made.reasons if each.rule == OUTWEIGHS), None) or _refusal(made, embeds=embeds)
    why = Reason(OUTWEIGHS, f"{said}; what decides: {found.text}", found.number, found.statements)
    return replace(made, reasons=(*others, why))


def _refusal(made: Decision, *, embeds: bool) -> Reason:
    """Why the other side was not chosen, or the decision's last reason."""
    refused = (each for each in made.alternatives if (each.choice in _INSIDE) != embeds)
    other = next(refused, None)
    return Reason(OUTWEIGHS, other.text) if other is not None else made.reasons[-1]
