"""Validators that let everything through.

Why: a validator that only warns, is switched off, or demands nothing gives a feeling of safety and none of it.

Example: `validationAction: "warn"`, forgotten after the first week; `{$jsonSchema: {bsonType: "object"}}`.

Remedy: require the fields every document has, give their types, and let it refuse.

Ignore when: it warns because you are switching it on right now.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nestling.doctor.rule import Rule, Seen
from nestling.doctor.schema import draft
from nestling.ir.facts import Collection, Validator
from nestling.ir.finding import Finding, Severity
from nestling.ir.literals import quoted

RULE = Rule("Weak validator", Severity.WARNING)


def findings(seen: Seen) -> Iterator[Finding]:
    """Validators that refuse nothing."""
    for collection in seen.facts.of_documents():
        why = _weakness(collection.validator) if collection.validator is not None else ""
        if why:
            yield _finding(seen, collection, why)


def _weakness(validator: Validator) -> str:
    """Why a validator refuses nothing; nothing when it does."""
    if validator.level == "off":
        return "the validator is switched off (validationLevel: off)"
    if validator.action == "warn":
        return "the validator only warns (validationAction: warn)"
    rules = json.loads(validator.text)
    return "" if _demands(rules) else "the validator demands nothing of any field"


def _demands(rules: Any) -> bool:
    """Whether some document would be refused by a part of the rules that says more than `object`."""
    if not isinstance(rules, dict):
        return False
    if set(rules) != {"$jsonSchema"}:
        return bool(rules)
    schema = rules["$jsonSchema"]
    idle = ("bsonType", "type", "title", "description")
    return any(schema[key] not in ({}, [], True) for key in schema if key not in idle)


def _finding(seen: Seen, collection: Collection, why: str) -> Finding:
    documents = collection.storage.documents if collection.storage else 0
    demands = collection.validator is not None and _demands(json.loads(collection.validator.text))
    run = f"db.getSiblingDB({quoted(collection.database)}).runCommand"
    rules = "" if demands else f", validator: {draft(collection)}"
    command = (
        f'{run}({{collMod: {quoted(collection.name)}{rules}, validationLevel: "strict", validationAction: "error"}})'
    )
    return seen.finding(
        collection,
        "",
        why,
        number=documents,
        unit="documents",
        cost="documents of any shape are stored, although a validator is there",
        remedy="Require the fields every document has, give their types, and let it refuse.",
        commands=(command,),
    )
