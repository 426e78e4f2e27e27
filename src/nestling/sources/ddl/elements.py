"""The elements of a CREATE or ALTER TABLE: a column with its constraints, and constraints of the table."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.constraints.defaults import ComputedAttribute, Generated
from nestling.ir.model import Attribute, OnDelete, OnUpdate
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.sources.affinity import with_affinity
from nestling.sources.ddl.catalogue import Catalogue, Declared
from nestling.sources.ddl.column_type import read_type
from nestling.sources.ddl.cursor import Cursor, Name, NotUnderstood, as_sql, as_text, at_commas
from nestling.sources.ddl.tokens import Token, TokenKind
from nestling.sources.defaults import collation_named, read_default, with_default_kind
from nestling.sources.remarks import computed, set_by_updates, unique_by_expression
from nestling.sources.tables import CheckConstraint, ForeignKey

_STARTS = (
    "NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "KEY", "REFERENCES", "CHECK", "CONSTRAINT", "COLLATE", "GENERATED", "AS",
    "AUTO_INCREMENT", "AUTOINCREMENT", "COMMENT", "ON", "STORED", "VIRTUAL", "PERSISTENT", "INVISIBLE", "VISIBLE", "STORAGE",
    "COMPRESSION", "COLUMN_FORMAT", "SRID", "FIRST", "AFTER", "DEFERRABLE", "INITIALLY", "MATCH", "ENFORCED", "IDENTITY",
)  # fmt: skip
_FLAGS = ("NULL", "STORED", "VIRTUAL", "PERSISTENT", "INVISIBLE", "VISIBLE", "FIRST",
          "DEFERRABLE", "ENFORCED", "ASC", "DESC", "CLUSTERED", "NONCLUSTERED")  # fmt: skip
_WITH_A_WORD = ("COMMENT", "STORAGE", "COMPRESSION", "COLUMN_FORMAT", "SRID", "AFTER", "INITIALLY", "MATCH")
_TABLE_CONSTRAINTS = ("CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK")
_INDEX_WORDS = ("KEY", "INDEX", "FULLTEXT", "SPATIAL", "PERIOD")


def is_constraint(tokens: list[Token], dialect: str) -> bool:
    """Whether an element is a constraint of the table and not a column."""
    key, following = tokens[0].key, tokens[1].key if len(tokens) > 1 else ""
    if key in _TABLE_CONSTRAINTS:
        return True
    if key in _INDEX_WORDS:
        return dialect == MYSQL or (key == "PERIOD" and following == "FOR")
    return key == "EXCLUDE" and dialect == POSTGRESQL and following in ("USING", "(")


# --- columns ---------------------------------------------------------------------------------------------------------


def read_column(tokens: list[Token], table: Declared, catalogue: Catalogue, line: int) -> Attribute | None:
    """The column an element declares, its constraints added to the table; a gap and None when it cannot be read."""
    cursor = Cursor(tokens)
    try:
        name = cursor.name()
        typed = cursor.until(*_STARTS)
        read = read_type(typed, catalogue.dialect, catalogue.types)
    except NotUnderstood as problem:
        catalogue.gap(f"column `{as_text(tokens)}` of `{table.name[1]}`: {problem}", line)
        return None
    if read.gap:
        catalogue.gap(f"`{table.name[1]}.{name}`: {read.gap}", line)
    if read.note:
        catalogue.note(read.note)
    if catalogue.dialect == SQLITE and [token.key for token in typed] == ["INTEGER"]:
        table.integers.add(name)
    table.plain = table.plain | {name} if read.plain else table.plain - {name}
    table.checks += [replace(check, column=name) for check in read.checks]
    column = Attribute(
        name,
        read.type,
        not read.not_null,
        default=Generated.SEQUENCE if read.counted else None,
        allowed=read.allowed,
        fraction=catalogue.fraction(read),
    )
    if read.narrow:
        catalogue.narrow.setdefault(f"`{table.name[1]}.{name}`")
    column = with_affinity(column, as_sql(typed), catalogue.dialect)
    if read.collation is not None:
        table.collated.add(name)
        column = replace(column, collation=read.collation)
    while not cursor.done:
        try:
            column = _column_constraint(cursor, column, table, catalogue, line)
        except NotUnderstood as problem:
            catalogue.gap(f"column `{name}` of `{table.name[1]}`: {problem}", line)
            cursor.until(*_STARTS)
    return column


def _column_constraint(
    cursor: Cursor, column: Attribute, table: Declared, catalogue: Catalogue, line: int
) -> Attribute:
    if cursor.accept("NOT", "NULL"):
        _conflict_clause(cursor)
        return replace(column, nullable=False)
    if cursor.sees_any("CONSTRAINT", "CHECK"):
        _named_or_check(cursor, table, catalogue)
    elif cursor.accept("PRIMARY", "KEY") or (catalogue.dialect == MYSQL and cursor.accept("KEY")):
        table.key = (column.name,)
        table.name_constraint(table.key)
        _conflict_clause(cursor)
    elif cursor.accept("UNIQUE"):
        cursor.accept_any("KEY", "INDEX")
        table.uniques.append((column.name,))
        table.name_constraint((column.name,))
        _conflict_clause(cursor)
    elif cursor.sees("REFERENCES"):
        target, key = _references(cursor, (column.name,), catalogue.where(line))
        # MySQL before 9 reads an inline REFERENCES and forgets it
        table.foreign_keys.append((target, replace(key, enforced=key.enforced and catalogue.dialect != MYSQL)))
    elif cursor.accept("DEFAULT"):
        default = read_default(default_sql(default_tokens(cursor), catalogue.dialect), column.type, catalogue.dialect)
        return with_default_kind(replace(column, default=default))
    elif cursor.accept("COLLATE"):
        table.collated.add(column.name)
        return replace(column, collation=collation_named(cursor.qualified_name()[1]))
    elif (made := _numbered(cursor)) is not None:
        return replace(column, default=made)
    elif cursor.sees_any("GENERATED", "AS"):
        return _computed(cursor, column, table, catalogue)
    else:
        _without_meaning(cursor, column, table, catalogue)
    return column


def _named_or_check(cursor: Cursor, table: Declared, catalogue: Catalogue) -> None:
    """A column's CHECK, or the name of what comes next; that of a key or UNIQUE is kept until then."""
    named = constraint_name(cursor)
    table.checks += named_check(cursor, catalogue, named)
    table.waiting = named if cursor.sees_any("PRIMARY", "UNIQUE") else ""


def default_tokens(cursor: Cursor) -> list[Token]:
    """The expression after DEFAULT."""
    found = [cursor.take()]
    if found[0].key == "(":
        found += [*cursor.until(")"), cursor.take()]
    return found + cursor.until(*_STARTS)


def default_sql(tokens: list[Token], dialect: str) -> str:
    """The expression of a default as SQL; a quoted name is a text in SQLite, as no column can be meant."""
    if dialect != SQLITE:
        return as_sql(tokens)
    return as_sql([each._replace(kind=TokenKind.STRING) if each.kind is TokenKind.NAME else each for each in tokens])


_NUMBERED = (
    (("AUTO_INCREMENT",), Generated.SEQUENCE),
    (("AUTOINCREMENT",), Generated.SEQUENCE),
    (("GENERATED", "ALWAYS", "AS", "IDENTITY"), Generated.IDENTITY),
    (("GENERATED", "BY", "DEFAULT", "AS", "IDENTITY"), Generated.SEQUENCE),
    (("IDENTITY",), Generated.SEQUENCE),
)


def _numbered(cursor: Cursor) -> Generated | None:
    """What numbers the column of AUTO_INCREMENT, `GENERATED … AS IDENTITY (…)`, or of IDENTITY alone."""
    for words, made in _NUMBERED:
        if cursor.accept(*words):
            cursor.skip_group()
            return made
    return None


def _conflict_clause(cursor: Cursor) -> None:
    cursor.accept_any("ASC", "DESC")
    if cursor.accept("ON", "CONFLICT"):
        cursor.take()


def _computed(cursor: Cursor, column: Attribute, table: Declared, catalogue: Catalogue) -> Attribute:
    """The column of `[GENERATED …] AS (expression)`; the start and end of a row's time are not computed from the row."""
    cursor.until("AS")
    cursor.accept("AS")
    if cursor.accept("ROW"):
        cursor.until(*_STARTS)
        return column
    catalogue.note(computed(table.name[1], column.name))
    return replace(column, default=ComputedAttribute(as_sql(cursor.group())))


def _without_meaning(cursor: Cursor, column: Attribute, table: Declared, catalogue: Catalogue) -> None:
    """Pass what says nothing about the shape of data: comments, storage; what an UPDATE sets by itself is noted."""
    if cursor.accept("ON", "UPDATE"):
        cursor.take()
        cursor.skip_group()
        catalogue.note(set_by_updates(table.name[1], column.name))
    elif cursor.accept_any(*_WITH_A_WORD):
        cursor.accept("=")
        cursor.qualified_name() if cursor.peek().kind is not TokenKind.NUMBER else cursor.take()
    elif not (cursor.accept("NOT", "DEFERRABLE") or cursor.accept("NOT", "VALID") or cursor.accept_any(*_FLAGS)):
        raise NotUnderstood(f"`{as_text([cursor.take()])}` is not understood")


# --- constraints of the table ----------------------------------------------------------------------------------------


def read_constraint(tokens: list[Token], table: Declared, catalogue: Catalogue, line: int) -> None:
    """Add the constraint an element declares to the table; a gap when it cannot be read."""
    cursor = Cursor(tokens)
    try:
        while not cursor.done:
            _constraint(cursor, table, catalogue, line)
    except NotUnderstood as problem:
        catalogue.gap(f"constraint `{as_text(tokens)}` of `{table.name[1]}`: {problem}", line)


def _constraint(cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    table.waiting = constraint_name(cursor)
    checks = named_check(cursor, catalogue, table.waiting)
    table.checks += checks
    if cursor.accept("PRIMARY", "KEY"):
        _names_until_group(cursor)
        table.key = tuple(plain_columns(cursor.group()) or ())
        table.name_constraint(table.key)
    elif cursor.accept("UNIQUE"):
        _names_until_group(cursor)
        columns = plain_columns(cursor.group())
        add_unique(columns, table, catalogue)
        table.name_constraint(tuple(columns or ()))
    elif cursor.accept("FOREIGN", "KEY"):
        cursor.until("(")
        own = tuple(plain_columns(cursor.group()) or ())
        table.foreign_keys.append(_references(cursor, own, catalogue.where(line)))
    elif cursor.accept("EXCLUDE"):
        catalogue.note(f"an exclusion constraint of `{table.name[1]}` is left out: it does not affect the schema")
        cursor.rest()
    elif cursor.accept_any(*_INDEX_WORDS):
        cursor.rest()
    elif not checks:
        raise NotUnderstood("is not understood")
    _conflict_or_options(cursor)


def constraint_name(cursor: Cursor) -> str:
    """Pass a constraint's name; empty where it has none."""
    if cursor.accept("CONSTRAINT") and not cursor.sees_any("PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE"):
        return cursor.name()
    return ""


def named_check(cursor: Cursor, catalogue: Catalogue, named: str) -> tuple[CheckConstraint, ...]:
    """Pass the CHECK of that name, if that is what comes."""
    if not cursor.accept("CHECK"):
        return ()
    check = CheckConstraint(catalogue.source(cursor.group()), named)
    while True:
        if cursor.accept("NOT", "VALID") or cursor.accept("NOT", "ENFORCED"):
            check = replace(check, holds=False)
        elif not (cursor.accept("NO", "INHERIT") or cursor.accept("ENFORCED")):
            return (check,)


def _names_until_group(cursor: Cursor) -> None:
    """Pass an index's name and method, which MySQL lets stand before the columns."""
    if cursor.accept("USING", "INDEX"):
        raise NotUnderstood(f"its columns come from the index `{as_text(cursor.rest())}`")
    cursor.until("(")


def _conflict_or_options(cursor: Cursor) -> None:
    """Pass what may follow a constraint, up to a next one that stands there without a comma (SQLite allows it)."""
    while not cursor.done and not cursor.sees_any(*_TABLE_CONSTRAINTS):
        cursor.take()


def plain_columns(tokens: list[Token]) -> list[str] | None:
    """The columns of an index, orders and prefix lengths left out; None when one of them is an expression or prefix."""
    names = []
    for part in at_commas(tokens):
        cursor = Cursor(part)
        if cursor.peek().kind not in (TokenKind.WORD, TokenKind.NAME, TokenKind.STRING):
            return None
        names.append(cursor.take().text)
        if cursor.sees("("):  # a prefix length, or a function's arguments
            inner = cursor.group()
            if not (len(inner) == 1 and inner[0].kind is TokenKind.NUMBER):
                return None
        if not cursor.done and cursor.peek().kind is TokenKind.SYMBOL:
            return None
    return names


def add_unique(names: list[str] | None, table: Declared, catalogue: Catalogue, index: str = "") -> None:
    """Add a unique group; a note when it is over an expression, with the name and the keys of the `index`."""
    if names is None:
        catalogue.note(unique_by_expression(table.name[1], index))
    else:
        table.uniques.append(tuple(names))


def _references(cursor: Cursor, columns: tuple[str, ...], where: str) -> tuple[Name, ForeignKey]:
    """`REFERENCES table (columns) ON DELETE … …`, and whether the database enforces it."""
    if not cursor.accept("REFERENCES"):
        raise NotUnderstood(f"REFERENCES is missing before `{cursor.peek().text}`")
    target = cursor.qualified_name()
    referenced = tuple(plain_columns(cursor.group()) or ()) if cursor.sees("(") else ()
    key = ForeignKey(columns, target[1], referenced, where=where)
    while True:
        if cursor.accept("ON", "DELETE"):
            key = replace(key, on_delete=_action(cursor))
        elif cursor.accept("ON", "UPDATE"):
            key = replace(key, on_update=OnUpdate(_action(cursor).value))
        elif cursor.accept("NOT", "VALID"):
            key = replace(key, valid=False)
        elif cursor.accept("NOT", "ENFORCED"):
            key = replace(key, enforced=False)
        elif cursor.accept("MATCH"):
            cursor.take()
        elif cursor.accept("INITIALLY"):
            key = replace(key, deferred=cursor.take().key == "DEFERRED")
        elif not (cursor.accept("NOT", "DEFERRABLE") or cursor.accept("DEFERRABLE")):
            return target, key


def _action(cursor: Cursor) -> OnDelete:
    if cursor.accept("CASCADE"):
        return OnDelete.CASCADE
    if cursor.accept("SET"):
        found = OnDelete.SET_NULL if cursor.take().key == "NULL" else OnDelete.SET_DEFAULT
        cursor.skip_group()
        return found
    cursor.accept("NO")
    cursor.take()
    return OnDelete.RESTRICT
