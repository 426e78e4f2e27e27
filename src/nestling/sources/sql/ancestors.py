"""A row's ancestors along a self-relationship, by a recursive query that ends on cycles too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.rows import Hop
from nestling.sources.sql.row_sql import Joins, after, as_modelled, matching, ordered, selected, sort_value

if TYPE_CHECKING:
    from nestling.ir.model import Relationship
    from nestling.ir.rows import RowColumn, RowQuery
    from nestling.sources.sql.row_sql import Tables


def compile_ancestors(tables: Tables, query: RowQuery) -> sa.Select[Any]:
    """A row per (base row, ancestor), from the root of the tree downwards.

    `reach` holds distinct pairs of a row's reference and an ancestor, so that a cycle ends. The depth of an ancestor is its
    number of other ancestors: those in a cycle have the same depth, and rows below it are deeper.
    """
    assert query.ancestors is not None
    link = tables.model.relationship(query.ancestors)
    names, references = link.parent_attributes, link.child_attributes
    reach = _reach(tables, link)
    deep = reach.alias("deep")
    level = sa.select(*(deep.c[f"row{i}"] for i in range(len(names))), sa.func.count().label("depth"))
    level_of = level.group_by(*(deep.c[f"row{i}"] for i in range(len(names)))).subquery("level")
    joins = Joins(tables, query)
    base, ancestor = joins.alias(()), tables.table(query.entity).alias("ancestor")

    def column(wanted: RowColumn) -> Any:
        is_ancestor = wanted.path == (Hop(link.name, up=True),)
        if not is_ancestor:
            return joins.column(wanted)
        return as_modelled(ancestor.c[wanted.attribute], joins.attribute(wanted), tables.dialect)

    chosen = [
        selected(column(c), joins.attribute(c), tables.dialect).label(f"c{i}") for i, c in enumerate(query.columns)
    ]
    keys = [sort_value(column(c), joins.attribute(c), tables.dialect) for c in query.order]
    # only now are the paths of all columns joined
    clause = joins.clause.join(reach, sa.and_(*(base.c[n] == reach.c[f"row{i}"] for i, n in enumerate(references))))
    clause = clause.join(ancestor, sa.and_(*(ancestor.c[n] == reach.c[f"up{i}"] for i, n in enumerate(names))))
    on_level = sa.and_(*(ancestor.c[n] == level_of.c[f"row{i}"] for i, n in enumerate(references)))
    clause = clause.outerjoin(level_of, on_level)
    itself = reach.alias("itself")
    on_cycle = (
        *(ancestor.c[n] == itself.c[f"row{i}"] for i, n in enumerate(references)),
        *(ancestor.c[n] == itself.c[f"up{i}"] for i, n in enumerate(names)),
    )
    clause = clause.outerjoin(itself, sa.and_(*on_cycle))
    order = [ordered(key, tables.dialect, nullable=True) for key in keys]
    depth = sa.func.coalesce(level_of.c.depth, 0) - sa.case((itself.c.up0.is_not(None), 1), else_=0)
    downwards = [depth, *(ancestor.c[name] for name in names)]
    select = sa.select(*chosen).select_from(clause).order_by(*order, *downwards)
    return select if query.after is None else select.where(after(keys, query.after, tables.dialect))


def _reach(tables: Tables, link: Relationship) -> sa.CTE:
    names = link.parent_attributes
    row, parent = tables.table(link.child).alias("r"), tables.table(link.child).alias("p")
    first = sa.select(
        *(row.c[n].label(f"row{i}") for i, n in enumerate(link.child_attributes)),
        *(parent.c[n].label(f"up{i}") for i, n in enumerate(names)),
    ).select_from(row.join(parent, matching(parent, names, row, link.child_attributes)))
    reach = first.cte("reach", recursive=True)
    current, above = tables.table(link.child).alias("q"), tables.table(link.child).alias("a")
    step = sa.select(
        *(reach.c[f"row{i}"] for i in range(len(names))), *(above.c[n].label(f"up{i}") for i, n in enumerate(names))
    ).select_from(
        reach.join(current, sa.and_(*(current.c[n] == reach.c[f"up{i}"] for i, n in enumerate(names)))).join(
            above, matching(above, names, current, link.child_attributes)
        )
    )
    return reach.union(step)
