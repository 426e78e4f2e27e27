"""Predicates under three-valued logic.

`truth` says whether a predicate is TRUE and `falsity` whether it is FALSE: NOT swaps the two, AND and OR distribute over them,
and a comparison is FALSE if its opposite is TRUE. So NULL matters only in comparisons, and only on the side where the server's
order, in which NULL is the least value, would give another result. `predicate_value` distinguishes NULL.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.comparison import Sides, sides
from nestling.emitters.mql.sql.constants import MqlValue, is_inline, literal_value
from nestling.emitters.mql.sql.functions.arrays import elements_falsity, elements_truth
from nestling.emitters.mql.sql.functions.patterns import matches_truth
from nestling.emitters.mql.sql.nulls import absent, bind, both, either, null_if_any, present
from nestling.emitters.mql.sql.pattern import like_truth
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder
from nestling.ir.nested_values import with_leaves
from nestling.ir.statements.expression import (
    And,
    Call,
    Cast,
    Compare,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Not,
    Or,
)
from nestling.ir.statements.operands import of_numbers
from nestling.ir.statements.operators import Comparison, Function
from nestling.ir.types import TypeName

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

OPERATORS = {
    Comparison.EQUAL: "$eq",
    Comparison.NOT_EQUAL: "$ne",
    Comparison.LESS: "$lt",
    Comparison.LESS_OR_EQUAL: "$lte",
    Comparison.GREATER: "$gt",
    Comparison.GREATER_OR_EQUAL: "$gte",
    Comparison.SAME: "$eq",
    Comparison.DIFFERENT: "$ne",
}
_GUARDED = {  # the sides whose NULL the server's order would take for a match
    Comparison.NOT_EQUAL: (True, True),
    Comparison.LESS: (True, False),
    Comparison.LESS_OR_EQUAL: (True, False),
    Comparison.GREATER: (False, True),
    Comparison.GREATER_OR_EQUAL: (False, True),
}
_NULL_SAFE = (Comparison.SAME, Comparison.DIFFERENT)


def truth(predicate: Expression, r: Renderer) -> MqlValue:  # noqa: C901 - one case for each node
    """An expression that says whether the predicate is TRUE."""
    match predicate:
        case Literal(value=value):
            return value is True
        case And(operands=parts):
            return both(*(truth(part, r) for part in parts))
        case Or(operands=parts):
            return either(*(truth(part, r) for part in parts))
        case Not(operand=operand):
            return falsity(operand, r)
        case Compare():
            return _compare_truth(predicate, r)
        case IsNull(operand=operand):
            return absent(r.value(operand)) if r.nullable(operand) else False
        case InList():
            return _in_truth(predicate, r)
        case Like():
            return like_truth(predicate, r)
        case Call(function=Function.GLOB | Function.MATCHES | Function.MATCHES_ANY_CASE):
            return matches_truth(predicate, r)
        case Call(function=Function.ANY_ELEMENT | Function.CONTAINS | Function.OVERLAPS):
            return elements_truth(predicate, r)
        case Cast(operand=operand) if _is_number_test(predicate):
            return _zero_test(operand, r, "$ne")
        case _:
            return _is(r.value(predicate), wanted=True)


def falsity(predicate: Expression, r: Renderer) -> MqlValue:  # noqa: C901 - one case for each node
    """An expression that says whether the predicate is FALSE."""
    match predicate:
        case Literal(value=value):
            return value is False
        case And(operands=parts):
            return either(*(falsity(part, r) for part in parts))
        case Or(operands=parts):
            return both(*(falsity(part, r) for part in parts))
        case Not(operand=operand):
            return truth(operand, r)
        case Compare() if is_strict_range(predicate):
            return _outside(predicate, r)
        case Compare():
            return _compare_truth(replace(predicate, operator=predicate.operator.opposite), r)
        case IsNull(operand=operand):
            return present(r.value(operand)) if r.nullable(operand) else True
        case InList():
            return _in_falsity(predicate, r)
        case Like():
            return like_truth(predicate, r, negated=True)
        case Call(function=Function.GLOB | Function.MATCHES | Function.MATCHES_ANY_CASE):
            return matches_truth(predicate, r, negated=True)
        case Call(function=Function.ANY_ELEMENT | Function.CONTAINS | Function.OVERLAPS):
            return elements_falsity(predicate, r)
        case Cast(operand=operand) if _is_number_test(predicate):
            return _zero_test(operand, r, "$eq")
        case _:
            return _is(r.value(predicate), wanted=False)


def _is(value: MqlValue, *, wanted: bool) -> MqlValue:
    if is_inline(value) and not isinstance(literal_value(value), ConvertedPlaceholder):
        return literal_value(value) is wanted
    return {"$eq": [value, wanted]}


def predicate_value(predicate: Expression, r: Renderer) -> MqlValue:
    """True, false or null."""
    if not r.nullable(predicate):
        return truth(predicate, r)
    match predicate:
        case Compare():
            return _compare_value(predicate, r)
        case Not(operand=operand):
            return bind({"operand": r.value(operand)}, lambda x: null_if_any([x], {"$not": [x]}), total=True)
        case InList(items=()):
            return False
        case _:
            return _three_valued(predicate, r)


def _three_valued(predicate: Expression, r: Renderer) -> MqlValue:
    return {
        "$switch": {
            "branches": [
                {"case": truth(predicate, r), "then": True},
                {"case": falsity(predicate, r), "then": False},
            ],
            "default": None,
        }
    }


def _compare_truth(compare: Compare, r: Renderer) -> MqlValue:
    found = sides(compare, r)
    operator = OPERATORS[compare.operator]
    if compare.operator in _NULL_SAFE:
        return {
            operator: [
                _null_for_missing(found.left, found.nullable[0]),
                _null_for_missing(found.right, found.nullable[1]),
            ]
        }
    guarded = _guarded(compare.operator, found)
    is_range = is_strict_range(compare)
    if not any(guarded) and not is_range:
        return {operator: [found.left, found.right]}

    def body(left: MqlValue, right: MqlValue) -> MqlValue:
        guards = (present(side) for side, needed in zip((left, right), guarded, strict=True) if needed)
        compared = {operator: [left, right]}
        return both(*guards, _within_type(left, right, compared) if is_range else compared)

    return bind({"left": found.left, "right": found.right}, body, total=True)


def is_strict_range(compare: Compare) -> bool:
    """Whether the comparison is true only within one type. Then NOT is not the opposite comparison."""
    return compare.strict and compare.operator.is_order


def _outside(compare: Compare, r: Renderer) -> MqlValue:
    """NOT of a strict range: both are known, and either of two types or in another order."""
    found = sides(compare, r)

    def body(left: MqlValue, right: MqlValue) -> MqlValue:
        known = (present(side) for side, maybe in zip((left, right), found.nullable, strict=True) if maybe)
        return both(*known, {"$not": [_within_type(left, right, {OPERATORS[compare.operator]: [left, right]})]})

    return bind({"left": found.left, "right": found.right}, body, total=True)


def _within_type(left: MqlValue, right: MqlValue, condition: MqlValue) -> MqlValue:
    """The condition, and that both values have one type; all numbers count as one type."""
    return both({"$eq": [_class_of(left), _class_of(right)]}, condition)


def _class_of(value: MqlValue) -> MqlValue:
    return {"$cond": [{"$isNumber": value}, "number", {"$type": value}]}


def _guarded(operator: Comparison, found: Sides) -> tuple[bool, bool]:
    """Which sides need a test for NULL; for equality one of two that may both be NULL."""
    if operator is Comparison.EQUAL:
        return (all(found.nullable), False)
    wanted = _GUARDED[operator]
    return (wanted[0] and found.nullable[0], wanted[1] and found.nullable[1])


def _compare_value(compare: Compare, r: Renderer) -> MqlValue:
    found = sides(compare, r)

    def body(left: MqlValue, right: MqlValue) -> MqlValue:
        unknown = [side for side, maybe in zip((left, right), found.nullable, strict=True) if maybe]
        compared: MqlValue = {OPERATORS[compare.operator]: [left, right]}
        return null_if_any(unknown, _within_type(left, right, compared) if is_strict_range(compare) else compared)

    return bind({"left": found.left, "right": found.right}, body, total=True)


def _null_for_missing(value: MqlValue, nullable: bool) -> MqlValue:
    return {"$ifNull": [value, None]} if nullable else value


def _in_truth(node: InList, r: Renderer) -> MqlValue:
    """NULL items never make it true."""
    if node.given is not None:
        operand, given = _given_list(node, r)
        if not r.nullable(node.operand):
            return {"$in": [operand, given]}
        return bind({"operand": operand}, lambda x: both(present(x), {"$in": [x, given]}), total=True)
    operand, items = _items(node, r)
    values = [item for item, _ in items]
    if not values:
        return False
    if not r.nullable(node.operand) or not any(maybe for _, maybe in items):
        return {"$in": [operand, values]}
    return bind({"operand": operand}, lambda x: both(present(x), {"$in": [x, values]}), total=True)


def _in_falsity(node: InList, r: Renderer) -> MqlValue:
    """A NULL item leaves nothing false."""
    if node.given is not None:
        return _not_in_given(node, r)
    if any(item == Literal(None, item.type) for item in node.items):
        return False
    operand, items = _items(node, r)
    if not items:
        return True

    def body(x: MqlValue) -> MqlValue:
        known = (present(item) for item, maybe in items if maybe)
        own = (present(x),) if r.nullable(node.operand) else ()
        return both(*own, *known, {"$not": [{"$in": [x, [item for item, _ in items]]}]})

    return bind({"operand": operand}, body, total=True)


def _not_in_given(node: InList, r: Renderer) -> MqlValue:
    """NOT IN a list given later. An empty list makes it true even for NULL; a list with a NULL makes it never true."""
    operand, given = _given_list(node, r)

    def body(x: MqlValue, items: MqlValue) -> MqlValue:
        own = (either({"$eq": [items, []]}, present(x)),) if r.nullable(node.operand) else ()
        return both({"$not": [{"$in": [None, items]}]}, *own, {"$not": [{"$in": [x, items]}]})

    return bind({"operand": operand, "items": given}, body, total=True)


def _given_list(node: InList, r: Renderer) -> tuple[MqlValue, MqlValue]:
    """The operand, and the list that is given, each of its values in the form in which the server compares them."""
    found = sides(Compare(Comparison.EQUAL, node.operand, node.items[0], node.collation), r)
    if is_inline(found.right):
        return found.left, found.right
    lists: list[MqlValue] = []

    def is_list(value: MqlValue) -> bool:
        match value:
            case {"$literal": ConvertedPlaceholder(listed=True)}:
                return True
            case _:
                return False

    def item(value: MqlValue) -> MqlValue:
        if not is_list(value):
            return value
        lists.append(value)
        return "$$item_"

    changed = with_leaves(found.right, item, is_list)
    return found.left, {"$map": {"input": lists[0], "as": "item_", "in": changed}}


def _items(node: InList, r: Renderer) -> tuple[MqlValue, list[tuple[MqlValue, bool]]]:
    """The operand, and each item that is not NULL for certain with whether it may be."""
    operand: MqlValue = None
    items: list[tuple[MqlValue, bool]] = []
    for item in node.items:
        if isinstance(item, Literal) and item.value is None:
            continue
        found = sides(Compare(Comparison.EQUAL, node.operand, item, node.collation), r)
        operand = found.left
        items.append((found.right, found.nullable[1]))
    return operand, items


def _is_number_test(cast: Cast) -> bool:
    """Whether it tests a number, and nothing but a number, for being not zero."""
    return cast.type.name is TypeName.BOOLEAN and of_numbers(cast.operand)


def _zero_test(operand: Expression, r: Renderer, operator: str) -> MqlValue:
    value = r.value(operand)
    if operator == "$eq" or not r.nullable(operand):
        return {operator: [value, 0]}
    return bind({"number": value}, lambda x: both(present(x), {"$ne": [x, 0]}), total=True)
