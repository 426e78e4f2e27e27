"""Conditions on an array's elements, and a row as an array.

A NULL element equals nothing, and a NULL array has no elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.aggregates import joined
from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.functions.arguments import or_null
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.nulls import absent, bind, both, either, null_if_any, present
from nestling.ir.statements.expression import Call, Expression, Literal, Parameter
from nestling.ir.statements.operators import Function
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from collections.abc import Callable

    from nestling.emitters.mql.sql.renderer import Renderer


def elements_truth(node: Call, r: Renderer) -> MqlValue:
    """Whether an array has the value as an element, or each of the values, or one of them."""
    if is_of_list(node):
        return _truth_of_list(node, r)
    return _bound(node, r, lambda array, *values: _found(node, array, values, r))


def elements_falsity(node: Call, r: Renderer) -> MqlValue:
    """An expression that says whether the condition is known to be false."""
    _refuse_list(node)
    return _bound(node, r, lambda array, *values: both(*_known(node, array, r), _not_found(node, array, values, r)))


def elements(node: Call, r: Renderer) -> MqlValue:
    """True, false or null."""
    _refuse_list(node)

    def body(array: MqlValue, *values: MqlValue) -> MqlValue:
        found = _found(node, array, values, r)
        if node.function is Function.ANY_ELEMENT:
            lost = both(*_known(node, array, r), _not_found(node, array, values, r))
            return {"$cond": [found, True, {"$cond": [lost, False, None]}]}
        return {"$cond": [absent(array), None, found]} if r.nullable(node.arguments[0]) else found

    return _bound(node, r, body)


def is_of_list(node: Call) -> bool:
    """Whether the values are one list that is given."""
    return isinstance(node.arguments[-1], Parameter) and node.arguments[-1].listed


def _refuse_list(node: Call) -> None:
    """Raise a gap where the values are a list given as one parameter, which may be NULL.

    NULL in its place is rendered as a list with one NULL in it. Both find no element, so that a condition may use it; but their
    negation and their value as a column differ.
    """
    if is_of_list(node):
        raise rendering_gap("NOT, or the value, of whether an array overlaps a list given as a parameter")


def _bound(node: Call, r: Renderer, body: Callable[..., MqlValue]) -> MqlValue:
    array, *values = node.arguments
    named = {f"value{place}": _value(each, r) for place, each in enumerate(values)}
    return bind({"array": r.value(array), **named}, body, total=True)


def _value(value: Expression, r: Renderer) -> MqlValue:
    return {"$literal": r.compared(value)} if isinstance(value, Parameter) else r.value(value)


def _known(node: Call, array: MqlValue, r: Renderer) -> tuple[MqlValue, ...]:
    return (present(array),) if r.nullable(node.arguments[0]) else ()


def _items(node: Call, array: MqlValue, r: Renderer) -> MqlValue:
    return {"$ifNull": [array, []]} if r.nullable(node.arguments[0]) else array


def _found(node: Call, array: MqlValue, values: tuple[MqlValue, ...], r: Renderer) -> MqlValue:
    items = _items(node, array, r)
    each = [
        both(*((present(value),) if r.nullable(argument) else ()), {"$in": [value, items]})
        for argument, value in zip(node.arguments[1:], values, strict=True)
    ]
    if node.function is not Function.CONTAINS:
        return either(*each)
    return both(*each) if each else both(*_known(node, array, r))


def _not_found(node: Call, array: MqlValue, values: tuple[MqlValue, ...], r: Renderer) -> MqlValue:
    """Whether a value is surely not in an array: neither it nor an element is NULL, or the array is empty."""
    if node.function is not Function.ANY_ELEMENT:
        return {"$not": [_found(node, array, values, r)]}
    items, value = _items(node, array, r), values[0]
    unequal = ({"$not": [{"$in": [value, items]}]}, {"$not": [{"$in": [None, items]}]})
    if not r.nullable(node.arguments[1]):
        return both(*unequal)
    return either({"$eq": [items, []]}, both(present(value), *unequal))


def _truth_of_list(node: Call, r: Renderer) -> MqlValue:
    quantifier = "$allElementsTrue" if node.function is Function.CONTAINS else "$anyElementTrue"

    def body(array: MqlValue, values: MqlValue) -> MqlValue:
        found = both(present("$$item_"), {"$in": ["$$item_", _items(node, array, r)]})
        each = {quantifier: [{"$map": {"input": values, "as": "item_", "in": found}}]}
        return both(*_known(node, array, r), each)

    return bind({"array": r.value(node.arguments[0]), "values": _value(node.arguments[1], r)}, body, total=True)


def cardinality(node: Call, r: Renderer) -> MqlValue:
    """The number of elements."""

    def body(array: MqlValue) -> MqlValue:
        return null_if_any([array] if r.nullable(node.arguments[0]) else [], {"$size": array})

    return _bound(node, r, body)


def _joined(node: Call, r: Renderer) -> MqlValue:
    """The elements as one text."""
    array, separator, *of_null = node.arguments
    kind = array.type.element
    is_text = kind is not None and kind.name is TypeName.TEXT
    unknown = [each for each in (array, separator) if r.nullable(each)]

    def body(found: MqlValue, between: MqlValue) -> MqlValue:
        text: MqlValue = "$$this" if is_text else {"$toString": "$$this"}
        if of_null:
            items = {"$map": {"input": found, "as": "this", "in": {"$ifNull": [text, r.value(of_null[0])]}}}
        else:
            present_ones = {"$filter": {"input": found, "as": "this", "cond": present("$$this")}}
            items = present_ones if is_text else {"$map": {"input": present_ones, "as": "this", "in": text}}
        nulls = [value for value, each in ((found, array), (between, separator)) if each in unknown]
        return null_if_any(nulls, {"$ifNull": [joined(items, between), ""]})

    return bind({"array": r.value(array), "separator": _value(separator, r)}, body, inside=True, total=True)


def element(node: Call, r: Renderer) -> MqlValue:
    """The element at a place that is known, which the server counts from 0."""
    array, place = node.arguments
    assert isinstance(place, Literal)
    return {"$arrayElemAt": [r.value(array), int(str(place.value)) - 1]}


def _array_of(node: Call, r: Renderer) -> MqlValue:
    return [or_null(each, r) for each in node.arguments]


def _concat(node: Call, r: Renderer) -> MqlValue:
    one, other = node.arguments
    arrays = [{"$ifNull": [r.value(each), []]} if r.nullable(each) else r.value(each) for each in (one, other)]
    joined: MqlValue = {"$concatArrays": arrays}
    if not (r.nullable(one) and r.nullable(other)):
        return joined
    return {"$cond": [both(absent(r.value(one)), absent(r.value(other))), None, joined]}


def _remove(node: Call, r: Renderer) -> MqlValue:
    array, value = node.arguments

    def body(found: MqlValue) -> MqlValue:
        return {"$filter": {"input": r.value(array), "cond": {"$ne": ["$$this", found]}}}

    sought = _value(value, r) if isinstance(value, Parameter) else or_null(value, r)
    return bind({"value": sought}, body, inside=True, total=True)


def row(node: Call, r: Renderer) -> MqlValue:
    """A document with the values of a row as an array, each in its position.

    It is a document because `$group` takes an array for several arguments.
    """
    named = {f"value{place}": r.value(each) for place, each in enumerate(node.arguments)}

    def body(*values: MqlValue) -> MqlValue:
        unknown = [value for value, each in zip(values, node.arguments, strict=True) if r.nullable(each)]
        return null_if_any(unknown if r.nullable(node) else [], {"row": list(values)})

    return bind(named, body, total=True)


ARRAYS = {
    Function.ARRAY_OF: _array_of,
    Function.ARRAY_CONCAT: _concat,
    Function.ARRAY_REMOVE: _remove,
    **dict.fromkeys((Function.ANY_ELEMENT, Function.CONTAINS, Function.OVERLAPS), elements),
    Function.CARDINALITY: cardinality,
    Function.JOINED: _joined,
    Function.ELEMENT: element,
    Function.ROW: row,
}
