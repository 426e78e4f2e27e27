"""What one rule of a validator allows of a value, in words: for every keyword of ours, from what the server reports of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bson.decimal128 import Decimal128

from nestling.ir.literals import shell
from nestling.ir.quantity_words import cut, first_of

MOST_VALUES = 6
"""Allowed values that are named."""


def broken_words(rule: Mapping[str, Any], *, values: bool) -> str:
    """The text after the field's name: `is -1, not at least 0`; the value itself only if `values` is set."""
    name, specified = rule["operatorName"], rule.get("specifiedAs")
    if not isinstance(specified, Mapping) or name not in specified or name not in _SAYS:
        return f"breaks the validator's `{name}`: {rule.get('reason', 'the server does not say how')}"
    given = rule.get("consideredValue")
    if name in ("minLength", "maxLength"):
        return f"has {len(str(given)):,} characters, {_SAYS[name]} {specified[name]}"
    if name in ("minItems", "maxItems"):
        counted = f" {rule['numberOfItems']:,} elements," if "numberOfItems" in rule else ""
        return f"has{counted} {_SAYS[name]} {specified[name]}"
    return f"is{f' {_shown(given)},' if values else ''} {_allowed(name, specified)}"


def broken_check(rule: Mapping[str, Any]) -> str:
    """The name of a validator's `$expr` if it is one of ours, else a general one."""
    match rule.get("specifiedAs"):
        case {"$expr": {"$not": [{"$cond": [_, _, {"$literal": str() as label}]}]}}:
            return label
        case _:
            return "the validator's `$expr`"


def _allowed(name: str, specified: Mapping[str, Any]) -> str:
    match name:
        case "enum":
            listed = [_shown(each) for each in specified[name]]
            return f"not {'one of ' if len(listed) > 1 else ''}{first_of(listed, MOST_VALUES)}"
        case "minimum" if specified.get("exclusiveMinimum"):
            return f"not above {_shown(specified[name])}"
        case "maximum" if specified.get("exclusiveMaximum"):
            return f"not below {_shown(specified[name])}"
        case _:
            return f"{_SAYS[name]} {_shown(specified[name])}"


_SAYS = {
    "enum": "not one of",
    "minimum": "not at least",
    "maximum": "not at most",
    "minLength": "not at least",
    "maxLength": "not at most",
    "minItems": "not at least",
    "maxItems": "not at most",
    "pattern": "a text that does not match",
}


def _shown(value: object) -> str:
    """A value as SQL has it, cut where it is long."""
    match value:
        case None:
            return "NULL"
        case str():
            text = f"'{value}'"
        case float() | Decimal128():
            text = str(value)
        case _:
            text = shell(value)
    return cut(text)
