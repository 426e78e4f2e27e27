"""Removes a field from documents: by a path, or by an expression if no path can contain its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from nestling.ir.facts.steps import is_plain
from nestling.ir.found_field import FieldSteps, names
from nestling.ir.literals import of_collection, shell

Spec: TypeAlias = Mapping[str, Any]
_THERE: Spec = {"$exists": True}
_ARRAY: Spec = {"$type": "array"}
_NULL: Spec = {"$type": "null", "$not": _ARRAY}  # an array with a null in it is of that type too
_WITH_NULL: Spec = {"$elemMatch": {"$eq": None}}
_ROOT = "$$ROOT"


@dataclass(frozen=True, slots=True)
class FieldRemoval:
    """Which documents, their change, and which elements of arrays."""

    documents: Spec
    change: Spec | Sequence[Spec]
    filters: tuple[Spec, ...] = ()

    def command(self, collection: str) -> str:
        """`db.getCollection("posts").updateMany({…}, {$unset: {"comments.$[e1].text": ""}}, …)`, for the shell."""
        given = [self.documents, self.change, *([{"arrayFilters": self.filters}] if self.filters else [])]
        return f"{of_collection('db', collection)}.updateMany({', '.join(map(shell, given))})"


def removal(steps: FieldSteps, among: Spec | None = None) -> FieldRemoval:
    """Remove the field, whatever its value, from all documents or from those that satisfy a condition."""
    others = among or {}
    if not _is_sayable(steps):
        return FieldRemoval(others, [{"$replaceWith": _without(_ROOT, steps)}])
    target, filters = _in_elements(steps, _THERE)
    return FieldRemoval({**_holding(steps, _THERE), **others}, {"$unset": {target: ""}}, filters)


def removal_together(fields: Sequence[str], among: Spec) -> FieldRemoval:
    """Takes several fields out of documents at once, as a validator refuses a document that keeps some of them."""
    there = [{field: _THERE} for field in fields]
    return FieldRemoval({**among, "$or": there}, {"$unset": dict.fromkeys(fields, "")})


def null_removal(steps: FieldSteps) -> FieldRemoval:
    """Remove null, with which designs represent NULL; from an array it is pulled. The names are a design's."""
    pulled: tuple[FieldSteps, Spec, Spec] = steps[:-1], _WITH_NULL, {"$pull": None}
    place, found, change = pulled if steps[-1] is None else (steps, _NULL, {"$unset": ""})
    target, filters = _in_elements(place, found)
    documents = _holding(place, {"$type": "null"} if filters else found)
    return FieldRemoval(documents, {operator: {target: value} for operator, value in change.items()}, filters)


def _is_sayable(steps: FieldSteps) -> bool:
    """Whether a path can express the steps: not if a name may be read as an array index, or for arrays of arrays."""
    found = names(steps)
    is_nested = (None, None) in pairwise(steps)
    return is_plain(found) and not is_nested and not any(name.isdecimal() for name in found[1:])


def _holding(steps: FieldSteps, found: Spec) -> Spec:
    """Match documents with such a value. An array on the way must be one, as the server expects for array filters."""
    around = {".".join(names(steps[: steps.index(None)])): _ARRAY} if None in steps else {}
    return {".".join(names(steps)): found, **around}


def _in_elements(steps: FieldSteps, found: Spec) -> tuple[str, tuple[Spec, ...]]:
    """The path with `$[e1]` for array elements, and the filters of these, the last one for the value."""
    parts = [""]
    for step in steps:
        if step is None:
            parts.append("")
        else:
            parts[-1] += f".{step}"
    target = parts[0] + "".join(f".$[e{number}]{part}" for number, part in enumerate(parts) if number)
    last = len(parts) - 1
    filters = ({f"e{n}{part}": found if n == last else _ARRAY} for n, part in enumerate(parts) if n)
    return target.removeprefix("."), tuple(filters)


def _without(value: str, steps: FieldSteps) -> Spec:
    """The value without the field. All names but the last are a design's, so a path can contain them."""
    step, *below = steps
    rest = tuple(below)
    made: Spec
    if step is None:
        element = f"e{len(rest)}"
        kind, made = "array", {"$map": {"input": value, "as": element, "in": _without(f"$${element}", rest)}}
    elif rest:
        field = {"field": {"$literal": step}, "input": value}
        kind, made = "object", {"$setField": {**field, "value": _without(f"{value}.{step}", rest)}}
    else:
        kind, made = "object", {"$unsetField": {"field": {"$literal": step}, "input": value}}
    return made if value == _ROOT else {"$cond": [{"$eq": [{"$type": value}, kind]}, made, value]}
