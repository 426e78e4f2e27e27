"""Notes on pairs of statements, about a parent and about its children.

They could be one read if they were one statement, or are priced as one command.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from nestling.ir.model import Relationship
from nestling.ir.proposal import Choice, Decision
from nestling.ir.rate import full_rate
from nestling.ir.situation import Situation, read_by_same_key
from nestling.ir.workload import Statement

MOST_PAIRS = 3
"""Most pairs that are named, most frequent first."""


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


def one_command(situation: Situation, decisions: Collection[Decision]) -> Iterator[str]:
    """A sentence for each statement that is priced as a part of another's command, in whose documents its rows are."""
    inside = {made.relationship for made in decisions if made.choice is Choice.EMBED}
    workload = situation.reading.workload
    pairs = ((first, each) for each in workload.statements if (first := workload.command_of(each)) is not None)
    found = (
        (first, each, link) for first, each in pairs for link in _links(situation, first, each) if link.name in inside
    )
    for first, each, link in islice(found, MOST_PAIRS):
        verb = "write" if first.kind.writes else "read"
        yield (
            f"`{first.name}` and `{each.name}` are one command today, and are priced as one: keep to one command"
            f" that {verb}s each `{link.parent}` with its `{link.child}` in it. nestling translates the two"
            " statements into two commands"
        )


def _links(situation: Situation, first: Statement, further: Statement) -> Iterator[Relationship]:
    """The relationships between the subject of a command and that of a further statement of it."""
    about = first.accesses[0].entity
    links = (link for access in further.accesses for link in situation.parents.get(access.entity, ()))
    return (link for link in links if link.parent == about)
