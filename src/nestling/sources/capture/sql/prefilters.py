"""Filters that stand twice: on an array, for an index to be used, and on its elements once they are unwound."""

from __future__ import annotations

from typing import Any

from nestling.ir.capture.masks import NULL_SHAPE

Stage = dict[str, Any]
_OF_ONE_ELEMENT = frozenset({"$eq", "$gt", "$gte", "$lt", "$lte", "$in", "$regex", "$mod"})


def once(pipeline: list[Stage]) -> list[Stage]:
    """The pipeline without the tests of an array that its unwound elements are put to again.

    The values are not known any more; the same tests in both places are taken to be of the same values.
    """
    made: list[Stage] = []
    for place, stage in enumerate(pipeline):
        body = stage.get("$match")
        array, again = _unwound(pipeline[place + 1 :]) if body else ("", {})
        made.append({"$match": _without(body, array, again)} if body and array else stage)
    return [stage for stage in made if stage != {"$match": {}}]


def _unwound(rest: list[Stage]) -> tuple[str, Stage]:
    """The array that is unwound right after, and the filter after that."""
    while rest and "$match" in rest[0]:
        rest = rest[1:]
    if len(rest) < 2 or "$unwind" not in rest[0] or rest[0]["$unwind"].get("preserveNullAndEmptyArrays"):
        return "", {}
    return rest[0]["$unwind"]["path"].lstrip("$"), rest[1].get("$match", {})


def _without(body: Stage, array: str, again: Stage) -> Stage:
    kept = {}
    for path, tests in body.items():
        inner = tests.get("$elemMatch") if path == array and isinstance(tests, dict) and len(tests) == 1 else None
        if isinstance(inner, dict):
            if all(again.get(f"{array}.{name}") == test for name, test in inner.items()):
                continue
        elif path.startswith(f"{array}.") and again.get(path) == tests and _is_of_one_element(tests):
            continue
        kept[path] = tests
    return kept


def _is_of_one_element(tests: Stage) -> bool:
    """Whether an array passes the tests because an element does: a negated test must be true of all its elements."""
    return all(
        name in _OF_ONE_ELEMENT and NULL_SHAPE not in (operand, *_values(operand)) for name, operand in tests.items()
    )


def _values(operand: Any) -> list[Any]:
    return operand if isinstance(operand, list) else []
