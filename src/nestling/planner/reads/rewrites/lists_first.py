"""Collects the values that `NOT IN (SELECT …)` and NOT EXISTS exclude first, as one list, before the rows are read.

`… FROM person WHERE id NOT IN (SELECT author_id FROM post WHERE pinned)` begins with the distinct authors. If they were looked up
from each person, the posts would be queried as often as there are persons. Each row is compared with the whole list, and the
server keeps a list in one document: so it is made only if it is known to be short. `plan_read` determines whether it is cheaper.
"""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import AggregateCall, AggregateFunction, JoinKind, Relation
from nestling.ir.statements.expression import Call, Column, Exists, Expression, InSubquery, IsNull, Not, Or
from nestling.ir.statements.operands import conjunction, conjuncts, has_subquery, nullable
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.statistics import Statistics
from nestling.ir.storage.bounds import FRAMING_BYTES
from nestling.ir.types import BOOLEAN, Type, TypeName
from nestling.planner.known.values import PathStatistics, known_of_scans
from nestling.planner.reads.rewrites.conjuncts import restricted
from nestling.planner.reads.rewrites.join_order import cross_product
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.reads.rewrites.rows_left import rows_left
from nestling.planner.reads.rewrites.sets_first import set_of
from nestling.planner.reads.subqueries import may_be_null
from nestling.planner.reads.traverse import everything, free_columns

MOST_BYTES = 256 * 1024
"""The longest list there may be by what is known: the data may grow to many times as much before no document can hold it."""


def with_lists_first(relation: Relation, model: Model, statistics: Statistics) -> Relation | None:
    """The relation with lists of excluded values fetched first; None if no condition asks for a short one."""
    match relation:
        case a.Filter():
            below = with_lists_first(relation.input, model, statistics)
            return _beside_lists(relation, model, statistics) or (below and replace(relation, input=below))
        case a.Project() | a.Sort() | a.LimitOffset() | a.GroupBy() | a.Distinct() | a.Window():
            below = with_lists_first(relation.input, model, statistics)
            return below and replace(relation, input=below)
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS | JoinKind.LEFT):
            below = with_lists_first(relation.left, model, statistics)
            return below and replace(relation, left=below)
        case _:
            return None


def _beside_lists(relation: a.Filter, model: Model, statistics: Statistics) -> Relation | None:
    """What needs no subquery is asked of the rows before, what needs others after."""
    asked = conjuncts(relation.predicate)
    lists = {each: found for each in asked if (found := _list(each, model, statistics)) is not None}
    if not lists or free_columns(relation):
        return None
    rows = restricted(relation.input, [each for each in asked if not has_subquery(each)])
    refused = conjunction(*(condition for _, condition in lists.values()))
    joined = a.Join(JoinKind.INNER, cross_product([made for made, _ in lists.values()]), rows, refused)
    return restricted(joined, [each for each in asked if has_subquery(each) and each not in lists])


def _list(predicate: Expression, model: Model, statistics: Statistics) -> tuple[Relation, Expression] | None:
    """The one row with the list, and that a row's value is not in it; None where a condition is no such negation.

    EXISTS finds nothing by NULL, on either side; to NOT IN one NULL makes all unknown.
    """
    refused = predicate.operand if isinstance(predicate, Not) else None
    found = set_of(refused, model) if isinstance(refused, InSubquery | Exists) else None
    if found is None or len(found[1]) != 1 or not isinstance(found[0], a.Distinct):
        return None
    values, ((own, value),) = found[0].input, found[1]
    if isinstance(refused, Exists) and nullable(value):
        values = restricted(values, [Not(IsNull(value))])
    if not _is_short(values, value, model, statistics):
        return None
    values_of = AggregateCall(AggregateFunction.LIST, value, Type(TypeName.ARRAY, element=value.type), distinct=True)
    made = a.GroupBy(values, f"list of {value.alias}", (), (a.NamedAggregate("values", values_of, value.mixed),))
    (listed,) = made.columns
    is_known = isinstance(refused, Exists) or not (nullable(own) or may_be_null(value, values))
    among = Call(Function.CONTAINS if is_known else Function.ANY_ELEMENT, (listed, own), BOOLEAN, Rules.POSTGRESQL)
    return made, Or((IsNull(listed), Not(among)))


def _is_short(values: Relation, value: Column, model: Model, statistics: Statistics) -> bool:
    """Whether the different values are known to be few."""
    left = rows_left(push_predicates(values), model, statistics)
    outputs = values.outputs if isinstance(values, a.Project) else ()
    shown = next((each.expression for each in outputs if each.name == value.name), None)
    known = known_of_scans(everything(values), model, statistics)(shown) if isinstance(shown, Column) else None
    known = known or PathStatistics()
    if left is None:
        return False
    different = min(left.rows, known.distinct if known.distinct is not None else left.rows)
    return different * (known.bytes + FRAMING_BYTES) <= MOST_BYTES
