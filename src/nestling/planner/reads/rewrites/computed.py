"""An aggregate over related rows is not counted where the document holds it computed, and fresh enough.

That is a subquery without groups over scans joined along exactly the path of a `Computed` field. Over no rows a count is 0 and
the others are missing, in the field as in SQL. Sums, averages and extremes only of types every database orders and adds alike;
an exact average, which no field has all digits of, is read as a sum by a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations, takewhile

from nestling.ir.model import Model
from nestling.ir.paths.row_steps import Layout
from nestling.ir.primitives import Computed
from nestling.ir.rows import AggregateKind, RowPath
from nestling.ir.statements import algebra as a
from nestling.ir.statements.aggregate_functions import FUNCTIONS
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction, JoinKind, Relation
from nestling.ir.statements.expression import Arithmetic, Call, Column, Expression, Literal
from nestling.ir.statements.operands import conjuncts, has_subquery
from nestling.ir.statements.operators import ArithmeticOperator, Division, Function, Rules
from nestling.ir.storage.layout import NodeKind
from nestling.ir.storage.names import join as join_path
from nestling.ir.tolerance import Tolerated
from nestling.ir.types import INTEGER, MACHINE_NUMBERS, ORDERED_ALIKE, Type, TypeName
from nestling.planner.reads.rewrites.freshness import is_fresh
from nestling.planner.reads.rewrites.links import without_link
from nestling.planner.reads.rows import Lowered, LoweringContext, PlacedScan
from nestling.planner.reads.traverse import rewritten

MOST_HOPS = 3


@dataclass(frozen=True, slots=True)
class InnerJoins:
    """The scans that inner joins combine, and all the conditions."""

    scans: tuple[a.Scan, ...]
    conditions: tuple[Expression, ...]


def inner_joined(relation: Relation) -> InnerJoins | None:
    """The scans and conditions of a relation that is nothing but inner joins of scans."""
    match relation:
        case a.Scan():
            return InnerJoins((relation,), ())
        case a.Filter():
            inner = inner_joined(relation.input)
            return inner and InnerJoins(inner.scans, (*inner.conditions, *conjuncts(relation.predicate)))
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS):
            left, right = inner_joined(relation.left), inner_joined(relation.right)
            if left is None or right is None:
                return None
            conditions = (*left.conditions, *right.conditions, *conjuncts(relation.condition))
            return InnerJoins((*left.scans, *right.scans), conditions)
        case _:
            return None


def computed_value(relation: Relation, rows: Lowered, context: LoweringContext) -> tuple[Expression, Lowered] | None:
    """The value of a scalar subquery from computed fields of the rows; None when they do not hold it."""
    group, expression = _aggregates_of(relation)
    inner = inner_joined(group.input) if group is not None else None
    if group is None or expression is None or inner is None or has_subquery(expression):
        return None
    asked = group
    group, expression = _averages_apart(group, expression)
    tolerated = context.tolerated if group == asked else to_the_row(context.tolerated)
    for alias, at in rows.standing.items():
        if at.place.node.kind is NodeKind.GROUP or at.place.copy is not None:
            continue
        found = [
            computed_for(at.place.node.body.computed, inner, alias, item.aggregate, context.design.model, tolerated)
            for item in group.aggregates
        ]
        if None not in found:
            names = [item.name for item in group.aggregates]
            fields = [item.field for item in found if item is not None]
            return _read(group, dict(zip(names, fields, strict=True)), expression, rows, at)
    return None


def _aggregates_of(relation: Relation) -> tuple[a.GroupBy | None, Expression | None]:
    """The group without keys a relation of one column is, and the column in terms of its aggregates."""
    match relation:
        case a.Project(input=a.GroupBy(keys=()) as group, outputs=(out,)):
            return group, out.expression
        case a.GroupBy(keys=(), aggregates=(_,)):
            return relation, relation.columns[0]
        case _:
            return None, None


def parts(aggregate: AggregateCall) -> tuple[AggregateCall, ...]:
    """What the fields have to hold to tell an aggregate: the sum and the number of an exact average, else itself."""
    argument = aggregate.argument
    if (
        aggregate.function is not AggregateFunction.AVG
        or aggregate.type.name is not TypeName.DECIMAL
        or argument is None
    ):
        return (aggregate,)
    return (
        replace(aggregate, function=AggregateFunction.SUM, type=argument.type),
        replace(aggregate, function=AggregateFunction.COUNT, type=INTEGER),
    )


def to_the_row(tolerated: Tolerated) -> Tolerated:
    """What may be behind, and by nothing too low: by a number that is, a quotient would be too high."""
    return replace(tolerated, off_by={})


def _averages_apart(group: a.GroupBy, expression: Expression) -> tuple[a.GroupBy, Expression]:
    """The group with the parts of its exact averages, and the expression with their quotients."""
    aggregates, quotients = list[a.NamedAggregate](), dict[str, Expression]()
    for item in group.aggregates:
        found = parts(item.aggregate)
        if len(found) == 1:
            aggregates.append(item)
            continue
        named = [a.NamedAggregate(f"{item.name} {each.function}", each) for each in found]
        total, number = (Column(group.alias, each.name, each.aggregate.type, nullable=True) for each in named)
        quotients[item.name] = Arithmetic(
            ArithmeticOperator.DIVIDE, total, number, item.aggregate.type, Division.DECIMAL
        )
        aggregates += named

    def change(each: Expression) -> Expression | None:
        return quotients.get(each.name) if isinstance(each, Column) and each.alias == group.alias else None

    return replace(group, aggregates=tuple(aggregates)), rewritten(expression, change)


def _read(
    group: a.GroupBy, fields: dict[str, str], expression: Expression, rows: Lowered, at: PlacedScan
) -> tuple[Expression, Lowered]:
    """The expression over the fields. A row inside another may be missing altogether, then its count is 0 all the same."""
    always_there = not at.prefix and len(at.place.nodes) == 1
    columns, paths = dict[str, Expression](), dict[tuple[str, str], str]()
    for item in group.aggregates:
        path = join_path(at.prefix, at.place.path, fields[item.name])
        counted = item.aggregate.function is AggregateFunction.COUNT
        column = Column(
            f"computed {group.alias}", item.name, item.aggregate.type, nullable=not (counted and always_there)
        )
        paths[column.alias, column.name] = path
        columns[item.name] = or_zero(column) if counted and not always_there else column

    def change(each: Expression) -> Expression | None:
        return columns[each.name] if isinstance(each, Column) and each.alias == group.alias else None

    return rewritten(expression, change), replace(rows, layout=rows.layout | Layout.of(paths))


def or_zero(count: Expression) -> Expression:
    """A count, 0 where it is NULL."""
    return Call(Function.COALESCE, (count, Literal(0, INTEGER)), INTEGER, Rules.SQLITE)


def computed_for(
    computed: Sequence[Computed],
    inner: InnerJoins,
    alias: str,
    aggregate: AggregateCall,
    model: Model,
    tolerated: Tolerated,
) -> Computed | None:
    """The computed field, of the rows called `alias`, that is this aggregate over these joined rows."""
    for item in computed:
        if FUNCTIONS[item.function] is not aggregate.function or len(item.path) > MOST_HOPS:
            continue
        if item.attribute is None and not _always_ends(item.path, model):
            continue
        last = end_of(item.path, inner, alias, model)
        if last is not None and _same_aggregate(item, aggregate, inner, last) and _is_allowed(item, model, tolerated):
            return item
    return None


def _always_ends(path: RowPath, model: Model) -> bool:
    """Whether each row the path goes down to has the parents it then goes up to: a count of rows tells those apart nowhere."""
    ups = takewhile(lambda hop: hop.up, reversed(path))
    return all(model.is_total(model.relationship(hop.relationship)) for hop in ups)


def end_of(path: RowPath, inner: InnerJoins, alias: str, model: Model) -> a.Scan | None:
    """The scan at the end of the path, when the scans are joined along it from the rows called `alias`, and nothing else."""
    if len(inner.scans) != len(path):
        return None
    targets = [hop.target(model) for hop in path]
    for order in permutations(inner.scans):
        if [scan.entity for scan in order] != targets:
            continue
        rest: list[Expression] | None = list(inner.conditions)
        before = alias
        for hop, scan in zip(path, order, strict=True):
            parent, child = (scan.alias, before) if hop.up else (before, scan.alias)
            rest = without_link(rest or [], model.relationship(hop.relationship), parent=parent, child=child)
            if rest is None:
                break
            before = scan.alias
        if rest == []:
            return order[-1]
    return None


def _same_aggregate(item: Computed, aggregate: AggregateCall, inner: InnerJoins, last: a.Scan) -> bool:
    """Whether the aggregate is of the attribute, or both count rows."""
    argument = aggregate.argument
    if aggregate.filter is not None or (
        aggregate.distinct and item.function not in (AggregateKind.MIN, AggregateKind.MAX)
    ):
        return False
    if item.function is AggregateKind.COUNT:
        if argument is None or _is_never_null(argument, inner):  # rows are counted
            return item.attribute is None or not _attribute(last, item.attribute).nullable
        is_json = argument.type.name is TypeName.JSON
        return (
            not is_json
            and isinstance(argument, Column)
            and (argument.alias, argument.name) == (last.alias, item.attribute)
        )
    if not isinstance(argument, Column) or argument.mixed:
        return False
    return (
        argument.alias == last.alias and argument.name == item.attribute and _is_exact(item, argument.type, aggregate)
    )


def _is_never_null(argument: Expression, inner: InnerJoins) -> bool:
    """Whether it is a NOT NULL attribute of one of the scans, whatever an outer join around them makes of it."""
    columns = {(each.alias, each.name): each for scan in inner.scans for each in scan.columns}
    own = columns.get((argument.alias, argument.name)) if isinstance(argument, Column) else None
    return own is not None and not own.nullable


def _attribute(scan: a.Scan, name: str) -> Column:
    return next(column for column in scan.columns if column.name == name)


def _is_exact(item: Computed, kind: Type, aggregate: AggregateCall) -> bool:
    if kind.name is TypeName.TIMESTAMP and kind.fraction_digits > 3:
        return False
    if item.function in (AggregateKind.MIN, AggregateKind.MAX):
        return kind.name in ORDERED_ALIKE
    if kind.name is TypeName.DECIMAL:
        return item.function is AggregateKind.SUM and aggregate.type.name is TypeName.DECIMAL
    return kind.name in MACHINE_NUMBERS and (
        item.function is AggregateKind.SUM or aggregate.type.name is TypeName.FLOAT
    )


def _is_allowed(item: Computed, model: Model, tolerated: Tolerated) -> bool:
    entity = item.path[-1].target(model)
    what = entity, item.attribute or ""
    return is_fresh(item.freshness, tolerated.behind.get(what)) and item.step <= tolerated.off_by.get(what, 1)
