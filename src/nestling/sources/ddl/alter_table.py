"""ALTER TABLE: what pg_dump, phpMyAdmin, mysqldump and people write to complete a table after creating it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from nestling.ir.constraints.defaults import Generated
from nestling.ir.reading import GapKind
from nestling.ir.statements.sql_dialects import MYSQL
from nestling.ir.types import TEXTS
from nestling.sources.ddl.catalogue import Catalogue
from nestling.sources.ddl.create_table import finish_key, read_collation, set_engine
from nestling.sources.ddl.cursor import (
    COMMA_TOO_MANY,
    Cursor,
    NotThere,
    NotUnderstood,
    as_sql,
    as_text,
    at_any_commas,
    at_commas,
)
from nestling.sources.ddl.declared import Declared
from nestling.sources.ddl.elements import is_constraint, read_column, read_constraint
from nestling.sources.ddl.given_names import name_constraints
from nestling.sources.ddl.indexes import drop_constraint, drop_key, drop_link
from nestling.sources.ddl.statements import Lines
from nestling.sources.ddl.tokens import Token, TokenKind
from nestling.sources.defaults import read_default, retyped
from nestling.sources.tables import find_name

_WITHOUT_MEANING = (
    "OWNER", "RESET", "CLUSTER", "REPLICA", "FORCE", "AUTO_INCREMENT", "COMMENT", "ROW_FORMAT", "ORDER", "ALGORITHM", "LOCK",
    "CHECK", "STATS_PERSISTENT", "MAX_ROWS", "AVG_ROW_LENGTH", "PACK_KEYS", "CHECKSUM", "KEY_BLOCK_SIZE", "DISCARD", "IMPORT",
    "TABLESPACE", "TRUNCATE", "ANALYZE", "OPTIMIZE", "REBUILD",
)  # fmt: skip
"""Who owns a table, how its rows are stored, and what changes rows only."""
_VOID = (
    "DROP", "SET", "ENABLE", "DISABLE", "NO", "VALIDATE", "DETACH", "ENGINE", "CONVERT", "CHARACTER", "CHARSET", "COLLATE",
    "DEFAULT",
)  # fmt: skip
"""Other actions that could not have mattered on a table that is not declared."""
_SET_WITHOUT_MEANING = ("(", "LOGGED", "UNLOGGED", "WITHOUT", "WITH", "TABLESPACE", "ACCESS")


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
            catalogue.gap(f"{what}: {as_text(actions[0])}", line, GapKind.INPUT)
        return
    for action in sorted(actions, key=lambda each: _turn(each, catalogue.dialect)):
        where = lines.at(action[0].start)
        try:
            _apply(Cursor(action), table, catalogue, where)
        except NotUnderstood as problem:
            catalogue.gap(f"ALTER TABLE `{name[1]}` {as_text(action)}: {problem}", where, problem.kind)
    name_constraints(table, catalogue)
    catalogue.bind(table)
    for comma in empty:
        catalogue.gap(f"ALTER TABLE `{name[1]}`: {COMMA_TOO_MANY}", lines.at(comma.start), GapKind.INPUT)


def _turn(action: list[Token], dialect: str) -> int:
    """When a database applies an action of several: what is dropped first; constraints last, and columns placed after others."""
    match action[0].key:
        case "DROP":
            return 0
        case "MODIFY" | "CHANGE" | "RENAME" if dialect == MYSQL:
            return 2 if _position(action, dialect)[1] is not None else 1
        case "ADD":
            return 3 if is_constraint(action[1:] or action, dialect) else 2
        case _:
            return 2


def _is_void(action: list[Token]) -> bool:
    """Whether an action could not have mattered: dropping, defaults, owners, storage."""
    return (
        action[0].key in (*_VOID, *_WITHOUT_MEANING)
        or {"DROP", "SET", "DEFAULT"} & {t.key for t in action[1:4]} != set()
    )


def _apply(cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    match cursor.take().key:
        case "ADD":
            _add(cursor, table, catalogue, line)
        case "MODIFY" | "CHANGE" as word:
            cursor.accept("COLUMN")
            cursor.accept("IF", "EXISTS")
            _redefine(cursor.name() if word == "CHANGE" else cursor.peek().text, cursor, table, catalogue, line)
        case "ALTER":
            _alter_column(cursor, table, catalogue, line)
        case "DROP":
            _drop(cursor, table, catalogue)
        case "RENAME":
            _rename(cursor, table, catalogue)
        case "ATTACH":
            _attach(cursor, table, catalogue)
        case "DETACH":
            _detach(cursor, table, catalogue)
        case word:
            _apply_option(word, cursor, table, catalogue, line)


def _apply_option(word: str, cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    """What changes no column: where a table is, what is enforced, how texts that come are compared."""
    match word:
        case "SET":
            _set(cursor, table, catalogue)
        case "ENABLE" | "DISABLE":
            _switch(cursor, table, is_on=word == "ENABLE")
        case "VALIDATE":
            cursor.accept("CONSTRAINT")
            name = cursor.name()
            if not table.change_link(name, partial(replace, valid=True)):
                table.enforce_check(name, enforced=True)
        case "ENGINE":
            cursor.accept("=")
            set_engine(table, cursor.name())
        case "CONVERT" | "CHARACTER" | "CHARSET" | "COLLATE" | "DEFAULT":
            _collate(cursor, table, catalogue, word, line)
        case "INHERIT":
            parent = catalogue.home(cursor.qualified_name())
            catalogue.add_heir(parent, table, line)
        case _ if word not in _WITHOUT_MEANING and not (word == "NO" and cursor.sees("FORCE")):
            raise NotUnderstood("is not understood")


def _set(cursor: Cursor, table: Declared, catalogue: Catalogue) -> None:
    if cursor.accept("SCHEMA"):
        rename_table(table, (cursor.name(), table.name[1]), catalogue)
    elif not cursor.sees_any(*_SET_WITHOUT_MEANING):
        raise NotUnderstood("is not understood")


def _switch(cursor: Cursor, table: Declared, *, is_on: bool) -> None:
    """ENABLE and DISABLE: triggers, by which PostgreSQL enforces foreign keys, and policies."""
    if cursor.accept("ROW"):
        table.has_policies = is_on
    elif cursor.accept("TRIGGER", "ALL"):
        table.has_triggers = is_on
    elif not cursor.sees_any("TRIGGER", "RULE", "ALWAYS", "REPLICA", "KEYS"):
        raise NotUnderstood("is not understood")


def _collate(cursor: Cursor, table: Declared, catalogue: Catalogue, word: str, line: int) -> None:
    """The character set and collation: of all columns (CONVERT TO), else of those that are added later."""
    is_of_all = word == "CONVERT"
    if is_of_all:
        cursor.accept("TO")
    tokens = cursor.rest()
    rest = Cursor(tokens) if is_of_all or word == "DEFAULT" else Cursor([_keyword(word, tokens), *tokens])
    collation = read_collation(rest)
    if collation is None:
        raise NotUnderstood("is not understood")
    if is_of_all:
        if any(token.key == "BINARY" for token in tokens[:3]) and any(
            c.type.name in TEXTS for c in table.columns.values()
        ):
            catalogue.gap(f"the texts of `{table.name[1]}` become bytes in the source, and stay texts here", line)
        table.collated.clear()
    else:
        table.keep_collations()
    table.collation = collation


def _keyword(word: str, near: Sequence[Token]) -> Token:
    return Token(TokenKind.WORD, word, word, near[0].start if near else 0, near[0].start if near else 0)


def _add(cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    action = cursor.rest()
    if not action:
        raise NotUnderstood("nothing is added")
    if action[0].key == "PARTITION":
        return
    if is_constraint(action, catalogue.dialect):
        read_constraint(action, table, catalogue, line)
        finish_key(table, catalogue)
        return
    action, after = _position(action, catalogue.dialect)
    adding = Cursor(action)
    adding.accept("COLUMN")
    is_optional = adding.accept("IF", "NOT", "EXISTS")
    parts = at_commas(adding.group()) if adding.sees("(") else [adding.rest()]
    for part in parts:
        if not part:
            raise NotUnderstood("nothing is added")
        if find_name(part[0].text, table.columns) is not None:
            if not is_optional:
                raise NotUnderstood(f"there is a column `{part[0].text}` already")
            continue
        column = read_column(part, table, catalogue, line)
        if column is not None:
            table.columns[column.name] = column
            _place(column.name, after, table)
    finish_key(table, catalogue)


def _position(tokens: list[Token], dialect: str) -> tuple[list[Token], str | None]:
    """A column's declaration without MySQL's `FIRST` or `AFTER x` behind it, and the column before it: empty for FIRST."""
    if dialect == MYSQL and tokens[-1].key == "FIRST" and len(tokens) > 1:
        return tokens[:-1], ""
    if dialect == MYSQL and len(tokens) > 2 and tokens[-2].key == "AFTER":
        return tokens[:-2], tokens[-1].text
    return tokens, None


def _place(name: str, after: str | None, table: Declared) -> None:
    if after is not None:
        table.place_column(name, after)


def _redefine(old: str, cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    """MODIFY and CHANGE: the column anew, under its old or a new name, and at another place where one is said."""
    known = find_name(old, table.columns)
    if known is None:
        raise NotThere(f"there is no column `{old}`")
    table.doubt_checks(known)
    tokens, after = _position(cursor.rest(), catalogue.dialect)
    table.collated.discard(known)
    column = read_column(tokens, table, catalogue, line)
    if column is None:
        return
    if column.name.casefold() != known.casefold():
        catalogue.rename_column(table, known, column.name)
        known = column.name
    table.columns[known] = replace(column, name=known)
    finish_key(table, catalogue)
    _place(known, after, table)


def _alter_column(cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    if cursor.accept_any("INDEX", "KEY"):
        return
    if cursor.accept_any("CONSTRAINT", "CHECK"):
        _alter_constraint(cursor, table)
        return
    cursor.accept("COLUMN")
    cursor.accept("IF", "EXISTS")
    name = table.column_name(cursor.name())
    if name not in table.columns:
        raise NotThere(f"there is no column `{name}`")
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


def _alter_constraint(cursor: Cursor, table: Declared) -> None:
    """Whether a foreign key or a check is enforced from now on, and whether a foreign key is when a transaction ends."""
    name = cursor.name()
    if find_name(name, table.known_names()) is None and not table.checks:
        raise NotThere(f"there is no constraint `{name}`")
    while not cursor.done:
        if cursor.sees("ENFORCED") or cursor.sees("NOT", "ENFORCED"):
            is_enforced = not cursor.accept("NOT")
            cursor.take()
            table.change_link(name, partial(replace, enforced=is_enforced))
            table.enforce_check(name, enforced=is_enforced)
        elif cursor.accept("INITIALLY"):
            table.change_link(name, partial(replace, deferred=cursor.take().key == "DEFERRED"))
        elif cursor.accept("NOT", "DEFERRABLE"):
            table.change_link(name, partial(replace, deferred=False))
        elif not cursor.accept("DEFERRABLE"):
            raise NotUnderstood("is not understood")


def _alter_default(name: str, cursor: Cursor, table: Declared, dialect: str) -> bool:
    """SET and DROP DEFAULT, and what makes an identity of a column; whether it was one of these."""
    column = table.columns[name]
    if cursor.accept("SET", "DEFAULT"):
        column = replace(column, default=read_default(as_sql(cursor.rest(), dialect), column.type, dialect))
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


def _drop(cursor: Cursor, table: Declared, catalogue: Catalogue) -> None:
    if cursor.accept("PRIMARY", "KEY"):
        if not table.key:
            raise NotThere("there is no primary key")
        drop_key(table, catalogue)
    elif kind := cursor.accept_any("CONSTRAINT", "CHECK", "INDEX", "KEY", "FOREIGN"):
        cursor.accept("KEY")
        is_optional = cursor.accept("IF", "EXISTS")
        name = cursor.name()
        if kind == "FOREIGN":
            drop_link(table, name, is_optional=is_optional)
            return
        is_index, is_cascaded = kind in ("INDEX", "KEY"), cursor.sees("CASCADE")
        drop_constraint(table, name, catalogue, is_index=is_index, is_cascaded=is_cascaded, is_optional=is_optional)
    elif not cursor.accept("PARTITION"):
        cursor.accept("COLUMN")
        is_optional = cursor.accept("IF", "EXISTS")
        name = cursor.name()
        if find_name(name, table.columns) is not None or not is_optional:
            catalogue.drop_column(table, name, cascade=cursor.sees("CASCADE"))


def _rename(cursor: Cursor, table: Declared, catalogue: Catalogue) -> None:
    if cursor.accept_any("CONSTRAINT", "INDEX", "KEY"):
        cursor.accept("IF", "EXISTS")
        old = cursor.name()
        if not cursor.accept("TO"):
            raise NotUnderstood("is not understood")
        if not table.rename_constraint(old, cursor.name()) and not table.is_implied(old):
            raise NotThere(f"there is no constraint `{old}`")
        return
    if cursor.accept("TO") or cursor.accept("AS") or (catalogue.dialect == MYSQL and cursor.peek(1).text == ""):
        rename_table(table, cursor.qualified_name(), catalogue)
        return
    cursor.accept("COLUMN")
    cursor.accept("IF", "EXISTS")
    old = cursor.name()
    if not cursor.accept("TO"):
        raise NotUnderstood("is not understood")
    catalogue.rename_column(table, old, cursor.name())


def rename_table(table: Declared, new: tuple[str, str], catalogue: Catalogue) -> None:
    """Give a table a new name, or one in another schema, which foreign keys to it follow."""
    old, name = table.name, catalogue.home((new[0] or table.name[0], new[1]))
    if name != old and name in catalogue.tables:
        raise NotUnderstood(f"there is a table `{catalogue.entity_name(name)}` already")
    of_it = [(other, link) for other, link in catalogue.links_to(table)]
    del catalogue.tables[old]
    table.name = name
    catalogue.tables[table.name] = table
    for other, link in of_it:
        other.links = [replace(each, target=name) if each is link else each for each in other.links]
    if catalogue.dialect == MYSQL:
        given = re.compile(rf"{re.escape(old[1])}(?=_ibfk_\d+\Z)", re.IGNORECASE)
        table.links = [replace(each, name=given.sub(lambda _: name[1], each.name)) for each in table.links]


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


def _detach(cursor: Cursor, table: Declared, catalogue: Catalogue) -> None:
    """DETACH PARTITION: a table of its own from now on, of the same columns."""
    cursor.accept("PARTITION")
    name = catalogue.home(cursor.qualified_name())
    if name not in catalogue.partitions:
        raise NotThere(f"there is no partition `{name[1]}`")
    del catalogue.partitions[name]
    own = Declared(name, table.line, columns=dict(table.columns), key=table.key, plain=set(table.plain))
    own.uniques = [replace(each, name="", made=0) for each in table.uniques]
    own.links = [replace(each, name="") for each in table.links]
    own.checks = list(table.checks)
    catalogue.declare(own)
    name_constraints(own, catalogue)
