"""The catalog of a PostgreSQL or MySQL server: SQLAlchemy's reflection for keys, the server's own words for types."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import NullPool, create_engine, inspect
from sqlalchemy.exc import DBAPIError, NoSuchTableError, SAWarning

from nestling.common.errors import Problem, SourceError
from nestling.ir.constraints.defaults import ComputedAttribute
from nestling.ir.model import View
from nestling.ir.nested_values import with_leaves
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL
from nestling.sources.checks import exclusion_left_out
from nestling.sources.ddl.column_type import catalogued_type
from nestling.sources.ddl.create_view import plain_select
from nestling.sources.defaults import collation_named, read_default
from nestling.sources.lower_indexes import lower_index
from nestling.sources.remarks import (
    carried,
    checked_late,
    computed,
    history_left_out,
    inherited,
    invisible,
    nulls_once,
    policies_left_out,
    routine_left_out,
    sequence_left_out,
    set_by_updates,
    unique_by_expression,
    unique_prefix,
    view_left_out,
    widths,
)
from nestling.sources.sql.address import Address
from nestling.sources.sql.catalog import (
    Catalog,
    CatalogForeignKey,
    CatalogNames,
    CatalogTable,
    ColumnFacts,
    TableNames,
)
from nestling.sources.sql.catalog_checks import server_checks, server_exclusions
from nestling.sources.sql.catalog_json import with_json
from nestling.sources.sql.catalog_time_zone import zone_of_sessions
from nestling.sources.sql.postgresql.collations import case_of_letters, orders_of_languages
from nestling.sources.sql.sqlite.catalog import on_delete, on_update
from nestling.sources.tables import PartialIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy.engine import Inspector

    from nestling.sources.tables import CheckConstraint

# Tables (not partitions), views, their columns; a domain stands for its base type, an enum brings its labels. Case does not count
# in a citext, nor in arrays of them.
_POSTGRESQL_COLUMNS = """
SELECT n.nspname, c.relname, c.relkind::text, a.attname, format_type(COALESCE(NULLIF(d.typbasetype, 0), a.atttypid),
       CASE WHEN d.typbasetype <> 0 THEN d.typtypmod ELSE a.atttypmod END),
       NOT (a.attnotnull OR COALESCE(d.typnotnull, false)),
       (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e
        WHERE e.enumtypid IN (COALESCE(NULLIF(d.typbasetype, 0), a.atttypid), d.typelem)),
       CASE COALESCE(to_jsonb(a)->>'attidentity', '') WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY' WHEN 'd' THEN 'AUTO_INCREMENT'
            ELSE CASE WHEN COALESCE(to_jsonb(a)->>'attgenerated', '') = ''
                      THEN COALESCE(pg_get_expr(b.adbin, b.adrelid), pg_get_expr(d.typdefaultbin, 0)) END END,
       CASE WHEN format_type(COALESCE(NULLIF(d.typbasetype, 0), a.atttypid), NULL) ~ '(^|\\.)citext(\\[\\])?$'
            THEN 'nocase' END,
       CASE WHEN COALESCE(to_jsonb(a)->>'attgenerated', '') <> '' THEN pg_get_expr(b.adbin, b.adrelid) END, false, false
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_type d ON d.oid = a.atttypid LEFT JOIN pg_attrdef b ON b.adrelid = c.oid AND b.adnum = a.attnum
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname <> 'information_schema'
  AND n.nspname NOT LIKE 'pg\\_%' AND NOT EXISTS
  (SELECT 1 FROM pg_depend x WHERE x.objid = c.oid AND x.classid = 'pg_class'::regclass AND x.deptype = 'e')
ORDER BY 1, 2, a.attnum"""
_POSTGRESQL_NAMES = """
SELECT n.nspname, c.relname, a.attname, current_schema() FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition AND n.nspname <> 'information_schema'
  AND n.nspname NOT LIKE 'pg\\_%' AND NOT EXISTS
  (SELECT 1 FROM pg_depend x WHERE x.objid = c.oid AND x.classid = 'pg_class'::regclass AND x.deptype = 'e')
ORDER BY 1, 2, a.attnum"""
# Each side names the database: told that their schemas are equal, MariaDB looks through the columns of all databases.
_MYSQL_COLUMNS = """
SELECT NULL, t.table_name, t.table_type, c.column_name, c.column_type, c.is_nullable = 'YES', NULL,
  CASE WHEN c.extra LIKE '%auto_increment%' THEN 'AUTO_INCREMENT'
       WHEN version() LIKE '%MariaDB%' OR c.extra LIKE '%DEFAULT_GENERATED%' OR c.column_default IS NULL
         OR c.data_type IN ('bit', 'tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal', 'float', 'double')
       THEN c.column_default ELSE QUOTE(c.column_default) END, c.collation_name, NULLIF(c.generation_expression, ''),
  c.extra LIKE '%on update%', c.extra LIKE '%invisible%'
FROM information_schema.tables t JOIN information_schema.columns c
  ON c.table_name = t.table_name AND c.table_schema = DATABASE()
WHERE t.table_schema = DATABASE() ORDER BY t.table_name, c.ordinal_position"""
_MYSQL_NAMES = """
SELECT NULL, t.table_name, c.column_name, NULL FROM information_schema.tables t JOIN information_schema.columns c
  ON c.table_name = t.table_name AND c.table_schema = DATABASE()
WHERE t.table_schema = DATABASE() AND t.table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')
ORDER BY t.table_name, c.ordinal_position"""
_POSTGRESQL_VIEWS = """
SELECT n.nspname, c.relname, pg_get_viewdef(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'v' AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'"""
_MYSQL_VIEWS = "SELECT NULL, table_name, view_definition FROM information_schema.views WHERE table_schema = DATABASE()"
_POSTGRESQL_TRIGGERS = """
SELECT t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND NOT c.relispartition AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
ORDER BY 1"""
_POSTGRESQL_POLICIES = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relrowsecurity AND NOT c.relispartition ORDER BY 1, 2"""
_POSTGRESQL_INHERITANCE = """
SELECT n.nspname, c.relname, m.nspname, p.relname FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace m ON m.oid = p.relnamespace
WHERE c.relkind IN ('r', 'f') AND NOT c.relispartition AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
ORDER BY 1, 2, i.inhseqno"""
_POSTGRESQL_LATE = """
SELECT n.nspname, c.relname, (SELECT array_agg(a.attname::text ORDER BY array_position(x.conkey, a.attnum))
  FROM pg_attribute a WHERE a.attrelid = x.conrelid AND a.attnum = ANY (x.conkey))
FROM pg_constraint x JOIN pg_class c ON c.oid = x.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE x.contype IN ('p', 'u') AND x.condeferrable AND NOT c.relispartition ORDER BY 1, 2, x.conname"""
# SQLAlchemy reads SHOW CREATE TABLE, and passes over foreign keys to names with a backtick.
_MYSQL_LINKS = """
SELECT k.table_name, k.constraint_name, k.column_name, NULLIF(k.referenced_table_schema, DATABASE()), k.referenced_table_name,
  k.referenced_column_name, r.delete_rule, r.update_rule
FROM information_schema.key_column_usage k JOIN information_schema.referential_constraints r
  ON r.constraint_schema = k.table_schema AND r.table_name = k.table_name AND r.constraint_name = k.constraint_name
WHERE k.table_schema = DATABASE() AND k.referenced_table_name IS NOT NULL
ORDER BY k.table_name, k.constraint_name, k.ordinal_position"""
# Foreign keys that rows may break: those from before NOT VALID, any row where NOT ENFORCED or the triggers are disabled;
# and the columns that ON DELETE sets.
_POSTGRESQL_LOOSE = """
SELECT n.nspname, c.relname, x.conname, x.convalidated,
       COALESCE((to_jsonb(x)->>'conenforced')::boolean, true) AND NOT EXISTS
       (SELECT 1 FROM pg_trigger t WHERE t.tgconstraint = x.oid AND t.tgrelid = x.conrelid AND t.tgenabled = 'D'),
       (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = x.conrelid AND to_jsonb(x)->'confdelsetcols' @> to_jsonb(a.attnum))
FROM pg_constraint x JOIN pg_class c ON c.oid = x.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE x.contype = 'f'"""
_MYSQL_TRIGGERS = "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE() ORDER BY 1"
_VERSIONED = "SYSTEM VERSIONED"
_TABLE_KINDS = ("r", "p", "f", "BASE TABLE", _VERSIONED)
DEFAULT_SCHEMA = "public"
"""Where PostgreSQL's names are looked up unless the session says another."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The inspector's information on one schema, by table. `has_names`: statements may name constraints.

    `loose`: whether a foreign key is valid, whether it is enforced and the columns ON DELETE sets, by table and name.
    """

    primary: Mapping[Any, Any]
    uniques: Mapping[Any, Any]
    foreign: Mapping[Any, Any]
    has_names: bool
    loose: Mapping[tuple[str, str, str], tuple[Any, ...]] = field(default_factory=dict)


def read_server_catalog(address: Address, connection: Any) -> Catalog:
    """Read all tables of all schemas but the system's (PostgreSQL), or of the address's database (MySQL)."""
    cursor = connection.cursor()
    cursor.execute(_POSTGRESQL_COLUMNS if address.dialect == POSTGRESQL else _MYSQL_COLUMNS)
    columns: dict[tuple[str | None, str, str], list[Any]] = {}
    for schema, table, kind, *column in cursor.fetchall():
        columns.setdefault((schema, table, kind), []).append(column)
    tables: list[CatalogTable] = []
    gaps: list[Gap] = []
    notes: list[str] = []
    default = DEFAULT_SCHEMA
    if address.dialect == POSTGRESQL:
        cursor.execute("SELECT current_schema()")
        default = cursor.fetchone()[0] or default
        notes += [*orders_of_languages(cursor), *case_of_letters(cursor)]
    gaps += zone_of_sessions(address.dialect, cursor)
    cuts = address.dialect == MYSQL and _cuts_fractions(cursor)
    cursor.execute(_POSTGRESQL_VIEWS if address.dialect == POSTGRESQL else _MYSQL_VIEWS)
    selects = {(schema, name): sql for schema, name, sql in cursor.fetchall()}
    views: list[View] = []
    checks = server_checks(address.dialect, cursor)
    keys = _all_keys(address, cursor, {schema for schema, _, _ in columns})
    for (schema, name, kind), found in columns.items():
        entity = _entity(schema, name, default)
        if selects.get((schema, name)):
            views.append(View(entity, plain_select(selects[schema, name]), address.dialect))
        elif kind == "SEQUENCE":
            notes.append(sequence_left_out(entity))
        elif kind not in _TABLE_KINDS:
            notes.append(view_left_out(entity, materialized=kind == "m"))
        elif found[0][0] is None:
            notes.append(f"table `{entity}` is left out: it has no columns")
        else:
            where = (schema, name)
            known = checks.get(where, ())
            facts = _columns(address.dialect, entity, found, gaps, cuts=cuts)
            table = _table(entity, where, facts, keys[schema], known, default)
            tables.append(with_json(table, address.dialect))
            notes += _remarks(entity, found, keys[schema].uniques.get(where, ()))
            hidden = (column[0] for column in found if column[-1])
            gaps += (Gap(GapKind.NOTIMPL, invisible(entity, name), f"{entity}.{name}") for name in hidden)
            notes += [history_left_out(entity)] if kind == _VERSIONED else []
    if address.dialect == POSTGRESQL:
        notes += _left_out(cursor, default)
        heirs = _heirs(cursor, default)
        tables = [replace(table, inherited_by=tuple(heirs.get(table.entity, ()))) for table in tables]
        gaps += (Gap(GapKind.NOTIMPL, inherited(heir, above), heir) for above, below in heirs.items() for heir in below)
    cursor.execute(_POSTGRESQL_TRIGGERS if address.dialect == POSTGRESQL else _MYSQL_TRIGGERS)
    notes += widths([f"`{table.entity}.{each.name}`" for table in tables for each in table.columns if each.narrow])
    notes += (routine_left_out("trigger", name) for (name,) in cursor.fetchall())
    return Catalog(tuple(tables), tuple(gaps), tuple(notes), tuple(views))


def _heirs(cursor: Any, default: str) -> dict[str, list[str]]:
    """The tables that inherit from others, by these."""
    cursor.execute(_POSTGRESQL_INHERITANCE)
    found: dict[str, list[str]] = {}
    for schema, name, its_schema, parent in cursor.fetchall():
        found.setdefault(_entity(its_schema, parent, default), []).append(_entity(schema, name, default))
    return found


def _left_out(cursor: Any, default: str) -> Iterator[str]:
    """Notes on what PostgreSQL enforces and MongoDB does not, or not in the same way."""
    cursor.execute(_POSTGRESQL_POLICIES)
    yield from (policies_left_out(_entity(schema, name, default)) for schema, name in cursor.fetchall())
    for schema, name, named, sql in server_exclusions(cursor):
        yield exclusion_left_out(sql, _entity(schema, name, default), named)
    cursor.execute(_POSTGRESQL_LATE)
    yield from (checked_late(_entity(schema, name, default), columns) for schema, name, columns in cursor.fetchall())


def read_server_names(dialect: str, connection: Any) -> CatalogNames:
    """The names of the tables and columns in `read_server_catalog`, without its slow parts."""
    cursor = connection.cursor()
    cursor.execute(_POSTGRESQL_NAMES if dialect == POSTGRESQL else _MYSQL_NAMES)
    tables: dict[tuple[str, str | None, str], list[str]] = {}
    usual = DEFAULT_SCHEMA
    for schema, table, column, default in cursor.fetchall():
        usual = default or DEFAULT_SCHEMA
        tables.setdefault((_entity(schema, table, usual), schema, table), []).append(column)
    heirs = _heirs(cursor, usual) if dialect == POSTGRESQL else {}
    named = (TableNames(*names, tuple(columns), names[0] in heirs) for names, columns in tables.items())
    return CatalogNames(tuple(named))


def _entity(schema: str | None, table: str, default: str) -> str:
    """The model's name of a table: with its schema, unless that is the default schema."""
    return table if schema in (None, default) else f"{schema}.{table}"


def _cuts_fractions(cursor: Any) -> bool:
    """Whether a server truncates fractional seconds: MariaDB does, MySQL rounds, unless configured otherwise."""
    cursor.execute("SELECT version() LIKE '%MariaDB%', @@global.sql_mode")
    is_mariadb, mode = cursor.fetchone()
    return "TIME_ROUND_FRACTIONAL" not in mode if is_mariadb else "TIME_TRUNCATE_FRACTIONAL" in mode


def _all_keys(address: Address, cursor: Any, schemas: set[str | None]) -> dict[str | None, _Keys]:
    """The keys of every schema, and what SQLAlchemy does not read of them."""
    keys = _read_keys(address, schemas)
    if address.dialect == MYSQL:
        return {schema: replace(found, foreign=_mysql_links(cursor)) for schema, found in keys.items()}
    cursor.execute(_POSTGRESQL_LOOSE)
    loose = {(schema, table, name): tuple(said) for schema, table, name, *said in cursor.fetchall()}
    return {schema: replace(found, loose=loose) for schema, found in keys.items()}


def _read_keys(address: Address, schemas: set[str | None]) -> dict[str | None, _Keys]:
    engine = create_engine(address.url, poolclass=NullPool)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # types are read elsewhere
            with engine.connect() as connection:  # an inspector of an engine would open one for each question
                inspector: Inspector = inspect(connection)
                return {schema: _keys(inspector, schema) for schema in schemas}
    except DBAPIError as error:
        raise (error.orig or error) from None  # the driver's own, which is told as any other of it
    except NoSuchTableError as error:
        move = "check whether the database was dropped or replaced in the meantime, and run this again"
        raise SourceError(
            Problem("it disappeared while it was being read", where=f"table {error}", next_move=move)
        ) from None
    finally:
        engine.dispose()


def _keys(inspector: Inspector, schema: str | None) -> _Keys:
    is_postgresql = inspector.dialect.name == POSTGRESQL
    foreign = inspector.get_multi_foreign_keys(schema=schema) if is_postgresql else {}
    uniques = inspector.get_multi_indexes(schema=schema)
    primary = inspector.get_multi_pk_constraint(schema=schema)
    if not is_postgresql:
        primary, uniques = with_leaves(primary, _with_one_backtick), with_leaves(uniques, _with_one_backtick)
    return _Keys(primary, uniques, foreign, has_names=is_postgresql)


def _mysql_links(cursor: Any) -> dict[tuple[str | None, str], list[dict[str, Any]]]:
    """The foreign keys of MySQL's tables, as SQLAlchemy has them."""
    cursor.execute(_MYSQL_LINKS)
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for table, name, column, schema, parent, referred, deleted, updated in cursor.fetchall():
        options = {"ondelete": deleted, "onupdate": updated}
        made = {"name": name, "constrained_columns": [], "referred_schema": schema, "referred_table": parent}
        key = found.setdefault((table, name), {**made, "referred_columns": [], "options": options})
        key["constrained_columns"].append(column)
        key["referred_columns"].append(referred)
    links: dict[tuple[str | None, str], list[dict[str, Any]]] = {}
    for (table, _), key in found.items():
        links.setdefault((None, table), []).append(key)
    return links


def _with_one_backtick(found: object) -> object:
    """What SQLAlchemy reads of SHOW CREATE TABLE, where a backtick in a name is two, with one; names of tables have one."""
    return found.replace("``", "`") if isinstance(found, str) else found


def _columns(dialect: str, entity: str, found: list[Any], gaps: list[Gap], *, cuts: bool) -> tuple[ColumnFacts, ...]:
    """The columns of a table; a type that is not understood is added to `gaps`."""
    columns = []
    for name, declared, nullable, labels, filling, collation, made_by, *_ in found:
        read = catalogued_type(declared, dialect, labels or ())
        if read.gap or read.note:
            gaps.append(Gap(GapKind.NOTIMPL, carried(declared), f"{entity}.{name}"))
        made = ComputedAttribute(made_by) if made_by else read_default(filling, read.type, dialect)
        columns.append(
            ColumnFacts(
                name,
                declared,
                read.type,
                bool(nullable),
                made,
                collation=collation_named(collation),
                allowed=read.allowed,
                narrow=read.narrow,
                collated=collation or "",
                fraction=replace(read.fraction, cut=cuts) if read.fraction is not None else None,
            )
        )
    return tuple(columns)


def _table(
    entity: str,
    where: tuple[str | None, str],
    columns: tuple[ColumnFacts, ...],
    keys: _Keys,
    checks: tuple[CheckConstraint, ...],
    default: str,
) -> CatalogTable:
    names = {column.name for column in columns}
    uniques = (tuple(index["column_names"]) for index in keys.uniques.get(where, ()) if _is_unique(index))
    foreign = (_foreign_key(key, default, where, keys) for key in keys.foreign.get(where, ()))
    return CatalogTable(
        entity,
        where[0],
        where[1],
        columns,
        tuple(keys.primary.get(where, {}).get("constrained_columns") or ()),
        tuple(dict.fromkeys(unique for unique in uniques if set(unique) <= names)),
        tuple(foreign),
        checks,
        partial=tuple(filter(None, map(_partial, keys.uniques.get(where, ())))),
        names=tuple(_constraint_names(keys, where)) if keys.has_names else (),
    )


def _constraint_names(keys: _Keys, where: tuple[str | None, str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    key = keys.primary.get(where, {})
    if key.get("name") and key["constrained_columns"]:
        yield key["name"], tuple(key["constrained_columns"])
    for index in keys.uniques.get(where, ()):
        if (named := index.get("duplicates_constraint")) and _is_unique(index):
            yield named, tuple(index["column_names"])


def _remarks(entity: str, found: list[Any], indexes: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield from (computed(entity, column[0]) for column in found if column[-3])
    yield from (set_by_updates(entity, column[0]) for column in found if column[-2])
    nullable = {column[0] for column in found if column[2]}
    for index in indexes:
        columns = [name for name in index["column_names"] if name is not None]
        if _option(index, "nulls_not_distinct") and nullable & {*columns} and _is_unique(index):
            yield nulls_once(entity, columns)
        if index["unique"] and (prefixes := [name for name in columns if name in _option(index, "length")]):
            yield unique_prefix(entity, columns, prefixes)
        if index["unique"] and not _is_unique(index) and _partial(index) is None:
            keys = ", ".join(index.get("expressions") or ())
            yield unique_by_expression(entity, f"{index['name']} ({keys})" if keys else "")


def _option(index: Mapping[str, Any], word: str) -> Any:
    """What the index's database says under a word, whichever it is; empty if nothing."""
    options = index.get("dialect_options", {})
    return next((value for name, value in options.items() if name.endswith(f"_{word}")), {})


def _partial(index: Mapping[str, Any]) -> PartialIndex | None:
    """A unique index over plain columns of some rows, or in lower case."""
    where = index.get("dialect_options", {}).get("postgresql_where")
    if index["unique"] and index.get("expressions") and _is_of_postgresql(index):
        return lower_index(index["expressions"], where or "", index["name"])
    if not (index["unique"] and where) or index.get("expressions") or None in index["column_names"]:
        return None
    return PartialIndex(tuple(index["column_names"]), where, index["name"])


def _is_of_postgresql(index: Mapping[str, Any]) -> bool:
    return any(name.startswith("postgresql_") for name in index.get("dialect_options", {}))


def _is_unique(index: Mapping[str, Any]) -> bool:
    options = index.get("dialect_options", {})
    partial = options.get("postgresql_where") or index.get("expressions")
    # MySQL calls a prefix index by its columns, though it is unique on less than them; that is stricter, so it holds
    return bool(index["unique"]) and not partial and None not in index["column_names"]


def _foreign_key(key: Mapping[str, Any], default: str, where: tuple[str | None, str], keys: _Keys) -> CatalogForeignKey:
    schema = key.get("referred_schema")
    parent = _entity(schema, key["referred_table"], default)
    valid, enforced, only = keys.loose.get((where[0] or "", where[1], key["name"] or ""), (True, True, None))
    return CatalogForeignKey(
        tuple(key["constrained_columns"]),
        parent,
        tuple(key["referred_columns"]),
        on_delete(key.get("options", {}).get("ondelete")),
        on_update(key.get("options", {}).get("onupdate")),
        deferred=key.get("options", {}).get("initially") == "DEFERRED",
        valid=valid,
        enforced=enforced,
        on_delete_columns=tuple(only or ()),
    )
