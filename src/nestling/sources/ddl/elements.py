"""The elements of a CREATE or ALTER TABLE: a column with its constraints, and constraints of the table."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.constraints.defaults import ComputedAttribute, Generated
from nestling.ir.model import Attribute, OnDelete, OnUpdate
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.sources.affinity import with_affinity
from nestling.sources.checks import exclusion_left_out
from nestling.sources.ddl.catalogue import Catalogue
from nestling.sources.ddl.column_type import read_type
from nestling.sources.ddl.cursor import Cursor, Name, NotUnderstood, as_sql, as_text, at_commas
from nestling.sources.ddl.declared import Declared, DeclaredLink, DeclaredUnique
from nestling.sources.ddl.given_names import free_index_name, index_name
from nestling.sources.ddl.tokens import Token, TokenKind
from nestling.sources.defaults import collation_named, read_default, with_default_kind
from nestling.sources.remarks import checked_late, computed, invisible, set_by_updates, unique_prefix
from nestling.sources.tables import CheckConstraint, ForeignKey, find_name

_STARTS = (
    "NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "KEY", "REFERENCES", "CHECK", "CONSTRAINT", "COLLATE", "GENERATED", "AS",
    "AUTO_INCREMENT", "AUTOINCREMENT", "COMMENT", "ON", "STORED", "VIRTUAL", "PERSISTENT", "INVISIBLE", "VISIBLE", "STORAGE",
    "COMPRESSION", "COLUMN_FORMAT", "SRID", "FIRST", "AFTER", "DEFERRABLE", "INITIALLY", "MATCH", "ENFORCED", "IDENTITY",
)  # fmt: skip
_FLAGS = ("NULL", "STORED", "VIRTUAL", "PERSISTENT", "VISIBLE", "ENFORCED", "ASC", "DESC", "CLUSTERED", "NONCLUSTERED")
_WITH_A_WORD = ("COMMENT", "STORAGE", "COMPRESSION", "COLUMN_FORMAT", "SRID")
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
        catalogue.gap(f"column `{as_text(tokens)}` of `{table.name[1]}`: {problem}", line, problem.kind)
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
        default=Generated.SEQUENCE if read.counted else read_default(read.default, read.type, catalogue.dialect),
        allowed=read.allowed,
        fraction=catalogue.fraction(read),
    )
    if read.narrow:
        catalogue.narrow.setdefault(f"`{table.name[1]}.{name}`")
    column = with_affinity(column, as_sql(typed, catalogue.dialect), catalogue.dialect)
    if read.collation is not None:
        table.collated.add(name)
        column = replace(column, collation=read.collation)
    while not cursor.done:
        try:
            column = _column_constraint(cursor, column, table, catalogue, line)
        except NotUnderstood as problem:
            catalogue.gap(f"column `{name}` of `{table.name[1]}`: {problem}", line, problem.kind)
            cursor.until(*_STARTS)
    return column


def _column_constraint(
    cursor: Cursor, column: Attribute, table: Declared, catalogue: Catalogue, line: int
) -> Attribute:
    named = constraint_name(cursor)
    if cursor.accept("NOT", "NULL"):
        table.others |= {named} - {""}
        _conflict_clause(cursor)
        return replace(column, nullable=False)
    if _is_key_or_check(cursor, column.name, named, table, catalogue):
        return column
    if cursor.sees("REFERENCES"):
        target, key = _references(cursor, (column.name,), table, catalogue, line)
        _add_link(DeclaredLink(target, key, named), "", table)
        if catalogue.dialect == MYSQL and not catalogue.is_mariadb:
            catalogue.note(_INLINE)
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
        _without_meaning(cursor, column, table, catalogue, line)
    return column


def _is_key_or_check(cursor: Cursor, column: str, named: str, table: Declared, catalogue: Catalogue) -> bool:
    """Add the column's CHECK, its key or UNIQUE, if that is what comes."""
    if cursor.sees("CHECK"):
        table.checks += named_check(cursor, catalogue, named)
    elif cursor.accept("PRIMARY", "KEY") or (catalogue.dialect == MYSQL and cursor.accept("KEY")):
        _conflict_clause(cursor)
        set_key(table, (column,), named, cursor, catalogue)
    elif cursor.accept("UNIQUE"):
        cursor.accept_any("KEY", "INDEX")
        add_unique(read_options(cursor, DeclaredUnique((column,), named)), table, catalogue)
        _conflict_clause(cursor)
    else:
        return False
    return True


_INLINE = (
    "a REFERENCES in a column is read as MariaDB and MySQL 9 have it, which enforce it: earlier versions of MySQL ignore it, so "
    "if the file is for one of these, set `enforced: false` on such relationships in the model"
)


def default_tokens(cursor: Cursor) -> list[Token]:
    """The expression after DEFAULT."""
    found = [cursor.take()]
    if found[0].key == "(":
        found += [*cursor.until(")"), cursor.take()]
    return found + cursor.until(*_STARTS)


def default_sql(tokens: list[Token], dialect: str) -> str:
    """The expression of a default as SQL; a quoted name is a text in SQLite, as no column can be meant."""
    if dialect != SQLITE:
        return as_sql(tokens, dialect)
    texts = [each._replace(kind=TokenKind.STRING) if each.kind is TokenKind.NAME else each for each in tokens]
    return as_sql(texts, dialect)


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
    return replace(column, default=ComputedAttribute(as_sql(cursor.group(), catalogue.dialect)))


def _without_meaning(cursor: Cursor, column: Attribute, table: Declared, catalogue: Catalogue, line: int) -> None:
    """Pass what says nothing about the shape of data: comments, storage; what an UPDATE sets by itself is noted."""
    if cursor.accept("ON", "UPDATE"):
        cursor.take()
        cursor.skip_group()
        catalogue.note(set_by_updates(table.name[1], column.name))
    elif cursor.sees_any("DEFERRABLE", "INITIALLY") or cursor.sees("NOT", "DEFERRABLE"):
        is_late = read_options(cursor, DeclaredUnique(())).is_late
        if table.links and table.links[-1].key.columns == (column.name,):  # SQLite lets it stand further behind
            link = table.links.pop()
            table.links.append(replace(link, key=replace(link.key, deferred=is_late)))
    elif cursor.accept("INVISIBLE"):
        catalogue.gap(invisible(table.name[1], column.name), line)
    elif cursor.accept_any(*_WITH_A_WORD):
        cursor.accept("=")
        cursor.qualified_name() if cursor.peek().kind is not TokenKind.NUMBER else cursor.take()
    elif not (cursor.accept("NOT", "VALID") or cursor.accept_any(*_FLAGS)):
        raise NotUnderstood(f"`{as_text([cursor.take()])}` is not understood")


# --- constraints of the table ----------------------------------------------------------------------------------------


def read_constraint(tokens: list[Token], table: Declared, catalogue: Catalogue, line: int) -> None:
    """Add the constraint an element declares to the table; a gap when it cannot be read."""
    cursor = Cursor(tokens)
    try:
        while not cursor.done:
            _constraint(cursor, table, catalogue, line)
    except NotUnderstood as problem:
        catalogue.gap(f"constraint `{as_text(tokens)}` of `{table.name[1]}`: {problem}", line, problem.kind)


def _constraint(cursor: Cursor, table: Declared, catalogue: Catalogue, line: int) -> None:
    named = constraint_name(cursor)
    checks = named_check(cursor, catalogue, named)
    table.checks += checks
    if cursor.accept("PRIMARY", "KEY"):
        if (found := _existing_index(cursor, table)) is not None:
            table.key, table.key_name = found.columns, named or found.name
            table.key_included, table.key_made = found.included, found.made
        else:
            cursor.until("(")
            found = with_columns(DeclaredUnique(()), cursor.group(), catalogue)
            if found.prefixes:
                catalogue.note(unique_prefix(table.name[1], found.columns, found.prefixes))
            set_key(table, found.columns, named, cursor, catalogue)
    elif cursor.accept("UNIQUE"):
        _unique(cursor, named, table, catalogue)
    elif cursor.accept("FOREIGN", "KEY"):
        index = _index_name(cursor)
        own = tuple(plain_columns(cursor.group()) or ())
        target, key = _references(cursor, own, table, catalogue, line)
        _add_link(DeclaredLink(target, key, named or index), index, table)
    elif cursor.accept("EXCLUDE"):
        whole = cursor.rest()
        catalogue.note(exclusion_left_out(f"EXCLUDE {catalogue.source(whole)}", table.name[1], named))
        cursor = Cursor(whole)
        cursor.until("(")
        keys = at_commas(cursor.group()) if cursor.sees("(") else []
        table.others.add(named or index_name(table, keys, catalogue, "excl"))
        cursor.rest()
    elif cursor.accept("PERIOD"):
        cursor.rest()
    elif cursor.accept_any(*_INDEX_WORDS):
        index = _index_name(cursor)
        columns = plain_columns(cursor.group()) or ["functional_index"]
        table.others.add(index or free_index_name(columns[0], {name.casefold() for name in table.index_names()}))
        cursor.rest()
    elif not checks:
        raise NotUnderstood("is not understood")
    _conflict_or_options(cursor)


def set_key(table: Declared, columns: tuple[str, ...], name: str, cursor: Cursor, catalogue: Catalogue) -> None:
    """Make those columns the key, with the options that come next."""
    found = read_options(cursor, DeclaredUnique(columns, name))
    table.key, table.key_name, table.key_included = columns, name, found.included
    if found.is_late:
        catalogue.note(checked_late(table.name[1], columns))


def _unique(cursor: Cursor, named: str, table: Declared, catalogue: Catalogue) -> None:
    """UNIQUE over columns, or by an index that is there already."""
    if (index := _existing_index(cursor, table)) is not None:
        table.uniques.append(replace(index, name=named or index.name, is_index=False))
        return
    found = read_options(cursor, DeclaredUnique((), named))
    found = replace(found, name=_index_name(cursor) or named)
    keys = cursor.group()
    found = read_options(cursor, with_columns(found, keys, catalogue))
    if found.columns:
        add_unique(found, table, catalogue)
    else:
        name = found.name or free_index_name("functional_index", {each.casefold() for each in table.index_names()})
        table.expressions[name] = catalogue.source(keys)


def with_columns(group: DeclaredUnique, keys: list[Token], catalogue: Catalogue) -> DeclaredUnique:
    """The group over these keys; without columns if one of them is an expression."""
    columns = tuple(plain_columns(keys) or ())
    is_prefix = [len(part) > 1 and part[1].key == "(" for part in at_commas(keys)]
    prefixes = tuple(name for name, short in zip(columns, is_prefix, strict=False) if short)
    return replace(group, columns=columns, prefixes=prefixes if catalogue.dialect == MYSQL else ())


def _existing_index(cursor: Cursor, table: Declared) -> DeclaredUnique | None:
    """The unique index of USING INDEX, which becomes a constraint; None if that is not what comes."""
    if not cursor.accept("USING", "INDEX") or cursor.sees("TABLESPACE"):
        return None
    name = cursor.name()
    known = find_name(name, [each.name for each in table.uniques])
    found = next((each for each in table.uniques if each.is_index and each.name == known), None)
    if found is None:
        raise NotUnderstood(f"its columns come from the index `{name}`")
    table.uniques = [each for each in table.uniques if each is not found]
    return found


def _index_name(cursor: Cursor) -> str:
    """Pass what MySQL lets stand before the columns of an index: its kind, name and method. The name, empty if there is none."""
    cursor.accept_any("KEY", "INDEX")
    cursor.accept("IF", "NOT", "EXISTS")
    name = "" if cursor.sees_any("(", "USING") or cursor.done else cursor.name()
    cursor.until("(")
    return name


def _add_link(link: DeclaredLink, index: str, table: Declared) -> None:
    """Add a foreign key; where no index is over its columns, MySQL makes one, which has one of these names."""
    table.links.append(replace(link, key=replace(link.key, enforced=link.key.enforced and table.is_checked)))
    table.implied |= {index, link.name} - {""} or set(link.key.columns[:1])


def read_options(cursor: Cursor, group: DeclaredUnique) -> DeclaredUnique:
    """Pass what may follow UNIQUE and its columns: further columns of the index, how NULLs count, when it is checked."""
    while True:
        if cursor.accept("NULLS", "NOT", "DISTINCT"):
            group = replace(group, is_null_once=True)
        elif cursor.accept("INCLUDE"):
            group = replace(group, included=tuple(plain_columns(cursor.group()) or ()))
        elif cursor.accept("WITH") or cursor.accept("USING", "INDEX", "TABLESPACE"):
            cursor.skip_group() or cursor.name()
        elif cursor.accept("DEFERRABLE"):
            group = replace(group, is_late=True)
        elif cursor.accept("INITIALLY"):
            group = replace(group, is_late=group.is_late or cursor.peek().key == "DEFERRED")
            cursor.take()
        elif not (cursor.accept("NOT", "DEFERRABLE") or cursor.accept("NULLS", "DISTINCT")):
            return group


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


def add_unique(group: DeclaredUnique, table: Declared, catalogue: Catalogue) -> None:
    """Add a unique group; in MySQL with a name at once, as later ones depend on it."""
    if catalogue.dialect == MYSQL and not group.name and group.columns:
        group = replace(
            group, name=free_index_name(group.columns[0], {each.casefold() for each in table.index_names()})
        )
    table.uniques.append(group)


def _references(
    cursor: Cursor, columns: tuple[str, ...], table: Declared, catalogue: Catalogue, line: int
) -> tuple[Name, ForeignKey]:
    """`REFERENCES table (columns) ON DELETE … …`, and whether the database enforces it."""
    if not cursor.accept("REFERENCES"):
        raise NotUnderstood(f"REFERENCES is missing before `{cursor.peek().text}`")
    target = cursor.qualified_name()
    referenced = tuple(plain_columns(cursor.group()) or ()) if cursor.sees("(") else ()
    key = ForeignKey(columns, target[1], referenced, where=catalogue.where(line))
    label = f"foreign key ({', '.join(columns)}) of `{table.name[1]}`"
    while True:
        if cursor.accept("ON", "DELETE"):
            action, only = _action(cursor)
            key = replace(key, on_delete=action, on_delete_columns=only)
        elif cursor.accept("ON", "UPDATE"):
            key = replace(key, on_update=OnUpdate(_action(cursor)[0].value))
        elif cursor.accept("MATCH"):
            if cursor.take().key == "FULL" and len(columns) > 1 and catalogue.dialect == POSTGRESQL:
                why = "that all of its columns are NULL or none is for the application to enforce"
                catalogue.note(f"{label} is MATCH FULL: {why}")
        elif (changed := _enforcement(cursor, key)) is not None:
            key = changed
        else:
            return target, key


def _enforcement(cursor: Cursor, key: ForeignKey) -> ForeignKey | None:
    """The foreign key with whether and when it is enforced; None if nothing more is said of that."""
    if cursor.accept("NOT", "VALID"):
        return replace(key, valid=False)
    if cursor.accept("NOT", "ENFORCED"):
        return replace(key, enforced=False)
    if cursor.accept("INITIALLY"):
        return replace(key, deferred=cursor.take().key == "DEFERRED")
    return key if cursor.accept("NOT", "DEFERRABLE") or cursor.accept("DEFERRABLE") else None


def _action(cursor: Cursor) -> tuple[OnDelete, tuple[str, ...]]:
    """What happens to the rows, and to which columns of theirs alone if it says so."""
    if cursor.accept("CASCADE"):
        return OnDelete.CASCADE, ()
    if cursor.accept("SET"):
        if not cursor.sees_any("NULL", "DEFAULT"):
            raise NotUnderstood(f"`SET {cursor.peek().text}` is not an action of a foreign key")
        found = OnDelete.SET_NULL if cursor.take().key == "NULL" else OnDelete.SET_DEFAULT
        return found, tuple(plain_columns(cursor.group()) or ()) if cursor.sees("(") else ()
    if not (cursor.accept("NO", "ACTION") or cursor.accept("RESTRICT")):
        raise NotUnderstood(f"`{cursor.peek().text}` is not an action of a foreign key")
    return OnDelete.RESTRICT, ()
