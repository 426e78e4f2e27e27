"""Values beside each row of a subquery: IN, and a comparison with ANY, SOME or ALL of it."""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.quantity_words import counted
from nestling.ir.statements.expression import Expression, InSubquery, Not
from nestling.ir.statements.operators import Collation, Comparison, Rules
from nestling.planner.sql import conversions as values
from nestling.planner.sql.called import sql_as_written
from nestling.planner.sql.collations import collation, is_no_text
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.mysql.digits import observed_beside
from nestling.planner.sql.postgresql import char_n as chars
from nestling.planner.sql.scope import Bind, Env
from nestling.planner.sql.subquery_values import recast
from nestling.planner.sql.supported_types import refuse_comparison


def in_subquery(node: exp.In, query: exp.Expr, env: Env, bound: Bind) -> Expression:
    """Whether a row of the query has these values."""
    from nestling.planner.sql.queries import bind_subquery

    lefts = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
    operands = [bound(left) for left in lefts]
    relation = bind_subquery(query, env)
    if len(relation.columns) != len(operands):
        raise mistake(
            f"IN compares {counted(len(operands), 'value')} with {counted(len(relation.columns), 'column')}", node
        )
    if env.dialect.rules is Rules.MYSQL:
        operands = [observed_beside(left, right)[0] for left, right in zip(operands, relation.columns, strict=True)]
    if env.dialect.rules is Rules.POSTGRESQL:
        sides = zip(lefts, operands, relation.columns, strict=True)
        found = [chars.compared((left, None), operand, column) for left, operand, column in sides]
        operands, wanted = map(list, zip(*found, strict=True))
        relation = recast(relation, wanted, env.translation)
    pairs = [
        values.comparable(left, right, env.translation) for left, right in zip(operands, relation.columns, strict=True)
    ]
    rules = {
        collation(env, (node_of,), (left, right))
        for node_of, left, right in zip(lefts, operands, relation.columns, strict=True)
        if not is_no_text(left) and not is_no_text(right)
    }
    for left, right in zip(operands, relation.columns, strict=True):
        refuse_comparison(left, right, ordered=False, node=node)
    relation = recast(relation, [right for _, right in pairs], env.translation)
    return InSubquery(tuple(left for left, _ in pairs), relation, _one_rule(rules, node))


def _one_rule(rules: set[Collation], node: exp.Expr) -> Collation:
    if len(rules) > 1:
        raise statement_gap("IN that compares its columns by different collations", node)
    return rules.pop() if rules else Collation.BINARY


def compared_with_any(node: exp.Binary, operator: Comparison, query: exp.Expr, env: Env, bound: Bind) -> Expression:
    """Whether some row of the query compares so with the value."""
    from nestling.planner.sql.queries import bind_subquery

    if env.dialect.is_sqlite or isinstance(node.this.unnest(), exp.Tuple):  # SQLite itself has no such comparison
        raise statement_gap(sql_as_written(node, env.dialect.grammar), node)
    relation = bind_subquery(query, env)
    if len(relation.columns) != 1:
        raise mistake(f"one value is compared with {counted(len(relation.columns), 'column')}", node)
    operand, column = chars.compared((node.this, None), bound(node.this), relation.columns[0])
    rule = collation(env, (node.this,), (operand, column))
    asked = values.compare(operator, operand, column, env.translation, rule)
    return InSubquery(
        (asked.left,), recast(relation, [asked.right], env.translation), asked.collation, operator=asked.operator
    )


def compared_with_all(node: exp.Binary, operator: Comparison, query: exp.Expr, env: Env, bound: Bind) -> Expression:
    """Whether every row does: none compares the other way, and none of them is NULL."""
    return Not(compared_with_any(node, operator.opposite, query, env, bound))
