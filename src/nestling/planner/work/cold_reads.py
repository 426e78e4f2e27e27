"""Reads from disk: the work of fetching documents that the cache does not hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.paths.work_of import PAGE_BYTES


@dataclass(frozen=True, slots=True)
class ColdShares:
    """By entity, the share of its rows the cache is not expected to hold (0 to 1); those it holds are left out."""

    shares: Mapping[str, float] = field(default_factory=dict)

    def of(self, entities: Collection[str]) -> float:
        """The share of documents with rows of these entities: the coldest of them counts."""
        return max((self.shares.get(name, 0.0) for name in entities), default=0.0)


HELD = ColdShares()
"""The cache holds everything."""


def from_disk(work: Work, share: float) -> Work:
    """The additional work of reading a share of the documents from disk: a page each, and one for every further page of bytes."""
    if not share:
        return NO_WORK
    pages = work.documents + work.read_bytes / PAGE_BYTES
    return Work(cold_pages=share * pages, cold_bytes=share * work.read_bytes)


def read_once(work: Work, share: float) -> Work:
    """The work of one of many reads, of which a share is of documents that no read before it has read."""
    return work._replace(cold_pages=work.cold_pages * share, cold_bytes=work.cold_bytes * share) if share < 1 else work
