"""Finds the validator rules that a stored document breaks: servers report them only on refusal, so each rule is tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from pymongo.collection import Collection

from nestling.ir.literals import shell
from nestling.ir.quantity_words import cut, first_of
from nestling.ir.storage.names import join

MOST_RULES_NAMED = 3
_MOST_VALUES = 6

_Schema = Mapping[str, Any]
_Within = Callable[[_Schema], _Schema]
"""A function that applies a schema to the value at a path."""


def broken_words(collection: Collection[Any], document: Mapping[str, Any], validator: _Schema) -> str:
    """After a colon, the first few rules: `kind` is "other", not one of "dm", "group". Empty where no schema is broken."""
    identity = document.get("_id")

    def breaks(schema: _Schema) -> bool:
        asked = {"_id": {"$eq": identity}, "$nor": [{"$jsonSchema": schema}]}
        return collection.find_one(asked, {"_id": 1}) is not None

    parts = validator.get("$and", (validator,))
    schemas = [part["$jsonSchema"] for part in parts if "$jsonSchema" in part]
    found = (words for schema in schemas for words in _broken(schema, "", [document], lambda each: each, breaks))
    told = list(islice(dict.fromkeys(found), MOST_RULES_NAMED))
    return f": {', '.join(told)}" if told else ""


def _broken(
    schema: _Schema, path: str, values: list[Any], within: _Within, breaks: Callable[[_Schema], bool]
) -> Iterator[str]:
    """The broken parts of a schema; `values` are at the path."""
    field = f"`{path}`" if path else "the document"
    if (kinds := schema.get("bsonType")) is not None and breaks(within({"bsonType": kinds})):
        wanted = kinds if isinstance(kinds, str) else " or ".join(kinds)
        is_null = None in values and "null" not in wanted.split(" or ")
        yield f"{field} is {_shown([None] if is_null else values)}not {wanted}"
        return
    if (choices := schema.get("anyOf")) and breaks(within({"anyOf": choices})):
        listed = [shell(value) for each in choices for value in each.get("enum", ())]
        yield (
            f"{field} is {_shown(values)}not {_one_of(listed)}" if listed else f"{field} has none of its allowed forms"
        )
    if (allowed := schema.get("enum")) is not None and breaks(within({"enum": allowed})):
        yield f"{field} is {_shown(values)}not {_one_of([shell(each) for each in allowed])}"
    for name in schema.get("required", ()):
        if breaks(within({"required": [name]})):
            yield f"`{join(path, name)}` is missing"
    for name, each in schema.get("properties", {}).items():
        there = [value[name] for value in values if isinstance(value, Mapping) and name in value]
        yield from _below(each, join(path, name), there, _property(within, name), breaks)
    if (items := schema.get("items")) is not None:
        elements = [each for value in values if isinstance(value, list) for each in value]
        yield from _below(items, f"{path}[]", elements, _items(within), breaks)
    yield from _broken_rest(schema, field, values, within, breaks)


def _broken_rest(
    schema: _Schema, field: str, values: list[Any], within: _Within, breaks: Callable[[_Schema], bool]
) -> Iterator[str]:
    """Broken rules that have a description, and those that are shown as they are."""
    rules = schema.get("allOf", ())
    in_words = [rule for rule in rules if "description" in rule]
    yield from (f"{field} breaks: {rule['description']}" for rule in in_words if breaks(within(rule)))
    told = {"bsonType", "anyOf", "enum", "required", "properties", "items", "description", "title", "allOf"}
    rest = {name: value for name, value in schema.items() if name not in told}
    rest |= {"allOf": [rule for rule in rules if rule not in in_words]} if len(in_words) < len(rules) else {}
    if rest and breaks(within(rest)):
        yield f"{field} is {_shown(values)}which breaks {cut(shell(rest))}"


def _below(
    schema: _Schema, path: str, values: list[Any], within: _Within, breaks: Callable[[_Schema], bool]
) -> Iterator[str]:
    if breaks(within(schema)):
        yield from _broken(schema, path, values, within, breaks)


def _property(within: _Within, name: str) -> _Within:
    return lambda schema: within({"properties": {name: schema}})


def _items(within: _Within) -> _Within:
    return lambda schema: within({"items": schema})


def _shown(values: list[Any]) -> str:
    """The value, if there is just one; with several, such as those of elements, it is unknown which is wrong."""
    return f"{cut(shell(values[0]))}, " if len(values) == 1 else ""


def _one_of(listed: list[str]) -> str:
    return f"{'one of ' if len(listed) > 1 else ''}{first_of(listed, _MOST_VALUES)}"
