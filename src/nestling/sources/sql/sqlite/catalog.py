"""The catalog of a SQLite file, from its pragmas.

SQLAlchemy's reflection of SQLite replaces unknown type names and fails on foreign keys to missing tables; the pragmas return
both unchanged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from nestling.common.errors import Problem, SourceError
from nestling.ir.constraints.defaults import ComputedAttribute, Generated
from nestling.ir.model import Attribute, OnDelete, OnUpdate, View
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.types import TypeName
from nestling.sources.ddl.column_type import catalogued_type
from nestling.sources.ddl.create_table import declared_table
from nestling.sources.ddl.create_view import sqlite_view
from nestling.sources.ddl.cursor import Cursor, NotUnderstood, at_commas, condition_of
from nestling.sources.ddl.declared import Declared
from nestling.sources.ddl.tokens import tokens
from nestling.sources.defaults import read_default
from nestling.sources.lower_indexes import lower_index
from nestling.sources.remarks import carried, computed, routine_left_out, unique_by_expression
from nestling.sources.sql.catalog import Catalog, CatalogForeignKey, CatalogTable, ColumnFacts
from nestling.sources.sql.catalog_json import with_json
from nestling.sources.tables import PartialIndex

_TABLES = """SELECT l.name, l.type, l.wr, coalesce(m.sql, '') FROM pragma_table_list l
LEFT JOIN sqlite_master m ON m.name = l.name
WHERE schema = 'main' AND substr(l.name, 1, 7) <> 'sqlite_' ORDER BY l.name"""
_TRIGGERS = "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
_COLUMNS = 'SELECT name, type, "notnull", pk, hidden, dflt_value FROM pragma_table_xinfo(?) ORDER BY cid'
_UNIQUES = "SELECT name, partial FROM pragma_index_list(?) WHERE \"unique\" AND origin <> 'pk' ORDER BY name"
_INDEX_SQL = "SELECT sql FROM sqlite_master WHERE type = 'index' AND name = ?"
_INDEXED = "SELECT name FROM pragma_index_info(?) ORDER BY seqno"
_FOREIGN_KEYS = (
    'SELECT id, "table", "from", "to", on_delete, on_update FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq'
)

_NEW_ACTION = "declare another, or report this: nestling knows CASCADE, SET NULL, SET DEFAULT, RESTRICT and NO ACTION"


def read_sqlite_catalog(connection: sqlite3.Connection) -> Catalog:
    """Read all tables and views; virtual tables are gaps, triggers are notes."""
    tables: list[CatalogTable] = []
    gaps: list[Gap] = []
    notes: list[str] = []
    views: list[View] = []
    for name, kind, without_rowid, sql in connection.execute(_TABLES).fetchall():
        if kind == "table":
            declared = declared_table(sql)
            if declared is None:
                gaps.append(Gap(GapKind.NOTIMPL, "its collations and checks cannot be read", name))
            tables.append(_table(connection, name, bool(without_rowid), declared, gaps, notes))
        elif kind == "view":
            _add_view(name, sql, views, gaps)
        elif kind == "virtual":
            gaps.append(Gap(GapKind.LOST, "virtual tables are left out", name))
    notes += (routine_left_out("trigger", name) for (name,) in connection.execute(_TRIGGERS))
    return Catalog(tuple(tables), tuple(gaps), tuple(notes), tuple(views))


def _add_view(name: str, sql: str, views: list[View], gaps: list[Gap]) -> None:
    try:
        views.append(sqlite_view(sql, name))
    except NotUnderstood as problem:
        gaps.append(Gap(GapKind.NOTIMPL, f"view `{name}`: {problem}"))


def _table(
    connection: sqlite3.Connection,
    name: str,
    without_rowid: bool,
    declared: Declared | None,
    gaps: list[Gap],
    notes: list[str],
) -> CatalogTable:
    found = [row for row in connection.execute(_COLUMNS, (name,)) if row[4] != 1]
    key = tuple(row[0] for row in sorted((row for row in found if row[3]), key=lambda row: int(row[3])))
    is_rowid = (
        len(key) == 1 and not without_rowid and next(row[1] for row in found if row[0] == key[0]).upper() == "INTEGER"
    )
    never_null = set(key) if is_rowid or without_rowid else set()
    told = {column.name: column for column in declared.columns.values()} if declared is not None else {}
    columns = tuple(_column(name, row, never_null, told.get(row[0]), gaps) for row in found)
    notes += [computed(name, row[0]) for row in found if row[4]]
    if is_rowid:
        is_kept = key[0] in told and told[key[0]].default is Generated.SEQUENCE  # AUTOINCREMENT
        made = Generated.SEQUENCE if is_kept else Generated.NUMBER
        columns = tuple(replace(c, default=made) if c.name == key[0] else c for c in columns)
    taken = {column.name.lower() for column in columns}
    checks = tuple(declared.checks) if declared is not None else ()
    rowid = not without_rowid and (is_rowid or "rowid" not in taken)
    table = CatalogTable(
        name,
        None,
        name,
        columns,
        key,
        _uniques(connection, name),
        _foreign_keys(connection, name, declared),
        checks,
        rowid,
        tuple(_partial(connection, name, notes)),
    )
    return with_json(table, SQLITE)


def _column(
    table: str,
    row: tuple[str, str, int, int, int, str | None],
    never_null: set[str],
    told: Attribute | None,
    gaps: list[Gap],
) -> ColumnFacts:
    """A column; `told`: as its table's statement declares it, because the pragma loses numbers in quoted type names."""
    name, declared, not_null = row[:3]
    kind = told.type if told is not None else catalogued_type(declared, SQLITE).type
    if kind.name is TypeName.GEOMETRY:
        gaps.append(Gap(GapKind.NOTIMPL, carried(declared), f"{table}.{name}"))
    made = told.default if told is not None and isinstance(told.default, ComputedAttribute) else None
    default = made if row[4] else read_default(row[5], kind, SQLITE)
    nullable = not (not_null or name in never_null)
    found = ColumnFacts(name, declared, kind, nullable, default)
    return replace(found, also=told.also, collation=told.collation) if told is not None else found


def _uniques(connection: sqlite3.Connection, table: str) -> tuple[tuple[str, ...], ...]:
    groups = []
    for index, is_partial in connection.execute(_UNIQUES, (table,)).fetchall():
        names = tuple(row[0] for row in connection.execute(_INDEXED, (index,)))
        if not is_partial and None not in names:
            groups.append(names)
    return tuple(dict.fromkeys(groups))


def _partial(connection: sqlite3.Connection, table: str, notes: list[str]) -> Iterator[PartialIndex]:
    """Unique indexes over some rows or in lower case; a note on each that is over another expression."""
    for index, is_partial in connection.execute(_UNIQUES, (table,)).fetchall():
        names = tuple(row[0] for row in connection.execute(_INDEXED, (index,)))
        (sql,) = connection.execute(_INDEX_SQL, (index,)).fetchone()
        if not is_partial and None not in names:
            continue
        cursor = Cursor(list(tokens(sql, SQLITE)))
        cursor.until("ON")
        cursor.until("(")
        keys = [sql[part[0].start : part[-1].end] for part in at_commas(cursor.group())]
        where = condition_of(cursor, sql)
        if None not in names:
            yield PartialIndex(names, where, index)
        elif (lower := lower_index(keys, where, index)) is not None:
            yield lower
        else:
            notes.append(unique_by_expression(table, f"{index} ({', '.join(keys)})"))


def _foreign_keys(
    connection: sqlite3.Connection, table: str, declared: Declared | None
) -> tuple[CatalogForeignKey, ...]:
    """The pragma's foreign keys, and whether they are INITIALLY DEFERRED, which only the table's statement says."""
    told = [link.key for link in declared.links] if declared is not None else []
    deferred = {tuple(name.lower() for name in key.columns) for key in told if key.deferred}
    grouped: dict[int, list[tuple[str, str, str | None, str, str]]] = {}
    for number, *rest in connection.execute(_FOREIGN_KEYS, (table,)):
        grouped.setdefault(number, []).append(tuple(rest))
    return tuple(
        CatalogForeignKey(
            columns=tuple(row[1] for row in rows),
            parent=rows[0][0],
            parent_columns=tuple(row[2] for row in rows if row[2] is not None),
            on_delete=on_delete(rows[0][3]),
            on_update=on_update(rows[0][4]),
            deferred=tuple(row[1].lower() for row in rows) in deferred,
        )
        for rows in grouped.values()
    )


def on_delete(text: str | None) -> OnDelete:
    """The action of an ON DELETE clause; none, NO ACTION and RESTRICT are equivalent here.

    The columns that PostgreSQL may name after it are left out. Raises `SourceError` for any other words.
    """
    word = (text or "").partition("(")[0].strip().lower()
    if word in ("", "no action"):
        return OnDelete.RESTRICT
    if word not in set(OnDelete):
        raise SourceError(Problem(f"the action `{text}` of a foreign key is not known", next_move=_NEW_ACTION))
    return OnDelete(word)


def on_update(text: str | None) -> OnUpdate:
    """The action of an ON UPDATE clause, likewise."""
    return OnUpdate(on_delete(text).value)
