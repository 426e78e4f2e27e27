"""PostgreSQL's `SELECT generate_series(1, 3)` and `SELECT unnest(tags) FROM post`: a function that yields rows is what FROM would
name, behind its tables.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

_NAMES: dict[type[exp.Expr], str] = {exp.ExplodingGenerateSeries: "generate_series", exp.Explode: "unnest"}
_REFUSED = (exp.AggFunc, exp.Case, exp.Coalesce, exp.Window, exp.Where, exp.Having, exp.Join)
"""Inside of which PostgreSQL takes no such function."""


def with_rows_in_from(node: exp.Select) -> exp.Select:
    """The SELECT with the function moved to FROM; unchanged if there is none, or it does more."""
    found = list(_functions(node))
    if not found or any(each != found[0] or each.find_ancestor(*_REFUSED, exp.Select) is not node for each in found):
        return node
    kind = type(found[0])
    if not (_is_asked_first(node, found[0]) if kind is exp.Explode else _is_alone(node, found[0])):
        return node
    written, name = node.copy(), _NAMES[kind]
    series = found[0].copy()
    for each in list(_functions(written)):
        each.replace(exp.column(name))
    alias = exp.TableAlias(this=exp.to_identifier(name))
    rows = (
        exp.Unnest(expressions=[series.this], alias=alias)
        if kind is exp.Explode
        else exp.Table(this=series, alias=alias)
    )
    if written.args.get("from_") is None:
        written.set("from_", exp.From(this=rows))
    else:
        written.append("joins", exp.Join(this=rows, kind="CROSS"))
    return written


def _functions(node: exp.Select) -> Iterator[exp.Expr]:
    return (each for each in node.find_all(*_NAMES) if each.parent_select is node)


def _is_alone(node: exp.Select, series: exp.Expr) -> bool:
    """Whether the SELECT has no tables, nor an order by the function."""
    return node.args.get("from_") is None and not node.args.get("joins") and series.find_ancestor(exp.Order) is None


def _is_asked_first(node: exp.Select, function: exp.Expr) -> bool:
    """Whether nothing is done to the rows before the function makes more of them: a window, or groups by something else."""
    if any(each.parent_select is node for each in node.find_all(exp.Window)):
        return False
    group = node.args.get("group")
    if group is None:
        return node.args.get("having") is None and not any(
            each.parent_select is node for each in node.find_all(exp.AggFunc) if not isinstance(each, exp.Explode)
        )
    outputs = [item.unalias() for item in node.expressions if function in list(item.find_all(exp.Explode))]
    names = {item.alias.casefold() for item in node.expressions if item.alias and item.unalias() in outputs}
    places = {str(at) for at, item in enumerate(node.expressions, 1) if item.unalias() in outputs}
    return any(
        key in outputs
        or key == function
        or key.name.casefold() in names
        or (isinstance(key, exp.Literal) and key.name in places)
        for key in group.expressions
    )
