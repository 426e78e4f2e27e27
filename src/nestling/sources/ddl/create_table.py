"""CREATE TABLE in all its forms."""

from __future__ import annotations

import re
from dataclasses import replace

from nestling.ir.constraints.defaults import Generated
from nestling.ir.reading import GapKind
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.types import TypeName
from nestling.sources.ddl.catalogue import Catalogue
from nestling.sources.ddl.cursor import COMMA_TOO_MANY, Cursor, Name, NotUnderstood, at_any_commas, at_commas
from nestling.sources.ddl.declared import Declared
from nestling.sources.ddl.elements import is_constraint, read_column, read_constraint
from nestling.sources.ddl.given_names import merge_repetitions, name_constraints
from nestling.sources.ddl.statements import Lines
from nestling.sources.ddl.tokens import Token, tokens
from nestling.sources.defaults import collation_named

_UNCHECKED_ENGINE = re.compile(r"MYISAM|ARIA|MEMORY|HEAP|CSV|ARCHIVE|MERGE", re.IGNORECASE)


def create_table(
    cursor: Cursor, catalogue: Catalogue, lines: Lines, line: int, *, temporary: bool, replaces: bool = False
) -> None:
    """Declare the table whose name comes next; it `replaces` one of that name (MariaDB's OR REPLACE)."""
    if_missing = cursor.accept("IF", "NOT", "EXISTS")
    table = Declared(catalogue.home(cursor.qualified_name()), line, collation=catalogue.usual_collation)
    name = table.name[1]
    if replaces and not temporary and (old := catalogue.find(table.name)) is not None:
        catalogue.drop_table(old, cascade=False)
    if temporary:
        catalogue.note(f"temporary table `{name}` is left out")
    elif cursor.accept("PARTITION", "OF"):
        parent = catalogue.home(cursor.qualified_name())
        catalogue.partitions[table.name] = catalogue.partitions.get(parent, parent)
        catalogue.note(f"table `{name}` is a partition: its rows are those of `{catalogue.partitions[table.name][1]}`")
    elif cursor.sees_any("AS", "SELECT"):
        catalogue.gap(f"table `{name}` is created from a query: its columns are not declared", line, GapKind.LOST)
    elif _read_body(cursor, table, catalogue, lines):
        if catalogue.declare(table):
            catalogue.bind(table)
        elif not if_missing:
            catalogue.gap(f"table `{name}` is declared twice; the first declaration counts", line, GapKind.INPUT)


def _read_body(cursor: Cursor, table: Declared, catalogue: Catalogue, lines: Lines) -> bool:
    """Read what stands between the parentheses and after them; whether there is a table to declare."""
    if cursor.accept("LIKE"):
        return _copy(catalogue.home(cursor.qualified_name()), table, catalogue, or_none=True)
    if cursor.sees("(", "LIKE") and catalogue.dialect == MYSQL:
        cursor.take(), cursor.take()
        return _copy(catalogue.home(cursor.qualified_name()), table, catalogue, or_none=True)
    elements, empty = at_any_commas(cursor.group())
    for element in elements:
        _read_element(element, table, catalogue, lines.at(element[0].start))
    for comma in empty:
        catalogue.gap(f"table `{table.name[1]}`: {COMMA_TOO_MANY}", lines.at(comma.start), GapKind.INPUT)
    _read_options(cursor, table, catalogue)
    if catalogue.dialect == POSTGRESQL:
        merge_repetitions(table)
    finish_key(table, catalogue)
    name_constraints(table, catalogue)
    return True


def finish_key(table: Declared, catalogue: Catalogue) -> None:
    """Take the key's columns as NOT NULL; SQLite lets NULL stand in some, which is remembered."""
    table.key = tuple(map(table.column_name, table.key))
    loose = [name for name in table.key if name in table.columns and table.columns[name].nullable]
    is_rowid = len(table.key) == 1 and loose and table.columns[loose[0]].type.name is TypeName.INTEGER
    if catalogue.dialect == SQLITE and not table.without_rowid and not is_rowid:
        catalogue.null_keys += [f"`{table.name[1]}.{name}`" for name in loose]
    table.set_key(table.key)
    if len(table.key) == 1 and table.key[0] in table.integers and not table.without_rowid:
        column = table.columns[table.key[0]]
        made = Generated.SEQUENCE if column.default is Generated.SEQUENCE else Generated.NUMBER
        table.columns[column.name] = replace(column, default=made)


def _read_element(element: list[Token], table: Declared, catalogue: Catalogue, line: int) -> None:
    if element[0].key == "LIKE" and catalogue.dialect == POSTGRESQL:
        cursor = Cursor(element[1:])
        like = catalogue.home(cursor.qualified_name())
        said = {token.key for token in cursor.rest()}
        keys, checks = ({"ALL", each} & said != set() for each in ("INDEXES", "CONSTRAINTS"))
        _copy(like, table, catalogue, with_keys=keys, with_checks=checks)
    elif is_constraint(element, catalogue.dialect):
        read_constraint(element, table, catalogue, line)
    else:
        column = read_column(element, table, catalogue, line)
        if column is not None and column.name in table.columns:
            catalogue.gap(
                f"column `{column.name}` of `{table.name[1]}` is declared twice; the first declaration counts", line
            )
        elif column is not None:
            table.columns[column.name] = column


def _copy(
    source: Name,
    table: Declared,
    catalogue: Catalogue,
    *,
    with_keys: bool = True,
    with_checks: bool = True,
    or_none: bool = False,
) -> bool:
    """Take another table's columns, as LIKE and INHERITS do. `or_none`: without them there is no table."""
    found = catalogue.find(source)
    if found is None:
        kind = GapKind.LOST if or_none else GapKind.NOTIMPL
        catalogue.gap(f"table `{table.name[1]}` is created LIKE `{source[1]}`, which is not declared", table.line, kind)
        return False
    table.columns = {**found.columns, **table.columns}
    table.plain |= found.plain
    if with_keys:
        table.set_key(found.key)
        table.key_included = found.key_included
        is_named = catalogue.dialect != POSTGRESQL  # which gives the copies new names
        table.uniques += [replace(each, name=each.name if is_named else "", made=0) for each in found.uniques]
        table.others |= found.others if is_named else set()
    table.checks += [check for check in found.checks if with_checks or check.column]
    return True


def _read_options(cursor: Cursor, table: Declared, catalogue: Catalogue) -> None:
    """What follows the parentheses: the engine, inheritance, WITHOUT ROWID."""
    while not cursor.done:
        if cursor.accept("INHERITS"):
            for parent in at_commas(cursor.group()):
                _inherit(catalogue.home(Cursor(parent).qualified_name()), table, catalogue)
        elif cursor.accept("ENGINE") or cursor.accept("TYPE"):
            cursor.accept("=")
            set_engine(table, cursor.take().text)
        elif (collation := read_collation(cursor)) is not None:
            table.collation = collation
        elif cursor.accept("WITHOUT", "ROWID"):
            table.without_rowid = True
        elif cursor.sees_any("AS", "SELECT") and catalogue.dialect == MYSQL:
            what = f"table `{table.name[1]}` takes further columns from a query, which are not declared"
            catalogue.gap(what, table.line)
            cursor.rest()
        else:
            cursor.take()


def set_engine(table: Declared, name: str) -> None:
    """Give a table its engine; some take foreign keys and forget them, those that the table has and those that come."""
    table.is_checked = not _UNCHECKED_ENGINE.fullmatch(name)
    if not table.is_checked:
        table.links = [replace(each, key=replace(each.key, enforced=False)) for each in table.links]


def read_collation(cursor: Cursor) -> Collation | None:
    """The collation that a table's options say, by name or by character set; None if something else comes."""
    if cursor.accept("COLLATE"):
        cursor.accept("=")
        return collation_named(cursor.take().text)
    if not (cursor.accept("CHARACTER", "SET") or cursor.accept("CHAR", "SET") or cursor.accept("CHARSET")):
        return None
    cursor.accept("=")
    usual = Collation.BINARY if cursor.take().key == "BINARY" else Collation.UNICODE_CI
    return read_collation(cursor) or usual if cursor.sees("COLLATE") else usual


def _inherit(parent: Name, table: Declared, catalogue: Catalogue) -> None:
    if _copy(parent, table, catalogue, with_keys=False):
        catalogue.add_heir(parent, table, table.line)


def declared_table(sql: str) -> Declared | None:
    """What a CREATE TABLE of SQLite declares, for what its pragmas do not tell; None when it cannot be read."""
    catalogue, cursor = Catalogue(SQLITE, text=sql), Cursor(list(tokens(sql, SQLITE)))
    cursor.until("TABLE")
    cursor.take()
    try:
        create_table(cursor, catalogue, Lines(sql), 1, temporary=False)
    except NotUnderstood:
        return None
    return next(iter(catalogue.tables.values()), None)
