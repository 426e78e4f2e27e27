"""A collection's own validator, as commands that write to it must heed it."""

from __future__ import annotations

import json
from typing import Any

from nestling.ir.facts import CollectionFacts, PathFacts
from nestling.ir.facts.path import NUMBERS

_IDLE = frozenset({"bsonType", "type", "title", "description"})
_ALIASES = {"boolean": "bool"}


def rules(collection: CollectionFacts) -> str:
    """The validator's rules that refuse writes, as JSON text; "" if there are none, or only a migration's."""
    validator = collection.validator
    if validator is None or validator.is_fence or validator.level == "off" or validator.action == "warn":
        return ""
    return validator.text if demands(json.loads(validator.text)) else ""


def is_fenced(collection: CollectionFacts) -> bool:
    """Whether a migration has all writes refused."""
    return collection.validator is not None and collection.validator.is_fence


def demands(found: Any) -> bool:
    """Whether some document would be refused by a part of the rules that says more than `object`."""
    if not isinstance(found, dict):
        return False
    if set(found) != {"$jsonSchema"}:
        return bool(found)
    schema = found["$jsonSchema"]
    return any(schema[key] not in ({}, [], True) for key in schema if key not in _IDLE)


def allowed(collection: CollectionFacts, path: PathFacts) -> tuple[str, ...]:
    """The types that the rules list for a field; empty if they list none."""
    schema = json.loads(rules(collection) or "{}").get("$jsonSchema", {})
    for name in path.steps:
        properties = schema.get("properties") if isinstance(schema, dict) else None
        schema = properties.get(name) if isinstance(properties, dict) else None
    said = (schema.get("bsonType") or schema.get("type")) if isinstance(schema, dict) else None
    names = said if isinstance(said, list) else [said]
    return tuple(_ALIASES.get(each, each) for each in names if isinstance(each, str))


def allowed_kinds(collection: CollectionFacts, path: PathFacts) -> frozenset[str]:
    """The types that the rules list for a field, with all number types as `number`; empty if they list none."""
    return frozenset("number" if name in NUMBERS else name for name in allowed(collection, path))


def allowed_number(collection: CollectionFacts, path: PathFacts) -> str:
    """The single number type that the rules list for a field; "" if they list none or several."""
    named = [name for name in allowed(collection, path) if name in NUMBERS or name == "number"]
    return named[0] if len(named) == 1 and named[0] in NUMBERS else ""
