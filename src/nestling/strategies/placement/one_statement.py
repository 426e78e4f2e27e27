"""A word on pairs of statements that would be one read if they were one statement: of a parent, and of its children."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nestling.ir.proposal import Choice, Decision
from nestling.ir.rate import rate_text
from nestling.ir.situation import Situation, read_by_same_key

MOST_PAIRS = 3
"""Pairs told, the most frequent ones."""


def one_statement(situation: Situation, decisions: Collection[Decision], may_embed: Collection[str]) -> Iterator[str]:
    """A sentence for each pair whose children live apart but may be embedded along one of the relationships `may_embed`."""
    apart = {made.relationship for made in decisions if made.choice is not Choice.EMBED}
    pairs = [each for each in read_by_same_key(situation) if each.link.name in apart and each.link.name in may_embed]
    for each in pairs[:MOST_PAIRS]:
        parent, children = each.parent.name, each.children.name
        yield (
            f"`{parent}` and `{children}` run equally often ({rate_text(each.parent.rate_per_second)}) by the same key of "
            f"`{each.link.parent}`; if one page shows both, write them as one statement (SELECT … JOIN …) and design "
            f"again: with `{each.link.child}` embedded in `{each.link.parent}` one read of one document answers both"
        )
