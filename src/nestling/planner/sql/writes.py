"""INSERT, UPDATE and DELETE: which rows, which attributes, which values – each as its attribute keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.ir.algebra import (
    Assignment,
    Conflict,
    ConflictAction,
    Delete,
    Insert,
    Named,
    Project,
    Relation,
    Scan,
    Update,
)
from nestling.ir.expression import (
    ANY,
    NULL,
    Expression,
    Literal,
    Parameter,
    Rules,
    Stored,
    is_integer,
    is_text,
)
from nestling.ir.model import Attribute, Entity
from nestling.ir.types import TypeName
from nestling.planner.sql import values
from nestling.planner.sql.expressions import bind, predicate
from nestling.planner.sql.gaps import gap, mistake, no_such
from nestling.planner.sql.queries import bind_query
from nestling.planner.sql.scope import Env, Scope, Source, Translation
from nestling.planner.sql.tables import bind_scan


def bind_insert(node: exp.Insert, translation: Translation, *, replaces: bool = False) -> Insert:
    """INSERT with rows or a query, and what it does with a row whose key exists; `replaces`: it was a REPLACE INTO."""
    _refuse(node, "returning", "overwrite", "partition", "by_name", "default")
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    entity = translation.entity(table)
    listed = node.this.expressions if isinstance(node.this, exp.Schema) else ()
    attributes = [_attribute(entity, name) for name in listed] or list(entity.attributes)
    if node.expression is None:
        raise gap("INSERT of defaults only", node)
    outside = Env(translation)
    if node.args.get("with_") is not None:
        node.expression.set("with_", node.args["with_"])
    source = bind_query(node.expression, outside).relation
    if len(source.columns) != len(attributes):
        raise mistake(f"{len(source.columns)} values for {len(attributes)} columns of `{entity.name}`", node)
    alias = translation.alias(table.alias or table.name)
    names = tuple(attribute.name for attribute in attributes)
    replacing = Conflict(ConflictAction.REPLACE) if replaces else None
    conflict = replacing or _conflict(node, entity, alias, table, translation)
    return Insert(entity.name, alias, names, _stored_rows(source, attributes, translation), conflict)


def _stored_rows(source: Relation, attributes: Sequence[Attribute], translation: Translation) -> Relation:
    stored = [_stored(column, a, translation) for column, a in zip(source.columns, attributes, strict=True)]
    named = tuple(Named(a.name, expression) for a, expression in zip(attributes, stored, strict=True))
    return Project(source, translation.alias("stored"), named)


def _stored(expression: Expression, attribute: Attribute, translation: Translation) -> Expression:
    """The value as the attribute keeps it; constants of the right type need nothing."""
    same = expression.type == attribute.type and not getattr(expression, "mixed", False)
    if same or expression == NULL or attribute.type == ANY:
        return expression
    if isinstance(expression, Literal) and (is_integer(expression), attribute.type.name) == (True, TypeName.INTEGER):
        return expression
    if is_text(expression) and attribute.type.name is TypeName.TEXT:
        return expression
    if isinstance(expression, Parameter):
        expression = Parameter(expression.name, attribute.type)
    return Stored(expression, attribute.type, translation.dialect.rules)


def _attribute(entity: Entity, node: exp.Expr) -> Attribute:
    for attribute in entity.attributes:
        if attribute.name.casefold() == node.name.casefold():
            return attribute
    raise no_such("column", node.name, entity.attribute_names, node, of=entity.name)


def _conflict(
    node: exp.Insert, entity: Entity, alias: str, table: exp.Table, translation: Translation
) -> Conflict | None:
    word = str(node.args.get("alternative") or "").upper()
    if word == "REPLACE":
        return Conflict(ConflictAction.REPLACE)
    clause = node.args.get("conflict")
    if word == "IGNORE" or (clause is None and node.args.get("ignore")):
        return Conflict(ConflictAction.NOTHING)
    if word:
        raise gap(f"INSERT OR {word}", node)
    if clause is None:
        return None
    keys = tuple(
        _attribute(entity, key.this if isinstance(key, exp.Ordered) else key).name
        for key in clause.args.get("conflict_keys") or ()
    )
    if clause.args.get("constraint") is not None:
        raise gap("ON CONFLICT with a constraint", clause)
    if "NOTHING" in str(clause.args.get("action") or "").upper():
        return Conflict(ConflictAction.NOTHING, keys)
    return _upsert(clause, entity, alias, table, keys, translation)


def _upsert(
    clause: exp.Expr,
    entity: Entity,
    alias: str,
    table: exp.Table,
    keys: tuple[str, ...],
    translation: Translation,
) -> Conflict:
    old = replace(bind_scan(entity, table.name, translation), alias=alias)
    old = replace(old, columns=tuple(replace(column, alias=alias) for column in old.columns))
    new = bind_scan(entity, "excluded", translation)
    for column in old.columns:
        translation.affinities[alias, column.name] = values.affinity_of_type(column.type)
    sources = (_source(table.alias or table.name, old), replace(_source("excluded", new), hidden=_all_names(new)))
    env = Env(translation, Scope(sources))
    where = clause.args.get("where")
    condition = predicate(where.this, env) if where is not None else None
    if translation.dialect.rules is Rules.MYSQL:
        clause = clause.transform(_values_of)
    assignments = _assignments(clause.expressions, entity, env)
    return Conflict(ConflictAction.UPDATE, keys, assignments, condition, new.alias)


def _values_of(node: exp.Expr) -> exp.Expr:
    """MySQL's VALUES(column) is the new row's."""
    if isinstance(node, exp.Anonymous) and node.name.upper() == "VALUES":
        return exp.column(node.expressions[0].name, table="excluded")
    return node


def _all_names(scan: Scan) -> frozenset[str]:
    return frozenset(column.name.casefold() for column in scan.columns)


def _source(name: str, scan: Scan) -> Source:
    return Source(name, tuple((column.name, column) for column in scan.columns))


def _assignments(nodes: Sequence[exp.Expr], entity: Entity, env: Env) -> tuple[Assignment, ...]:
    found: dict[str, Assignment] = {}
    for node in nodes:
        if not isinstance(node, exp.EQ) or not isinstance(node.this, exp.Column):
            raise gap("an assignment of several columns", node)
        attribute = _attribute(entity, node.this)
        value = _stored(bind(node.expression, env), attribute, env.translation)
        if env.dialect.rules is Rules.MYSQL:  # from left to right: what follows sees the new value
            env = _having(env, attribute.name, value)
        found[attribute.name] = Assignment(attribute.name, value)
    return tuple(found.values())


def _having(env: Env, name: str, value: Expression) -> Env:
    """The same, with a column of the target (the first source) standing for `value`."""
    target, *others = env.scope.sources
    columns = tuple((known, value if known == name else column) for known, column in target.columns)
    return replace(env, scope=Scope((replace(target, columns=columns), *others)))


def bind_update(node: exp.Update, translation: Translation) -> Update:
    """UPDATE of one table."""
    _refuse(node, "from_", "returning", "order", "limit", "with_")
    target, env, entity = _target(node, translation)
    assignments = _assignments(node.expressions, entity, env)
    where = node.args.get("where")
    return Update(target, assignments, predicate(where.this, env) if where is not None else None)


def bind_delete(node: exp.Delete, translation: Translation) -> Delete:
    """DELETE from one table."""
    _refuse(node, "using", "returning", "order", "limit", "tables", "with_")
    target, env, _ = _target(node, translation)
    where = node.args.get("where")
    return Delete(target, predicate(where.this, env) if where is not None else None)


def _target(node: exp.Expr, translation: Translation) -> tuple[Scan, Env, Entity]:
    table = node.this
    if not isinstance(table, exp.Table) or table.args.get("joins"):
        raise gap(f"{node.key.upper()} of several tables", node)
    entity = translation.entity(table)
    scan = bind_scan(entity, table.alias or table.name, translation)
    return scan, Env(translation, Scope((_source(table.alias or table.name, scan),))), entity


def _refuse(node: exp.Expr, *clauses: str) -> None:
    for clause in clauses:
        if node.args.get(clause):
            raise gap(f"{node.key.upper()} with {clause.rstrip('_').upper()}", node)
