"""Conditions on documents of one kind in a collection that also holds others.

The server tests conditions in its own order; with an index it may evaluate an expression before the kind. An expression that
would fail on documents of another kind (a date's text, where they have numbers) therefore tests the kind itself first.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.paths.access_path import FilterDocuments, Holds, Lookup, Step, Unwind
from nestling.ir.paths.row_steps import (
    Add,
    AggregateElements,
    Compute,
    Correlate,
    KeepElements,
    Where,
    WhereElement,
    WherePair,
)
from nestling.ir.programs.compiled import Mql
from nestling.ir.storage.layout import Presence

_NEVER_FAILING = frozenset(
    {"$and", "$or", "$not", "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$cmp", "$cond", "$ifNull", "$let", "$literal"}
)


def of_kind(match: Mql, source: Step) -> Mql:
    """The `$match` document for a step's documents, with each expression that may fail applied only to documents of its kind."""
    kinds = [is_of_kind(kind) for kind in _kinds(source)]
    return _guarded(match, kinds) if kinds else match


def _kinds(step: Step) -> Iterator[Holds]:
    """What the documents of a step are known to hold, as long as they are the collection's, possibly with more fields."""
    while isinstance(
        step,
        FilterDocuments
        | Where
        | WhereElement
        | KeepElements
        | AggregateElements
        | WherePair
        | Unwind
        | Add
        | Compute
        | Lookup
        | Correlate,
    ):
        if isinstance(step, FilterDocuments) and isinstance(step.predicate, Holds):
            yield step.predicate
        step = step.source


def is_of_kind(kind: Holds | Presence) -> Mql:
    """Whether a document holds rows of this kind."""
    field = f"${kind.path}"
    if not kind.several:
        return {"$eq": [field, kind.value]}
    return {"$in": [kind.value, {"$cond": [{"$isArray": field}, field, [field]]}]}


def _guarded(match: Mql, kinds: list[Mql]) -> Mql:
    found: Mql = {}
    for key, value in match.items():
        if key == "$expr" and _may_fail(value):
            parts = value["$and"] if isinstance(value, dict) and "$and" in value else [value]
            found[key] = {"$and": [*kinds, *parts]}
        elif key == "$and" and isinstance(value, list):
            found[key] = [_guarded(each, kinds) for each in value]
        else:
            found[key] = value
    return found


def _may_fail(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_may_fail, value))
    if not isinstance(value, dict) or set(value) == {"$literal"}:
        return False
    return any((name.startswith("$") and name not in _NEVER_FAILING) or _may_fail(each) for name, each in value.items())
