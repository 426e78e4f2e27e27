"""The matches and changes of a write as filters, array filters and update operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from nestling.emitters.mql import sql
from nestling.emitters.mql.in_layout import InLayout
from nestling.emitters.mql.write_constants import StoredParameter
from nestling.emitters.mql.write_values import leaf, may_be_missing, negated, or_null
from nestling.ir.paths.write_path import (
    AddToSet,
    ComputeField,
    DocumentChange,
    ElementFilter,
    Extend,
    FieldMatch,
    Increment,
    Items,
    Pull,
    Push,
    Set,
    SetElements,
    Test,
    UpdateDocuments,
    WrittenValue,
)
from nestling.ir.programs.compiled import Mql
from nestling.ir.programs.filling import without
from nestling.ir.programs.program import MISSING, ArrayPlace, CellRef, UpdateDocument
from nestling.ir.statements.operands import nullable
from nestling.ir.storage.names import overlap
from nestling.ir.types import TypeName

_OPERATORS = {
    Test.EQUAL: "$eq",
    Test.NOT_EQUAL: "$ne",
    Test.LESS: "$lt",
    Test.LESS_OR_EQUAL: "$lte",
    Test.GREATER: "$gt",
    Test.GREATER_OR_EQUAL: "$gte",
    Test.IN: "$in",
}


def conditions(where: Sequence[FieldMatch]) -> Mql:
    """The filter that all the matches make; a path that is named twice with one operator needs an `$and`."""
    made: Mql = {}
    for match in where:
        found, before = condition(match), made.setdefault(match.path, {})
        assert isinstance(before, dict)
        if before.keys() & found.keys():
            return {"$and": [{each.path: condition(each)} for each in where]}
        before.update(found)
    return made


def condition(match: FieldMatch) -> Mql:
    """The operators on the match's path. NULL is a field that is missing; where others write documents, also one that is null."""
    if match.test is Test.THERE:
        return {"$exists": True}
    if match.test is Test.IN and isinstance(match.value, Items):
        listed = [leaf(item) for item in match.value.items]
        return {"$in": [item for item in listed if item is not MISSING]}
    value = or_null(match.value) if match.path == "" else leaf(match.value)
    if value is MISSING:
        return without(match.path, _OPERATORS[match.test])
    return {_OPERATORS[match.test]: value}


def array_filters(filters: Sequence[ElementFilter]) -> tuple[Mql, ...]:
    """One filter for each name."""
    return tuple(_under(each.name, conditions(each.matches)) for each in filters)


def _under(name: str, filter: Mql) -> Mql:  # noqa: A002 - the driver's word
    if isinstance(both := filter.get("$and"), list):
        return {"$and": [_under(name, each) for each in both]}
    return {f"{name}.{path}" if path else name: value for path, value in filter.items()}


def pulled(matches: Sequence[FieldMatch]) -> Mql:
    """The condition of a `$pull`: on the element itself, or on its fields."""
    found = conditions(matches)
    itself = found.get("")
    return itself if isinstance(itself, dict) and len(found) == 1 else found


def update_of(step: UpdateDocuments) -> tuple[UpdateDocument, tuple[ArrayPlace, ...]]:
    """The update's operators or stages, and the paths in them that end in a number of the row.

    Two changes of one path in one command, which the server refuses, are a mistake of the planner (`ValueError`).
    """
    if computed := [each for each in step.changes if isinstance(each, ComputeField)]:
        assert len(computed) == len(step.changes), "what is computed changes alone"
        values = {each.path: _computed(each) for each in computed}
        return ({"$set": values if step.on_insert is None else _made_or_changed(step, values)},), ()
    match step.changes:
        case (SetElements() as elements,):
            return ({"$set": {elements.path: _elements(elements)}},), ()
        case _:
            pass
    made: dict[str, Mql] = {}
    places: list[ArrayPlace] = []
    for change in step.changes:
        path = change.path
        if isinstance(change, Set) and change.place is not None:
            path = f"{change.path}.<{change.place}>"
            places.append(ArrayPlace(path, change.path, CellRef(change.place), change.first))
        operator, value = _change(change)
        if value is not MISSING:
            _put(made, operator, path, value)
    for path, given in step.on_insert or ():
        if (value := leaf(given)) is not MISSING:
            _put(made, "$setOnInsert", path, value)
    return dict(made) or {"$set": {}}, tuple(places)


def operators(changes: Sequence[DocumentChange]) -> Mql:
    """The update operators of changes that do not depend on the current row."""
    made: dict[str, Mql] = {}
    for change in changes:
        operator, value = _change(change)
        _put(made, operator, change.path, value)
    return dict(made)


def _computed(change: ComputeField) -> object:
    value = sql.kept_mql(change.value, InLayout(change.layout))
    is_null = nullable(change.value) and change.value.type.name is not TypeName.JSON
    return {"$ifNull": [value, "$$REMOVE"]} if is_null else value


def _elements(change: SetElements) -> Mql:
    """The array, its elements changed where their key is in the list."""
    element: object = "$$element"
    for field, values in change.fields:
        value = {"$ifNull": [{"$arrayElemAt": [{"$literal": leaf(values)}, "$$at"]}, "$$REMOVE"]}
        element = {"$setField": {"field": {"$literal": field}, "input": element, "value": value}}
    at = {"$indexOfArray": [{"$literal": leaf(change.keys)}, f"$$element.{change.key}"]}
    changed = {"$cond": [{"$gte": ["$$at", 0]}, element, "$$element"]}
    return {"$map": {"input": f"${change.path}", "as": "element", "in": {"$let": {"vars": {"at": at}, "in": changed}}}}


def _made_or_changed(step: UpdateDocuments, changed: Mql) -> Mql:
    """The value of each field: the new document's if it is inserted, or else the old or changed value."""
    new = {path: _stored(value) for path, value in step.on_insert or ()}
    was_there = {"$ne": [{"$type": f"${step.sure}"}, "missing"]}
    paths = dict.fromkeys((*new, *changed))
    return {path: {"$cond": [was_there, changed.get(path, f"${path}"), new.get(path, "$$REMOVE")]} for path in paths}


def _stored(value: WrittenValue) -> object:
    """A value that is given as an expression; one that is NULL is no field."""
    found = leaf(value)
    return {"$ifNull": [{"$literal": found}, "$$REMOVE"]} if may_be_missing(found) else {"$literal": found}


def _put(made: dict[str, Mql], operator: str, path: str, value: object) -> None:
    for fields in made.values():
        for known in fields:
            if overlap(known, path):
                raise ValueError(f"`{path}` and `{known}` change in one command")
    made.setdefault(operator, {})[path] = value


def _change(change: DocumentChange) -> tuple[str, object]:
    match change:
        case Set(value=value):
            found = leaf(value)
            return ("$unset", "") if found is MISSING else ("$set", found)
        case Increment(value=value, negative=negative):
            found = leaf(value)
            found = replace(found, is_number=True) if isinstance(found, StoredParameter) else found
            return "$inc", negated(found) if negative and found is not MISSING else found
        case Extend(value=value, greater=greater):
            return "$max" if greater else "$min", leaf(value)
        case Push():
            return "$push", _push(change)
        case Pull(matches=matches):
            return "$pull", pulled(matches)
        case AddToSet(value=value):
            return "$addToSet", or_null(value)
        case ComputeField(path=path):
            raise AssertionError(f"`{path}` is computed, which no operator does")
        case SetElements(path=path):
            raise AssertionError(f"elements of `{path}` change alone")
        case _:
            assert_never(change)


def _push(push: Push) -> object:
    value = [] if push.value is None else [or_null(push.value)]
    if value and not push.order and push.keep is None:
        return value[0] if not isinstance(value[0], list) else {"$each": value}
    whole: Mql = {"$each": value}
    if push.order:
        whole["$sort"] = push.order[0][1] if push.order[0][0] == "" else dict(push.order)
    if push.keep is not None:
        whole["$slice"] = push.keep
    return whole
