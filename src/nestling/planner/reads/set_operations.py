"""UNION, INTERSECT and EXCEPT: both sides as documents with the same fields, concatenated and then counted by side.

INTERSECT ALL keeps the smaller count of equal rows, EXCEPT ALL the surplus of the left side.
"""

from __future__ import annotations

from nestling.ir.paths.access_path import Union
from nestling.ir.paths.row_steps import GroupRows, Layout, Repeat, Shape, Where
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction, SetOperator
from nestling.ir.statements.expression import Arithmetic, Call, Column, Compare, Expression, Literal
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import ArithmeticOperator, Collation, Comparison, Function, Rules
from nestling.ir.types import INTEGER
from nestling.planner.reads.gaps import read_gap
from nestling.planner.reads.rows import Lowered, LoweringContext

_SIDE = Column("", "side", INTEGER, nullable=False)
_LEFT, _RIGHT = Column("", "left", INTEGER, nullable=False), Column("", "right", INTEGER, nullable=False)
_ZERO = Literal(0, INTEGER)


def lower_set_operation(relation: a.SetOperation, context: LoweringContext) -> Lowered:
    """The rows of both sides, as the operator combines them."""
    if any(rule is not Collation.BINARY for rule in relation.collations):
        raise read_gap("a set operation on texts under a collation")
    names = [f"column{position}" for position in range(len(relation.columns))]
    sides = relation.operator is not SetOperator.UNION
    branches = tuple(
        _side(side, names, number if sides else None, context)
        for number, side in enumerate((relation.left, relation.right))
    )
    rows = Lowered(Union(branches), _layout(relation, names, ""), frozenset(names) | {"_id", "side"})
    if relation.operator is SetOperator.UNION and relation.all:
        return rows
    return _counted(relation, rows, names, context)


def _side(relation: a.Relation, names: list[str], number: int | None, context: LoweringContext) -> Shape:
    from nestling.planner.reads.lower import lower

    rows = lower(relation, context)
    fields: list[tuple[str, Expression]] = list(zip(names, relation.columns, strict=True))
    if number is not None:
        fields.append(("side", Literal(number, INTEGER)))
    return Shape(rows.step, tuple(fields), context.seen(rows.layout))


def _layout(relation: a.SetOperation, names: list[str], prefix: str) -> Layout:
    return Layout.of({(c.alias, c.name): prefix + name for c, name in zip(relation.columns, names, strict=True)})


def _counted(relation: a.SetOperation, rows: Lowered, names: list[str], context: LoweringContext) -> Lowered:
    layout = rows.layout | Layout(((("", "side"), "side"),))
    counts = () if relation.operator is SetOperator.UNION else (("left", _count(0)), ("right", _count(1)))
    keys = tuple(zip(names, relation.columns, strict=True))
    step = GroupRows(rows.step, keys, counts, context.seen(layout))
    grouped = _layout(relation, names, "_id.")
    if relation.operator is SetOperator.UNION:
        return Lowered(step, grouped, frozenset({"_id"}))
    counted = grouped | Layout((((_LEFT.alias, _LEFT.name), "left"), ((_RIGHT.alias, _RIGHT.name), "right")))
    seen = context.seen(counted)
    taken = frozenset({"_id", "left", "right", "times"})
    if not relation.all:
        on_right = Comparison.GREATER if relation.operator is SetOperator.INTERSECT else Comparison.EQUAL
        kept = conjunction(Compare(Comparison.GREATER, _LEFT, _ZERO), Compare(on_right, _RIGHT, _ZERO))
        assert kept is not None
        return Lowered(Where(step, kept, seen), grouped, taken)
    return Lowered(Repeat(step, _times(relation.operator), seen, "times"), grouped, taken)


def _count(side: int) -> AggregateCall:
    mine = Compare(Comparison.EQUAL, _SIDE, Literal(side, INTEGER))
    return AggregateCall(AggregateFunction.COUNT, None, INTEGER, filter=mine)


def _times(operator: SetOperator) -> Expression:
    if operator is SetOperator.INTERSECT:
        return Call(Function.LEAST, (_LEFT, _RIGHT), INTEGER, Rules.SQLITE)
    less = Arithmetic(ArithmeticOperator.SUBTRACT, _LEFT, _RIGHT, INTEGER)
    return Call(Function.GREATEST, (less, _ZERO), INTEGER, Rules.SQLITE)
