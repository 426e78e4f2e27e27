"""PostgreSQL's `SELECT generate_series(1, 3)`: a function that yields rows, in a SELECT without FROM, is what FROM would name."""

from __future__ import annotations

from sqlglot import exp

_NAME = "generate_series"
_REFUSED = (exp.AggFunc, exp.Case, exp.Coalesce, exp.Window)
"""Inside of which PostgreSQL takes no such function."""


def with_series_in_from(node: exp.Select) -> exp.Select:
    """The SELECT that names the series in FROM; the same where there is none, or more to it."""
    if node.args.get("from_") is not None or node.args.get("joins"):
        return node
    found = [each for each in node.find_all(exp.ExplodingGenerateSeries) if each.parent_select is node]
    if len(found) != 1 or found[0].find_ancestor(*_REFUSED, exp.Where, exp.Order) is not None:
        return node
    written = node.copy()
    series = next(each for each in written.find_all(exp.ExplodingGenerateSeries) if each.parent_select is written)
    series.replace(exp.column(_NAME))
    written.set("from_", exp.From(this=exp.Table(this=series, alias=exp.TableAlias(this=exp.to_identifier(_NAME)))))
    return written
