"""A word on pairs of statements, of a parent and of its children: what would be one read if it were one statement, and what is
one command today.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from nestling.ir.proposal import Choice, Decision
from nestling.ir.rate import rate_text
from nestling.ir.situation import Situation, read_by_same_key
from nestling.ir.workload import Statement, StatementKind

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


def one_write(situation: Situation, decisions: Collection[Decision], may_embed: Collection[str]) -> Iterator[str]:
    """The same for INSERTs that were captured as one command, which inserted the parent with its children."""
    apart = {made.relationship for made in decisions if made.choice is not Choice.EMBED} & {*may_embed}
    found = (
        each for each in situation.reading.workload.statements if each.kind is StatementKind.INSERT and each.accesses
    )
    inserts = {each.name: each for each in found}
    pairs = ((inserts[each.measured_with], each) for each in inserts.values() if each.measured_with in inserts)
    for first, each in islice((pair for pair in pairs if not apart.isdisjoint(_links(situation, *pair))), MOST_PAIRS):
        parent, child = first.accesses[0].entity, each.accesses[0].entity
        yield (
            f"`{first.name}` and `{each.name}` are one command today, and are priced as two: where `{child}` is embedded in"
            f" `{parent}`, the second costs nothing of its own. Leave it out of the workload and design again, to see whether"
            f" `{child}` stays there"
        )


def _links(situation: Situation, parent: Statement, child: Statement) -> Iterator[str]:
    """The relationships between what two statements insert."""
    links = situation.parents.get(child.accesses[0].entity, ())
    return (link.name for link in links if link.parent == parent.accesses[0].entity)
