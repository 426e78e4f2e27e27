"""INSERT: which rows, which attributes, which values, and what happens to a row whose key exists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.common.errors import name_list
from nestling.ir.constraints.computed_attributes import computed_of, mentions
from nestling.ir.constraints.constraint_names import attributes_called
from nestling.ir.constraints.defaults import NUMBERED, Generated
from nestling.ir.model import Attribute, Entity
from nestling.ir.quantity_words import agreeing, counted
from nestling.ir.statements.algebra import Filter, LimitOffset, Named, Project, Relation, Scan, Sort, Values
from nestling.ir.statements.expression import NULL, AttributeCast, Expression, Literal
from nestling.ir.statements.operators import Rules
from nestling.ir.statements.write import Conflict, ConflictAction, GeneratedValue, Insert, SeenRows
from nestling.ir.types import SINGLE, TIMES
from nestling.planner.sql import conversions
from nestling.planner.sql import conversions as values
from nestling.planner.sql.array_changes import as_given, is_written
from nestling.planner.sql.changes.assignments import assignments, attribute_named, is_default, refuse, source_of, stored
from nestling.planner.sql.changes.conflict_rows import ConflictKeys, among_rows, conflict_keys
from nestling.planner.sql.changes.defaults import generated_values, omitted_default, with_defaults, written_default
from nestling.planner.sql.changes.generated_attributes import computed, refuse_given
from nestling.planner.sql.changes.given_values import with_given_values
from nestling.planner.sql.changes.returning import bind_returning
from nestling.planner.sql.changes.values_of_query import as_values
from nestling.planner.sql.changes.written_rows import written_rows
from nestling.planner.sql.expressions import predicate
from nestling.planner.sql.from_clause import bind_scan
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.mysql.mixed_types import with_all_zeros
from nestling.planner.sql.mysql.read_types import column_read, is_single
from nestling.planner.sql.parse import Parsed
from nestling.planner.sql.postgresql.given_times import given_beside
from nestling.planner.sql.queries import bind_query
from nestling.planner.sql.scope import Env, FromSource, Scope, Translation


def bind_insert(node: exp.Insert, parsed: Parsed, translation: Translation) -> Insert:
    """INSERT with rows or a query, and what it does with a row whose key exists."""
    refuse(node, "overwrite", "partition", "by_name")
    if node.expression is not None:
        node.set("expression", as_values(node.expression))
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    if not isinstance(table, exp.Table):
        raise mistake("INSERT names no table", node)
    entity = translation.entity(table)
    listed = node.this.expressions if isinstance(node.this, exp.Schema) else ()
    attributes = [attribute_named(entity, name) for name in listed] or list(entity.attributes)
    _refuse_twice(attributes, node)
    outside = Env(translation)
    source, attributes = _given_rows(node, attributes, outside)
    for attribute in attributes:
        if not parsed.numbers_too or attribute.default is not Generated.IDENTITY:
            refuse_given(attribute, node)
    if len(source.columns) != len(attributes):
        raise mistake(
            f"{counted(len(source.columns), 'value')} for {counted(len(attributes), 'column')} of `{entity.name}`", node
        )
    alias = translation.alias(table.alias or table.name)
    replacing = Conflict(ConflictAction.REPLACE) if parsed.replaces else None
    target = _target(entity, alias, table, translation)
    conflict = replacing or _conflict(node, entity, target, table, translation)
    given_names = {attribute.name for attribute in attributes}
    defaults = [
        (a, found)
        for a in entity.attributes
        if a.name not in given_names and (found := omitted_default(a, outside, node))
    ]
    if conflict is not None and conflict.action is ConflictAction.REPLACE and translation.dialect.is_sqlite:
        source = with_defaults(source, attributes, outside, node)
    given = [*zip(attributes, source.columns, strict=True), *defaults]
    kept = tuple(
        Named(attribute.name, _stored_value(value, attribute, source, translation)) for attribute, value in given
    )
    made = tuple(generated_values(entity, given_names, outside))
    rows = _with_computed(Project(source, translation.alias("stored"), kept), entity, made, outside)
    names = tuple(column.name for column in rows.columns)
    if isinstance(node.expression, exp.Values) and conflict is None:
        _refuse_without_value(entity, (*names, *(each.attribute for each in made)), node)
    returning = bind_returning(parsed, table.alias or table.name, target, translation)
    return Insert(entity.name, alias, names, rows, conflict, made, returning)


def _stored_value(value: Expression, attribute: Attribute, rows: Relation, translation: Translation) -> Expression:
    """The value of a new row as its attribute keeps it; in MySQL 0 asks for the next number."""
    if attribute.type.carried == SINGLE and is_single(value, translation, rows):
        return value
    found = stored(value, attribute, translation)
    if translation.dialect.rules is not Rules.MYSQL or attribute.default not in NUMBERED:
        return found
    if isinstance(found, AttributeCast):
        return replace(found, numbered=True)
    return AttributeCast(found, attribute.type, Rules.MYSQL, numbered=True)


def _with_computed(rows: Project, entity: Entity, made: Sequence[GeneratedValue], outside: Env) -> Project:
    """The rows with what the database computes of them; a gap where that takes a value the store makes."""
    for attribute in computed_of(entity, entity.attribute_names):
        if mentions(attribute, [each.attribute for each in made]):
            raise statement_gap(
                f"INSERT of `{attribute.name}`, which the database computes from a value generated for each row"
            )
        known = {column.name: column_read(column, outside.translation) for column in rows.columns}
        columns = tuple((name, known.get(name, NULL)) for name in entity.attribute_names)
        env = replace(outside, scope=Scope((FromSource(entity.name, columns),)))
        value = stored(computed(attribute, env), attribute, outside.translation)
        named = (*(Named(column.name, column) for column in rows.columns), Named(attribute.name, value))
        rows = Project(rows, outside.translation.alias("computed"), named)
    return rows


def _refuse_twice(attributes: Sequence[Attribute], node: exp.Expr) -> None:
    """Every column has one value; SQLite alone takes two, and keeps the first."""
    names = [attribute.name for attribute in attributes]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        listed = name_list(twice)
        raise mistake(f"INSERT names {listed} more than once", node, "name every column once")


def _refuse_without_value(entity: Entity, filled: Collection[str], node: exp.Expr) -> None:
    """No row can be added that leaves out an attribute that is NOT NULL and has no default."""
    left_out = [each.name for each in entity.attributes if not each.nullable and each.name not in filled]
    if left_out:
        are = agreeing(len(left_out))
        what = f"INSERT omits {name_list(left_out)} of `{entity.name}`, which {are} NOT NULL without a default"
        raise mistake(what, node, "give every such column a value, or a default in the model")


def _given_rows(node: exp.Insert, attributes: list[Attribute], outside: Env) -> tuple[Relation, list[Attribute]]:
    """The rows as they are written, and which attributes their columns are: those that are DEFAULT everywhere are not given."""
    rows = node.expression
    if node.args.get("default"):
        return Values(outside.translation.alias("nothing"), (), ((),)), []
    if rows is None:
        raise mistake("INSERT without rows", node, "add VALUES or a SELECT")
    if isinstance(rows, exp.Values):
        attributes = _filled(attributes, len(rows.expressions[0].expressions), node, outside)
    if isinstance(rows, exp.Values) and any(is_default(cell) for row in rows.expressions for cell in row.expressions):
        if any(len(row.expressions) != len(attributes) for row in rows.expressions):
            return bind_query(rows, outside).relation, attributes  # which says what is wrong
        columns = list(zip(*(row.expressions for row in rows.expressions), strict=True))
        given = [place for place, column in enumerate(columns) if not all(map(is_default, column))]
        for place in given:
            columns[place] = tuple(
                written_default(attributes[place], outside, node) if is_default(cell) else cell
                for cell in columns[place]
            )
        if not given:
            return Values(outside.translation.alias("nothing"), (), ((),) * len(rows.expressions)), []
        cells = zip(*(columns[place] for place in given), strict=True)
        rows = exp.Values(expressions=[exp.Tuple(expressions=list(row)) for row in cells])
        attributes = [attributes[place] for place in given]
    if node.args.get("with_") is not None:
        rows.set("with_", node.args["with_"])
    if isinstance(rows, exp.Values) and outside.dialect.rules is Rules.MYSQL:
        _fill_zeros(rows, attributes)
    written = written_rows(rows, attributes, outside) if isinstance(rows, exp.Values) else None
    found = written or bind_query(rows, outside).relation
    attributes = _filled(attributes, len(found.columns), node, outside)
    return _with_types(found, attributes, outside.translation), attributes


def _fill_zeros(rows: exp.Values, attributes: Sequence[Attribute]) -> None:
    """Write MySQL's constant days and moments with all their zeros."""
    for row in rows.expressions:
        for cell, attribute in zip(row.expressions, attributes, strict=False):
            if attribute.type.name in TIMES and isinstance(cell, exp.Literal) and cell.is_string:
                cell.set("this", with_all_zeros(cell.this))


def _filled(attributes: list[Attribute], width: int, node: exp.Insert, outside: Env) -> list[Attribute]:
    """Those that rows of this width give: in PostgreSQL the first ones if no column is named; the others get their defaults."""
    may_be_fewer = outside.translation.dialect.rules is Rules.POSTGRESQL and not isinstance(node.this, exp.Schema)
    return attributes[:width] if may_be_fewer else attributes


def _with_types(rows: Relation, attributes: Sequence[Attribute], translation: Translation) -> Relation:
    """The rows with parameters, constants and NULLs without a type as the attributes they are for keep them (PostgreSQL).

    For attributes of several types parameters keep the one they are given with.
    """
    if isinstance(rows, Sort | LimitOffset | Filter):
        return replace(rows, input=_with_types(rows.input, attributes, translation))
    if translation.model.strict_types and len(rows.columns) == len(attributes):
        rows = _as_given(rows, attributes)
    if translation.dialect.rules is Rules.MYSQL:
        return with_given_values(rows, attributes, translation)
    if translation.dialect.rules is not Rules.POSTGRESQL or len(rows.columns) != len(attributes):
        return rows
    if isinstance(rows, Values):
        return _with_own_types(rows, attributes, translation)
    if not isinstance(rows, Project):
        return rows
    outputs = list(rows.outputs)
    for place, (output, attribute) in enumerate(zip(rows.outputs, attributes, strict=True)):
        if values.is_untyped(output.expression) or _has_own_type(output.expression, attribute):
            outputs[place] = replace(output, expression=stored(output.expression, attribute, translation))
        elif output.expression == NULL:
            outputs[place] = replace(output, expression=Literal(None, attribute.type))
    return replace(rows, outputs=tuple(outputs))


def _as_given(rows: Relation, attributes: Sequence[Attribute]) -> Relation:
    def kept(value: Expression, attribute: Attribute) -> Expression:
        return values.as_given(value) if attribute.is_of_several_types else value

    match rows:
        case Values(rows=given):
            cells = tuple(tuple(map(kept, row, attributes)) for row in given)
            return replace(rows, rows=cells)
        case Project(outputs=outputs):
            pairs = zip(outputs, attributes, strict=True)
            return replace(rows, outputs=tuple(replace(out, expression=kept(out.expression, a)) for out, a in pairs))
        case _:
            return rows


def _has_own_type(value: Expression, attribute: Attribute) -> bool:
    """Whether it is an array that is written down, or so many days beside a date that is given."""
    return is_written(value) or given_beside(value, attribute.type) != value


def _with_own_types(rows: Values, attributes: Sequence[Attribute], translation: Translation) -> Values:
    """The rows with values that get their type from the attributes they are for, as these keep them."""
    columns, made = list(rows.columns), [list(row) for row in rows.rows]
    for place, attribute in enumerate(attributes):
        if any(_has_own_type(row[place], attribute) for row in made):
            columns[place] = replace(columns[place], type=attribute.type, mixed=False)
            for row in made:
                row[place] = stored(as_given(row[place]), attribute, translation)
    return replace(rows, columns=tuple(columns), rows=tuple(map(tuple, made)))


def _conflict(
    node: exp.Insert, entity: Entity, target: Scan, table: exp.Table, translation: Translation
) -> Conflict | None:
    word = str(node.args.get("alternative") or "").upper()
    if word == "REPLACE":
        return Conflict(ConflictAction.REPLACE)
    clause = node.args.get("conflict")
    if word == "IGNORE" or (clause is None and node.args.get("ignore")):
        is_mysql = translation.dialect.rules is Rules.MYSQL
        return Conflict(ConflictAction.NOTHING, ignores=True, needs_parents=is_mysql, needs_fit=not is_mysql)
    if word and word != "ABORT":  # which every INSERT does that says nothing
        raise statement_gap(f"INSERT OR {word}", node)
    if clause is None:
        return None
    named = conflict_keys(clause, entity, translation)
    if (constraint := clause.args.get("constraint")) is not None:
        named = ConflictKeys(_attributes_of(constraint, entity))
    keys, among = named.attributes, among_rows(clause, entity, named, translation)
    if "NOTHING" in str(clause.args.get("action") or "").upper():
        return Conflict(ConflictAction.NOTHING, keys, among=among)
    listed = [name.name for name in node.this.expressions] if isinstance(node.this, exp.Schema) else []
    listed = listed or list(entity.attribute_names)
    return replace(_upsert(clause, entity, target, table, keys, listed, translation), among=among)


def _attributes_of(constraint: exp.Expr, entity: Entity) -> tuple[str, ...]:
    """The attributes of the key or UNIQUE constraint that ON CONFLICT ON CONSTRAINT names."""
    if (found := attributes_called(constraint.name, entity)) is None:
        what = f"ON CONFLICT ON CONSTRAINT `{constraint.name}`, which is not in the model of `{entity.name}`"
        raise statement_gap(f"{what}: name its columns, or add it to `constraint_names` in the model", constraint)
    return found


def _upsert(
    clause: exp.Expr,
    entity: Entity,
    target: Scan,
    table: exp.Table,
    keys: tuple[str, ...],
    listed: Sequence[str],
    translation: Translation,
) -> Conflict:
    new = bind_scan(entity, "excluded", translation)
    sources = [
        source_of(table.alias or table.name, target),
        replace(source_of("excluded", new), hidden=_all_names(new)),
    ]
    if (named := _new_row(clause, new, listed, translation)) is not None:
        sources.append(named)
    env = Env(translation, Scope(tuple(sources)))
    where = clause.args.get("where")
    condition = predicate(where.this, env) if where is not None else None
    rules = translation.dialect.rules
    if rules is Rules.MYSQL:
        clause = clause.transform(_values_of)
    changes = assignments(clause.expressions, entity, env)
    first, once = rules is Rules.MYSQL, rules is Rules.POSTGRESQL
    seen = SeenRows.BEFORE if rules is Rules.POSTGRESQL else SeenRows.SO_FAR
    return Conflict(ConflictAction.UPDATE, keys, changes, condition, new.alias, key_first=first, once=once, seen=seen)


def _new_row(clause: exp.Expr, new: Scan, listed: Sequence[str], translation: Translation) -> FromSource | None:
    """MySQL's name of the new row, `VALUES (…) AS new` or `AS new(a, b)`, whose columns are those that are given."""
    insert = clause.parent
    rows = insert.expression if isinstance(insert, exp.Insert) else None
    alias = rows.args.get("alias") if isinstance(rows, exp.Values) else None
    if translation.dialect.rules is not Rules.MYSQL or alias is None:
        return None
    known = {column.name.casefold(): column for column in new.columns}
    given = [column.name for column in alias.args.get("columns") or ()]
    if not given:
        return replace(source_of(alias.name, new), hidden=_all_names(new))
    if len(given) != len(listed):
        raise mistake(f"`{alias.name}` has {counted(len(listed), 'column')}, not {len(given)}", clause)
    pairs = zip(given, listed, strict=True)
    columns = tuple((name, known[column.casefold()]) for name, column in pairs)
    return FromSource(alias.name, columns, frozenset(name.casefold() for name in given) & _all_names(new))


def _target(entity: Entity, alias: str, table: exp.Table, translation: Translation) -> Scan:
    """The entity's rows under the alias the insert has."""
    scan = bind_scan(entity, table.name, translation)
    columns = tuple(replace(column, alias=alias) for column in scan.columns)
    for column in columns:
        translation.affinities[alias, column.name] = conversions.affinity_of_type(column.type)
    return Scan(entity.name, alias, columns)


def _values_of(node: exp.Expr) -> exp.Expr:
    """MySQL's VALUES(column), and MariaDB's VALUE(column), is the new row's."""
    if isinstance(node, exp.Anonymous) and node.name.upper() in ("VALUE", "VALUES"):
        return exp.column(node.expressions[0].name, table="excluded")
    return node


def _all_names(scan: Scan) -> frozenset[str]:
    return frozenset(column.name.casefold() for column in scan.columns)
