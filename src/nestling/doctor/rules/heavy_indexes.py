"""Indexes that are larger than the data they index.

Why: indexes are fast when they are in memory. Here they take more of it than the documents do.

Example: 2 GB of documents, 3.5 GB of indexes, 2.8 GB of them one text index.

Remedy: drop what is unused; make partial what serves a few documents; do not index long texts and long arrays.

Ignore when: documents are tiny and looked up in many ways.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import index_sizes
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import CollectionFacts, Storage
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import size

RULE = Rule(
    "Heavy indexes",
    Severity.WARNING,
    (
        Threshold("share", "bytes of indexes relative to bytes of documents", "%", {"nestling": 100}),
        Threshold("bytes", "bytes of indexes; fewer do not matter", "bytes", {"nestling": 10_000_000}),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Collections whose indexes outweigh their documents."""
    for collection in seen.facts.of_documents():
        storage = collection.storage
        if storage is None or not storage.data_bytes or storage.index_bytes < seen.limits["bytes"].value:
            continue
        share = 100 * storage.index_bytes / storage.data_bytes
        if share > seen.limits["share"].value:
            yield _finding(seen, collection, storage, share)


def _finding(seen: RuleInput, collection: CollectionFacts, storage: Storage, share: float) -> Finding:
    largest = max(collection.indexes, key=lambda index: index.size_bytes, default=None)
    most = f"; `{largest.name}` takes {size(largest.size_bytes)}" if largest is not None else ""
    return seen.finding(
        collection,
        "",
        f"{size(storage.index_bytes)} of indexes for {size(storage.data_bytes)} of documents{most}",
        number=share,
        limit="share",
        cost=f"{size(storage.index_bytes)} of cache to keep them fast",
        remedy="Drop unused indexes, make those partial that serve few documents, and do not index long texts or arrays.",
        commands=(index_sizes(collection),),
        evidence={"index_bytes": storage.index_bytes, "data_bytes": storage.data_bytes},
    )
