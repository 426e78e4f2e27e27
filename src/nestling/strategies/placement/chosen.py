"""From chosen structures to an outline: the way back from candidates to where everything lives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from nestling.ir.candidate import (
    Absorbed,
    Aggregate,
    Archived,
    Bucketed,
    Candidate,
    Cold,
    CopiedAttribute,
    FirstChildren,
    Indexed,
    IndexedAcross,
    IndexedAnyCase,
    Lineage,
    Mirror,
    Nested,
    Own,
    Paired,
    Part,
)
from nestling.ir.outline import Outline
from nestling.ir.proposal import Decision


def chosen_outline(  # noqa: C901 - one case for each
    candidates: Iterable[Candidate], chosen: frozenset[str], decisions: tuple[Decision, ...] = ()
) -> Outline:
    """The outline that has exactly the chosen structures."""
    homes: dict[str, str] = {}
    overflows: dict[str, int] = {}
    buckets: dict[str, Bucketed] = {}
    mirrored: dict[str, str] = {}
    kept: list[Part] = []
    indexes: list[Candidate] = []
    inline: set[str] = set()
    bare: dict[str, bool] = {}
    absorbed: dict[str, str] = {}
    for candidate in candidates:
        if candidate.id not in chosen:
            continue
        match candidate.part:
            case Own():
                pass
            case Nested(entity, links, overflow, is_inline, is_bare):
                homes[entity] = links[0]
                if is_inline:
                    inline.add(links[0])
                if is_bare is not None:
                    bare[links[0]] = is_bare
                if overflow is not None:
                    overflows[links[0]] = overflow
            case Bucketed(entity) as bucket:
                buckets[entity] = bucket
            case Absorbed(entity, relationship):
                absorbed[entity] = relationship
            case Mirror(link, side):
                mirrored[link] = side
            case Indexed() | IndexedAcross() | IndexedAnyCase():
                indexes.append(candidate)
            case CopiedAttribute() | FirstChildren() | Lineage() | Aggregate() | Cold() | Archived() | Paired():
                kept.append(candidate.part)
            case _:
                assert_never(candidate.part)
    return Outline(
        decisions,
        homes,
        mirrored=mirrored,
        overflows=overflows,
        buckets=buckets,
        kept=tuple(kept),
        indexes=tuple(indexes),
        inline=frozenset(inline),
        bare=bare,
        absorbed=absorbed,
    )
