"""ALTER TABLE: what pg_dump, phpMyAdmin, mysqldump and people write to complete a table after creating it."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.constraints.defaults import Generated
from nestling.ir.reading import GapKind
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.sources.ddl.catalogue import Catalogue, Declared
from nestling.sources.ddl.create_table import finish_key
from nestling.sources.ddl.cursor import (
    COMMA_TOO_MANY,
    Cursor,
    NotUnderstood,
    as_sql,
    as_text,
    at_any_commas,
    at_commas,
    condition_of,
)
from nestling.sources.ddl.elements import add_unique, is_constraint, plain_columns, read_column, read_constraint
from nestling.sources.ddl.statements import Lines
from nestling.sources.ddl.tokens import Token
from nestling.sources.defaults import read_default, retyped
from nestling.sources.lower_indexes import lower_index
from nestling.sources.remarks import inherited
from nestling.sources.tables import PartialIndex, find_name

_WITHOUT_MEANING = (
    "OWNER", "SET", "RESET", "ENABLE", "DISABLE", "CLUSTER", "REPLICA", "FORCE", "VALIDATE", "ENGINE", "AUTO_INCREMENT",
    "COMMENT", "CONVERT", "CHARACTER", "CHARSET", "COLLATE", "ROW_FORMAT", "ORDER", "ALGORITHM", "LOCK", "NO", "CHECK",
    "STATS_PERSISTENT", "MAX_ROWS", "AVG_ROW_LENGTH", "PACK_KEYS", "CHECKSUM", "KEY_BLOCK_SIZE", "ALTER_INDEX", "DISCARD",
    "IMPORT", "TABLESPACE", "TRUNCATE", "ANALYZE", "OPTIMIZE", "REBUILD", "DETACH", "WITH", "DEFAULT",
)  # fmt: skip


def alter_table(cursor: Cursor, catalogue: Catalogue, lines: Lines, line: int) -> None:
    """Apply every action to the table whose name comes next; each that is not understood is a gap of its own."""
    cursor.accept("IF", "EXISTS")
    cursor.accept("ONLY")
    name = cursor.qualified_name()
    cursor.accept("*")
    actions, empty = at_any_commas(cursor.rest())
    table = catalogue.find(name)
    if table is None:
        if catalogue.home(name) not in catalogue.partitions and not all(_is_void(action) for action in actions):
            what = f"ALTER TABLE `{name[1]}`, which is not declared"
            catalogue.gap(f"{what}: {as_text(actions[0])}", line)
        return
    for action in actions:
        where = lines.at(action[0].start)
        try:
            _apply(Cursor(action), table, catalogue, where)
        except NotUnderstood as problem:
            catalogue.gap(f"ALTER TABLE `{name[1]}` {as_text(action)}: {problem}", where)
    for comma in empty:
        catalogue.gap(f"ALTER TABLE `{name[1]}`: {COMMA_TOO_MANY}", lines.at(comma.start), GapKind.INPUT)


def _is_void(action: list[Token]) -> bool:
    """Whether an action could not have mattered: dropping, defaults, owners, storage."""
    return (
        action[0].key in ("DROP", *_WITHOUT_MEANING)
        or {"DROP", "SET", "DEFAULT"} & {t.key for t in action[1:4]} != set()
    )


def _apply(cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    match cursor.take().key:
        case "ADD":
            _add(cursor, table, catalogue, line)
        case "MODIFY" | "CHANGE" as word:
            cursor.accept("COLUMN")
            _redefine(cursor.name() if word == "CHANGE" else cursor.peek().text, cursor, table, catalogue, line)
        case "ALTER":
            _alter_column(cursor, table, catalogue, line)
        case "DROP":
            _drop(cursor, table)
        case "RENAME":
            _rename(cursor, table, catalogue)
        case "ATTACH":
            _attach(cursor, table, catalogue)
        case "VALIDATE":
            cursor.accept("CONSTRAINT")
            table.enforce_check(cursor.name(), enforced=True)
        case "INHERIT":
            parent = catalogue.home(cursor.qualified_name())
            catalogue.gap(inherited(catalogue.entity_name(table.name), catalogue.entity_name(parent)), line)
        case key:
            if key not in _WITHOUT_MEANING:
                raise NotUnderstood("is not understood")


def _add(cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    action = cursor.rest()
    if not action:
        raise NotUnderstood("nothing is added")
    if action[0].key == "PARTITION":
        return
    if is_constraint(action, catalogue.dialect):
        read_constraint(action, table, catalogue, line)
    else:
        adding = Cursor(action)
        adding.accept("COLUMN")
        adding.accept("IF", "NOT", "EXISTS")
        parts = at_commas(adding.group()) if adding.sees("(") else [adding.rest()]
        for part in parts:
            column = read_column(part, table, catalogue, line)
            if column is not None:
                table.columns.setdefault(table.column_name(column.name), column)
    finish_key(table, catalogue)


def _redefine(old: str, cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    """MODIFY and CHANGE: the column anew, under its old or a new name."""
    known = find_name(old, table.columns)
    if known is None:
        raise NotUnderstood(f"there is no column `{old}`")
    table.doubt_checks(known)
    column = read_column(cursor.rest(), table, catalogue, line)
    if column is not None:
        if column.name.casefold() != known.casefold():
            table.rename_column(known, column.name)
            known = column.name
        table.columns[known] = replace(column, name=known)
        finish_key(table, catalogue)


def _alter_column(cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    if cursor.accept("INDEX"):
        return
    if cursor.accept_any("CONSTRAINT", "CHECK"):
        name = cursor.name()
        if cursor.sees("ENFORCED") or cursor.sees("NOT", "ENFORCED"):
            table.enforce_check(name, enforced=cursor.sees("ENFORCED"))
        return
    cursor.accept("COLUMN")
    name = table.column_name(cursor.name())
    if name not in table.columns:
        raise NotUnderstood(f"there is no column `{name}`")
    if cursor.accept("SET", "NOT", "NULL"):
        table.set_nullable(name, nullable=False)
    elif cursor.accept("DROP", "NOT", "NULL"):
        table.set_nullable(name, nullable=True)
    elif cursor.accept("TYPE") or cursor.accept("SET", "DATA", "TYPE"):
        typed = [token for token in cursor.until("USING") if token.text]
        column = read_column([_named(name, typed[0]), *typed], table, catalogue, line) if typed else None
        if column is not None:
            old = table.columns[name]
            table.columns[name] = replace(column, nullable=old.nullable, default=retyped(old.default, column.type))
    elif not _alter_default(name, cursor, table, catalogue.dialect) and not cursor.sees_any(
        "SET", "DROP", "ADD", "RESTART", "RESET"
    ):
        raise NotUnderstood("is not understood")


def _alter_default(name: str, cursor: Cursor, table: Declared, dialect: str) -> bool:
    """SET and DROP DEFAULT, and what makes an identity of a column; whether it was one of these."""
    column = table.columns[name]
    if cursor.accept("SET", "DEFAULT"):
        column = replace(column, default=read_default(as_sql(cursor.rest()), column.type, dialect))
    elif cursor.accept("DROP", "DEFAULT") or cursor.accept("DROP", "EXPRESSION") or cursor.accept("DROP", "IDENTITY"):
        column = replace(column, default=None)
    elif cursor.accept("ADD", "GENERATED", "ALWAYS") or cursor.accept("SET", "GENERATED", "ALWAYS"):
        column = replace(column, default=Generated.IDENTITY)
    elif cursor.accept("ADD", "GENERATED") or cursor.accept("ADD", "IDENTITY") or cursor.accept("SET", "GENERATED"):
        column = replace(column, default=Generated.SEQUENCE)
    else:
        return False
    table.columns[name] = column
    return True


def _named(name: str, near: Token) -> Token:
    return near._replace(text=name, key="")


def _drop(cursor: Cursor, table: Declared) -> None:
    if cursor.accept("PRIMARY", "KEY"):
        table.key = ()
    elif cursor.accept_any("CONSTRAINT", "CHECK"):
        cursor.accept("IF", "EXISTS")
        table.drop_check(cursor.name())
    elif not cursor.accept_any("INDEX", "KEY", "FOREIGN", "PARTITION"):
        cursor.accept("COLUMN")
        cursor.accept("IF", "EXISTS")
        table.drop_column(cursor.name())


def _rename(cursor: Cursor, table: Declared, catalogue: Catalogue) -> None:
    if cursor.accept_any("CONSTRAINT", "INDEX", "KEY"):
        return
    if cursor.accept("TO") or cursor.accept("AS") or (catalogue.dialect == MYSQL and cursor.peek(1).text == ""):
        rename_table(table, cursor.qualified_name(), catalogue)
        return
    cursor.accept("COLUMN")
    old = cursor.name()
    if not cursor.accept("TO"):
        raise NotUnderstood("is not understood")
    table.rename_column(old, cursor.name())


def rename_table(table: Declared, new: tuple[str, str], catalogue: Catalogue) -> None:
    """Give a table a new name, which foreign keys to it follow."""
    old = table.name
    del catalogue.tables[old]
    table.name = catalogue.home((new[0] or old[0], new[1]))
    catalogue.tables[table.name] = table
    for other in catalogue.tables.values():
        other.foreign_keys = [(table.name if catalogue.home(to) == old else to, key) for to, key in other.foreign_keys]


def _attach(cursor: Cursor, table: Declared, catalogue: Catalogue) -> None:
    """ATTACH PARTITION: the attached table's rows are this table's."""
    cursor.accept("PARTITION")
    part = catalogue.find(cursor.qualified_name())
    if part is not None:
        del catalogue.tables[part.name]
        catalogue.partitions[part.name] = table.name
        known = {check.sql for check in table.checks}
        own = (check for check in part.checks if check.sql not in known)
        table.checks += [replace(check, name=f"{part.name[1]}.{check.name}".rstrip("."), holds=False) for check in own]
        catalogue.note(f"table `{part.name[1]}` is a partition: its rows are those of `{table.name[1]}`")


def create_unique_index(cursor: Cursor, catalogue: Catalogue, line: int) -> None:
    """CREATE UNIQUE INDEX … ON table (…): a unique group, if it is over plain columns and all rows."""
    before = cursor.until("ON")
    if not cursor.accept("ON"):
        raise NotUnderstood("ON is missing")
    cursor.accept("ONLY")
    name = cursor.qualified_name()
    cursor.until("(")
    keys = cursor.group()
    names = plain_columns(keys)
    where = condition_of(cursor, catalogue.text)
    named = before[-1].text if before else ""
    table = catalogue.find(name)
    if table is None:
        if catalogue.home(name) not in catalogue.partitions and catalogue.home(name) not in catalogue.views:
            catalogue.gap(f"a unique index on `{name[1]}`, which is not declared", line)
    elif where and names is not None:
        table.partial.append(PartialIndex(tuple(names), where, named))
    elif (lower := _in_lower_case(keys, where, named, catalogue)) is not None:
        table.partial.append(lower)
    else:
        add_unique(names, table, catalogue, f"{named} ({catalogue.source(keys)})".strip())


def _in_lower_case(keys: list[Token], where: str, name: str, catalogue: Catalogue) -> PartialIndex | None:
    """The index over `lower(column)` that PostgreSQL and SQLite make of these keys."""
    if catalogue.dialect not in (POSTGRESQL, SQLITE):
        return None
    return lower_index([catalogue.source(part) for part in at_commas(keys)], where, name)
