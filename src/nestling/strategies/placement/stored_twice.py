"""Which parts of a relationship's rows are stored in more than one place, in words."""

from __future__ import annotations

from collections.abc import Iterable

from nestling.ir.candidate import Absorbed, Candidate, CopiedAttribute, FirstChildren, Lineage, Mirror
from nestling.ir.model import ManyToMany, Relationship
from nestling.ir.quantity_words import first_of

MOST_NAMED = 2
"""Copies named in a sentence."""


def stored_twice(chosen: Iterable[Candidate], links: Iterable[Relationship], both: ManyToMany | None) -> str:
    """Which of the chosen structures copy along these relationships, or that none does."""
    copies = copies_along(chosen, links, both)
    if not copies:
        return "nothing is stored twice"
    return f"stored more than once: {first_of(copies, MOST_NAMED)}"


def copies_along(chosen: Iterable[Candidate], links: Iterable[Relationship], both: ManyToMany | None) -> list[str]:
    """The chosen structures that copy along these relationships."""
    along = {link.name for link in links} | ({both.name} if both is not None else set())
    return [each.id for each in chosen if along & set(_followed(each))]


def _followed(candidate: Candidate) -> tuple[str, ...]:
    """The relationships, or the many-to-many, that a structure with repeated values follows."""
    match candidate.part:
        case CopiedAttribute(path=path):
            return tuple(hop.relationship for hop in path)
        case FirstChildren(relationship) | Lineage(relationship) | Absorbed(_, relationship):
            return (relationship,)
        case Mirror(link, side):
            return link, side
        case _:
            return ()
