"""Walking INSERT, UPDATE and DELETE, with upserts and the queries they hold."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from nestling.ir.model import Entity
from nestling.ir.workload import AttributeFilter, Operator, StatementKind
from nestling.sources.statements.constants import note_inserted, note_written
from nestling.sources.statements.occurrences import NamedSource, NameScope, Occurrence, Origins
from nestling.sources.statements.predicates import conditions
from nestling.sources.statements.queries import add_source, add_sources, visit, walk_query, with_queries
from nestling.sources.statements.walk import StatementWalk
from nestling.sources.tables import find_name


def walk_insert(tree: exp.Insert, walk: StatementWalk, *, replaces: bool) -> None:
    """INSERT: the attributes named (if none is, those values are given for), then the query or values, then the upsert."""
    listed = isinstance(tree.this, exp.Schema)
    table = tree.this.this if listed else tree.this
    if not isinstance(table, exp.Table):
        walk.mistake("there is no table to insert into", tree)
        return
    target, source = walk.occurrence(table, StatementKind.INSERT)
    names = _written(tree.this.expressions, source, walk) if listed else _given(tree.expression, source)
    if target is not None:
        target.written.update(dict.fromkeys(names))
        note_inserted(tree.expression, target, names, walk)
    if target is not None and (replaces or str(tree.args.get("alternative") or "").upper() == "REPLACE"):
        walk.occurrences.append(Occurrence(target.entity, StatementKind.DELETE, filters=_by_key(target)))
    scope = NameScope()
    with_queries(tree, walk, scope)
    if tree.expression is not None:
        walk_query(tree.expression, walk, scope)
    _upsert(tree, table, source, walk)


def _given(rows: exp.Expr | None, source: NamedSource) -> list[str]:
    """The attributes that get values where none is named: of a VALUES list those of its first columns, otherwise all."""
    first = rows.expressions[0] if isinstance(rows, exp.Values) and rows.expressions else None
    return list(source.columns)[: len(first.expressions) if isinstance(first, exp.Tuple) else None]


def _written(names: list[exp.Expr], source: NamedSource, walk: StatementWalk) -> list[str]:
    """The attributes as the model spells them; a mistake for each that is not there."""
    found = []
    for name in names:
        known = find_name(name.name, source.columns)
        if known is not None:
            found.append(known)
        elif source.entity is not None:
            problem = source.entity.no_attribute(name.name)
            walk.mistake(f"{problem.what}; {problem.known}", name)
    return found


def _by_key(target: Occurrence) -> dict[AttributeFilter, None]:
    return {AttributeFilter(name, Operator.EQUALITY): None for name in target.entity.key}


def _upsert(tree: exp.Insert, table: exp.Table, source: NamedSource, walk: StatementWalk) -> None:
    """ON CONFLICT DO UPDATE and ON DUPLICATE KEY UPDATE: an update of the row found by its key."""
    conflict = tree.args.get("conflict")
    if conflict is None or not conflict.expressions or source.entity is None:
        return
    updated = Occurrence(source.entity, StatementKind.UPDATE)
    walk.occurrences.append(updated)
    columns: dict[str, Origins] = {name: ((updated, name),) for name in source.entity.attribute_names}
    names = [source.alias, "excluded", "new"]
    scope = NameScope(
        sources=[NamedSource(name, columns, source.entity) for name in dict.fromkeys(names)], merged=_folded(columns)
    )
    _assignments(conflict.expressions, walk, scope)
    updated.filters.update(_met_by(conflict, source.entity) or _by_key(updated))
    where = conflict.args.get("where")
    if where is not None:
        visit(where.this, walk, scope)
        conditions(where.this, walk)
    del table


def _met_by(conflict: exp.OnConflict, entity: Entity) -> dict[AttributeFilter, None]:
    """The attributes that ON CONFLICT names; those of expressions, as `lower(email)`, are not sought by their own values."""
    found: dict[AttributeFilter, None] = {}
    for key in conflict.args.get("conflict_keys") or ():
        plain = (key.this if isinstance(key, exp.Ordered) else key).unnest()
        is_named = isinstance(plain, exp.Column | exp.Identifier)
        for column in [plain] if is_named else plain.find_all(exp.Column):
            if name := find_name(column.name, entity.attribute_names):
                found[AttributeFilter(name, Operator.EQUALITY if is_named else Operator.CASED)] = None
    return found


def _folded(columns: dict[str, Origins]) -> set[str]:
    return {name.casefold() for name in columns}


def _assignments(assigned: list[exp.Expr], walk: StatementWalk, scope: NameScope, own: NameScope | None = None) -> None:
    """`column = value`, or `(columns) = (values)`; what is written belongs to whichever source has the column, of `own` where
    only those can be set.
    """
    for each in assigned:
        if not isinstance(each, exp.EQ):
            visit(each, walk, scope)
            continue
        targets = each.this.expressions if isinstance(each.this, exp.Tuple) else [each.this]
        for target in targets:
            for occurrence, attribute in walk.resolve(target, own or scope) if isinstance(target, exp.Column) else ():
                occurrence.kind = StatementKind.UPDATE if occurrence.kind is StatementKind.SELECT else occurrence.kind
                occurrence.written.setdefault(attribute)
                if targets == [each.this]:
                    note_written(occurrence, attribute, each.expression, walk)
        visit(each.expression, walk, scope)


def walk_update(tree: exp.Update, walk: StatementWalk) -> None:
    """UPDATE: attributes set, filters, and other tables it joins."""
    scope = NameScope()
    with_queries(tree, walk, scope)
    add_source(tree.this, walk, scope, StatementKind.UPDATE)
    target = walk.occurrences[-1 - sum(1 for _ in tree.this.args.get("joins") or ())] if walk.occurrences else None
    joined = bool(tree.this.args.get("joins"))  # MySQL's, where any of the tables may be set
    own = None if joined else replace(scope, sources=list(scope.sources))
    add_sources(tree, walk, scope)
    _assignments(tree.expressions, walk, scope, own)
    _where(tree, walk, scope)
    if target is not None and target.kind is StatementKind.UPDATE and not target.written and joined:
        target.kind = StatementKind.SELECT  # MySQL: it is another of the joined tables that is set


def walk_delete(tree: exp.Delete, walk: StatementWalk) -> None:
    """DELETE: filters, and other tables it joins."""
    scope = NameScope()
    with_queries(tree, walk, scope)
    add_source(tree.this, walk, scope, StatementKind.DELETE)
    for table in tree.args.get("using") or ():
        add_source(table, walk, scope)
    deleted = [table.name for table in tree.args.get("tables") or ()]
    if deleted:
        _delete_named(deleted, walk, scope)
    _where(tree, walk, scope)


def _delete_named(names: list[str], walk: StatementWalk, scope: NameScope) -> None:
    """MySQL's DELETE of some of several joined tables: only those named lose rows."""
    chosen = {origins[0][0] for name in names if (source := scope.source(name)) for origins in source.columns.values()}
    for occurrence in walk.occurrences:
        occurrence.kind = StatementKind.DELETE if occurrence in chosen else StatementKind.SELECT


def _where(tree: exp.Expr, walk: StatementWalk, scope: NameScope) -> None:
    where = tree.args.get("where")
    if where is not None:
        visit(where.this, walk, scope)
        conditions(where.this, walk)
    order = tree.args.get("order")
    if order is not None:
        visit(order, walk, scope)
