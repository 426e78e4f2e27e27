"""Joins: along an embedding where the rows are there already, else by looking the right side up for each row of the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nestling.ir.paths.row_steps import Correlate, Keep, Layout
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind
from nestling.ir.statements.expression import Column, Expression, IsNull, Literal, Not, ScalarSubquery
from nestling.ir.statements.operands import conjunction, conjuncts, has_subquery, nullable
from nestling.ir.types import BOOLEAN, INTEGER
from nestling.planner.reads.correlate import correlated, equal_columns
from nestling.planner.reads.elements import unwound
from nestling.planner.reads.ranges_by_index import ranges_by_index
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.conjuncts import about, restricted
from nestling.planner.reads.rewrites.copied import copied_parent
from nestling.planner.reads.rewrites.copied_children import copied_children
from nestling.planner.reads.rewrites.embedded import embedded
from nestling.planner.reads.rewrites.links import fixed_column, scan_of
from nestling.planner.reads.rewrites.side_by_side import (
    are_many,
    array_lookup,
    beside,
    has_few_nulls,
    key_equality,
    several_beside,
)
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.subqueries import lifted_all, value_beside, where
from nestling.planner.reads.traverse import aliases, free_columns, rewritten, single, subqueries

_ONE = Literal(1, INTEGER)


def joined(join: a.Join, left: Lowered, context: LoweringContext) -> Lowered:
    """The rows of the left side (or a part of it), with those of the right side in a field: inner, cross and left joins."""
    found = embedded(join, left, context) or copied_parent(join, left, context) or copied_children(join, left, context)
    if found is not None:
        return found
    if join.kind is JoinKind.LEFT and join.condition is None and len(join.right.columns) == 1 and single(join.right):
        return value_beside(join.right, left, context)
    found = _with_elements(join, left, context)
    if found is not None:
        return found
    join, left = _values_of_left(join, left, context)
    keep = Keep.ALL if join.kind is JoinKind.LEFT else Keep.MATCHED
    found = side_by_side(join, left, context) or _several_side_by_side(join, left, context)
    if found is not None:
        return found
    asked = conjuncts(join.condition)
    late = asked_after(join.right, asked, context) if keep is Keep.MATCHED else []
    early = restricted(join.right, [each for each in asked if each not in late])
    found = correlated(left, early, keep, context, wish(join.right))
    return _where_all(found, late, context)


def _values_of_left(join: a.Join, left: Lowered, context: LoweringContext) -> tuple[a.Join, Lowered]:
    """The join, what its condition compares with being made of the left rows, once for each.

    `LEFT JOIN article a ON a.id = (SELECT MAX(b.id) FROM article b WHERE b.ticket_id = t.id)` is then a lookup by the key.
    """
    own = aliases(join.right)

    def is_of_left(expression: Expression) -> bool:
        return (
            isinstance(expression, ScalarSubquery)
            and not {alias for alias, _ in free_columns(expression.relation)} & own
        )

    asked = conjuncts(join.condition)
    found = list(dict.fromkeys(value for each in asked for value in subqueries(each) if is_of_left(value)))
    if not found or not context.may(Rewrite.EQUALITY):
        return join, left
    values, left = lifted_all(found, left, context)
    columns: dict[Expression, Expression] = {}
    for value, made in zip(found, values, strict=True):
        column = Column("", left.fresh("compared"), value.type, nullable=True)
        left = left if isinstance(made, Column) else left.computed({column: made}, context)
        columns[value] = made if isinstance(made, Column) else column
    return replace(join, condition=conjunction(*(rewritten(each, columns.get) for each in asked))), left


def _with_elements(join: a.Join, left: Lowered, context: LoweringContext) -> Lowered | None:
    """The rows with an element of an array of theirs; an outer join that asks something of it looks it up as any other."""
    relation: a.Relation = join.right
    asked = conjuncts(join.condition)
    while isinstance(relation, a.Filter):
        asked += conjuncts(relation.predicate)
        relation = relation.input
    if not isinstance(relation, a.Unnest) or relation.array not in left.layout:
        return None
    if join.kind is JoinKind.LEFT:
        return None if asked else unwound(relation, left, context, keep_empty=True)
    return _where_all(unwound(relation, left, context), asked, context)


def side_by_side(join: a.Join, left: Lowered, context: LoweringContext) -> Lowered | None:
    """The rows with their parents, which are asked for nothing but their key before all of them are there."""
    scan, own = scan_of(join.right)
    if scan is None or not context.may(Rewrite.SIDE_BY_SIDE) or not are_many(join.left, left, context):
        return None
    asked = [*conjuncts(join.condition), *own]
    link = key_equality(scan, asked, context)
    rest = [each for each in asked if each is not link]
    if link is None or (rest and join.kind is JoinKind.LEFT) or any(map(has_subquery, rest)):
        return None
    keep = Keep.ALL if join.kind is JoinKind.LEFT else Keep.MATCHED
    found = beside(correlated(left, restricted(scan, [link]), keep, context, wish(scan)))
    return None if found is None else _where_all(found, rest, context)


def _several_side_by_side(join: a.Join, left: Lowered, context: LoweringContext) -> Lowered | None:
    """The rows with all that have the same value, which are asked for nothing else before all of them are there."""
    scan, own = scan_of(join.right)
    if scan is None or not context.may(Rewrite.SIDE_BY_SIDE) or not are_many(join.left, left, context):
        return None
    lookup = array_lookup(scan, [*conjuncts(join.condition), *own], left.step, context)
    if lookup is None:
        return None
    rest, is_outer = lookup.rest, join.kind is JoinKind.LEFT
    if nullable(lookup.own) and nullable(lookup.other):  # the server finds NULLs for a NULL
        if is_outer and has_few_nulls(scan, lookup.own, context):
            rest = [*rest, Not(IsNull(lookup.own))]
        elif is_outer or isinstance(left.step, Correlate):
            return None
        else:
            left = left.where(Not(IsNull(lookup.other)), context)
    keep = Keep.ALL if is_outer else Keep.MATCHED
    rows = correlated(left, restricted(scan, [lookup.condition]), keep, context, wish(scan))
    made = several_beside(rows, lookup.own, conjunction(*rest) if is_outer else None, context)
    return made if made is None or is_outer else _where_all(made, rest, context)


def _where_all(rows: Lowered, predicates: Sequence[Expression], context: LoweringContext) -> Lowered:
    predicate = conjunction(*predicates)
    return rows if predicate is None else where(rows, predicate, context)


def asked_after(right: a.Relation, conditions: Sequence[Expression], context: LoweringContext) -> list[Expression]:
    """Return the conditions of an inner join that are tested after the lookup by equality.

    Inside the lookup the server would plan them again for each row. Ranges that an index supports together with the equalities
    stay inside.
    """
    scan, own = scan_of(right)
    if scan is None or not context.may(Rewrite.EQUALITY):
        return []
    equal = {each: pair[0].name for each in conditions if (pair := equal_columns(each, scan.alias)) is not None}
    entity = context.design.model.entity(scan.entity)
    key = next((each for each in entity.unique_groups if set(each) <= set(equal.values())), None)
    kept = [each for each, name in equal.items() if key is None or name in key]
    if not kept:
        return []
    known = {column.name for each in own if (column := fixed_column(each, scan.alias)) is not None}
    kept += ranges_by_index(scan, conditions, known.union(equal[each] for each in kept), context)
    return [each for each in conditions if each not in kept and about(each) - {scan.alias}]


def wish(relation: a.Relation) -> str:
    """A name for the field of a relation's rows: the statement's name of the table."""
    match relation:
        case a.Join():
            return wish(relation.left)
        case a.Filter() | a.Distinct() | a.Sort() | a.LimitOffset():
            return wish(relation.input)
        case _:
            return relation.alias


def full_join(join: a.Join, context: LoweringContext) -> list[Lowered]:
    """The left join, and then the right rows that find nothing on the left."""
    from nestling.planner.reads.lower import lower

    both = lower(replace(join, kind=JoinKind.LEFT), context)
    right = lower(join.right, context)
    left = join.left if join.condition is None else restricted(join.left, [join.condition])
    found = correlated(right, a.LimitOffset(left, _ONE), Keep.ALL, context, "partner")
    (name,) = found.taken - right.taken
    partner = Column("", "partner", BOOLEAN)
    alone = replace(found, layout=right.layout | Layout((((partner.alias, partner.name), name),)))
    alone = alone.where(IsNull(partner), context)
    lefts = [key for key, _ in both.layout.entries if key not in dict(right.layout.entries)]
    alone = _with_nulls(replace(alone, layout=right.layout, standing={}), lefts)
    return [both, alone]


def _with_nulls(rows: Lowered, keys: list[tuple[str, str]]) -> Lowered:
    """Columns that are NULL: paths to a field that is not there."""
    missing = rows.fresh("missing")
    return replace(
        rows, layout=rows.layout | Layout(tuple((key, missing) for key in keys)), taken=rows.taken | {missing}
    )
