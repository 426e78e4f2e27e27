"""PostgreSQL's `make_interval(mins => 5)`: an interval of one unit, as others are written."""

from __future__ import annotations

from sqlglot import exp

from nestling.planner.sql.dialect import Dialect


def as_interval(node: exp.Expr) -> exp.Expr:
    """The interval of one named unit; any other node stays."""
    if not isinstance(node, exp.MakeInterval) or len(node.args) != 1:
        return node
    ((unit, value),) = node.args.items()
    if not isinstance(value, exp.Kwarg):
        return node
    return exp.Interval(this=value.expression, unit=exp.var(unit.upper()))


def with_intervals(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The tree with intervals in place of the calls that make them."""
    is_called = dialect.grammar == "postgres" and tree.find(exp.MakeInterval) is not None
    return tree.transform(as_interval) if is_called else tree
