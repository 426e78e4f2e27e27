"""What a document breaks of a collection's validator, in words: the fields and the types, never the values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from nestling.ir.names import join

SHOWN = 3


def invalid_words(error: Mapping[str, Any]) -> str:
    """As the server's error has it, after a colon: `joined` is string, not date. Empty where it does not say (before 5.0)."""
    found = error.get("errInfo")
    details = found.get("details") if isinstance(found, Mapping) else None
    said = list(islice(dict.fromkeys(_said((details,), "")), SHOWN))
    return f": {', '.join(said)}" if said else ""


def why_refused(error: Mapping[str, Any]) -> str:
    """What the server says of a document it would not take, and what a validator has against it."""
    return f"{error.get('errmsg', 'the server refused it')}{invalid_words(error)}"


def _said(rules: Iterable[object], path: str) -> Iterator[str]:
    for rule in rules:
        if not isinstance(rule, Mapping):
            continue
        name, field = rule.get("operatorName"), f"`{path}`" if path else "the document"
        if name == "bsonType" and "consideredType" in rule:
            yield f"{field} is {rule['consideredType']}, not {_types(rule.get('specifiedAs'))}"
        elif name == "required":
            yield from (f"`{join(path, missing)}` is missing" for missing in rule.get("missingProperties", ()))
        elif name == "additionalProperties" and "additionalProperties" in rule:
            yield from (f"`{join(path, more)}` is not allowed" for more in rule["additionalProperties"])
        elif inner := [value for value in rule.values() if isinstance(value, list | tuple) and _are_rules(value)]:
            for value in inner:
                for each in value:
                    below = join(path, each["propertyName"]) if "propertyName" in each else path
                    yield from _said(each["details"] if "propertyName" in each else (each,), below)
        elif isinstance(name, str) and path:
            yield f"{field} does not meet {name}"


def _are_rules(values: Iterable[object]) -> bool:
    return all(
        isinstance(each, Mapping) and each.keys() & {"operatorName", "details", "propertyName"} for each in values
    )


def _types(specified: object) -> str:
    wanted = specified.get("bsonType") if isinstance(specified, Mapping) else None
    return " or ".join(wanted) if isinstance(wanted, list | tuple) else str(wanted)
