"""Refuses statements that name a table or column of which another differs by case alone: names are found whatever their case.

And those on a table with two columns that are one name in MongoDB.
"""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.model import Entity, Model
from nestling.ir.names_alike import alike, alike_attributes, alike_when_stored
from nestling.ir.once import once
from nestling.planner.sql.gaps import statement_gap


def refuse_alike(tree: exp.Expr, model: Model) -> None:
    """Raise the gap of the first such name."""
    tables, columns, stored = _alike(model)
    if not (tables or columns or stored):
        return
    named = list(tree.find_all(exp.Table))
    for table in named:
        _refuse(tables.get(table.name.casefold()) or tables.get(f"{table.db}.{table.name}".casefold()), table)
    read = {name.casefold() for table in named for name in (table.name, f"{table.db}.{table.name}")}
    for each in (entity for entity in stored if _is_read(entity, read, model)):
        names = " and ".join(f"`{name}`" for name in alike_when_stored(each))
        raise statement_gap(f"`{each.name}`, where {names} are the same name in MongoDB", named[0])
    own = alike_attributes(each for each in columns if _is_read(each, read, model))
    for name in tree.find_all(exp.Identifier):
        _refuse(own.get(name.name.casefold()), name)
    for join in tree.find_all(exp.Join):
        if own and join.args.get("method") == "NATURAL":
            _refuse(next(iter(own.values())), join)


@once
def _alike(model: Model) -> tuple[dict[str, tuple[str, ...]], tuple[Entity, ...], tuple[Entity, ...]]:
    """The names of tables that are alike, the tables with columns that are, and those with columns that are when stored."""
    columns = tuple(each for each in model.entities if alike(each.attribute_names))
    stored = tuple(each for each in model.entities if alike_when_stored(each))
    return alike(each.name for each in model.entities), columns, stored


def _is_read(entity: Entity, read: set[str], model: Model) -> bool:
    """Whether the statement may read it: by its name, or through a view."""
    return entity.name.casefold() in read or any(view.name.casefold() in read for view in model.views)


def _refuse(same: tuple[str, ...] | None, node: exp.Expr) -> None:
    if same:
        names = " and ".join(f"`{name}`" for name in same)
        raise statement_gap(f"a name that differs from another only in case ({names})", node)
