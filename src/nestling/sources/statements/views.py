"""Views in a statement: the SELECT of each stands where its name stands, so that its tables are among those accessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from nestling.ir.model import Model, View
from nestling.sources.tables import find_name

VIEW = "view"
"""Under which a name knows the view it stands in."""
Read = Callable[[View], exp.Expr | None]
"""The tree of a view's SELECT; None when it cannot be read."""


def with_views(tree: exp.Expr, model: Model, read: Read) -> exp.Expr:
    """The statement without views; one that cannot be read, or names itself, stays a name."""
    return _expanded(tree, model, read, frozenset()) if model.views else tree


def _expanded(tree: exp.Expr, model: Model, read: Read, inside: frozenset[str]) -> exp.Expr:
    views = {view.name: view for view in model.views if view.name not in inside}
    named = {each.alias_or_name.casefold() for each in tree.find_all(exp.CTE)}
    for table in list(_tables(tree)):
        is_cte = not table.db and table.name.casefold() in named
        found = None if is_cte else _view_of(table, list(views), [entity.name for entity in model.entities])
        select = read(views[found]) if found is not None else None
        if found is not None and isinstance(select, exp.Query):
            _placed(select, table, found)
            table.replace(_subquery(_expanded(select, model, read, inside | {found}), table, views[found]))
    return tree


def _view_of(table: exp.Table, views: list[str], entities: list[str]) -> str | None:
    """The view a table name means: with its schema, if it has one, before one without."""
    if table.db:
        qualified = f"{table.db}.{table.name}"
        found = find_name(qualified, views)
        return found or (find_name(table.name, views) if find_name(qualified, entities) is None else None)
    found = find_name(table.name, views)
    if found is not None or find_name(table.name, entities) is not None:
        return found
    suffix = "." + table.name.casefold()
    ending = [name for name in (*views, *entities) if name.casefold().endswith(suffix)]
    return ending[0] if len(ending) == 1 and ending[0] in views else None


def _tables(tree: exp.Expr) -> Iterator[exp.Table]:
    """The tables read from: not the one a statement writes to."""
    written = tree.this if isinstance(tree, exp.DML) else None
    target = written.this if isinstance(written, exp.Schema) else written
    return (table for table in tree.find_all(exp.Table) if table is not target)


def _subquery(select: exp.Expr, table: exp.Table, view: View) -> exp.Subquery:
    columns = [exp.to_identifier(name, quoted=True) for name in view.columns]
    alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name, quoted=True), columns=columns)
    return exp.Subquery(this=select, alias=alias, joins=table.args.get("joins"))


def _placed(select: exp.Expr, table: exp.Table, view: str) -> None:
    """What is wrong in a view is told of the view, at its name, as the statement has it."""
    place = table.this.meta if isinstance(table.this, exp.Identifier) else {}
    for name in select.find_all(exp.Identifier):
        name.set("quoted", False)
        name.meta[VIEW] = view
        name.meta.update({key: place[key] for key in ("start", "end") if key in place})
