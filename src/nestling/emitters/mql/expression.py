"""Expressions and predicates as MQL."""

from __future__ import annotations

from typing import assert_never

from bson.decimal128 import Decimal128

from nestling.emitters.mql.ancestors import behind, climbed, path_text, root_first
from nestling.emitters.mql.field_order import with_fields_in_order
from nestling.ir.paths.access_path import (
    AsNumber,
    Behind,
    Climb,
    Comparator,
    DocumentComparison,
    DocumentOf,
    FieldExists,
    FieldHasValue,
    FieldPath,
    FixedValue,
    HasElements,
    Holds,
    IfMissing,
    InOrder,
    Mark,
    Marks,
    NullAsMissing,
    PairValue,
    PathExpression,
    PathText,
    Predicate,
    RootFirst,
    UnlessEmpty,
    WithLast,
)
from nestling.ir.programs.compiled import Mql

_OPERATORS = {
    Comparator.EQUAL: "$eq",
    Comparator.NOT_EQUAL: "$ne",
    Comparator.LESS: "$lt",
    Comparator.LESS_OR_EQUAL: "$lte",
    Comparator.GREATER: "$gt",
    Comparator.GREATER_OR_EQUAL: "$gte",
}


def expression_mql(expression: PathExpression) -> object:  # noqa: C901 - one case for each
    """An aggregation expression: a string for a path, else a document."""
    match expression:
        case FieldPath(path):
            return f"${path}"
        case FixedValue(value):
            return {"$literal": value}
        case IfMissing(value, otherwise):
            return {"$ifNull": [expression_mql(value), expression_mql(otherwise)]}
        case NullAsMissing(value):
            return {"$ifNull": [expression_mql(value), "$$REMOVE"]}
        case AsNumber():
            return _as_number(expression)
        case DocumentOf(fields):
            return {name: expression_mql(value) for name, value in fields}
        case PairValue():
            return _pair_value(expression)
        case InOrder(value, fields, several):
            return with_fields_in_order(expression_mql(value), fields, several=several)
        case UnlessEmpty(document):
            return _unless_empty(expression_mql(document))
        case Climb(array, start):
            return climbed(expression_mql(array), expression_mql(start))
        case RootFirst(array, limit):
            return root_first(expression_mql(array), limit)
        case Behind(array, value):
            return behind(expression_mql(array), expression_mql(value))
        case WithLast(array, element):
            return {"$concatArrays": [expression_mql(array), [expression_mql(element)]]}
        case PathText(array, separator):
            return path_text(expression_mql(array), separator)
        case HasElements(array):
            return {"$gt": [{"$size": expression_mql(array)}, 0]}
        case Marks(marks, field):
            return _marks(marks, field)
        case _:
            assert_never(expression)


def _as_number(number: AsNumber) -> Mql:
    """A sum of decimals has the digits of the one that has more."""
    value = expression_mql(number.value)
    found = {"$toDouble": value} if number.is_float else {"$add": [value, Decimal128(f"0E-{number.scale}")]}
    return {"$ifNull": [found, "$$REMOVE"]}


def _pair_value(pair: PairValue) -> Mql:
    """The value of a pair.

    `$first` and `$getField`, unlike a path into an array, distinguish a stored null from a missing value.
    """
    array = {"$ifNull": [expression_mql(pair.array), []]}
    condition = {"$eq": [f"$$this.{pair.key}", {"$literal": pair.name}]}
    element = {"$first": {"$filter": {"input": array, "cond": condition}}}
    return {"$getField": {"field": pair.value, "input": element}}


def _unless_empty(document: object) -> Mql:
    return {"$let": {"vars": {"found": document}, "in": {"$cond": [{"$eq": ["$$found", {}]}, "$$REMOVE", "$$found"]}}}


def _marks(marks: tuple[Mark, ...], field: str) -> Mql:
    if len(marks) == 1:
        return {"$cond": [_is_told(marks[0], field), {"$literal": marks[0].text}, "$$REMOVE"]}
    met = {"$concatArrays": [{"$cond": [_is_told(mark, field), [{"$literal": mark.text}], []]} for mark in marks]}
    several = {"$cond": [{"$eq": [{"$size": "$$met"}, 1]}, {"$first": "$$met"}, "$$met"]}
    return {"$let": {"vars": {"met": met}, "in": {"$cond": [{"$eq": ["$$met", []]}, "$$REMOVE", several]}}}


def _is_told(mark: Mark, field: str) -> object:
    if mark.is_certain and not mark.paths:
        return True
    there: list[object] = [{"$ne": [{"$type": f"${path}"}, "missing"]} for path in mark.paths]
    if not mark.is_certain:
        held = {"$cond": [{"$isArray": [f"${field}"]}, f"${field}", [f"${field}"]]}
        there.append({"$in": [{"$literal": mark.text}, held]})
    return {"$or": there} if len(there) > 1 else there[0]


def predicate_mql(predicate: Predicate) -> Mql:
    """The condition for `$match`: in the query language where possible, as only that sees into arrays and uses all indexes."""
    match predicate:
        case DocumentComparison(left, comparator, right):
            return {"$expr": {_OPERATORS[comparator]: [expression_mql(left), expression_mql(right)]}}
        case FieldExists(path):
            return {path: {"$exists": True}}
        case FieldHasValue(path):
            return {path: {"$ne": None}}
        case Holds(path, value):
            return {path: {"$eq": value}}
        case _:
            assert_never(predicate)
