"""A word on pairs of statements, of a parent and of its children: what would be one read if it were one statement, and what is
one command today.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nestling.ir.proposal import Choice, Decision
from nestling.ir.rate import rate_text
from nestling.ir.situation import Situation, read_by_same_key
from nestling.ir.workload import StatementKind

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
    inserts = {
        each.name: each
        for each in situation.reading.workload.statements
        if each.kind is StatementKind.INSERT and each.accesses
    }
    for each in inserts.values():
        first = inserts.get(each.measured_with)
        child, parent = each.accesses[0].entity, first.accesses[0].entity if first is not None else ""
        if any(link.parent == parent and link.name in apart for link in situation.parents.get(child, ())):
            yield (
                f"`{each.measured_with}` and `{each.name}` are one command today, and are priced as two: where `{child}` is"
                f" embedded in `{parent}`, the second costs nothing of its own. Leave it out of the workload and design again, to"
                f" see whether `{child}` stays there"
            )
