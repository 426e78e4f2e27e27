"""Subqueries in expressions: looked up for each row, their values put into fields the expression then mentions.

IN and ANY become EXISTS: some row is equal (less, …); and, where NULLs are possible, some row might be. A subquery alone as a
condition drops the rows that find nothing while it looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from nestling.ir.model import Model
from nestling.ir.paths.row_steps import Keep, Layout
from nestling.ir.statements.algebra import Distinct, Filter, GroupBy, LimitOffset, Project, Relation, Sort
from nestling.ir.statements.expression import (
    FALSE,
    NULL,
    ONE,
    TRUE,
    And,
    Case,
    Column,
    Compare,
    Exists,
    Expression,
    InSubquery,
    IsNull,
    Literal,
    Not,
    ScalarSubquery,
)
from nestling.ir.statements.operands import conjunction, conjuncts, disjunction, has_subquery, nullable
from nestling.ir.statements.operators import Collation
from nestling.ir.types import BOOLEAN
from nestling.planner.reads.asked_in_turn import asked_in_turn
from nestling.planner.reads.correlate import correlated
from nestling.planner.reads.gaps import read_gap
from nestling.planner.reads.rewrites import Rewrite
from nestling.planner.reads.rewrites.computed import computed_value
from nestling.planner.reads.rewrites.links import fixed_column, scan_of
from nestling.planner.reads.rewrites.pushdown import never_null, push_predicates
from nestling.planner.reads.rewrites.without_empty_group import without_empty_group
from nestling.planner.reads.rows import Lowered, LoweringContext
from nestling.planner.reads.traverse import Rebuilt, free_columns, mapped, rewritten, single, subqueries


def where(rows: Lowered, predicate: Expression, context: LoweringContext) -> Lowered:
    """The rows for which the predicate is true; conditions without subqueries are tested first."""
    plain = [each for each in conjuncts(predicate) if not has_subquery(each)]
    rows = rows.where(conjunction(*plain), context)
    asking = [each for each in conjuncts(predicate) if has_subquery(each)]
    for each in asked_in_turn(rows, asking, _where_subquery, context):
        rows = _where_subquery(rows, each, context)
    return rows


def _where_subquery(rows: Lowered, predicate: Expression, context: LoweringContext) -> Lowered:
    if context.may(Rewrite.SEMI_JOIN):
        if isinstance(predicate, InSubquery):
            return _with_matches(rows, _hits(predicate), context)
        if isinstance(predicate, Exists):
            return _with_matches(rows, predicate, context)
        if isinstance(predicate, Not) and isinstance(predicate.operand, Exists):
            kept = _by_elements(rows, predicate.operand, context, negated=True)
            if kept is not None:
                return kept
        if isinstance(predicate, Not) and isinstance(predicate.operand, InSubquery):
            hits, perhaps = _hits(predicate.operand), _perhaps(predicate.operand)
            rows = _where_subquery(rows, Not(hits), context)
            return _where_subquery(rows, Not(perhaps), context) if perhaps is not None else rows
    expression, rows = without_subqueries(predicate, rows, context)
    return rows.where(expression, context)


def _with_matches(rows: Lowered, exists: Exists, context: LoweringContext) -> Lowered:
    """The rows that find something."""
    kept = _by_elements(rows, exists, context, negated=False)
    if kept is not None:
        return kept
    found = correlated(rows, _first(exists.relation), Keep.MATCHED, context, "found")
    return Lowered(found.step, rows.layout, found.taken, rows.standing)


def _by_elements(rows: Lowered, exists: Exists, context: LoweringContext, *, negated: bool) -> Lowered | None:
    from nestling.planner.reads.rewrites.embedded_exists import with_element

    relation = push_predicates(exists.relation) if context.may(Rewrite.PUSHDOWN) else exists.relation
    return with_element(rows, _bare(relation), context, negated=negated)


def without_subqueries(expression: Expression, rows: Lowered, context: LoweringContext) -> tuple[Expression, Lowered]:
    """The expression without subqueries, over rows that have their values."""
    found, current = lifted_all([expression], rows, context)
    return found[0], current


def lifted_all(
    expressions: Sequence[Expression], rows: Lowered, context: LoweringContext
) -> tuple[list[Expression], Lowered]:
    """The expressions without subqueries, over rows that have their values.

    Equal subqueries are looked up once, and several aggregates of the same rows together.
    """
    current = rows
    known: dict[Expression, Expression] = {}
    every = [each for expression in expressions for each in subqueries(expression)]

    def change(expression: Expression) -> Expression | None:
        nonlocal current
        if not isinstance(expression, ScalarSubquery | Exists | InSubquery):
            return None
        if expression not in known:
            alike = _of_same_rows(expression, every)
            if len(alike) > 1 and not _is_at_hand(expression, current, context):
                found, current = _all_of(alike, current, context)
                known.update(found)
            else:
                known[expression], current = _value(expression, current, context)
        return known[expression]

    return [rewritten(each, change) if has_subquery(each) else each for each in expressions], current


def lifted_in(node: Rebuilt, rows: Lowered, context: LoweringContext) -> tuple[Rebuilt, Lowered]:
    """An aggregate or window function without subqueries in its expressions, over rows that have their values."""
    current = rows

    def change(expression: Expression) -> Expression:
        nonlocal current
        found, current = without_subqueries(expression, current, context)
        return found

    return mapped(node, change), current


def _value(
    subquery: ScalarSubquery | Exists | InSubquery, rows: Lowered, context: LoweringContext
) -> tuple[Expression, Lowered]:
    match subquery:
        case InSubquery():
            return without_subqueries(_three_valued(subquery), rows, context)
        case Exists(relation=relation):
            found = correlated(rows, _first(relation), Keep.ALL, context, "exists")
            column = Column("", f"exists {_added(rows, found)}", BOOLEAN, nullable=True)
            return Not(IsNull(column)), _with(found, rows, column, _added(rows, found))
        case ScalarSubquery(relation=relation):
            return _scalar(subquery, relation, rows, context)


def _scalar(
    subquery: ScalarSubquery, relation: Relation, rows: Lowered, context: LoweringContext
) -> tuple[Expression, Lowered]:
    from nestling.planner.reads.rewrites.embedded_exists import elements_of
    from nestling.planner.reads.rewrites.embedded_values import value_of_elements
    from nestling.planner.reads.rewrites.looked_up_elements import looked_up_elements

    if context.may(Rewrite.COMPUTED):
        known = computed_value(relation, rows, context)
        if known is not None:
            return known
    is_single = single(relation) or by_key(relation, context.design.model)
    if subquery.many_fail and not is_single:
        raise read_gap("a scalar subquery that may return several rows, which is an error in this dialect")
    for find in (elements_of, looked_up_elements):
        within = value_of_elements(rows, relation, context, find)
        if within is not None:
            return within
    if not is_single:
        relation = LimitOffset(relation, ONE)
    (output,) = relation.columns
    if context.may(Rewrite.SEMI_JOIN):
        relation = without_empty_group(relation)
    found = correlated(rows, relation, Keep.ALL, context, "value")
    path = found.layout.path(output)
    column = Column("", f"value {_added(rows, found)}", subquery.type, nullable=True, mixed=output.mixed)
    return column, _with(found, rows, column, path)


def _of_same_rows(subquery: Expression, every: Sequence[Expression]) -> list[ScalarSubquery]:
    """Return the aggregates over exactly the rows that this subquery aggregates, itself included; [] for other subqueries."""
    own = subquery.relation if isinstance(subquery, ScalarSubquery) else None
    if not isinstance(own, GroupBy) or own.keys:
        return []
    alike = dict.fromkeys(
        each for each in every if isinstance(each, ScalarSubquery) and isinstance(each.relation, GroupBy)
    )
    found = [each for each in alike if replace(cast(GroupBy, each.relation), aggregates=own.aggregates) == own]
    names = {item.name for each in found for item in cast(GroupBy, each.relation).aggregates}
    return found if len(names) == len(found) else []


def _is_at_hand(subquery: Expression, rows: Lowered, context: LoweringContext) -> bool:
    """Whether the rows' own documents hold the value, or an array with everything that it is computed from."""
    from nestling.planner.reads.rewrites.embedded_exists import elements_of
    from nestling.planner.reads.rewrites.embedded_values import value_of_elements
    from nestling.planner.reads.rewrites.looked_up_elements import looked_up_elements

    relation = cast(ScalarSubquery, subquery).relation
    if context.may(Rewrite.COMPUTED) and computed_value(relation, rows, context) is not None:
        return True
    finds = (elements_of, looked_up_elements)
    return any(value_of_elements(rows, relation, context, find) is not None for find in finds)


def _all_of(
    alike: Sequence[ScalarSubquery], rows: Lowered, context: LoweringContext
) -> tuple[dict[Expression, Expression], Lowered]:
    """The values of several aggregates of the same rows, which are looked up once for all of them."""
    groups = [cast(GroupBy, each.relation) for each in alike]
    whole = replace(groups[0], aggregates=tuple(item for each in groups for item in each.aggregates))
    found = correlated(rows, whole, Keep.ALL, context, "values")
    values: dict[Expression, Expression] = {}
    for each, own in zip(alike, whole.columns, strict=True):
        column = Column("", f"{own.name} {_added(rows, found)}", each.type, nullable=True, mixed=own.mixed)
        values[each] = column
        entry = Layout((((column.alias, column.name), found.layout.path(own)),))
        found = replace(found, layout=found.layout | entry)
    return values, Lowered(found.step, found.layout, found.taken, rows.standing)


def value_beside(relation: Relation, rows: Lowered, context: LoweringContext) -> Lowered:
    """Add the single column of a relation with at most one row to the rows; NULL if it yields none."""
    (output,) = relation.columns
    value, found = _scalar(ScalarSubquery(relation, output.type), relation, rows, context)
    if not isinstance(value, Column):
        return found.computed({output: value}, context)
    entry = ((output.alias, output.name), found.layout.path(value))
    return Lowered(found.step, found.layout | Layout((entry,)), found.taken, found.standing)


def _added(before: Lowered, after: Lowered) -> str:
    (name,) = after.taken - before.taken
    return name


def _with(found: Lowered, rows: Lowered, column: Column, path: str) -> Lowered:
    layout = rows.layout | Layout((((column.alias, column.name), path),))
    return Lowered(found.step, layout, found.taken, rows.standing)


def _first(relation: Relation) -> Relation:
    """Restrict the relation to one row without its columns, for a test whether there is a row."""
    relation = _bare(relation)
    return relation if single(relation) else LimitOffset(relation, ONE)


def _bare(relation: Relation) -> Relation:
    """Remove everything that does not affect whether there is a row: outputs, an order, a limit of at least one row."""
    while isinstance(relation, Project | Sort | LimitOffset):
        if isinstance(relation, LimitOffset) and not _leaves_some(relation):
            break
        relation = relation.input
    return relation


def _leaves_some(limit: LimitOffset) -> bool:
    """Whether some of any rows are left."""
    count = limit.count
    return limit.offset is None and isinstance(count, Literal) and isinstance(count.value, int) and count.value > 0


def by_key(relation: Relation, model: Model) -> bool:
    """Whether it asks for one value of a table's key: at most one row has it."""
    while isinstance(relation, Project | LimitOffset):
        relation = relation.input
    scan, predicates = scan_of(relation)
    if scan is None:
        return False
    exact = [each for each in predicates if isinstance(each, Compare) and each.collation is Collation.BINARY]
    fixed = {column.name for each in exact if (column := fixed_column(each, scan.alias)) is not None}
    return model.entity(scan.entity).is_superkey(fixed)


# --- IN --------------------------------------------------------------------------------------------------------------


def _three_valued(subquery: InSubquery) -> Expression:
    perhaps = _perhaps(subquery)
    if perhaps is None:
        return _hits(subquery)
    return Case(((_hits(subquery), TRUE), (perhaps, NULL)), FALSE, BOOLEAN)


def _asked(subquery: InSubquery) -> Expression:
    pairs = zip(subquery.operands, subquery.relation.columns, strict=True)
    asked = conjunction(*(Compare(subquery.operator, one, other, subquery.collation) for one, other in pairs))
    assert asked is not None
    return asked


def _hits(subquery: InSubquery) -> Exists:
    return Exists(Filter(subquery.relation, _asked(subquery)))


def _perhaps(subquery: InSubquery) -> Expression | None:
    """Whether an unknown row might match because of NULLs; None if that is impossible.

    For a single column it is tested apart from the operand: these subqueries are the same for all rows, so the server caches
    them.
    """
    relation, asked = subquery.relation, (*subquery.operands, *subquery.relation.columns)
    if not any(may_be_null(each, relation) for each in asked):
        return None
    if len(subquery.operands) > 1 or free_columns(relation):
        return Exists(Filter(relation, IsNull(_asked(subquery))))
    (operand, column), found = asked, list[Expression]()
    if may_be_null(column, relation):
        found.append(Exists(Filter(relation, IsNull(column))))
    if nullable(operand):
        found.append(And((IsNull(operand), Exists(relation))))
    return disjunction(*found)


def may_be_null(expression: Expression, relation: Relation) -> bool:
    """Whether the expression can be NULL in the relation's rows; not if their condition excludes NULL in its column."""
    if not isinstance(expression, Column) or not nullable(expression):
        return nullable(expression)
    while isinstance(relation, Sort | LimitOffset | Distinct):
        relation = relation.input
    if (
        not isinstance(relation, Project)
        or not isinstance(relation.input, Filter)
        or relation.alias != expression.alias
    ):
        return True
    refused = {
        (column.alias, column.name) for each in conjuncts(relation.input.predicate) for column in never_null(each)
    }
    shown = next(each.expression for each in relation.outputs if each.name == expression.name)
    return not isinstance(shown, Column) or (shown.alias, shown.name) not in refused
