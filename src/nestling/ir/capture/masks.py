"""Values replaced by what they are: `{age: {$gt: 30}}` becomes `{age: {$gt: "?number"}}`.

The words are those of the server's own query shapes. What stays is structure: field names, operators, directions, limits, the
constants 0, 1 and -1, true and false in expressions. No text of anybody's survives that is not the name of a field, a variable or
a collection.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from bson import Binary, DatetimeMS, DBRef, Decimal128, MaxKey, MinKey, ObjectId, Regex, Timestamp
from bson.raw_bson import RawBSONDocument

from nestling.ir.capture.folded_names import MANY_NAMES, folded
from nestling.ir.facts.steps import ANY_KEY

Masked = Any
"""JSON: documents, lists, texts, numbers, true, false."""

NULL_SHAPE = "?null"
NUMBER, STRING, OBJECT = "?number", "?string", "?object"
_KEPT_NUMBERS = (0, 1, -1)
_DEEPEST = 60
_WORDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "?bool"),
    ((int, float, Decimal128), NUMBER),
    (str, STRING),
    (ObjectId, "?objectId"),
    ((datetime, DatetimeMS), "?date"),
    ((bytes, Binary, UUID), "?binData"),
    (Timestamp, "?timestamp"),
    (Regex, "?regex"),
    ((MinKey, MaxKey), "?minmax"),
    (DBRef, "?dbRef"),
)
_BY_TYPE = {
    bool: "?bool",
    int: NUMBER,
    float: NUMBER,
    str: STRING,
    ObjectId: "?objectId",
    datetime: "?date",
    type(None): NULL_SHAPE,
}
_UNITS = frozenset({"year", "quarter", "week", "month", "day", "hour", "minute", "second", "millisecond"})


def value(found: object, depth: int = 0) -> Masked:
    """The mask of a value: a word, a document of words by name, or the different elements of a list."""
    word = _BY_TYPE.get(type(found))
    if word is not None:
        return word
    if isinstance(found, Mapping):
        return _document(found, lambda each: value(each, depth + 1)) if depth < _DEEPEST else OBJECT
    if isinstance(found, list | tuple):
        return different(value(each, depth + 1) for each in found) if depth < _DEEPEST else "?array"
    return next((word for kinds, word in _WORDS if isinstance(found, kinds)), "?undefined")


def different(found: Iterable[Masked]) -> list[Masked]:
    """Each of them once, in the order of their texts."""
    known = {each if isinstance(each, str) else json.dumps(each, sort_keys=True): each for each in found}
    return [known[key] for key in sorted(known)]


def at_most_twice(found: Iterable[Masked]) -> list[Masked]:
    """Each of them, in the order of their texts; of those that are alike two, which say that there are several."""
    counts: dict[str, list[Masked]] = {}
    for each in found:
        alike = counts.setdefault(json.dumps(each, sort_keys=True), [])
        if len(alike) < 2:
            alike.append(each)
    return [each for key in sorted(counts) for each in counts[key]]


def expression(found: object, depth: int = 0) -> Masked:
    """An aggregation expression: paths, operators and the smallest constants stay."""
    if isinstance(found, str):
        return folded(found) if found.startswith("$") else STRING
    if isinstance(found, bool) or (isinstance(found, int | float) and found in _KEPT_NUMBERS):
        return found if isinstance(found, bool) else int(found)
    if depth >= _DEEPEST:
        return OBJECT
    if isinstance(found, list | tuple):
        inner = [expression(each, depth + 1) for each in found]
        return different(inner) if len(inner) > 1 and all(map(_is_word, inner)) else inner
    if isinstance(found, Mapping) and not isinstance(found, RawBSONDocument | DBRef):
        return {_name(name): _argument(name, each, depth) for name, each in _entries(found)}
    return value(found)


def _argument(name: str, found: object, depth: int) -> Masked:
    if name == "$literal":
        return value(found)
    if name == "unit" and isinstance(found, str) and found in _UNITS:
        return found
    return expression(found, depth + 1)


def _is_word(masked: Masked) -> bool:
    return isinstance(masked, str) and masked.startswith("?")


def _document(found: Mapping[str, Any], mask: Callable[[object], Masked]) -> Masked:
    return {_name(name): mask(each) for name, each in _entries(found)}


def _entries(found: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """The entries of a document; one for all of them when there are so many that the names are data."""
    items = [(str(name), each) for name, each in found.items()]
    return [(ANY_KEY, items[0][1])] if len(items) > MANY_NAMES else items


def _name(name: str) -> str:
    return name if name.startswith("$") else folded(name)
