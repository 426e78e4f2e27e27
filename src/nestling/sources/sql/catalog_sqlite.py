"""The catalog of a SQLite file, by its pragmas.

SQLAlchemy's reflection of SQLite replaces unknown type words and gives up on foreign keys to tables that do not exist; the
pragmas give both as they are.
"""

from __future__ import annotations

import sqlite3

from nestling.ir.model import OnDelete
from nestling.ir.reading import Gap, GapKind
from nestling.ir.types import TypeName
from nestling.sources.sql.address import SQLITE
from nestling.sources.sql.catalog import Catalog, ColumnFacts, ForeignKey, Table
from nestling.sources.sql.column_type import column_type

_TABLES = """SELECT name, type, wr FROM pragma_table_list
WHERE schema = 'main' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"""
_COLUMNS = 'SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid'
_UNIQUES = "SELECT name FROM pragma_index_list(?) WHERE \"unique\" AND NOT partial AND origin <> 'pk' ORDER BY name"
_INDEXED = "SELECT name FROM pragma_index_info(?) ORDER BY seqno"
_FOREIGN_KEYS = 'SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq'


def read_sqlite_catalog(connection: sqlite3.Connection) -> Catalog:
    """Read all tables; views are notes, virtual tables gaps."""
    tables: list[Table] = []
    gaps: list[Gap] = []
    notes: list[str] = []
    for name, kind, without_rowid in connection.execute(_TABLES).fetchall():
        if kind == "table":
            tables.append(_table(connection, name, bool(without_rowid), gaps))
        elif kind == "view":
            notes.append(f"view `{name}` is left out: what it shows is in its tables")
        elif kind == "virtual":
            gaps.append(Gap(GapKind.NOTIMPL, "a virtual table is left out", name))
    return Catalog(tuple(tables), tuple(gaps), tuple(notes))


def _table(connection: sqlite3.Connection, name: str, without_rowid: bool, gaps: list[Gap]) -> Table:
    found = [row for row in connection.execute(_COLUMNS, (name,)) if row[4] != 1]
    key = tuple(row[0] for row in sorted((row for row in found if row[3]), key=lambda row: int(row[3])))
    is_rowid = (
        len(key) == 1 and not without_rowid and next(row[1] for row in found if row[0] == key[0]).upper() == "INTEGER"
    )
    never_null = set(key) if is_rowid or without_rowid else set()
    columns = tuple(_column(name, row, never_null, gaps) for row in found)
    taken = {column.name.lower() for column in columns}
    rowid = not without_rowid and (is_rowid or "rowid" not in taken)
    return Table(name, None, name, columns, key, _uniques(connection, name), _foreign_keys(connection, name), rowid)


def _column(table: str, row: tuple[str, str, int, int, int], never_null: set[str], gaps: list[Gap]) -> ColumnFacts:
    name, declared, not_null = row[:3]
    kind, known = column_type(declared, SQLITE)
    if not known and kind.name is TypeName.GEOMETRY:
        gaps.append(Gap(GapKind.NOTIMPL, f"type `{declared}` is carried as found", f"{table}.{name}"))
    return ColumnFacts(name, declared, kind, not (not_null or name in never_null))


def _uniques(connection: sqlite3.Connection, table: str) -> tuple[tuple[str, ...], ...]:
    groups = []
    for (index,) in connection.execute(_UNIQUES, (table,)).fetchall():
        names = tuple(row[0] for row in connection.execute(_INDEXED, (index,)))
        if None not in names:  # an expression is not a column
            groups.append(names)
    return tuple(dict.fromkeys(groups))


def _foreign_keys(connection: sqlite3.Connection, table: str) -> tuple[ForeignKey, ...]:
    grouped: dict[int, list[tuple[str, str, str | None, str]]] = {}
    for number, *rest in connection.execute(_FOREIGN_KEYS, (table,)):
        grouped.setdefault(number, []).append(tuple(rest))
    return tuple(
        ForeignKey(
            columns=tuple(row[1] for row in rows),
            parent=rows[0][0],
            parent_columns=tuple(row[2] for row in rows if row[2] is not None),
            on_delete=on_delete(rows[0][3]),
        )
        for rows in grouped.values()
    )


def on_delete(text: str | None) -> OnDelete:
    """The action of an ON DELETE clause; none, NO ACTION and RESTRICT are the same to us."""
    word = (text or "").lower()
    return OnDelete(word) if word in set(OnDelete) else OnDelete.RESTRICT
