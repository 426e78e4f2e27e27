"""Types that PostgreSQL's columns get once their rows are there: enums in the order of their values, and times.

Rows arrive in columns of text, as these take every value. A column changes its type where that changes no value; else it stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nestling.ir.sql_dialects import POSTGRESQL
from nestling.ir.types import TypeName
from nestling.sources.sql.default_ddl import default_ddl
from nestling.sources.sql.table_ddl import place_of, quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nestling.ir.model import Attribute, Entity, Model, Relationship
    from nestling.sources.sql.sink import SqlSink

_EXACT = frozenset({TypeName.TIME, TypeName.ENUM})
_MOST_BYTES = 63
"""What a name or a label of an enum may have."""
_SAME_LABELS = """\
SELECT t.typname FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE n.nspname = COALESCE(%s, current_schema()) GROUP BY t.oid, t.typname
HAVING array_agg(e.enumlabel::text ORDER BY e.enumsortorder) = %s::text[] ORDER BY t.typname LIMIT 1"""
_TYPE_NAMES = """\
SELECT t.typname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE n.nspname = COALESCE(%s, current_schema())"""
_CHECKS = """\
SELECT c.conname FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND c.conkey = ARRAY[a.attnum]
WHERE c.conrelid = %s::regclass AND c.contype = 'c' AND a.attname = %s"""


def exact_types(sink: SqlSink, entity: Entity, model: Model) -> dict[str, str]:
    """Give columns their types; those that have one now, by the attribute's name."""
    linked = {
        name for link in model.relationships for side, names in _ends(link) if side == entity.name for name in names
    }
    found = {}
    for attribute in entity.attributes:
        kind = None if attribute.name in linked else exact_type(attribute)  # both ends of a foreign key are of one type
        if kind is TypeName.TIME and _are_kept(sink, entity, attribute, "time"):
            _change(sink, entity, attribute, "time")
            found[attribute.name] = "time"
        elif kind is TypeName.ENUM:
            found[attribute.name] = name = _enum(sink, entity, attribute)
            schema = place_of(entity.name, POSTGRESQL)[0]
            _change(sink, entity, attribute, _qualified(sink, schema, name))
    return found


def exact_type(attribute: Attribute) -> TypeName | None:
    """The type that an attribute's column of text may get at the end; None: it stays."""
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


def _change(sink: SqlSink, entity: Entity, attribute: Attribute, kind: str) -> None:
    """Change a column's type: its CHECK and its default are of the old one."""
    table, column = sink.table(entity), quote(attribute.name, sink.preparer)
    checks = sink.connection.execute(_CHECKS, (table, attribute.name)).fetchall()
    parts = [f"DROP CONSTRAINT {quote(name, sink.preparer)}" for (name,) in checks]
    parts += [f"ALTER COLUMN {column} DROP DEFAULT", f"ALTER COLUMN {column} TYPE {kind} USING {column}::text::{kind}"]
    if default := default_ddl(attribute, entity, kind, POSTGRESQL):
        parts.append(f"ALTER COLUMN {column} SET {default}")
    sink.run(f"ALTER TABLE {table} {', '.join(parts)}")


def _enum(sink: SqlSink, entity: Entity, attribute: Attribute) -> str:
    """The name of an enum of these labels in the table's schema; it is made where there is none."""
    (schema, table), labels = place_of(entity.name, POSTGRESQL), list(attribute.type.values)
    there = sink.connection.execute(_SAME_LABELS, (schema, labels)).fetchone()
    if there is not None:
        return str(there[0])
    taken = {name for (name,) in sink.connection.execute(_TYPE_NAMES, (schema,)).fetchall()}
    name = next(name for name in _names(f"{table}_{attribute.name}") if name not in taken)
    listed = ", ".join("'" + label.replace("'", "''") + "'" for label in labels)
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
