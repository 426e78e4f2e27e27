"""Kinds of documents without a discriminating field: fields that occur together, and never with those of another kind.

The server counts which optional fields documents have; groups of fields that always occur together are kinds if they exclude
one another and cover nearly all documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pymongo.database import Database

from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.ir.facts import CollectionFacts, PathFacts
from nestling.ir.facts.structure import Kinds, Steps

LEAST_FIELDS = 2
"""The number of fields of its own that a kind has at least: a single optional field does not make a kind."""
LEAST_EACH = 5
"""Documents of a kind."""
MOST_KINDS = 12
MOST_FIELDS = 40
MOST_SIGNATURES = 2_000
LEFT_OVER = 0.02
"""The share of documents that may be of no kind, or of several."""

Signatures = Mapping[frozenset[Steps], int]
"""How many documents have exactly these of the optional fields."""


def shapes_of(
    database: Database[FoundDocument], collection: CollectionFacts, optional: Sequence[PathFacts], asking: Asking
) -> Kinds | None:
    """The kinds distinguished by their fields alone; None if there is just one, or they are unclear."""
    if not 2 * LEAST_FIELDS <= len(optional) <= MOST_FIELDS:
        return None
    shown = {
        f"p{place}": {"$cond": [{"$eq": [{"$type": f"${path.field}"}, "missing"]}, 0, 1]}
        for place, path in enumerate(optional)
    }
    pipeline: list[FoundDocument] = [{"$group": {"_id": shown, "n": {"$sum": 1}}}, {"$limit": MOST_SIGNATURES + 1}]
    rows = asking.aggregate(database, collection.name, f"the shapes of {collection.namespace}", pipeline)
    if len(rows) > MOST_SIGNATURES:
        return None
    signatures = {
        frozenset(path.steps for place, path in enumerate(optional) if row["_id"][f"p{place}"]): int(row["n"])
        for row in rows
    }
    kinds = shapes(signatures)
    return Kinds(collection.database, collection.name, (), kinds) if kinds else None


def shapes(signatures: Signatures) -> tuple[tuple[str, int, tuple[Steps, ...]], ...]:
    """The kinds in these signatures, as in `Kinds` but unnamed, most frequent first; empty if fewer than two."""
    total = sum(signatures.values())
    chosen: list[frozenset[Steps]] = []
    for block in sorted(_blocks(signatures), key=lambda block: (-_documents(signatures, block), sorted(block))):
        together = [_both(signatures, block, other) for other in chosen]
        if _documents(signatures, block) >= LEAST_EACH and all(count <= LEFT_OVER * total for count in together):
            chosen.append(block)
    exactly_one = sum(count for fields, count in signatures.items() if sum(block <= fields for block in chosen) == 1)
    if not 2 <= len(chosen) <= MOST_KINDS or exactly_one < (1 - LEFT_OVER) * total:
        return ()
    return tuple(("", _documents(signatures, block), tuple(sorted(block))) for block in chosen)


def _blocks(signatures: Signatures) -> Iterable[frozenset[Steps]]:
    """Fields that are in the very same documents, or nearly so, several together."""
    every = sorted(set().union(*signatures)) if signatures else []
    counts = {field: _documents(signatures, frozenset({field})) for field in every}
    blocks: list[set[Steps]] = []
    for field in every:
        for block in blocks:
            first = min(block)
            shared = _documents(signatures, frozenset({field, first}))
            if shared >= (1 - LEFT_OVER) * max(counts[field], counts[first]):
                block.add(field)
                break
        else:
            blocks.append({field})
    return [frozenset(block) for block in blocks if len(block) >= LEAST_FIELDS]


def _documents(signatures: Signatures, fields: frozenset[Steps]) -> int:
    return sum(count for those, count in signatures.items() if fields <= those)


def _both(signatures: Signatures, one: frozenset[Steps], other: frozenset[Steps]) -> int:
    """Documents that have fields of both."""
    return sum(count for fields, count in signatures.items() if one & fields and other & fields)
