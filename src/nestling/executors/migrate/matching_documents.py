"""How many documents meet a condition, in words: counted only up to a limit of interest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymongo.collection import Collection

from nestling.ir.quantity_words import count, counted

COUNTED_DOCUMENTS = 1_000


def documents_with(collection: Collection[Any], condition: Mapping[str, Any]) -> tuple[int, str]:
    """The number, and `1 document`, `7 documents` or `1,000 or more documents`."""
    found = collection.count_documents(condition, limit=COUNTED_DOCUMENTS)
    return found, f"{count(found)} or more documents" if found == COUNTED_DOCUMENTS else counted(found, "document")
