"""Whether a shape read from a file is one that masking could have made: every clause of the type its readers count on."""

from __future__ import annotations

import json
from collections.abc import Callable

from nestling.ir.capture.shape import CommandShape

_Test = Callable[[object], bool]


def is_sound(shape: CommandShape) -> bool:
    """Whether the text is a JSON object of clauses with the types that `CommandShape` names."""
    try:
        clauses = json.loads(shape.text)
    except (ValueError, RecursionError):
        return False
    return isinstance(clauses, dict) and all(_CLAUSES.get(name, _any)(each) for name, each in clauses.items())


def _any(_: object) -> bool:
    return True


def _object(found: object) -> bool:
    return isinstance(found, dict)


def _number(found: object) -> bool:
    return isinstance(found, int)


def _text(found: object) -> bool:
    return isinstance(found, str)


def _list(found: object) -> bool:
    return isinstance(found, list)


def _names(found: object) -> bool:
    return _text(found) or (isinstance(found, list) and all(map(_text, found)))


def _order(found: object) -> bool:
    return isinstance(found, dict) and all(type(way) is int and abs(way) <= 1 for way in found.values())


def _stages(found: object) -> bool:
    return isinstance(found, list) and all(
        isinstance(stage, dict) and all(_STAGES.get(name, _any)(body) for name, body in stage.items())
        for stage in found
    )


def _change(found: object) -> bool:
    return _stages(found) if isinstance(found, list) else isinstance(found, dict | str)


_STAGES: dict[str, _Test] = {
    "$match": _object,
    "$project": _object,
    "$unset": _names,
    "$sort": _order,
    "$limit": _number,
    "$unwind": _object,
    "$lookup": _object,
    "$graphLookup": _object,
    "$unionWith": _object,
    "$facet": _object,
}
_CLAUSES: dict[str, _Test] = {
    "filter": _object,
    "projection": _object,
    "query": _object,
    "q": _object,
    "u": _change,
    "update": _change,
    "pipeline": _stages,
    "documents": _list,
    "arrayFilters": _list,
    "sort": _order,
    "key": _text,
    "limit": _number,
    "collation": _number,
}
