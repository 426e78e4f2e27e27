"""Sample values of a command's parameters, by the place in the filter or update they stand at: `price $gt`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from bson import Decimal128, ObjectId

from nestling.ir.capture.clauses import LOGICAL
from nestling.ir.capture.folded_names import folded

_SETTING = ("$set", "$inc", "$mul", "$min", "$max", "$push", "$addToSet")
_LISTS = ("$in", "$nin", "$all", "$mod")
_LONGEST = 200


NEXT_OF_ITS_PLACE = " again"
"""What the place of a value ends with if another value has the same place before it."""


def sample_values(command: Mapping[str, Any], place: int = 0) -> Iterator[tuple[str, object]]:
    """Plain values with their places; `place`: of which of a command's several statements."""
    known: set[str] = set()
    for path, value in _every_value(command, place):
        found = f"{path}{NEXT_OF_ITS_PLACE}" if path in known else path
        if found not in known:
            known.add(found)
            yield found, value


def _every_value(command: Mapping[str, Any], place: int) -> Iterator[tuple[str, object]]:
    several = command.get("updates", command.get("deletes"))
    found = several[place] if isinstance(several, list) and place < len(several) else command
    for name in ("filter", "query", "q"):
        yield from _conditions(found.get(name))
    yield from _stages(found.get("pipeline"))
    change = found.get("u", found.get("update"))
    if isinstance(change, Mapping) and not any(str(name).startswith("$") for name in change):
        yield from _fields("$set", change)
    for name, fields in change.items() if isinstance(change, Mapping) else ():
        if isinstance(fields, Mapping) and name == "$pull":
            yield from _conditions(fields, "$pull.")
        elif isinstance(fields, Mapping) and name in _SETTING:
            yield from _fields(name, fields)
    for each in found.get("arrayFilters") or ():
        yield from _conditions(each)
    documents = found.get("documents")
    if isinstance(documents, list) and documents and isinstance(documents[0], Mapping):
        yield from _fields("$set", documents[0])


def _stages(found: object) -> Iterator[tuple[str, object]]:
    for stage in found if isinstance(found, list) else ():
        for name, body in stage.items() if isinstance(stage, Mapping) else ():
            if name == "$match":
                yield from _conditions(body)
            elif isinstance(body, Mapping):
                yield from _stages(body.get("pipeline"))


def _conditions(found: object, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, test in found.items() if isinstance(found, Mapping) else ():
        if name in LOGICAL and isinstance(test, list):
            for inner in test:
                yield from _conditions(inner, prefix)
        elif not str(name).startswith("$"):
            yield from _tests(f"{prefix}{name}", test)


def _tests(path: str, found: object) -> Iterator[tuple[str, object]]:
    if not isinstance(found, Mapping):
        yield from _value(f"{path} $eq", found)
    elif not any(str(key).startswith("$") for key in found):
        yield from _conditions(found, f"{path}.")
    for operator, value in found.items() if isinstance(found, Mapping) else ():
        if operator == "$not":
            yield from _tests(path, value)
        elif operator in ("$eq", "$ne") and isinstance(value, Mapping):
            yield from _conditions(value, f"{path}.")
        elif operator == "$elemMatch" and isinstance(value, Mapping):
            of_value = any(str(each).startswith("$") and each not in LOGICAL for each in value)
            yield from _tests(path, value) if of_value else _conditions(value, f"{path}.")
        for each in value if operator == "$all" and isinstance(value, list) else ():
            if isinstance(each, Mapping):
                yield from _tests(path, each)
        given = [each for each in value if each is not None] if operator in _LISTS and isinstance(value, list) else []
        for number, each in enumerate(given):
            yield from _value(f"{path} {operator} {number}", each)
        yield from _value(f"{path} {operator}", value)


def _fields(operator: str, found: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, each in found.items():
        value, path = each, f"{prefix}{folded(str(name))}"
        if isinstance(value, Mapping) and isinstance(several := value.get("$each"), list) and several:
            value = several[0]
        if isinstance(value, list) and value and not isinstance(value[0], list):
            value = value[0]
        if isinstance(value, Mapping):
            yield from _fields(operator, value, f"{path}.")
        else:
            yield from _value(f"{path} {operator}", value)


def _value(place: str, value: object) -> Iterator[tuple[str, object]]:
    """A value JSON can say, under its place; texts only when they are short."""
    if isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= _LONGEST):
        yield place, value
    elif isinstance(value, ObjectId | Decimal128):
        yield place, str(value)
    elif isinstance(value, datetime):
        yield place, value.replace(tzinfo=None).isoformat(sep=" ")
