"""Subtypes whose fields are next to their supertype's, as `$jsonSchema`: required and forbidden fields by discriminator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from nestling.emitters.content import InlineRow
from nestling.emitters.validators.bson_types import Schema, bson_type
from nestling.ir.literals import shell


def subtype_rules(rows: Iterable[InlineRow], *, foreign: bool) -> list[Schema]:
    """A rule for each subtype: with its value its required fields must be present, without it none of its fields may be.

    `foreign`: other applications write the documents too, so fields of another subtype are allowed.
    """
    return [rule for row in rows for rule in _rules(row, foreign=foreign)]


def _rules(row: InlineRow, *, foreign: bool) -> Iterator[Schema]:
    required = [field.name for field in row.fields if field.required]
    own = [] if foreign else [field.name for field in row.fields]
    if not required and not own:
        return
    told = _holding({row.discriminator: _saying(row.value)})
    there = _holding({row.discriminator: _saying(row.value), **{name: {} for name in required}})
    absent: list[Schema] = [told, *(_holding({name: {}}) for name in own)]
    without: Schema = {"not": told if len(absent) == 1 else {"anyOf": absent}}
    yield {"description": _words(row, required, own), "anyOf": [there, without]}


def _words(row: InlineRow, required: list[str], own: list[str]) -> str:
    """The server's message when the rule refuses a document."""
    needs = f"{row.discriminator} {shell(row.value)} needs {', '.join(required)}" if required else ""
    keeps = f"{', '.join(own)} only with {row.discriminator} {shell(row.value)}" if own else ""
    return "; ".join(filter(None, (needs, keeps)))


def _saying(value: str) -> Schema:
    """The condition that a discriminator names a subtype: its value, or an array with it."""
    one: Schema = {"enum": [value]}
    return {"anyOf": [one, {**bson_type("array"), "not": {"items": {"not": one}}}]}


def _holding(fields: Mapping[str, Schema]) -> Schema:
    """The condition that fields, given by dotted paths, are present with such values."""
    inside = defaultdict[str, dict[str, Schema]](dict)
    for path, schema in fields.items():
        name, _, below = path.partition(".")
        inside[name] |= {below: schema}
    properties = {name: each[""] if "" in each else _holding(each) for name, each in inside.items()}
    rules = {name: schema for name, schema in properties.items() if schema}
    return {"required": [*inside], **({"properties": rules} if rules else {})}
