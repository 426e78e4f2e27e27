"""What validators declare of fields nobody has filled yet: their paths, so that an empty collection has columns too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from nestling.ir.facts import ELEMENT, CollectionFacts, PathFacts
from nestling.ir.facts.steps import is_plain, name_step
from nestling.ir.facts.structure import Steps

_ID = ("_id",)


def with_declared(collection: CollectionFacts) -> CollectionFacts:
    """The collection with the paths its validator declares and no document has, behind those that documents have."""
    schema = _schema(collection) or {}
    known = {path.steps: path for path in collection.paths}
    more = [path for path in _paths(schema, ()) if path.steps not in known and _may_be(path.steps, known)]
    more += _indexed(collection, known.keys() | {path.steps for path in more})
    if not any(path.steps[0] == _ID[0] for path in (*collection.paths, *more)):
        more.insert(0, PathFacts(_ID, (("null", 1),), parents=1, documents=0, size_bytes=0))  # every document has one
    last = max((path.place for path in collection.paths), default=-1)
    more = [replace(path, place=place) for place, path in enumerate(more, last + 1)]
    return replace(collection, paths=tuple(sorted((*collection.paths, *more), key=lambda path: path.steps)))


def required(collection: CollectionFacts) -> frozenset[Steps]:
    """The fields a strict validator requires of every document that has their parent."""
    schema = _schema(collection)
    return frozenset(_required(schema, ())) if schema is not None else frozenset()


def fieldless(collection: CollectionFacts) -> frozenset[Steps]:
    """The always empty documents a validator says to have no fields: rows of which only the place tells that they are there."""
    known = {path.steps for path in collection.paths}
    around = {steps[:count] for steps in known for count in range(1, len(steps))}
    return frozenset(_fieldless(_schema(collection) or {}, ())) & known - around


def _fieldless(schema: Mapping[str, Any], at: Steps) -> Iterator[Steps]:
    for name, rules in _mapping(schema.get("properties")).items():
        if isinstance(rules, dict):
            steps = (*at, name_step(name))
            if _first_type(rules) == "object" and rules.get("properties") == {}:
                yield steps
            yield from _fieldless(rules, steps)
    if isinstance(schema.get("items"), dict):
        yield from _fieldless(schema["items"], (*at, ELEMENT))


def _indexed(collection: CollectionFacts, known: AbstractSet[Steps]) -> Iterator[PathFacts]:
    """Fields that an index names and no document has: of the document itself, or parts of its `_id`."""
    fields = dict.fromkeys(field for index in collection.indexes for field, _ in index.keys)
    parts = [tuple(field.split(".")) for field in fields]
    in_id = [steps for steps in parts if steps[0] == "_id" and len(steps) == 2]
    if in_id and _ID not in known:
        yield PathFacts(_ID, (("object", 1),), parents=1, documents=0, size_bytes=0)
        yield from (PathFacts(steps, (("null", 1),), parents=1, documents=0, size_bytes=0) for steps in in_id)
    for steps in parts:
        if len(steps) == 1 and steps not in known and steps != _ID and is_plain(steps):
            yield PathFacts(steps, (("null", 1),), parents=1, documents=0, size_bytes=0)


def _schema(collection: CollectionFacts) -> Mapping[str, Any] | None:
    if collection.validator is None:
        return None
    try:
        rules = json.loads(collection.validator.text)
    except ValueError:
        return None
    found = rules.get("$jsonSchema") if isinstance(rules, dict) else None
    return found if isinstance(found, dict) else None


def _may_be(steps: Steps, known: Mapping[Steps, PathFacts]) -> bool:
    """Whether nothing found contradicts a declared path: what it lies in was never seen to hold anything else."""
    above = [steps[:count] for count in range(1, len(steps))]
    return all(known[each].count("object", "array") == known[each].present for each in above if each in known)


def _paths(schema: Mapping[str, Any], at: Steps) -> Iterator[PathFacts]:
    needed = set(schema.get("required", ()))
    for name, rules in _mapping(schema.get("properties")).items():
        steps = (*at, name_step(name))
        yield from _declared(rules, steps, missing=name not in needed)
    items = schema.get("items")
    if isinstance(items, dict):
        yield from _declared(items, (*at, ELEMENT), missing=False)


def _declared(rules: object, steps: Steps, *, missing: bool) -> Iterator[PathFacts]:
    if not isinstance(rules, dict) or (kind := _first_type(rules)) is None:
        return
    yield PathFacts(steps, ((kind, 1),), parents=2 if missing else 1, documents=0, size_bytes=0)
    yield from _paths(rules, steps)


def _first_type(rules: Mapping[str, Any]) -> str | None:
    """The type a field mainly has: the first one said."""
    said = rules.get("bsonType", rules.get("type"))
    first = said[0] if isinstance(said, list) and said else said
    if isinstance(first, str):
        return {"boolean": "bool", "number": "double", "integer": "long"}.get(first, first)
    return None


def _required(schema: Mapping[str, Any], at: Steps) -> Iterator[Steps]:
    yield from ((*at, name_step(name)) for name in schema.get("required", ()))
    for name, rules in _mapping(schema.get("properties")).items():
        if isinstance(rules, dict):
            yield from _required(rules, (*at, name_step(name)))
    if isinstance(schema.get("items"), dict):
        yield from _required(schema["items"], (*at, ELEMENT))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
