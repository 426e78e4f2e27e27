"""How each window function is computed by `$setWindowFields`, and finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from nestling.emitters.mql.sql.aggregates import joined
from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.gaps import no_constant, rendering_gap, require_order
from nestling.emitters.mql.sql.nulls import present
from nestling.emitters.mql.sql.quotient import exact_quotient, scale
from nestling.ir.statements.algebra import AggregateFunction, WindowFunction, WindowOnly
from nestling.ir.statements.expression import Expression, Literal, Negate
from nestling.ir.statements.operands import is_integer
from nestling.ir.statements.operators import Collation
from nestling.ir.types import NUMBERS, TypeName

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

RANKS = {WindowOnly.RANK: "$rank", WindowOnly.DENSE_RANK: "$denseRank"}
_OFFSETS = {WindowOnly.LAG: -1, WindowOnly.LEAD: 1}
WHOLE_PARTITION: MqlValue = {"documents": ["unbounded", "unbounded"]}
_SO_FAR: MqlValue = {"documents": ["unbounded", "current"]}


@dataclass(frozen=True, slots=True)
class Windowing:
    """The window fields of a function, and its result (None: the field with the result's own name)."""

    output: dict[str, MqlValue]
    result: MqlValue = None
    framed: bool = True


def windowing(node: WindowFunction, name: str, r: Renderer, *, ordered: bool) -> Windowing:
    """How to compute the function; the result is called `name`."""
    if isinstance(node.function, AggregateFunction):
        return _aggregate(node, name, r)
    match node.function:
        case WindowOnly.ROW_NUMBER:
            return Windowing(numbered(name), framed=False)
        case WindowOnly.RANK | WindowOnly.DENSE_RANK:
            return Windowing({name: {RANKS[node.function]: {}}}, framed=False) if ordered else _constant(name, 1)
        case WindowOnly.PERCENT_RANK:
            return _percent_rank(name) if ordered else _constant(name, 0.0)
        case WindowOnly.CUME_DIST:
            return _cume_dist(name) if ordered else _constant(name, 1.0)
        case WindowOnly.NTILE:
            return _ntile(node, name, r)
        case WindowOnly.LAG | WindowOnly.LEAD:
            return _offset(node, name, r)
        case WindowOnly.FIRST_VALUE | WindowOnly.LAST_VALUE | WindowOnly.NTH_VALUE:
            return _nth(node, name, r)
        case _:
            assert_never(node.function)


def numbered(name: str) -> dict[str, MqlValue]:
    """A number for each row; `$documentNumber` knows orders of one key only."""
    return {name: {"$sum": 1, "window": _SO_FAR}}


def _constant(name: str, value: MqlValue) -> Windowing:
    return Windowing({f"{name}_n": {"$sum": 1, "window": WHOLE_PARTITION}}, {"$literal": value}, framed=False)


def _percent_rank(name: str) -> Windowing:
    rank, rows = f"{name}_rank", f"{name}_n"
    others = {"$subtract": [f"${rows}", 1]}
    share = {"$divide": [{"$subtract": [f"${rank}", 1]}, others]}
    result = {"$cond": [{"$eq": [f"${rows}", 1]}, 0.0, share]}
    return Windowing({rank: {"$rank": {}}, rows: {"$sum": 1, "window": WHOLE_PARTITION}}, result, framed=False)


def _cume_dist(name: str) -> Windowing:
    rows, before = f"{name}_n", f"{name}_before"
    output: dict[str, MqlValue] = {
        before: {"$sum": 1, "window": {"range": ["unbounded", 0]}},
        rows: {"$sum": 1, "window": WHOLE_PARTITION},
    }
    return Windowing(output, {"$divide": [f"${before}", f"${rows}"]}, framed=False)


def _ntile(node: WindowFunction, name: str, r: Renderer) -> Windowing:
    """The first rows % tiles tiles hold one row more than the others."""
    row, rows = f"{name}_row", f"{name}_n"
    tiles = r.value(node.arguments[0])
    size = {"$toInt": {"$floor": {"$divide": [f"${rows}", tiles]}}}
    larger = {"$mod": [f"${rows}", tiles]}
    edge = {"$multiply": [larger, {"$add": [size, 1]}]}
    place = {"$subtract": [f"${row}", 1]}
    early = {"$floor": {"$divide": [place, {"$add": [size, 1]}]}}
    late = {"$add": [larger, {"$floor": {"$divide": [{"$subtract": [place, edge]}, {"$max": [size, 1]}]}}]}
    result = {"$toInt": {"$add": [1, {"$cond": [{"$lt": [place, edge]}, early, late]}]}}
    return Windowing({**numbered(row), rows: {"$sum": 1, "window": WHOLE_PARTITION}}, result, framed=False)


def _offset(node: WindowFunction, name: str, r: Renderer) -> Windowing:
    """`$shift` gives a document, so that a NULL in the row found is not taken for no row."""
    assert isinstance(node.function, WindowOnly)
    rows = distance(node.arguments[1]) if len(node.arguments) > 1 else 1
    found, value = f"{name}_found", r.value(node.arguments[0])
    if len(node.arguments) < 3:
        shift = {"output": {"$ifNull": [value, None]}, "by": rows * _OFFSETS[node.function], "default": None}
        return Windowing({name: {"$shift": shift}}, framed=False)
    shift = {"output": {"value": value}, "by": rows * _OFFSETS[node.function], "default": None}
    result = {"$cond": [{"$eq": [f"${found}", None]}, r.value(node.arguments[2]), f"${found}.value"]}
    return Windowing({found: {"$shift": shift}}, result, framed=False)


def _nth(node: WindowFunction, name: str, r: Renderer) -> Windowing:
    value = {"$ifNull": [r.value(node.arguments[0]), None]}
    if node.function is WindowOnly.NTH_VALUE:
        number = distance(node.arguments[1])
        values = f"{name}_values"
        return Windowing({values: {"$push": value}}, {"$arrayElemAt": [f"${values}", number - 1]})
    return Windowing({name: {"$first" if node.function is WindowOnly.FIRST_VALUE else "$last": value}})


def _aggregate(node: WindowFunction, name: str, r: Renderer) -> Windowing:
    conditions = [] if node.filter is None else [r.truth(node.filter)]
    value: MqlValue = None
    if node.arguments:
        value = r.value(node.arguments[0])
        conditions += [present(value)] if r.nullable(node.arguments[0]) else []
    kept: MqlValue = True if not conditions else conditions[0] if len(conditions) == 1 else {"$and": conditions}
    filtered = value if node.filter is None else {"$cond": [kept, value, None]}
    counted: MqlValue = {"$sum": 1 if kept is True else {"$cond": [kept, 1, 0]}}
    match node.function:
        case AggregateFunction.COUNT:
            return Windowing({name: counted})
        case AggregateFunction.SUM:
            return _summed(node, name, filtered, counted)
        case AggregateFunction.TOTAL:
            return Windowing({f"{name}_sum": {"$sum": filtered}}, {"$toDouble": f"${name}_sum"})
        case AggregateFunction.AVG if node.type.name is TypeName.DECIMAL:
            return _summed(node, name, filtered, counted)
        case AggregateFunction.AVG:
            return Windowing({name: {"$avg": filtered}})
        case AggregateFunction.MIN | AggregateFunction.MAX | AggregateFunction.EVERY | AggregateFunction.SOME:
            return _extreme(node, name, filtered, certain=kept is True)
        case AggregateFunction.CONCAT:
            values = f"{name}_values"
            pushed: MqlValue = {"$push": {"$cond": [kept, value, None]} if kept is not True else value}
            known = {"$filter": {"input": f"${values}", "cond": {"$ne": ["$$this", None]}}}
            return Windowing({values: pushed}, joined(known, ","))
        case _:
            raise rendering_gap(f"{node.function.value} over a window")


def _summed(node: WindowFunction, name: str, value: MqlValue, counted: MqlValue) -> Windowing:
    """The sum, or of exact numbers the quotient of it and their number; NULL over nothing, as some frames are."""
    rows, total = f"{name}_n", f"{name}_sum"
    shown: MqlValue = {"$toLong": f"${total}"} if is_integer(node.arguments[0]) else f"${total}"
    if node.function is AggregateFunction.AVG:
        if is_integer(node.arguments[0]):
            value = {"$toDecimal": value}  # a sum of integers that passes 64 bits becomes a float, with fewer digits
        shown = exact_quotient(f"${total}", f"${rows}", (scale(node.arguments[0]), 0), node.type)
    result = {"$cond": [{"$eq": [f"${rows}", 0]}, None, shown]}
    return Windowing({total: {"$sum": value}, rows: counted}, result)


def _extreme(node: WindowFunction, name: str, value: MqlValue, *, certain: bool) -> Windowing:
    """The least value over an array of the frame's values, as the window accumulator includes NULL, unless all are `certain`."""
    require_order(*node.arguments)
    if node.collation is not Collation.BINARY and node.arguments[0].type.name not in NUMBERS:
        raise rendering_gap("MIN and MAX by a collation over a window")
    least = node.function in (AggregateFunction.MIN, AggregateFunction.EVERY)
    if not least:
        return Windowing({name: {"$max": value}})
    if certain:
        return Windowing({name: {"$min": value}})
    values = f"{name}_values"
    return Windowing({values: {"$push": {"$ifNull": [value, None]}}}, {"$min": f"${values}"})


def distance(expression: Expression) -> int:
    """A constant number of rows, or of the unit that a frame counts."""
    if isinstance(expression, Negate):
        return -distance(expression.operand)
    if not isinstance(expression, Literal) or not isinstance(expression.value, int):
        raise no_constant("a distance between rows that is not a constant integer", expression)
    return expression.value
