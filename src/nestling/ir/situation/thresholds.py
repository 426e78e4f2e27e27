"""The numbers at which a decision changes, each with its source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TypeVar

from nestling.common.errors import InputError, Problem

_Number = TypeVar("_Number", int, float)


def _tipping(value: _Number, source: str) -> _Number:
    return field(default=value, metadata={"source": source})


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Counts are children of one parent unless said otherwise; shares are 0 to 1. Raises `InputError` on a negative number."""

    few: int = _tipping(50, "decision tree: One-to-Few (< 50 items)")
    many: int = _tipping(9_999, "decision tree: One-to-Many (50 - 1000s); more than thousands counts as squillions")
    array_embed: int = _tipping(200, "rule-4: more than a couple of hundred documents, do not embed them")
    array_ids: int = _tipping(2_000, "rule-4: more than a few thousand, no array of references")
    independent_share: float = _tipping(0.0, "decision tree: `always accessed with parent` taken literally")
    stand_alone_share: float = _tipping(
        0.5, "nestling: above it, stand-alone access is compelling (rule-2) even for few"
    )
    orphan_share: float = _tipping(0.05, "nestling: children without a parent that an orphans collection may take")
    lookup_rows: int = _tipping(200, "nestling: the most rows of a parent that only classifies others")
    transaction_documents: int = _tipping(
        100_000,
        "nestling: one transaction changed 400,000 small documents in 9.6 s with a cache of 0.5 GB, but never 1,000,000;"
        " MongoDB advises 1,000, and ends a transaction after 60 s",
    )
    hub_relationships: int = _tipping(
        24, "nestling: from this many relationships on, a parent owns only what is declared as its own"
    )
    hub_ids: int = _tipping(5, "nestling: from this many relationships on, a parent holds no arrays of ids")
    nesting_levels: int = _tipping(3, "sources, anti-patterns: deep nesting (> 3 levels)")
    children_bytes: int = _tipping(200_000, "MongoDB's guidance to reassess documents above 200 KB")
    document_share: float = _tipping(
        0.5, "nestling: from half of the document bound on, a document is `approaching` it"
    )
    writes_per_read: float = _tipping(1.0, "nestling: from one child write per read on, writes count as `frequent`")
    blob_bytes: int = _tipping(15 * 1024 * 1024, "16 MiB limit of a document, less room for the rest of the row")
    growth_days: int = _tipping(365, "nestling: how far growth is projected")

    def __post_init__(self) -> None:
        negative = [item.name for item in fields(self) if getattr(self, item.name) < 0]
        if negative:
            raise InputError(*(Problem(what=f"threshold `{name}` is negative", path=(name,)) for name in negative))


def threshold_sources() -> Iterator[tuple[str, float, str]]:
    """(name, default, source) of every threshold, in order."""
    for item in fields(Thresholds):
        yield item.name, float(getattr(Thresholds(), item.name)), item.metadata["source"]
