"""PostgreSQL's `ARRAY(SELECT …)`: what `array_agg` collects from the query's rows, in their order; empty if there are none."""

from __future__ import annotations

from sqlglot import exp

from nestling.planner.sql.dialect import Dialect

_ROWS_ALONE = ("limit", "offset", "fetch", "distinct", "group", "having", "windows", "qualify", "with_", "locks")
"""What a query says of its rows after or before its values are gathered."""


def gathered(node: exp.Expr) -> exp.Expr:
    """The aggregate of an array of a plain query; any other node stays."""
    if not isinstance(node, exp.Array) or len(node.expressions) != 1:
        return node
    query = node.expressions[0].unnest()
    if not isinstance(query, exp.Select) or len(query.expressions) != 1 or any(map(query.args.get, _ROWS_ALONE)):
        return node
    value = query.expressions[0].unalias()
    if value.find(exp.AggFunc, exp.Window) is not None or value.is_star:
        return node
    asked = query.copy()
    order = asked.args.pop("order", None)
    value = asked.expressions[0].unalias()
    ordered = value if order is None else exp.Order(this=value, expressions=order.expressions)
    asked.set("expressions", [exp.ArrayAgg(this=ordered)])
    found = exp.Coalesce(this=exp.Subquery(this=asked), expressions=[exp.Literal.string("{}")])
    is_item = isinstance(node.parent, exp.Select) and node.arg_key == "expressions"
    return exp.alias_(found, "array") if is_item else found


def with_array_queries(tree: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The tree with aggregates in place of arrays of queries."""
    is_there = dialect.grammar == "postgres" and any(each.find(exp.Select) for each in tree.find_all(exp.Array))
    return tree.transform(gathered) if is_there else tree
