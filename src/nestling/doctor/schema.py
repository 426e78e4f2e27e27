"""Drafts a validator for a collection from its facts: fields of every document are required, with the types found.

Fields that other findings' commands change are described as they will be afterwards, so that the validator fits the next
writes. The type of a field with only null is unknown, and omitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nestling.doctor.expiring import ttl_index
from nestling.ir.facts import ANY_KEY, CollectionFacts, PathFacts
from nestling.ir.facts.path import NULL_TYPES, NUMBERS
from nestling.ir.facts.steps import steps_text
from nestling.ir.finding import FieldChange
from nestling.ir.programs.compiled import Mql
from nestling.ir.quantity_words import first_of

MOST_FIELDS = 40
"""Fields that a draft contains; a longer command could not be pasted."""


@dataclass(frozen=True, slots=True)
class _Field:
    """A field as a validator says it; `documents`: how many have it."""

    name: str
    types: frozenset[str]
    documents: int
    required: bool


def draft(collection: CollectionFacts, changes: Sequence[FieldChange] = ()) -> Mql:
    """The validator; empty if there is nothing to require. It covers only the document's own fields."""
    fields: dict[str, _Field] = {}
    for path in collection.top_level():
        if path.steps[0] != ANY_KEY:
            each = _field(collection, path, [change for change in changes if change.steps == path.steps])
            fields[each.name] = _both(fields[each.name], each) if each.name in fields else each
    known = sorted(fields.values(), key=lambda each: (-each.documents, each.name))[:MOST_FIELDS]
    if not known:
        return {}
    schema: dict[str, Any] = {"bsonType": "object"}
    if required := sorted(each.name for each in fields.values() if each.required):
        schema["required"] = required[:MOST_FIELDS]
    schema["properties"] = {
        each.name: {"bsonType": _listed_types(each.types)} for each in known if not each.types <= {*NULL_TYPES}
    }
    return {"$jsonSchema": schema}


def first_do(changes: Sequence[FieldChange]) -> str:
    """A sentence that the draft relies on the changes; "" without changes."""
    own = dict.fromkeys(f"`{steps_text(change.steps)}`" for change in changes if len(change.steps) == 1)
    return f" First do what other findings propose for {first_of([*own], 3)}: the draft relies on it." if own else ""


def _field(collection: CollectionFacts, path: PathFacts, changes: Sequence[FieldChange]) -> _Field:
    """The field after the changes; a document whose names are data may become an array of pairs."""
    types = {"number" if name in NUMBERS else name for name, _ in path.types}
    for change in changes:
        types = set(change.types) or types
    index = ttl_index(collection, path.field)
    if index is not None and index.dates is False:  # what the index is to delete by
        types.add("date")
    if collection.path(*path.steps, ANY_KEY) is not None:
        types.add("array")
    name = next((change.name for change in changes if change.name), path.steps[0])
    required = path.exact and not path.missing and name != "_id" and not any(change.lacks for change in changes)
    return _Field(name, frozenset(types), path.documents, required)


def _both(one: _Field, other: _Field) -> _Field:
    """A field that gets the name of another one."""
    return _Field(one.name, one.types | other.types, one.documents + other.documents, one.required or other.required)


def _listed_types(types: frozenset[str]) -> list[str] | str:
    return sorted(types) if len(types) > 1 else next(iter(types))
