"""`COUNT(DISTINCT a, b)` of MySQL and `count(DISTINCT (a, b))` of PostgreSQL: how many different rows of values there are."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from nestling.ir.statements.algebra import AggregateCall, AggregateFunction
from nestling.ir.statements.expression import ANY, Call, Expression
from nestling.ir.statements.operators import Collation, Function, Rules
from nestling.ir.types import INTEGER
from nestling.planner.sql import conversions as values
from nestling.planner.sql.collations import collation, is_no_text
from nestling.planner.sql.dialect import Dialect
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.mysql.digits import observed
from nestling.planner.sql.scope import Env
from nestling.planner.sql.supported_types import refuse_groups


def distinct_values(node: exp.Expr, dialect: Dialect) -> Sequence[exp.Expr] | None:
    """The values whose different rows are counted; None for another aggregate."""
    if not isinstance(node, exp.Count) or not isinstance(node.this, exp.Distinct):
        return None
    found = node.this.expressions
    if dialect.rules is Rules.MYSQL:
        return found if len(found) > 1 else None
    if dialect.rules is not Rules.POSTGRESQL or len(found) != 1:
        return None
    inner = found[0]
    is_row = isinstance(inner, exp.Anonymous) and inner.name.casefold() == "row"
    return inner.expressions if is_row or isinstance(inner, exp.Tuple) else None


def distinct_rows(node: exp.Expr, trees: Sequence[exp.Expr], env: Env) -> AggregateCall:
    """The number of different rows. MySQL leaves out those with a NULL, PostgreSQL none."""
    found = [values.ordered(bind(tree, env), env.translation) for tree in trees]
    if env.dialect.rules is Rules.MYSQL:
        found = [observed(value) for value in found]
    refuse_groups("COUNT(DISTINCT)", node, *found)
    row = Call(Function.ROW, tuple(found), ANY, env.dialect.rules)
    return AggregateCall(AggregateFunction.COUNT, row, INTEGER, distinct=True, collation=_rule(node, trees, found, env))


def _rule(node: exp.Expr, trees: Sequence[exp.Expr], found: Sequence[Expression], env: Env) -> Collation:
    pairs = zip(trees, found, strict=True)
    rules = {collation(env, (tree,), (value,)) for tree, value in pairs if not is_no_text(value)}
    if len(rules) > 1 or not rules <= {Collation.BINARY, Collation.UNICODE_CI}:
        raise statement_gap("COUNT(DISTINCT) of several texts that are compared ignoring case", node)
    return rules.pop() if rules else Collation.BINARY
