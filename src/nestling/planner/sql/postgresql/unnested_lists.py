"""A query that lists the values of a parameter: `id IN (SELECT unnest(:ids))` is `id = ANY(:ids)`."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from nestling.planner.sql.gaps import statement_gap

_AROUND = (exp.And, exp.Or, exp.Paren)


def list_of(query: exp.Expr, compared: exp.Expr, *, negated: bool = False) -> exp.Expr | None:
    """What the query lists; None where it does something else.

    A list that is NULL has no rows, while `= ANY(NULL)` is NULL: that makes no difference to a condition which rows must meet.
    """
    found = next(_listed(query), None)
    if found is not None and (negated or not _is_condition(compared)):
        raise statement_gap("unnest of a parameter other than in a condition `IN (SELECT unnest(:ids))`", compared)
    return found


def _is_condition(node: exp.Expr) -> bool:
    around = node.parent
    while isinstance(around, _AROUND):
        around = around.parent
    return isinstance(around, exp.Where | exp.Join)


def _listed(query: exp.Expr) -> Iterator[exp.Expr]:
    """`SELECT unnest(:ids)` and `SELECT * FROM unnest(:ids)`."""
    select = query.unnest() if isinstance(query, exp.Subquery) else query
    if not isinstance(select, exp.Select) or len(select.expressions) != 1:
        return
    clauses = {name for name, value in select.args.items() if value} - {"expressions", "from_", "kind"}
    if clauses:
        return
    item, source = select.expressions[0].unalias(), select.args.get("from_")
    if source is None and isinstance(item, exp.Explode):
        yield item.this
    elif source is not None and isinstance(source.this, exp.Unnest) and len(source.this.expressions) == 1:
        names = _names_of(source.this)
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and item.name.casefold() in names):
            yield source.this.expressions[0]


def _names_of(unnest: exp.Unnest) -> set[str]:
    alias = unnest.args.get("alias")
    if alias is None:
        return {"unnest"}
    columns = alias.args.get("columns") or [alias.this]
    return {column.name.casefold() for column in columns}
