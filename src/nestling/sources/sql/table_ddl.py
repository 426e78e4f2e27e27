"""A model's entities as CREATE TABLE statements whose columns keep every conceptual value exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nestling.common.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.expression import Collation
from nestling.ir.types import TEXTS, Type, TypeName
from nestling.sources.sql.check_ddl import check_ddl
from nestling.sources.sql.default_ddl import default_ddl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nestling.ir.model import Attribute, Entity, Model, Relationship

_T = TypeName
# In SQLite a type word decides the affinity. Words with TEXT in them keep the digits of a decimal and the zeros of bits;
# no word may hold INT by accident, which would make the column a number (so an interval is a DURATION).
_SQLITE = {
    _T.BOOLEAN: "BOOLEAN", _T.INTEGER: "INTEGER", _T.DECIMAL: "DECIMAL_TEXT", _T.FLOAT: "REAL", _T.TEXT: "TEXT",
    _T.BYTES: "BLOB", _T.DATE: "DATE", _T.TIME: "TIME_TEXT", _T.TIMESTAMP: "TIMESTAMP", _T.TIMESTAMPTZ: "TIMESTAMPTZ",
    _T.INTERVAL: "DURATION_TEXT", _T.UUID: "UUID_TEXT", _T.JSON: "JSON_TEXT", _T.ENUM: "TEXT", _T.BITS: "BITS_TEXT",
    _T.ARRAY: "JSON_TEXT", _T.GEOMETRY: "", _T.ANY: "", _T.OBJECT_ID: "OBJECTID_TEXT",
}  # fmt: skip
_POSTGRESQL = {
    _T.BOOLEAN: "boolean", _T.INTEGER: "bigint", _T.DECIMAL: "numeric", _T.FLOAT: "double precision", _T.TEXT: "text",
    _T.BYTES: "bytea", _T.DATE: "date", _T.TIME: "text", _T.TIMESTAMP: "timestamp", _T.TIMESTAMPTZ: "timestamptz",
    _T.INTERVAL: "interval", _T.UUID: "uuid", _T.JSON: "json", _T.ENUM: "text", _T.BITS: "bit varying", _T.GEOMETRY: "text",
    _T.ANY: "text", _T.ARRAY: "text", _T.OBJECT_ID: "char(24)",
}  # fmt: skip
_MYSQL = {
    _T.BOOLEAN: "tinyint(1)", _T.INTEGER: "bigint", _T.DECIMAL: "decimal(65,30)", _T.FLOAT: "double", _T.TEXT: "longtext",
    _T.BYTES: "longblob", _T.DATE: "date", _T.TIME: "varchar(20)", _T.TIMESTAMP: "datetime(6)",
    _T.TIMESTAMPTZ: "datetime(6)", _T.INTERVAL: "varchar(80)", _T.UUID: "char(36)", _T.JSON: "longtext", _T.ENUM: "text",
    _T.BITS: "bit(64)", _T.ARRAY: "longtext", _T.GEOMETRY: "longblob", _T.ANY: "longtext", _T.OBJECT_ID: "char(24)",
}  # fmt: skip
KEY_CHARACTERS = 190
"""Text in a key of MySQL needs a length; this many characters of four bytes fit its shortest limit."""


def place_of(entity: str, dialect: str) -> tuple[str | None, str]:
    """Schema and table of an entity: PostgreSQL takes `schema.table` apart, the others keep it as one name."""
    schema, dot, name = entity.partition(".")
    return (schema, name) if dialect == POSTGRESQL and dot and schema and name else (None, entity)


def quote(name: str, preparer: Any) -> str:
    """A name in the dialect's quotes."""
    quoted: str = preparer.quote_identifier(name)
    return quoted.replace("%%", "%")


def keyed_alike(entity: Entity, model: Model) -> Entity:
    """The entity with foreign keys of the types their parents' keys have, as a server wants them to be the same."""
    kinds: dict[str, Attribute] = {}
    for link in model.parents_of(entity.name):
        if not link.is_self:
            parent = model.entity(link.parent)
            pairs = zip(link.child_attributes, link.parent_attributes, strict=True)
            kinds.update({child: parent.attribute(name) for child, name in pairs})
    same = {name: kind for name, kind in kinds.items() if kind.type.name is entity.attribute(name).type.name}
    return replace(
        entity,
        attributes=tuple(
            replace(
                a,
                type=same[a.name].type,
                also=tuple(dict.fromkeys((*a.also, *same[a.name].also))),
                collation=a.collation if _is_keyed(a.name, entity) else same[a.name].collation,
            )
            if a.name in same
            else a
            for a in entity.attributes
        ),
    )


def create_table(entity: Entity, links: Sequence[Relationship], dialect: str, preparer: Any) -> str:
    """The CREATE TABLE statement; the foreign keys `links` are declared in it where they cannot be added later (SQLite)."""
    linked = {name for link in links if link.enforced or dialect == SQLITE for name in link.child_attributes}
    words = [
        (a, column_words(a, dialect, keyed=a.name in linked or _is_keyed(a.name, entity))) for a in entity.attributes
    ]
    parts = [_column(a, entity, declared, dialect, preparer) for a, declared in words]
    if entity.key:
        parts.append(f"PRIMARY KEY ({_names(entity.key, preparer)})")
    parts.extend(f"UNIQUE ({_names(unique, preparer)})" for unique in entity.uniques)
    parts.extend(_foreign_key(link, dialect, preparer) for link in links if dialect == SQLITE)
    checks = (check_ddl(a, quote(a.name, preparer), declared, dialect) for a, declared in words)
    parts.extend(filter(None, checks))
    return f"CREATE TABLE {_table(entity.name, dialect, preparer)} (\n  " + ",\n  ".join(parts) + "\n)"


def foreign_key_ddl(link: Relationship, model: Model, dialect: str, preparer: Any) -> str:
    """The statement that adds a relationship's foreign key to its child's table."""
    table = _table(model.entity(link.child).name, dialect, preparer)
    return f"ALTER TABLE {table} ADD {_foreign_key(link, dialect, preparer)}"


def _table(entity: str, dialect: str, preparer: Any) -> str:
    schema, name = place_of(entity, dialect)
    return f"{quote(schema, preparer)}.{quote(name, preparer)}" if schema else quote(name, preparer)


def _names(names: Sequence[str], preparer: Any) -> str:
    return ", ".join(quote(name, preparer) for name in names)


def undeclared_defaults(entity: Entity, dialect: str) -> tuple[str, ...]:
    """The attributes whose columns cannot say what an INSERT gets that leaves them out."""
    return tuple(
        each.name
        for each in entity.attributes
        if default_ddl(each, entity, column_words(each, dialect, keyed=_is_keyed(each.name, entity)), dialect) is None
    )


def _is_keyed(name: str, entity: Entity) -> bool:
    return any(name in group for group in (entity.key, *entity.uniques))


def _column(attribute: Attribute, entity: Entity, declared: str, dialect: str, preparer: Any) -> str:
    default = default_ddl(attribute, entity, declared, dialect) or ""
    required = "" if attribute.nullable else "NOT NULL"
    collation = _collation(attribute, dialect)
    return " ".join(filter(None, (quote(attribute.name, preparer), declared, collation, required, default)))


def _collation(attribute: Attribute, dialect: str) -> str:
    """How the column compares texts: in PostgreSQL to the letter, in MySQL to the letter or whatever case and accents."""
    if attribute.type.name not in TEXTS:
        return ""
    if dialect == MYSQL:
        named = "unicode_520_ci" if attribute.collation is Collation.UNICODE_CI else "bin"
        return f"CHARACTER SET utf8mb4 COLLATE utf8mb4_{named}"
    words = {Collation.UNICODE_CI: "NOCASE", Collation.NOCASE: "NOCASE", Collation.RTRIM: "RTRIM"}
    return f"COLLATE {words[attribute.collation]}" if dialect == SQLITE and attribute.collation in words else ""


def _foreign_key(link: Relationship, dialect: str, preparer: Any) -> str:
    own, theirs = _names(link.child_attributes, preparer), _names(link.parent_attributes, preparer)
    action = "" if link.on_delete.value == "restrict" else f" ON DELETE {link.on_delete.value.upper()}"
    action += "" if link.on_update.value == "restrict" else f" ON UPDATE {link.on_update.value.upper()}"
    return f"FOREIGN KEY ({own}) REFERENCES {_table(link.parent, dialect, preparer)} ({theirs}){action}"


def column_words(attribute: Attribute, dialect: str, *, keyed: bool = False) -> str:
    """The type of the column that keeps an attribute's values."""
    if dialect == SQLITE:
        return _sqlite(attribute)
    if dialect == POSTGRESQL:
        return _postgresql(attribute.type, attribute.also)
    return _mysql(attribute, keyed=keyed)


def _sqlite(attribute: Attribute) -> str:
    kind, others = attribute.type, {other.name for other in attribute.also}
    if kind.name is _T.FLOAT and _T.INTEGER in others:
        return "NUMERIC"
    if kind.name is _T.INTEGER and _T.DECIMAL in others:
        return ""  # beyond 64 bits an integer is kept as text, which an INTEGER column would round
    return _SQLITE[kind.name] + (f"({','.join(map(str, kind.numbers))})" if kind.numbers and _SQLITE[kind.name] else "")


def _postgresql(kind: Type, also: tuple[Type, ...]) -> str:
    if kind.element is not None:
        return f"{_postgresql(kind.element, ()).removesuffix('[]')}[]"
    if kind.name is _T.INTEGER and any(other.name is _T.DECIMAL for other in also):
        return "numeric(20,0)"
    numbers = f"({','.join(map(str, kind.numbers))})" if kind.numbers and kind.name is _T.DECIMAL else ""
    return _POSTGRESQL[kind.name] + numbers


def _mysql(attribute: Attribute, *, keyed: bool) -> str:
    kind = attribute.type
    if keyed and kind.name in (_T.TEXT, _T.ENUM):
        return f"varchar({min(kind.numbers[0], KEY_CHARACTERS) if kind.numbers else KEY_CHARACTERS})"
    if keyed and kind.name is _T.BYTES:
        return f"varbinary({KEY_CHARACTERS * 4})"
    if kind.name is _T.INTEGER and any(other.name is _T.DECIMAL for other in attribute.also):
        return "bigint unsigned"
    if kind.name in (_T.DECIMAL, _T.BITS) and kind.numbers:
        return f"{_MYSQL[kind.name].partition('(')[0]}({','.join(map(str, kind.numbers))})"
    return _MYSQL[kind.name]
