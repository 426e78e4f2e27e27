"""A `RowQuery` compiled to one SELECT: one alias per path, joins along relationships, names always quoted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import quoted_name

from nestling.common.errors import Problem, SourceError
from nestling.ir.rows import AggregateKind, RowColumn, RowPath, RowSortKey
from nestling.ir.types import TypeName
from nestling.sources.sql.engines import engine_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.sql.elements import ColumnElement

    from nestling.ir.model import Attribute, Model
    from nestling.ir.rows import RowAggregate, RowQuery
    from nestling.sources.sql.catalog import CatalogNames


@dataclass(frozen=True, slots=True)
class Tables:
    """Entities as SQLAlchemy tables without types: values pass through it untouched.

    `places`: the schema and name of each entity's table; `only`: the entities whose tables would have rows of others, too.
    """

    model: Model
    dialect: str
    places: Mapping[str, tuple[str | None, str]]
    only: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: CatalogNames, model: Model, dialect: str) -> Tables:
        """The tables of these names."""
        places = {table.entity: (table.schema, table.name) for table in names.tables}
        return cls(model, dialect, places, frozenset(table.entity for table in names.tables if table.only))

    def table(self, entity: str) -> sa.TableClause:
        """The table of an entity. Raises `SourceError` if the database has none, for example because it was dropped meanwhile."""
        if entity not in self.places:
            move = "check whether the database was dropped or replaced in the meantime, then inspect it again"
            raise SourceError(Problem("the database has no such table", where=f"table {entity}", next_move=move))
        schema, name = self.places[entity]
        columns: list[Any] = [sa.column(quoted(attribute)) for attribute in self.model.entity(entity).attribute_names]
        kind = _OwnRows if entity in self.only else sa.TableClause
        return kind(quoted(name), *columns, schema=quoted(schema) if schema else None)


class _OwnRows(sa.TableClause):
    """A table of PostgreSQL without the rows of those that inherit from it."""

    inherit_cache = True


@compiles(_OwnRows)
def _only(table: _OwnRows, compiler: Any, **options: Any) -> str:
    said: str = compiler.visit_table(table, **options)
    return f"ONLY {said}" if options.get("asfrom") and said else said


def quoted(name: str) -> quoted_name:
    """A name that is always quoted."""
    return quoted_name(name, quote=True)


@dataclass
class Joins:
    """The FROM clause under construction: an alias for each path."""

    tables: Tables
    query: RowQuery
    aliases: dict[RowPath, Any] = field(default_factory=dict)
    clause: Any = None

    def __post_init__(self) -> None:
        self.aliases[()] = self.clause = self.tables.table(self.query.entity).alias("t0")

    def alias(self, path: RowPath) -> Any:
        """The alias of a path; a new path is joined."""
        if path not in self.aliases:
            start = self.alias(path[:-1])
            link = self.tables.model.relationship(path[-1].relationship)
            target = self.tables.table(path[-1].target(self.tables.model)).alias(f"t{len(self.aliases)}")
            parent, child = (target, start) if path[-1].up else (start, target)
            on = matching(parent, link.parent_attributes, child, link.child_attributes)
            inner = any(wanted[: len(path)] == path for wanted in self.query.inner)
            self.aliases[path] = target
            self.clause = self.clause.join(target, on, isouter=not inner)
        return self.aliases[path]

    def column(self, column: RowColumn) -> ColumnElement[Any]:
        """The column a path leads to, as the model has it."""
        found: ColumnElement[Any] = self.alias(column.path).c[column.attribute]
        return as_modelled(found, self.attribute(column), self.tables.dialect)

    def attribute(self, column: RowColumn) -> Attribute:
        """The attribute a path leads to."""
        model = self.tables.model
        return model.entity(column.path[-1].target(model) if column.path else self.query.entity).attribute(
            column.attribute
        )


def as_modelled(column: ColumnElement[Any], attribute: Attribute, dialect: str) -> ColumnElement[Any]:
    """The column; without the digits of a second that the model leaves out."""
    if attribute.fraction is None or not attribute.fraction.source_is_finer:
        return column
    cut: ColumnElement[Any] = engine_of(dialect).in_milliseconds(column)
    return cut


def matching(parent: Any, parent_names: Sequence[str], child: Any, child_names: Sequence[str]) -> ColumnElement[bool]:
    """The condition that a child row belongs to a parent row."""
    return sa.and_(*(parent.c[p] == child.c[c] for p, c in zip(parent_names, child_names, strict=True)))


def letters(text: ColumnElement[Any], dialect: str) -> ColumnElement[Any]:
    """A text as an expression that the database compares exactly, including trailing blanks."""
    found: ColumnElement[Any] = engine_of(dialect).letters(text)
    return found


def compile_query(tables: Tables, query: RowQuery, *, limit: int | None = None) -> sa.Select[Any]:
    """Build the SELECT of a query; `limit` cuts a page."""
    if query.ancestors is not None:
        from nestling.sources.sql.ancestors import compile_ancestors

        return compile_ancestors(tables, query)
    joins = Joins(tables, query)
    if query.newest is not None:
        return _newest(joins, query, limit)
    order = [joins.column(column) for column in query.order]
    keys = [
        sort_value(column, joins.attribute(c), tables.dialect) for column, c in zip(order, query.order, strict=True)
    ]
    if query.group_by_order:
        chosen = [*order, *(_aggregate(joins, aggregate) for aggregate in query.aggregates)]
    else:
        chosen = [selected(joins.column(c), joins.attribute(c), tables.dialect) for c in query.columns]
    conditions = _conditions(joins, query)
    select = sa.select(*_labelled(chosen)).select_from(joins.clause).where(*conditions)
    if query.group_by_order:
        select = select.group_by(*order)
    nullable = [bool(c.path) or joins.attribute(c).nullable for c in query.order]
    select = select.order_by(*(ordered(k, tables.dialect, nullable=n) for k, n in zip(keys, nullable, strict=True)))
    return select.limit(limit) if limit is not None else select


def _labelled(columns: Sequence[ColumnElement[Any]], prefix: str = "c") -> list[Any]:
    return [column.label(f"{prefix}{number}") for number, column in enumerate(columns)]


def selected(column: ColumnElement[Any], attribute: Attribute, dialect: str) -> ColumnElement[Any]:
    """The column as it is read."""
    found: ColumnElement[Any] = engine_of(dialect).selected(column, attribute)
    return found


def sort_value(column: ColumnElement[Any], attribute: Attribute, dialect: str) -> ColumnElement[Any]:
    """The column as something the database can order by."""
    if attribute.type.name in engine_of(dialect).unordered:
        return sa.cast(column, sa.Text)
    return column


def ordered(column: ColumnElement[Any], dialect: str, *, nullable: bool, descending: bool = False) -> Any:
    """ORDER BY with NULLs first ascending and last descending, as SQLite and MySQL do by themselves."""
    key = column.desc() if descending else column.asc()
    if engine_of(dialect).is_nulls_first or not nullable:
        return key
    return key.nulls_last() if descending else key.nulls_first()


def _conditions(joins: Joins, query: RowQuery) -> list[ColumnElement[bool]]:
    conditions = []
    model, base = joins.tables.model, joins.alias(())
    for name, is_up in ((query.without_parent, True), (query.without_children, False)):
        if name is None:
            continue
        link = model.relationship(name)
        other = joins.tables.table(link.parent if is_up else link.child).alias("other")
        parent, child = (other, base) if is_up else (base, other)
        on = matching(parent, link.parent_attributes, child, link.child_attributes)
        conditions.append(~sa.exists().select_from(other).where(on).correlate(base))
    if query.after is not None and query.newest is None:
        conditions.append(after([joins.column(column) for column in query.order], query.after, joins.tables.dialect))
    return conditions


def after(columns: Sequence[Any], values: Sequence[object], dialect: str) -> ColumnElement[bool]:
    """The condition that a row comes after a key: a row comparison, spelled out where that would not do."""
    columns = columns[: len(values)]
    bound = [sa.literal(value, sa.types.NULLTYPE) for value in values]
    if engine_of(dialect).has_row_comparisons and len(columns) > 1 and None not in values:
        return sa.tuple_(*columns) > sa.tuple_(*bound, types=[sa.types.NULLTYPE] * len(bound))
    equal = [
        column.is_(None) if value is None else column == b
        for column, value, b in zip(columns, values, bound, strict=True)
    ]
    beyond = [
        column.is_not(None) if value is None else column > b
        for column, value, b in zip(columns, values, bound, strict=True)
    ]
    return sa.or_(*(sa.and_(*equal[:position], beyond[position]) for position in range(len(columns))))


def _aggregate(joins: Joins, aggregate: RowAggregate) -> ColumnElement[Any]:
    if aggregate.column is None:
        return sa.func.count()
    column, attribute = joins.column(aggregate.column), joins.attribute(aggregate.column)
    column = selected(column, attribute, joins.tables.dialect)
    if aggregate.function is AggregateKind.AVG and attribute.type.name is TypeName.INTEGER:
        column = engine_of(joins.tables.dialect).as_double(column)  # MySQL would round the average to four digits
    function: ColumnElement[Any] = getattr(sa.func, aggregate.function.value)(column)
    return function


def _newest(joins: Joins, query: RowQuery, limit: int | None) -> sa.Select[Any]:
    """Number the rows of each group first, in a derived table; then keep, order and aggregate."""
    assert query.newest is not None
    dialect, newest = joins.tables.dialect, query.newest
    rank = sa.func.row_number().over(
        partition_by=[sort_value(joins.column(c), joins.attribute(c), dialect) for c in newest.within] or None,
        order_by=[_sort_key(joins, key) for key in newest.order] or None,
    )
    wanted = [c for a in query.aggregates if (c := a.column)] if query.group_by_order else list(query.columns)
    chosen = _labelled([selected(joins.column(c), joins.attribute(c), dialect) for c in wanted])
    keys = _labelled([sort_value(joins.column(c), joins.attribute(c), dialect) for c in query.order], "k")
    ranked = sa.select(*chosen, *keys, rank.label("place")).select_from(joins.clause).where(*_conditions(joins, query))
    rows = ranked.subquery("ranked")
    order = [rows.c[key.name] for key in keys]
    columns = [rows.c[column.name] for column in chosen]
    if query.group_by_order:
        columns = [*order, *_regrouped(query.aggregates, columns)]
    select = sa.select(*_labelled(columns)).where(rows.c.place <= newest.limit)
    if query.after is not None:
        select = select.where(after(order, query.after, dialect))
    if query.group_by_order:
        select = select.group_by(*order)
    select = select.order_by(*(ordered(key, dialect, nullable=True) for key in order))
    return select.limit(limit) if limit is not None else select


def _regrouped(aggregates: Sequence[RowAggregate], columns: Sequence[Any]) -> list[Any]:
    remaining = iter(columns)
    return [
        sa.func.count() if aggregate.column is None else getattr(sa.func, aggregate.function.value)(next(remaining))
        for aggregate in aggregates
    ]


def _sort_key(joins: Joins, key: RowSortKey) -> Any:
    attribute, dialect = joins.attribute(key.column), joins.tables.dialect
    column = sort_value(joins.column(key.column), attribute, dialect)
    nullable = bool(key.column.path) or attribute.nullable
    return ordered(column, dialect, nullable=nullable, descending=key.descending)
