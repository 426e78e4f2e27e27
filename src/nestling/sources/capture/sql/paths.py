"""Finding what a dotted path means."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.facts.steps import ANY_KEY
from nestling.sources.capture.sql.field_values import (
    Absent,
    DocumentTree,
    FieldValue,
    Many,
    NotExpressible,
    OfOtherKind,
    Unmapped,
)


@dataclass(frozen=True, slots=True)
class PathTarget:
    """What a path leads to; `rest`: the steps left inside the elements of an array, when it leads into one; `places`: the steps
    that say which elements are meant.
    """

    value: FieldValue
    rest: str = ""
    places: tuple[str, ...] = ()


def find(document: FieldValue, path: str) -> PathTarget:
    """The value under a dotted path; what no attribute stands for is `Unmapped`."""
    value: FieldValue = document
    steps = [step for step in path.split(".") if step] if path else []
    for place, step in enumerate(steps):
        if isinstance(value, Many):
            left = steps[place:]
            rest = ".".join(each for each in left if not _is_place(each))
            return PathTarget(value, rest, tuple(filter(_is_place, left)))
        if isinstance(value, OfOtherKind):
            return PathTarget(value)
        if not isinstance(value, DocumentTree):
            return PathTarget(Unmapped(f"`{path}` lies within a value"))
        if step not in value.fields:
            return PathTarget(Absent(f"`{path}` is not an attribute of the model"))
        value = value.fields[step]
    return PathTarget(value)


def value_under(document: FieldValue, path: str) -> FieldValue:
    """The value under a path that leads into no array; raises NotExpressible."""
    found = find(document, path)
    if found.rest:
        raise NotExpressible(f"`{path}` lies within an array")
    if isinstance(found.value, Unmapped):
        raise NotExpressible(found.value.why)
    return found.value


def _is_place(step: str) -> bool:
    """Whether a step only says which element of an array is meant: `$`, `$[x]`, `$[]`, a number."""
    return step == ANY_KEY or step.startswith("$")
