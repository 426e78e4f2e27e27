"""A word on pairs of statements, of a parent and of its children: what would be one read if it were one statement, and what is
priced as one command.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from nestling.ir.proposal import Choice, Decision
from nestling.ir.rate import full_rate
from nestling.ir.situation import Situation, read_by_same_key
from nestling.ir.workload import Statement

MOST_PAIRS = 3
"""Pairs told, the most frequent ones."""


def one_statement(situation: Situation, decisions: Collection[Decision], may_embed: Collection[str]) -> Iterator[str]:
    """A sentence for each pair whose children live apart but may be embedded along one of the relationships `may_embed`."""
    apart = {made.relationship for made in decisions if made.choice is not Choice.EMBED}
    pairs = [each for each in read_by_same_key(situation) if each.link.name in apart and each.link.name in may_embed]
    for each in pairs[:MOST_PAIRS]:
        parent, children = each.parent.name, each.children.name
        yield (
            f"`{parent}` and `{children}` run equally often ({full_rate(each.parent.rate_per_second)}) by the same key of "
            f"`{each.link.parent}`; if one page shows both, write them as one statement (SELECT … JOIN …) and design "
            f"again: with `{each.link.child}` embedded in `{each.link.parent}` one read of one document answers both"
        )


def one_write(situation: Situation, decisions: Collection[Decision]) -> Iterator[str]:
    """A sentence for each INSERT that is priced as a part of its parent's command, in whose document its rows are."""
    inside = {made.relationship for made in decisions if made.choice is Choice.EMBED}
    workload = situation.reading.workload
    pairs = ((first, each) for each in workload.statements if (first := workload.inserted_with(each)) is not None)
    for first, each in islice((pair for pair in pairs if not inside.isdisjoint(_links(situation, *pair))), MOST_PAIRS):
        parent, child = first.accesses[0].entity, each.accesses[0].entity
        yield (
            f"`{first.name}` and `{each.name}` are one command today, and are priced as one: insert each `{parent}` with its"
            f" `{child}` in it, as now. Of the two statements nestling makes two commands"
        )


def _links(situation: Situation, parent: Statement, child: Statement) -> Iterator[str]:
    """The relationships between what two statements insert."""
    links = situation.parents.get(child.accesses[0].entity, ())
    return (link.name for link in links if link.parent == parent.accesses[0].entity)
