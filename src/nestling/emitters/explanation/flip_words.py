"""Flip points in words: `turns to parent-reference when rename_product runs above 3.1/s (now 5/day)`."""

from __future__ import annotations

from nestling.ir.proposal import UNCHECKED, WITHOUT_IT, Flip
from nestling.ir.quantity_words import short
from nestling.ir.rate import full_rate, short_rate

RATE = "rate of "


def flip_text(flip: Flip) -> str:
    """One flip; rates in the unit they read best in, other quantities as numbers."""
    return _turn(flip) if flip.checked else f"{_turn(flip)}; {UNCHECKED}"


def _turn(flip: Flip) -> str:
    side = "above" if flip.at > flip.now else "below"
    to = flip.to if flip.to == WITHOUT_IT else f"to {flip.to}"
    if not flip.quantity.startswith(RATE):
        return f"{to} when {flip.quantity} is {side} {short(flip.at)} (now {short(flip.now)})"
    statement = flip.quantity.removeprefix(RATE)
    return f"{to} when {statement} runs {side} {short_rate(flip.at)} (now {full_rate(flip.now)})"
