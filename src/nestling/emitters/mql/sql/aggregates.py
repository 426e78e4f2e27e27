"""Aggregates as accumulators of `$group`, their finishing, and their value without rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from nestling.emitters.mql.sql.comparison import collated
from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.gaps import no_constant, rendering_gap, require_order
from nestling.emitters.mql.sql.nulls import absent, bind, present
from nestling.emitters.mql.sql.quotient import exact_quotient, exact_spread, scale
from nestling.emitters.mql.sql.sort_keys import sort_parts
from nestling.ir.paths.row_steps import NUMBER
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction
from nestling.ir.statements.expression import Cast, Expression, Literal
from nestling.ir.statements.operands import is_integer
from nestling.ir.statements.operators import Collation
from nestling.ir.types import EXACT_NUMBERS, TEXT, TypeName

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_Fields = dict[str, MqlValue]
_SQUARES = " of squares"
_OF_SETS = (AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.LIST)
"""Aggregates for which DISTINCT needs no special treatment."""


@dataclass(frozen=True, slots=True)
class Accumulation:
    """An aggregate in a `$group`: its accumulators by field name, the `$set` that finishes them, and its value without rows.

    Only the field with the aggregate's own name is a result; `finish` sets it to its value and removes the others.
    """

    accumulators: _Fields
    finish: _Fields = field(default_factory=dict)
    nothing: _Fields = field(default_factory=dict)


def accumulate(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    """The accumulators of an aggregate whose result is called `name`."""
    nothing: MqlValue = {AggregateFunction.COUNT: 0, AggregateFunction.TOTAL: 0.0}.get(node.function)
    made = _accumulate(node, name, r)
    return Accumulation(made.accumulators, made.finish, {name: nothing})


def _accumulate(node: AggregateCall, name: str, r: Renderer) -> Accumulation:  # noqa: C901 - one case for each
    if node.distinct and node.function not in _OF_SETS:
        return _distinct(node, name, r)
    match node.function:
        case AggregateFunction.COUNT:
            return Accumulation({name: {"$sum": _counted(node, r)}})
        case AggregateFunction.SUM:
            return _sum(node, name, r)
        case AggregateFunction.TOTAL:
            return Accumulation({name: {"$sum": _argument(node, r)}}, {name: {"$toDouble": f"${name}"}})
        case AggregateFunction.AVG:
            return _average(node, name, r)
        case AggregateFunction.MIN | AggregateFunction.MAX:
            return _extreme(node, name, r)
        case AggregateFunction.EVERY:
            return Accumulation({name: {"$min": _argument(node, r)}})
        case AggregateFunction.SOME:
            return Accumulation({name: {"$max": _argument(node, r)}})
        case AggregateFunction.CONCAT:
            return _concatenation(node, name, r)
        case AggregateFunction.ANY_VALUE:
            return _any_value(node, name, r)
        case AggregateFunction.LIST:
            return _list(node, name, r)
        case (
            AggregateFunction.STDDEV_POP
            | AggregateFunction.STDDEV_SAMP
            | AggregateFunction.VAR_POP
            | AggregateFunction.VAR_SAMP
        ):
            return _spread(node, name, r)
        case AggregateFunction.PERCENTILE_CONT | AggregateFunction.PERCENTILE_DISC:
            return _percentile(node, name, r)
        case _:
            assert_never(node.function)


def _argument(node: AggregateCall, r: Renderer) -> MqlValue:
    """The argument, nothing where the filter is not true."""
    assert node.argument is not None
    value = r.value(node.argument)
    return value if node.filter is None else {"$cond": [r.truth(node.filter), value, None]}


def _row_counts(node: AggregateCall, r: Renderer) -> MqlValue:
    """Whether a row counts: its argument is not NULL and the filter is true; True when that is certain."""
    conditions = [] if node.filter is None else [r.truth(node.filter)]
    if node.argument is not None and r.nullable(node.argument):
        conditions.append(present(r.value(node.argument)))
    return True if not conditions else conditions[0] if len(conditions) == 1 else {"$and": conditions}


def _counted(node: AggregateCall, r: Renderer) -> MqlValue:
    kept = _row_counts(node, r)
    return 1 if kept is True else {"$cond": [kept, 1, 0]}


def _sum(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    """The server's sum of nothing is 0, and of integers that pass 64 bits a float; SQL's are NULL and an error."""
    total: MqlValue = f"${name}"
    assert node.argument is not None
    if is_integer(node.argument):
        total = {"$toLong": total}
    accumulators: _Fields = {name: {"$sum": _argument(node, r)}}
    if _row_counts(node, r) is True:
        return Accumulation(accumulators, {} if total == f"${name}" else {name: total})
    number = name + NUMBER
    accumulators[number] = {"$sum": _counted(node, r)}
    finish: _Fields = {name: {"$cond": [{"$eq": [f"${number}", 0]}, None, total]}, number: "$$REMOVE"}
    return Accumulation(accumulators, finish)


def _average(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    """The average. For exact numbers it is the exact quotient of their sum and their count."""
    if not _is_exact(node):
        return Accumulation({name: {"$avg": _argument(node, r)}})
    assert node.argument is not None
    number = name + NUMBER
    summed = _argument(node, r)
    if is_integer(node.argument):
        summed = {"$toDecimal": summed}  # a sum of integers that passes 64 bits becomes a float, with fewer digits
    accumulators: _Fields = {name: {"$sum": summed}, number: {"$sum": _counted(node, r)}}
    found = exact_quotient(f"${name}", f"${number}", (scale(node.argument), 0), node.type)
    finish: _Fields = {name: {"$cond": [{"$eq": [f"${number}", 0]}, None, found]}, number: "$$REMOVE"}
    return Accumulation(accumulators, finish)


def _spread(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    """The variance or standard deviation. Floats use the server's operator; exact numbers PostgreSQL's quotient of sums."""
    is_variance = node.function in (AggregateFunction.VAR_POP, AggregateFunction.VAR_SAMP)
    is_sample = node.function in (AggregateFunction.STDDEV_SAMP, AggregateFunction.VAR_SAMP)
    if not _is_exact(node):
        made: _Fields = {name: {"$stdDevSamp" if is_sample else "$stdDevPop": _argument(node, r)}}
        return Accumulation(made, {name: {"$pow": [f"${name}", 2]}} if is_variance else {})
    assert node.argument is not None
    number, squares = name + NUMBER, name + _SQUARES
    value = {"$toDecimal": _argument(node, r)}
    accumulators: _Fields = {
        name: {"$sum": value},
        squares: {"$sum": bind({"value": value}, lambda x: {"$multiply": [x, x]})},
        number: {"$sum": _counted(node, r)},
    }
    spread = exact_spread(
        (f"${name}", f"${squares}", f"${number}"), scale(node.argument), is_sample=is_sample, is_variance=is_variance
    )
    least = 1 if is_sample else 0
    finish: _Fields = {name: {"$cond": [{"$lte": [f"${number}", least]}, None, spread]}}
    return Accumulation(accumulators, finish | dict.fromkeys((number, squares), "$$REMOVE"))


def _percentile(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    """The percentile: the value at that place in the order, or a value between the two next to the place."""
    pushed, array = _in_order(node, _argument(node, r), _row_counts(node, r), name, r)
    return Accumulation({name: {"$push": pushed}}, {name: bind({"values": array}, lambda x: _at_share(node, x))})


def _at_share(node: AggregateCall, values: MqlValue) -> MqlValue:
    size = {"$size": values}
    if node.function is AggregateFunction.PERCENTILE_DISC:
        place = {"$toInt": {"$max": [{"$subtract": [{"$ceil": {"$multiply": [node.share, size]}}, 1]}, 0]}}
        return {"$cond": [{"$eq": [size, 0]}, None, {"$arrayElemAt": [values, place]}]}

    def between(place: MqlValue) -> MqlValue:
        low, high = ({"$arrayElemAt": [values, {"$toInt": {operator: place}}]} for operator in ("$floor", "$ceil"))
        part = {"$subtract": [place, {"$floor": place}]}
        return bind(
            {"low": low, "high": high},
            lambda low, high: {
                "$cond": [{"$eq": [part, 0]}, low, {"$add": [low, {"$multiply": [part, {"$subtract": [high, low]}]}]}]
            },
        )

    found = bind({"place": {"$multiply": [node.share, {"$subtract": [size, 1]}]}}, between)
    return {"$cond": [{"$eq": [size, 0]}, None, found]}


def _is_exact(node: AggregateCall) -> bool:
    return node.type.name is TypeName.DECIMAL


def _extreme(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    operator = f"${node.function.value}"
    assert node.argument is not None
    require_order(node.argument)
    if node.collation is Collation.BINARY or node.argument.type.name is not TypeName.TEXT:
        return Accumulation({name: {operator: _argument(node, r)}})
    pair = {"key": collated(node.argument, node.collation, r), "value": r.value(node.argument)}
    kept = _row_counts(node, r)
    value: MqlValue = pair if kept is True else {"$cond": [kept, pair, None]}
    return Accumulation({name: {operator: value}}, {name: f"${name}.value"})


def _any_value(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    """Any value. With `at`, it comes from the row with the extreme; the whole row breaks ties, so all such aggregates agree."""
    if node.at is None:
        if node.filter is not None:
            raise rendering_gap("ANY_VALUE with a filter")
        return Accumulation({name: {"$first": _argument(node, r)}})
    function, key = node.at
    operator = f"${function.value}"
    missing = 1 if function is AggregateFunction.MIN else 0
    value = r.value(key)
    last = {"$cond": [absent(value), missing, 1 - missing]} if r.nullable(key) else 0
    row = {"last": last, "key": value, "row": "$$ROOT", "value": _argument(node, r)}
    return Accumulation({name: {operator: row}}, {name: f"${name}.value"})


def _distinct(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    assert node.argument is not None
    value = (
        collated(node.argument, node.collation, r)
        if node.function is AggregateFunction.COUNT
        else r.value(node.argument)
    )
    if node.function is not AggregateFunction.COUNT and node.collation is not Collation.BINARY:
        raise rendering_gap("DISTINCT by a collation inside an aggregate")
    kept = _row_counts(node, r)
    values: _Fields = {name: {"$addToSet": value if kept is True else {"$cond": [kept, value, "$$REMOVE"]}}}
    array = f"${name}"
    match node.function:
        case AggregateFunction.COUNT:
            return Accumulation(values, {name: {"$size": array}})
        case AggregateFunction.SUM:
            total: MqlValue = {"$toLong": {"$sum": array}} if is_integer(node.argument) else {"$sum": array}
            return Accumulation(values, {name: _unless_none(array, total)})
        case AggregateFunction.TOTAL:
            return Accumulation(values, {name: {"$toDouble": {"$sum": array}}})
        case AggregateFunction.AVG:
            if not _is_exact(node):
                return Accumulation(values, {name: {"$avg": array}})
            scales = (scale(node.argument), 0)
            summed: MqlValue = array
            if is_integer(node.argument):
                summed = {"$map": {"input": array, "in": {"$toDecimal": "$$this"}}}
            of_both = bind(
                {"sum": {"$sum": summed}, "number": {"$size": array}},
                lambda total, number: exact_quotient(total, number, scales, node.type),
            )
            return Accumulation(values, {name: _unless_none(array, of_both)})
        case AggregateFunction.CONCAT:
            return _distinct_texts(node, name, values, kept, r)
        case _:
            return _accumulate(AggregateCall(node.function, node.argument, node.type, filter=node.filter), name, r)


def _distinct_texts(node: AggregateCall, name: str, values: _Fields, kept: MqlValue, r: Renderer) -> Accumulation:
    """Distinct texts in one; beside those of numbers and dates, by which they are ordered, these are kept."""
    assert node.argument is not None
    array: MqlValue = f"${name}"
    if node.order and all(_is_text_of(key.expression, node.argument) for key in node.order):
        pushed, pairs = _in_order(node, _argument(node, r), kept, name, r)
        return Accumulation({name: {"$addToSet": pushed}}, {name: joined(pairs, _separator(node, r))})
    if any(key.expression != node.argument for key in node.order):
        raise rendering_gap("a concatenation of distinct values ordered by something else")
    direction = -1 if node.order and node.order[0].descending else 1
    ordered: MqlValue = {"$sortArray": {"input": array, "sortBy": direction}} if node.order else array
    return Accumulation(values, {name: joined(ordered, _separator(node, r))})


def _is_text_of(value: Expression, text: Expression) -> bool:
    """Whether it is the text of that number or date, of which different ones have different texts."""
    is_cast = isinstance(text, Cast) and text.operand == value and text.type == TEXT
    return is_cast and value.type.name in (*EXACT_NUMBERS, TypeName.DATE)


def _unless_none(array: MqlValue, value: MqlValue) -> MqlValue:
    """The value computed from an array's elements; NULL if it is empty."""
    return {"$cond": [{"$eq": [array, []]}, None, value]}


def _concatenation(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    pushed, array = _in_order(node, _argument(node, r), _row_counts(node, r), name, r)
    return Accumulation({name: {"$push": pushed}}, {name: joined(array, _separator(node, r))})


def _list(node: AggregateCall, name: str, r: Renderer) -> Accumulation:
    """The list of values, including NULLs; NULL if there are none at all."""
    assert node.argument is not None
    value = r.value(node.argument)
    value = {"$ifNull": [value, None]} if r.nullable(node.argument) else value
    kept: MqlValue = True if node.filter is None else r.truth(node.filter)
    pushed, array = _in_order(node, value, kept, name, r)
    made: _Fields = {name: {"$addToSet" if node.distinct else "$push": pushed}}
    if node.filter is not None:
        array = {"$cond": [{"$eq": [f"${name}", []]}, None, array]}
    return Accumulation(made, {} if array == f"${name}" else {name: array})


def _in_order(
    node: AggregateCall, value: MqlValue, kept: MqlValue, name: str, r: Renderer
) -> tuple[MqlValue, MqlValue]:
    """The element pushed for each row, and the resulting array in order."""
    parts = sort_parts(node.order, "key", r)
    if parts:
        value = {"value": value, **{part.field: part.value for part in parts}}
    pushed: MqlValue = value if kept is True else {"$cond": [kept, value, "$$REMOVE"]}
    array: MqlValue = f"${name}"
    if parts:
        array = {"$sortArray": {"input": array, "sortBy": {part.field: part.direction for part in parts}}}
        array = {"$map": {"input": array, "in": "$$this.value"}}
    return pushed, array


def _separator(node: AggregateCall, r: Renderer) -> MqlValue:
    if node.separator is None:
        return ","
    if not isinstance(node.separator, Literal):
        raise no_constant("a separator that is not a constant", node.separator)
    return r.value(node.separator)


def joined(texts: MqlValue, separator: MqlValue) -> MqlValue:
    """The texts of an array joined by the separator; NULL if there are none. Bytes are an error."""
    added = {"$concat": ["$$value", separator, "$$this"]} if separator != "" else {"$concat": ["$$value", "$$this"]}
    step = {"$cond": [{"$eq": ["$$value", None]}, {"$concat": ["$$this"]}, added]}
    return {"$reduce": {"input": texts, "initialValue": None, "in": step}}
