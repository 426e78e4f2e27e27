"""The last stages of what the server is asked for fields that a migration would lose, after each document's `path`s."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def by_path() -> Iterator[Mapping[str, Any]]:
    """`{_id: path, documents, example}` for each, those in most documents first; the example is the least `_id`."""
    yield {"$unwind": "$path"}
    yield {"$group": {"_id": "$path", "documents": {"$sum": 1}, "example": {"$min": "$_id"}}}
    yield {"$sort": {"documents": -1, "_id": 1}}
