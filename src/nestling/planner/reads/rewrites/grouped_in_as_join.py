"""`x IN (SELECT k … GROUP BY k HAVING …)` is a join with the groups, each of which has its own k: they are made once."""

from __future__ import annotations

from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Column, Compare, Expression, InSubquery
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statements.operators import Collation, Comparison
from nestling.planner.reads.rewrites.conjuncts import restricted
from nestling.planner.reads.traverse import free_columns


def joined_groups(relation: Relation) -> Relation:
    """A filter's IN conditions as joins, where the subquery is grouped by what it gives and mentions nothing outside."""
    if not isinstance(relation, a.Filter):
        return relation
    found = relation.input
    rest: list[Expression] = []
    for each in conjuncts(relation.predicate):
        if isinstance(each, InSubquery) and _is_grouped_by_output(each):
            (operand,), (column,) = each.operands, each.relation.columns
            found = a.Join(
                JoinKind.INNER, found, each.relation, Compare(Comparison.EQUAL, operand, column, each.collation)
            )
        else:
            rest.append(each)
    return relation if found is relation.input else restricted(found, rest)


def _is_grouped_by_output(subquery: InSubquery) -> bool:
    relation = subquery.relation
    is_equality = subquery.operator is Comparison.EQUAL and subquery.collation is Collation.BINARY
    if len(subquery.operands) != 1 or not is_equality or free_columns(relation):
        return False
    output: Expression = relation.columns[0]
    if isinstance(relation, a.Project):
        output, relation = relation.outputs[0].expression, relation.input
    while isinstance(relation, a.Filter):
        relation = relation.input
    if not isinstance(relation, a.GroupBy) or len(relation.keys) != 1:
        return False
    return output == Column(relation.alias, relation.keys[0].name, output.type, getattr(output, "nullable", True))
