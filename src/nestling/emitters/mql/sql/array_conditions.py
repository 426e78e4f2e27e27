"""Conditions on the elements of one field in the query language; None if only an expression is exact."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.field_conditions import Match, constant_of, field_of
from nestling.emitters.mql.sql.functions.arrays import is_of_list
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.ir.statements.expression import Call, Column, Expression
from nestling.ir.statements.operators import Function

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer


def elements(node: Call, r: Renderer) -> Match | None:
    """A value, each value or one of the values is an element. A parameter may be NULL, which is to equal no element that is."""
    array, *arguments = node.arguments
    found = [constant_of(each, array, r) for each in arguments]
    values = [each[0] for each in found if each is not None]
    field = _field_of_elements(array, r)
    if field is None or len(values) < len(found):
        return None
    if is_of_list(node):  # all of no values are in every array, which `$all` does not say
        return {field: {"$elemMatch": {"$in": values[0], "$ne": None}}} if node.function is Function.OVERLAPS else None
    are_known = not any(isinstance(value, ConvertedPlaceholder) for value in values)
    there = [value for value in values if value is not None]
    if node.function is Function.OVERLAPS:
        return {field: {"$in": there} if are_known else {"$elemMatch": {"$in": there, "$ne": None}}}
    if len(there) < len(values):
        return {field: {"$in": []}}
    if not values:
        return None
    each: list[object] = there if are_known else [{"$elemMatch": {"$eq": value, "$ne": None}} for value in there]
    if len(each) > 1:
        return {field: {"$all": each}}
    return {field: {"$eq": there[0]} if are_known else {"$elemMatch": {"$eq": there[0], "$ne": None}}}


def _field_of_elements(array: Expression, r: Renderer) -> str | None:
    """The query language asks a field that is an array for its elements, as if these were values of the field."""
    if not isinstance(array, Column) or array.type.element is None:
        return None
    return field_of(replace(array, type=array.type.element), r)
