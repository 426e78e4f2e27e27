"""Types that PostgreSQL's columns get once their rows have arrived: enums in the order of their values, and times.

Rows are first written to text columns, which accept every value. A column's type is changed if that changes no value.
Conditions of CHECKs and indexes are then created again, because PostgreSQL does not compare a text with an enum or a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.common.errors import SourceError
from nestling.ir.statements.expression import Column, Literal
from nestling.ir.statements.sql_dialects import POSTGRESQL
from nestling.ir.text.sql_quotes import sql_text
from nestling.ir.types import TypeName
from nestling.sources.row_checks import compared_sides
from nestling.sources.sql.connection import typed_errors
from nestling.sources.sql.default_ddl import default_ddl
from nestling.sources.sql.table_ddl import declared_columns, partial_indexes, place_of, quote, row_checks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nestling.ir.model import Attribute, Entity, Model, Relationship
    from nestling.ir.statements.expression import Expression
    from nestling.ir.types import Type
    from nestling.sources.sql.sink import SqlSink

_EXACT = frozenset({TypeName.TIME, TypeName.ENUM})
_MOST_BYTES = 63
"""Most bytes in a name or in a label of an enum."""
_SAME_LABELS = """\
SELECT t.typname FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE n.nspname = COALESCE(%s, current_schema()) GROUP BY t.oid, t.typname
HAVING array_agg(e.enumlabel::text ORDER BY e.enumsortorder) = %s::text[] ORDER BY t.typname LIMIT 1"""
_TYPE_NAMES = """\
SELECT t.typname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE n.nspname = COALESCE(%s, current_schema())"""
_CHECKS = """\
SELECT DISTINCT c.conname FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
WHERE c.conrelid = %s::regclass AND c.contype = 'c' AND a.attname = ANY (%s) ORDER BY c.conname"""


def exact_types(sink: SqlSink, entity: Entity, model: Model) -> dict[str, str]:
    """Give columns their types. Return the new types by attribute."""
    linked = {
        name for link in model.relationships for side, names in _ends(link) if side == entity.name for name in names
    }
    kinds = {
        a.name: a.type
        for a in entity.attributes
        if a.name not in linked  # both ends of a foreign key are of one type
        and (kind := exact_type(a)) is not None
        and (kind is TypeName.ENUM or _are_kept(sink, entity, a, _time(a)))
    }
    schema = place_of(entity.name, POSTGRESQL)[0]
    found, words = dict[str, str](), dict[str, str]()
    for name, each in _comparable(kinds, entity).items():
        is_time = each.name is TypeName.TIME
        found[name] = _time(entity.attribute(name)) if is_time else _enum(sink, entity, entity.attribute(name))
        words[name] = found[name] if is_time else _qualified(sink, schema, found[name])
    if words:
        _change(sink, entity, model, words)
    return found


def _time(attribute: Attribute) -> str:
    """The type of a column of times of day, with as many digits of a second as the source's."""
    kept = attribute.fraction
    return "time" if kept is None or kept.source_is_finer else f"time({kept.digits})"


def exact_type(attribute: Attribute) -> TypeName | None:
    """The type that an attribute's text column may get at the end; None if it stays."""
    is_plain = not attribute.also and not attribute.type.carried
    is_taken = attribute.type.name is TypeName.TIME or all(map(_is_label, attribute.type.values))
    return attribute.type.name if is_plain and is_taken and attribute.type.name in _EXACT else None


def _ends(link: Relationship) -> Sequence[tuple[str, tuple[str, ...]]]:
    return (link.parent, link.parent_attributes), (link.child, link.child_attributes)


def _is_label(value: str) -> bool:
    return "\0" not in value and len(value.encode("utf-8", "surrogatepass")) <= _MOST_BYTES


def _are_kept(sink: SqlSink, entity: Entity, attribute: Attribute, kind: str) -> bool:
    """Whether all values of a column are the same texts when they are read as another type."""
    from psycopg import DataError

    column = quote(attribute.name, sink.preparer)
    other = f"SELECT 1 FROM {sink.table(entity)} WHERE {column}::{kind}::text <> {column} LIMIT 1"  # noqa: S608 - quoted
    sink.run("SAVEPOINT exact_type")
    try:
        return sink.run(other).fetchone() is None
    except DataError:
        return False
    finally:
        sink.run("ROLLBACK TO SAVEPOINT exact_type")


def _comparable(kinds: Mapping[str, Type], entity: Entity) -> Mapping[str, Type]:
    """The columns that each condition compares only with columns of the same new type, and with its labels."""
    conditions = [check.condition for check in entity.checks]
    conditions += [unique.condition for unique in entity.partial_uniques]
    compared = [sides for condition in conditions for sides, _ in compared_sides(condition)]
    while odd := {name for sides in compared for name in _odd(sides, kinds)}:
        kinds = {name: kind for name, kind in kinds.items() if name not in odd}
    return kinds


def _odd(sides: tuple[Expression, ...], kinds: Mapping[str, Type]) -> Iterator[str]:
    """The columns of a comparison that could not be compared so once they have their new types."""
    names = [side.name for side in sides if isinstance(side, Column)]
    labels = {side.value for side in sides if isinstance(side, Literal)}
    for name in names:
        if name in kinds and not (
            labels <= {*kinds[name].values} and all(kinds.get(other) == kinds[name] for other in names)
        ):
            yield name


def _change(sink: SqlSink, entity: Entity, model: Model, words: Mapping[str, str]) -> None:
    """Change columns' types: their CHECKs, their defaults and the conditions of indexes are of the old ones."""
    table, declared = sink.table(entity), declared_columns(entity, model.parents_of(entity.name), POSTGRESQL)
    checks = row_checks(entity, declared, POSTGRESQL, sink.preparer)
    indexes = [each for each in partial_indexes(entity, POSTGRESQL, sink.preparer) if words.keys() & {*each[0].columns}]
    for _, name, _ in indexes:
        sink.run(f"DROP INDEX {_qualified(sink, place_of(entity.name, POSTGRESQL)[0], name)}")
    for (name,) in sink.connection.execute(_CHECKS, (table, list(words))).fetchall():
        sink.run(f"ALTER TABLE {table} DROP CONSTRAINT {quote(name, sink.preparer)}")
    parts = ", ".join(part for name, kind in words.items() for part in _retyped(sink, entity, name, kind))
    _run(sink, f"ALTER TABLE {table} {parts}", f"table {entity.name}, types of its columns", "make them text")
    for check, ddl in checks.items():
        if words.keys() & {*check.columns}:
            _run(sink, f"ALTER TABLE {table} ADD {ddl}", f"table {entity.name}, {check}", "take it out")
    for unique, _, ddl in indexes:
        _run(sink, ddl, f"table {entity.name}, {unique}", "take it out")


def _retyped(sink: SqlSink, entity: Entity, name: str, kind: str) -> Iterator[str]:
    column = quote(name, sink.preparer)
    yield f"ALTER COLUMN {column} DROP DEFAULT"
    yield f"ALTER COLUMN {column} TYPE {kind} USING {column}::text::{kind}"
    if default := default_ddl(entity.attribute(name), entity, kind, POSTGRESQL):
        yield f"ALTER COLUMN {column} SET {default}"


def _run(sink: SqlSink, statement: str, where: str, move: str) -> None:
    """Execute a statement; an error names its table and constraint."""
    try:
        with typed_errors(sink.address):
            sink.run(statement)
    except SourceError as error:
        move = f"in the model of the design, {move}, then unload again"
        problem = replace(error.problems[0], where=where, next_move=move)
        raise SourceError(problem) from None


def _enum(sink: SqlSink, entity: Entity, attribute: Attribute) -> str:
    """The name of an enum with these labels in the table's schema; it is created if there is none."""
    (schema, table), labels = place_of(entity.name, POSTGRESQL), list(attribute.type.values)
    there = sink.connection.execute(_SAME_LABELS, (schema, labels)).fetchone()
    if there is not None:
        return str(there[0])
    taken = {name for (name,) in sink.connection.execute(_TYPE_NAMES, (schema,)).fetchall()}
    name = next(name for name in _names(f"{table}_{attribute.name}") if name not in taken)
    listed = ", ".join(map(sql_text, labels))
    sink.run(f"CREATE TYPE {_qualified(sink, schema, name)} AS ENUM ({listed})")
    return name


def _names(plain: str) -> Iterator[str]:
    number = 1
    while True:
        end = "" if number == 1 else f"_{number}"
        yield plain.encode()[: _MOST_BYTES - len(end)].decode(errors="ignore") + end
        number += 1


def _qualified(sink: SqlSink, schema: str | None, name: str) -> str:
    quoted = quote(name, sink.preparer)
    return f"{quote(schema, sink.preparer)}.{quoted}" if schema else quoted
