"""The rows a derived thing is made of, as a relation: joins along its path, from the holder's own row on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.paths.row_steps import ColumnId
from nestling.ir.rows import RowPath
from nestling.ir.statements.algebra import Filter, Join, JoinKind, Relation, Scan
from nestling.ir.statements.columns import column_of
from nestling.ir.statements.expression import ANY, Column, Compare, Expression, IsNull, Not
from nestling.ir.statements.operands import conjunction
from nestling.ir.statements.operators import Comparison
from nestling.planner.reads.rewrites import ALL_REWRITES, Rewrite
from nestling.planner.reads.rows import LoweringContext, VariableNames

HOMES = ALL_REWRITES - {
    Rewrite.COPIED,
    Rewrite.COPIED_CHILDREN,
    Rewrite.ANCESTORS,
    Rewrite.COMPUTED,
    Rewrite.SUMMARY,
}
"""The rewrites of reads that answer from homes alone."""
HOLDER = "holder"


def scan(model: Model, entity: str, alias: str) -> Scan:
    """All rows of an entity."""
    attributes = model.entity(entity).attributes
    return Scan(entity, alias, tuple(column_of(each, alias) for each in attributes))


def column(model: Model, entity: str, alias: str, name: str) -> Column:
    """A column of such a scan."""
    return column_of(model.entity(entity).attribute(name), alias)


def as_stored(alias: str, name: str) -> Column:
    """The column as whatever is stored: compared and sorted as the server does it."""
    return Column(alias, name, ANY)


def alias_of(position: int) -> str:
    """The alias of the rows after so many hops; the holder's own row is at 0."""
    return f"source{position}" if position else HOLDER


def along(model: Model, path: RowPath) -> Relation:
    """The rows at the end of a path, joined with those on the way; the holder's columns are free in it."""
    first, *others = (scan(model, hop.target(model), alias_of(number)) for number, hop in enumerate(path, start=1))
    relation: Relation = Filter(first, link_condition(model, path, 1))
    for number, other in enumerate(others, start=2):
        relation = Join(JoinKind.INNER, relation, other, link_condition(model, path, number))
    return relation


def link_condition(model: Model, path: RowPath, position: int) -> Expression:
    """The condition that the rows after `position` hops are linked to those before."""
    hop = path[position - 1]
    pairs = zip(hop.near(model), hop.far(model), strict=True)
    found = conjunction(
        *(
            Compare(
                Comparison.EQUAL,
                column(model, hop.target(model), alias_of(position), there),
                column(model, hop.start(model), alias_of(position - 1), here),
            )
            for here, there in pairs
        )
    )
    assert found is not None
    return found


def homes_context(design: Design, wanted: Iterable[Column]) -> LoweringContext:
    """The context for lowering that reads these columns from homes."""
    uses: Counter[ColumnId] = Counter((each.alias, each.name) for each in wanted)
    return LoweringContext(design, uses, HOMES, VariableNames())


def columns_at(model: Model, path: RowPath, attributes: Sequence[str]) -> tuple[Column, ...]:
    """Columns of the row at the end of a path."""
    entity, alias = path[-1].target(model), alias_of(len(path))
    return tuple(column(model, entity, alias, name) for name in dict.fromkeys(attributes))


def alone(model: Model, path: RowPath) -> Relation:
    """The rows at the end of a path, joined with those on the way, of all holders together; those no holder is linked to, too."""
    first, *others = (scan(model, hop.target(model), alias_of(number)) for number, hop in enumerate(path, start=1))
    keys = (column(model, path[0].target(model), alias_of(1), name) for name in path[0].far(model))
    told = conjunction(*(Not(IsNull(key)) for key in keys))
    relation: Relation = first if told is None else Filter(first, told)
    for number, other in enumerate(others, start=2):
        relation = Join(JoinKind.INNER, relation, other, link_condition(model, path, number))
    return relation
