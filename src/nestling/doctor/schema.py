"""A first validator for a collection, from its facts: what every document has is required, in the types found."""

from __future__ import annotations

import json
from typing import Any

from nestling.ir.facts import ANY_KEY, Collection, Path
from nestling.ir.facts.path import NUMBERS

MOST_FIELDS = 40
"""Fields a draft says; a longer one is no command to paste."""


def draft(collection: Collection) -> str:
    """The validator as JSON text; empty when there is nothing to say. It says only the document's own fields."""
    fields = [path for path in collection.top_level() if path.steps[0] != ANY_KEY]
    exact = collection.sample is not None and collection.sample.exact
    required = [path.steps[0] for path in fields if exact and not path.missing and path.steps[0] != "_id"]
    known = sorted(fields, key=lambda path: (-path.documents, path.steps))[:MOST_FIELDS]
    if not known:
        return ""
    schema: dict[str, Any] = {"bsonType": "object"}
    if required:
        schema["required"] = required[:MOST_FIELDS]
    schema["properties"] = {path.steps[0]: {"bsonType": _types(collection, path)} for path in known}
    return json.dumps({"$jsonSchema": schema}, ensure_ascii=False)


def _types(collection: Collection, path: Path) -> list[str] | str:
    """The types found, all numbers as one; a document whose names are data may become an array of pairs."""
    found = {"number" if name in NUMBERS else name for name, _ in path.types}
    if collection.path(*path.steps, ANY_KEY) is not None:
        found.add("array")
    return sorted(found) if len(found) > 1 else found.pop()
