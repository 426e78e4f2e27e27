"""What a document breaks of a collection's validator, in words: the fields, the types, and what is allowed of values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from nestling.executors.errors.invalid_values import broken_check, broken_words
from nestling.ir.migration import REFUSES_ALL
from nestling.ir.storage.names import join
from nestling.ir.storage.stored_names import NO_NAMES, path_words

MOST_REASONS = 3
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:([ T])\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[-+]\d\d:\d\d)?)?", re.ASCII)
OF_VALUES = frozenset({"enum", "minimum", "maximum", "minLength", "maxLength", "not", "$expr"})
"""What a validator says of values beside their types."""


def invalid_words(error: Mapping[str, Any], names: Mapping[str, str] = NO_NAMES, *, values: bool = False) -> str:
    """The problem in the server's error, after a colon: `joined` is string, not date. Empty before 5.0, which gives no details.

    `names`: the names for people of what is stored at a path (`path_names`); `values`: also name the value that is not allowed.
    """
    broken = [*_broken(error)]
    told_of = {path for path, rule in broken if rule["operatorName"] != "not"}
    shown = ((path, rule) for path, rule in broken if rule["operatorName"] != "not" or path not in told_of)
    words = (words for path, rule in shown for words in _broken_rules(rule, path, names, values=values))
    told = list(islice(dict.fromkeys(words), MOST_REASONS))
    return f": {', '.join(told)}" if told else ""


def breaks_checks_alone(error: Mapping[str, Any]) -> bool:
    """Whether only values are wrong, of the right types: what a CHECK of the source refuses as well."""
    broken = {rule["operatorName"] for _, rule in _broken(error)}
    return bool(broken) and broken <= OF_VALUES


def broken_paths(error: Mapping[str, Any]) -> Iterator[str]:
    """The paths of the fields that violate a rule; none for rules about a document as a whole."""
    yield from (path for path, _ in _broken(error) if path)


def is_cutover(error: Mapping[str, Any]) -> bool:
    """Whether the collection takes no write at all, as a migration has another design take over. Never before 5.0."""
    return any(rule.get("specifiedAs") == REFUSES_ALL for _, rule in _broken(error))


def why_refused(error: Mapping[str, Any]) -> str:
    """The server's message about a document that it refused, with the rule of the validator that it violates."""
    return f"{error.get('errmsg', 'the server refused it')}{invalid_words(error)}"


def _broken(error: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rules that a document breaks and that hold no others, each with the path it is about."""
    found = error.get("errInfo")
    return _innermost((found.get("details") if isinstance(found, Mapping) else None,), "")


def _innermost(rules: Iterable[object], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for rule in rules:
        if not isinstance(rule, Mapping):
            continue
        if "description" in rule and not rule.keys() & {"operatorName", "propertyName"}:  # one of an `allOf`, in words
            yield path, {"operatorName": "allOf", "description": rule["description"]}
            continue
        if isinstance(details := rule.get("details"), Mapping):  # of one part of an `$and`
            yield from _innermost((details,), path)
        inner = [value for value in rule.values() if isinstance(value, list | tuple) and _are_rules(value)]
        for each in (each for value in inner for each in value):
            below = join(path, each["propertyName"]) if "propertyName" in each else path
            yield from _innermost(each["details"] if "propertyName" in each else (each,), below)
        if not inner and isinstance(rule.get("operatorName"), str):
            yield path, rule


def _broken_rules(rule: Mapping[str, Any], path: str, names: Mapping[str, str], *, values: bool) -> Iterator[str]:
    name, field = rule["operatorName"], f"`{path_words(path, names)}`" if path else "the document"
    if name == "$expr":
        yield f"{broken_check(rule)} does not hold"
        return
    if name == "allOf":
        yield f"{field} breaks: {rule['description']}"
        return
    if name == "bsonType" and "consideredType" in rule:
        yield f"{field} is {rule['consideredType']}, not {_types(rule.get('specifiedAs'))}"
    elif name == "required":
        yield from (
            f"`{path_words(join(path, missing), names)}` is missing" for missing in rule.get("missingProperties", ())
        )
    elif name == "additionalProperties" and "additionalProperties" in rule:
        yield from (f"`{path_words(join(path, more), names)}` is not allowed" for more in rule["additionalProperties"])
    elif path:
        form = _form(rule.get("consideredValue")) if name == "pattern" else ""
        written = f"is a text written {form}, which the design does not read as a date"
        yield f"{field} {written if form else broken_words(rule, values=values)}"


def no_dates(error: Mapping[str, Any]) -> bool:
    """Whether a text is refused that says a moment, in another form than those that became dates."""
    return any(rule["operatorName"] == "pattern" and _form(rule.get("consideredValue")) for _, rule in _broken(error))


def _form(value: object) -> str:
    """How a day or moment is written, without saying which; empty for any other value."""
    match = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return ""
    between, fraction, zone = match.groups(default="")
    clock = f"{between}HH:MM:SS{'.' * bool(fraction)}{'f' * len(fraction)}{'+00:00' * bool(zone)}"
    return f"YYYY-MM-DD{clock * bool(between)}"


def _are_rules(values: Iterable[object]) -> bool:
    return all(
        isinstance(each, Mapping) and each.keys() & {"operatorName", "details", "propertyName"} for each in values
    )


def _types(specified: object) -> str:
    wanted = specified.get("bsonType") if isinstance(specified, Mapping) else None
    return " or ".join(wanted) if isinstance(wanted, list | tuple) else str(wanted)
