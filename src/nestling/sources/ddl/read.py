"""A DDL text to a `Reading`: statement by statement into a catalogue, the catalogue into a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from nestling.common.errors import Problem, SourceError, unknown
from nestling.ir.model import View
from nestling.ir.quantity_words import agreeing, counted, first_of
from nestling.ir.reading import GapKind, Reading
from nestling.ir.statements.sql_dialects import DIALECTS, MYSQL, NAMES
from nestling.ir.types import Type, TypeName
from nestling.sources.checks import ReadCheck
from nestling.sources.ddl.alter_table import alter_table, rename_table
from nestling.sources.ddl.catalogue import Catalogue
from nestling.sources.ddl.code_block import CodeBlock
from nestling.sources.ddl.column_type import ReadType, read_type
from nestling.sources.ddl.create_table import create_table, read_collation
from nestling.sources.ddl.create_view import read_view
from nestling.sources.ddl.cursor import Cursor, Name, NotThere, NotUnderstood, as_text, at_commas
from nestling.sources.ddl.dialect import detect_dialect, is_of_oracle, is_of_sql_server
from nestling.sources.ddl.elements import constraint_name, default_sql, default_tokens, named_check
from nestling.sources.ddl.indexes import alter_index, create_index, drop_indexes
from nestling.sources.ddl.statements import DdlStatement, Lines, statements
from nestling.sources.ddl.tokens import Token, TokenKind
from nestling.sources.remarks import routine_left_out, view_left_out, widths
from nestling.sources.shape import shape

_ROWS = ("INSERT", "REPLACE", "COPY", "UPDATE", "DELETE", "MERGE", "LOAD", "TRUNCATE")
_SESSION = (
    "SET", "SELECT", "USE", "LOCK", "UNLOCK", "START", "BEGIN", "COMMIT", "ROLLBACK", "END", "SAVEPOINT", "RELEASE", "GRANT",
    "REVOKE", "COMMENT", "PRAGMA", "ANALYZE", "VACUUM", "CALL", "WITH", "REFRESH", "FLUSH", "SHOW", "SECURITY",
    "REINDEX", "OPTIMIZE", "CHECK", "REPAIR", "EXPLAIN", "DISCARD", "CLUSTER", "REASSIGN", "VALUES",
)  # fmt: skip
_CHANGES = ("ALTER", "DROP", "RENAME")
_BEFORE_TABLE = ("OR", "REPLACE", "GLOBAL", "LOCAL", "UNLOGGED", "TEMP", "TEMPORARY")
_ROUTINES = ("FUNCTION", "PROCEDURE", "TRIGGER", "EVENT", "RULE", "AGGREGATE", "POLICY")
_NO_SHAPE = (
    "INDEX", "FULLTEXT", "SPATIAL", "SCHEMA", "DATABASE", "EXTENSION", "SEQUENCE", "ROLE", "USER", "COLLATION", "CAST",
    "OPERATOR", "STATISTICS", "PUBLICATION", "SUBSCRIPTION", "TEXT", "SERVER", "LANGUAGE", "CONVERSION",
    "TABLESPACE", "ACCESS", "DEFAULT", "VIEW", "MATERIALIZED", "DOMAIN", "GROUP", "LARGE", "SYSTEM", "INSTANCE", "FOREIGN",
)  # fmt: skip


_DROPPED_WITH_COLUMNS = ("TYPE", "DOMAIN", "EXTENSION", "SEQUENCE")
"""What columns may depend on, or their defaults: CASCADE drops these, too."""

_OTHER = (
    "export the schema for PostgreSQL, MySQL or SQLite, as most schema tools can; if nestling misjudges the dialect, name"
    " it with `--dialect`"
)
_ORACLES = "Oracle syntax is read as {}: check the types, and name the dialect with `--dialect`"


def read_ddl(
    text: str, name: str, *, dialect: str = "", origin: str = "", read_check: ReadCheck | None = None
) -> Reading:
    """Read a DDL text; `name` is the model's, `origin` the file's for messages, `dialect` found out when not given.

    `read_check` reads the conditions of CHECKs over rows; without it they are left to the application.
    What is not understood is a gap with its line. Raises `SourceError` when the dialect is not known, or when there is
    no table in the text at all.
    """
    dialect = NAMES.get(dialect.lower(), dialect.lower())
    if dialect and dialect not in DIALECTS:
        raise SourceError(unknown("SQL dialect", dialect, DIALECTS))
    text = text.removeprefix("\ufeff")
    if not dialect and is_of_sql_server(text):
        what = "this is Transact-SQL (SQL Server), which nestling does not read"
        raise SourceError(Problem(what, where=origin, next_move=_OTHER))
    catalogue = Catalogue(dialect or detect_dialect(text), origin, text)
    lines = Lines(text)
    if not dialect and is_of_oracle(text):
        catalogue.note(_ORACLES.format(catalogue.dialect))
    for statement in statements(text, catalogue.dialect, with_rows=False):
        _read_statement(statement, catalogue, lines)
    if not catalogue.tables:
        what = "no table is declared" + (f"; {catalogue.gaps[0]}" if catalogue.gaps else "")
        raise SourceError(Problem(what=what, where=origin, next_move="name a file with CREATE TABLE statements"))
    model, gaps, notes = shape(catalogue.declared_tables(), name, catalogue.dialect, read_check)
    return Reading(
        model=replace(model, views=_views(catalogue)),
        gaps=(*catalogue.gaps, *gaps),
        notes=tuple(dict.fromkeys((*_summary(catalogue), *catalogue.notes, *catalogue.remarks(), *notes))),
        origin=origin,
        dialect=catalogue.dialect,
    )


def _views(catalogue: Catalogue) -> tuple[View, ...]:
    """The views by the names statements call them by, but those a table has too."""
    taken = {catalogue.entity_name(name) for name in catalogue.tables}
    named = {catalogue.entity_name(name): view for name, view in catalogue.views.items()}
    return tuple(replace(view, name=name) for name, view in named.items() if name not in taken)


def _summary(catalogue: Catalogue) -> list[str]:
    """Notes that stand for many alike."""
    notes = []
    if rows := sum(catalogue.skipped.values()):
        words = ", ".join(f"{count} {word}" for word, count in catalogue.skipped.items())
        left = f"{counted(rows, 'statement')} with rows {agreeing(rows)} left out"
        notes.append(f"{left} ({words}): a DDL file is read for its schema only")
    if keys := catalogue.null_keys:
        notes.append(f"SQLite allows NULL in these key columns, which are taken as NOT NULL: {first_of(keys, 5)}")
    return [*notes, *widths(list(catalogue.narrow))]


def _read_statement(statement: DdlStatement, catalogue: Catalogue, lines: Lines) -> None:
    cursor = Cursor(statement.tokens)
    try:
        match cursor.take().key:
            case "CREATE":
                _create(cursor, catalogue, lines, statement)
            case "ALTER":
                _alter(cursor, catalogue, lines, statement)
            case "DROP":
                _drop(cursor, catalogue)
            case "RENAME":
                _rename(cursor, catalogue)
            case "DO":
                _do(catalogue, lines, statement)
            case word if word in _ROWS:
                catalogue.skipped[word] = catalogue.skipped.get(word, 0) + 1
            case word:
                if word not in _SESSION:
                    raise NotUnderstood("is not understood")
    except NotUnderstood as problem:
        kind = GapKind.LOST if _declares_table(statement.tokens) else problem.kind
        catalogue.gap(f"statement `{as_text(statement.tokens)}`: {problem}", statement.line, kind)


def _declares_table(tokens: Sequence[Token]) -> bool:
    """Whether it was meant to, however it is written: `CREAT TABLE b (…)` was."""
    words = [token.key for token in tokens]
    has_body, before = "(" in words, words[: words.index("(")] if "(" in words else words
    return "TABLE" in before and (before[0] == "CREATE" or (has_body and before[0] not in _CHANGES))


def _do(catalogue: Catalogue, lines: Lines, statement: DdlStatement) -> None:
    block = CodeBlock(statement.tokens, catalogue.text, catalogue.dialect)
    if not block.is_read:
        left = "read only for its declarations" if block.declared else "left out: its effects are not read"
        catalogue.note(f"the DO block in line {statement.line} is {left}")
    for each in block.declared:
        _read_statement(DdlStatement(each, lines.at(each[0].start)), catalogue, lines)


# --- CREATE ----------------------------------------------------------------------------------------------------------


def _create(cursor: Cursor, catalogue: Catalogue, lines: Lines, statement: DdlStatement) -> None:
    passed = []
    while cursor.sees_any(*_BEFORE_TABLE):
        passed.append(cursor.take().key)
    if cursor.accept("TABLE"):
        temporary = "TEMP" in passed or "TEMPORARY" in passed
        replaces = "REPLACE" in passed
        create_table(cursor, catalogue, lines, statement.line, temporary=temporary, replaces=replaces)
    elif cursor.accept("UNIQUE", "INDEX") or cursor.accept("UNIQUE"):
        create_index(cursor, catalogue, statement.line, is_unique=True)
    elif cursor.accept("INDEX") or cursor.accept("FULLTEXT", "INDEX") or cursor.accept("SPATIAL", "INDEX"):
        create_index(cursor, catalogue, statement.line, is_unique=False)
    elif cursor.accept("TYPE"):
        _create_type(cursor, catalogue)
    elif cursor.accept("DOMAIN"):
        _create_domain(cursor, catalogue)
    elif cursor.accept("VIRTUAL", "TABLE") or cursor.accept("FOREIGN", "TABLE"):
        cursor.accept("IF", "NOT", "EXISTS")
        what = f"virtual or foreign table `{cursor.qualified_name()[1]}` is left out"
        catalogue.gap(what, statement.line, GapKind.LOST)
    else:
        _create_other(cursor, catalogue, statement.line)


def _create_other(cursor: Cursor, catalogue: Catalogue, line: int) -> None:
    """A view, or what is not part of a model."""
    word = "VIEW" if cursor.sees("MATERIALIZED") else _kind_of_object(cursor)
    if word == "VIEW":
        _create_view(cursor, catalogue)
    elif word in _ROUTINES:
        catalogue.note(routine_left_out(word, _object_name(cursor)))
    elif word in ("SCHEMA", "DATABASE"):
        _create_schema(cursor, catalogue)
    elif word == "COLLATION":
        _create_collation(cursor, catalogue, line)
    elif word not in _NO_SHAPE:
        raise NotUnderstood("is not understood")


def _create_schema(cursor: Cursor, catalogue: Catalogue) -> None:
    """Its tables may be declared within (PostgreSQL), and their collation (MySQL)."""
    if catalogue.dialect == MYSQL:
        _collate_database(cursor, catalogue)
    elif {"TABLE", "VIEW"} & {token.key for token in cursor.rest()}:
        raise NotUnderstood("what is declared within CREATE SCHEMA is not read")


def _create_collation(cursor: Cursor, catalogue: Catalogue, line: int) -> None:
    """One that takes different texts for equal is read as one that does not."""
    cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.qualified_name()[1]
    words = [token.text.lower() for token in cursor.rest()]
    if "deterministic" in words and {"false", "0", "off", "no"} & {*words[words.index("deterministic") + 1 :][:2]}:
        catalogue.gap(f"collation `{name}` takes different texts for equal, which are different here", line)


def _kind_of_object(cursor: Cursor) -> str:
    """The word that says what is created, the clauses MySQL lets stand before it passed over."""
    if cursor.sees_any("ALGORITHM", "DEFINER", "SQL", "AGGREGATE", "RECURSIVE", "MATERIALIZED", "CONSTRAINT"):
        cursor.until("VIEW", *_ROUTINES)
    return cursor.take().key


def _object_name(cursor: Cursor) -> str:
    cursor.accept("IF", "NOT", "EXISTS")
    return cursor.qualified_name()[1]


def _create_view(cursor: Cursor, catalogue: Catalogue) -> None:
    """A table of a view's name was mysqldump's placeholder for it."""
    if cursor.accept("MATERIALIZED", "VIEW"):
        catalogue.note(view_left_out(_object_name(cursor), materialized=True))
        return
    cursor.accept("IF", "NOT", "EXISTS")
    name = catalogue.home(cursor.qualified_name())
    catalogue.tables.pop(name, None)
    catalogue.views[name] = read_view(cursor, name[1], catalogue.text, catalogue.dialect)


def _create_type(cursor: Cursor, catalogue: Catalogue) -> None:
    name = catalogue.home(cursor.qualified_name())
    if cursor.accept("AS", "ENUM"):
        values = tuple(token.text for token in cursor.group() if token.kind is TokenKind.STRING)
        catalogue.types[name] = (
            ReadType(Type(TypeName.ENUM, values=values)) if values else ReadType(Type(TypeName.TEXT))
        )
    else:
        gap = f"type `{name[1]}` is defined in the database and carried as text"
        catalogue.types[name] = ReadType(Type(TypeName.TEXT), gap=gap)


def _create_domain(cursor: Cursor, catalogue: Catalogue) -> None:
    name = catalogue.home(cursor.qualified_name())
    cursor.accept("AS")
    typed = cursor.until("COLLATE", "DEFAULT", "CONSTRAINT", "NOT", "NULL", "CHECK")
    read = read_type(typed, catalogue.dialect, catalogue.types)
    never_null, checks, default = read.not_null, [*read.checks], read.default
    while not cursor.done:
        plain = cursor.until("CONSTRAINT", "CHECK", "DEFAULT")
        never_null = never_null or ("NOT", "NULL") in pairwise(token.key for token in plain)
        if cursor.accept("DEFAULT"):
            default = default_sql(default_tokens(cursor), catalogue.dialect)
        checks += named_check(cursor, catalogue, constraint_name(cursor))
    catalogue.types[name] = replace(read, not_null=never_null, checks=tuple(checks), default=default)


# --- ALTER, DROP, RENAME ---------------------------------------------------------------------------------------------


def _alter(cursor: Cursor, catalogue: Catalogue, lines: Lines, statement: DdlStatement) -> None:
    words = {token.key for token in statement.tokens}
    if cursor.accept("TABLE") or cursor.accept("IGNORE", "TABLE"):
        alter_table(cursor, catalogue, lines, statement.line)
    elif cursor.accept("TYPE"):
        _alter_type(cursor, catalogue)
    elif cursor.accept("INDEX"):
        alter_index(cursor, catalogue)
    elif cursor.sees("DOMAIN") and not words & {"OWNER", "VALIDATE"}:
        raise NotUnderstood("changes to a domain are not tracked")
    elif cursor.sees("VIEW") or (cursor.sees_any("ALGORITHM", "DEFINER", "SQL") and "VIEW" in words):
        _kind_of_object(cursor)
        _alter_view(cursor, catalogue)
    elif cursor.sees_any("SCHEMA", "DATABASE"):
        _alter_schema(cursor, catalogue)
    elif not cursor.sees_any(*_NO_SHAPE, *_ROUTINES, "ALGORITHM", "DEFINER", "SQL"):
        raise NotUnderstood("is not understood")


def _alter_view(cursor: Cursor, catalogue: Catalogue) -> None:
    """A new name, another schema or another SELECT for a view."""
    is_optional = cursor.accept("IF", "EXISTS")
    name = catalogue.home(cursor.qualified_name())
    if name not in catalogue.views:
        if not is_optional and catalogue.tables:
            raise NotThere(f"there is no view `{name[1]}`")
    elif cursor.accept("RENAME", "TO"):
        catalogue.views[name[0], cursor.name()] = catalogue.views.pop(name)
    elif cursor.accept("SET", "SCHEMA"):
        catalogue.views[catalogue.home((cursor.name(), name[1]))] = catalogue.views.pop(name)
    elif cursor.sees_any("AS", "("):
        catalogue.views[name] = read_view(cursor, name[1], catalogue.text, catalogue.dialect)
    elif not cursor.sees_any("OWNER", "ALTER", "SET", "RESET"):
        raise NotUnderstood("is not understood")


def _alter_schema(cursor: Cursor, catalogue: Catalogue) -> None:
    """A new name for a schema, which its tables follow; in MySQL the collation of tables that are created later."""
    cursor.take()
    if catalogue.dialect == MYSQL:
        _collate_database(cursor, catalogue)
        return
    old = cursor.name()
    if cursor.accept("RENAME", "TO"):
        new = cursor.name()
        for table in [each for each in catalogue.tables.values() if each.name[0] == catalogue.home((old, ""))[0]]:
            rename_table(table, (new, table.name[1]), catalogue)


def _collate_database(cursor: Cursor, catalogue: Catalogue) -> None:
    cursor.until("CHARACTER", "CHARSET", "COLLATE")
    if (collation := read_collation(cursor)) is not None:
        catalogue.usual_collation = collation


def _alter_type(cursor: Cursor, catalogue: Catalogue) -> None:
    """ADD VALUE joins an enum, for columns declared after it as for those before."""
    name = catalogue.home(cursor.qualified_name())
    if cursor.accept("OWNER"):
        return
    if cursor.accept("SET", "SCHEMA") and name in catalogue.types:
        catalogue.types[catalogue.home((cursor.name(), name[1]))] = catalogue.types.pop(name)
        return
    old = catalogue.types.get(name)
    if old is None or not cursor.accept("ADD", "VALUE"):
        raise NotUnderstood("is not understood")
    cursor.accept("IF", "NOT", "EXISTS")
    value = cursor.take().text
    wider = Type(TypeName.ENUM, values=tuple(dict.fromkeys((*old.type.values, value))))
    catalogue.types[name] = ReadType(wider)
    catalogue.retype(old.type, wider)


def _drop(cursor: Cursor, catalogue: Catalogue) -> None:
    cursor.accept("TEMPORARY")
    kind = cursor.take().key
    if kind == "INDEX":
        drop_indexes(cursor, catalogue)
        return
    if kind not in ("TABLE", "VIEW", *_DROPPED_WITH_COLUMNS, "SCHEMA", "DATABASE"):
        return
    cursor.accept("IF", "EXISTS")
    parts = at_commas(cursor.rest())
    is_cascaded = any(token.key == "CASCADE" for part in parts for token in part[-1:])
    for part in parts:
        _drop_one(kind, Cursor(part).qualified_name(), catalogue, is_cascaded=is_cascaded)


def _drop_one(kind: str, name: Name, catalogue: Catalogue, *, is_cascaded: bool) -> None:
    if kind == "VIEW":
        catalogue.views.pop(catalogue.home(name), None)
    elif kind in ("SCHEMA", "DATABASE"):
        schema = catalogue.home((name[1], ""))[0]
        for each in [each for each in catalogue.tables.values() if each.name[0] == schema]:
            catalogue.drop_table(each, cascade=True)
        catalogue.views = {known: view for known, view in catalogue.views.items() if known[0] != schema}
    elif kind == "TABLE" and (table := catalogue.find(name)) is not None:
        catalogue.drop_table(table, cascade=is_cascaded)
    elif kind in _DROPPED_WITH_COLUMNS:
        is_known = catalogue.types.pop(catalogue.home(name), None) is not None
        if is_cascaded and catalogue.tables and (is_known or kind in ("EXTENSION", "SEQUENCE")):
            raise NotUnderstood("what is dropped with it is not known")


def _rename(cursor: Cursor, catalogue: Catalogue) -> None:
    if not cursor.accept("TABLE"):
        return
    for part in at_commas(cursor.rest()):
        pair = Cursor(part)
        table = catalogue.find(pair.qualified_name())
        if table is None or not pair.accept("TO"):
            raise NotUnderstood("is not understood")
        rename_table(table, pair.qualified_name(), catalogue)
