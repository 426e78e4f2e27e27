"""CREATE INDEX and ALTER INDEX: what a unique index makes unique, and the names by which indexes are dropped."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.reading import GapKind
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.sources.ddl.catalogue import Catalogue
from nestling.sources.ddl.cursor import Cursor, Name, NotThere, NotUnderstood, at_commas, condition_of
from nestling.sources.ddl.declared import Declared, DeclaredUnique
from nestling.sources.ddl.elements import add_unique, read_options, with_columns
from nestling.sources.ddl.given_names import index_name, name_constraints
from nestling.sources.ddl.tokens import Token
from nestling.sources.lower_indexes import lower_index
from nestling.sources.tables import PartialIndex, find_name


def create_index(cursor: Cursor, catalogue: Catalogue, line: int, *, is_unique: bool) -> None:
    """CREATE [UNIQUE] INDEX … ON table (…). A unique one is a unique group, if it is over plain columns and all rows."""
    cursor.accept("CONCURRENTLY")
    is_optional = cursor.accept("IF", "NOT", "EXISTS")
    named = "" if cursor.sees_any("ON", "USING") else cursor.qualified_name()[1]
    cursor.until("ON")
    if not cursor.accept("ON"):
        raise NotUnderstood("ON is missing")
    cursor.accept("ONLY")
    name = cursor.qualified_name()
    table = catalogue.find(name)
    if table is None:
        if (
            is_unique
            and catalogue.home(name) not in catalogue.partitions
            and catalogue.home(name) not in catalogue.views
        ):
            catalogue.gap(f"a unique index on `{name[1]}`, which is not declared", line, GapKind.INPUT)
        return
    if is_optional and _is_there(named, table, catalogue):
        return
    cursor.until("(")
    keys = cursor.group()
    group = read_options(cursor, with_columns(DeclaredUnique((), named, is_index=True), keys, catalogue))
    if not named and catalogue.dialect == POSTGRESQL:
        named = index_name(table, [*at_commas(keys), *([_token(keys[0], each)] for each in group.included)], catalogue)
    if is_unique:
        _add(replace(group, name=named), keys, condition_of(cursor, catalogue.text), table, catalogue)
    else:
        table.others.add(named)
    name_constraints(table, catalogue)


def _token(near: Token, name: str) -> Token:
    return near._replace(text=name)


def _is_there(name: str, table: Declared, catalogue: Catalogue) -> bool:
    """Whether there is an index of that name: in MySQL of that table, elsewhere of any in its schema."""
    if catalogue.dialect == MYSQL:
        return find_name(name, table.index_names()) is not None
    return catalogue.owner_of_index((table.name[0], name)) is not None


def _add(group: DeclaredUnique, keys: list[Token], where: str, table: Declared, catalogue: Catalogue) -> None:
    if where and group.columns:
        table.partial.append(PartialIndex(group.columns, where, group.name))
    elif (lower := _in_lower_case(keys, where, group.name, catalogue)) is not None:
        table.partial.append(lower)
    elif group.columns:
        add_unique(group, table, catalogue)
    else:
        table.expressions[group.name] = catalogue.source(keys)


def _in_lower_case(keys: list[Token], where: str, name: str, catalogue: Catalogue) -> PartialIndex | None:
    """The index over `lower(column)` that PostgreSQL and SQLite make of these keys."""
    if catalogue.dialect not in (POSTGRESQL, SQLITE):
        return None
    return lower_index([catalogue.source(part) for part in at_commas(keys)], where, name)


def alter_index(cursor: Cursor, catalogue: Catalogue) -> None:
    """ALTER INDEX: a new name, which a constraint takes, too; nothing else matters here."""
    is_optional = cursor.accept("IF", "EXISTS")
    name = cursor.qualified_name()
    if not cursor.accept("RENAME", "TO"):
        return
    found = catalogue.owner_of_index(name)
    if found is not None:
        found[0].rename_constraint(found[1], cursor.name())
    elif catalogue.tables and not is_optional:
        raise NotThere(f"there is no index `{name[1]}`")


def drop_indexes(cursor: Cursor, catalogue: Catalogue) -> None:
    """DROP INDEX, as a statement of its own."""
    cursor.accept("CONCURRENTLY")
    is_optional = cursor.accept("IF", "EXISTS")
    if catalogue.dialect == MYSQL:
        name = cursor.name()
        if cursor.accept("ON") and (table := catalogue.find(cursor.qualified_name())) is not None:
            drop_constraint(table, name, catalogue, is_index=True, is_optional=is_optional)
        return
    parts = at_commas(cursor.rest())
    is_cascaded = parts[-1][-1].key == "CASCADE"
    for part in parts:
        _drop_index(Cursor(part).qualified_name(), catalogue, is_cascaded=is_cascaded, is_optional=is_optional)


def _drop_index(name: Name, catalogue: Catalogue, *, is_cascaded: bool, is_optional: bool) -> None:
    found = catalogue.owner_of_index(name)
    if found is not None:
        drop_constraint(*found, catalogue, is_index=True, is_cascaded=is_cascaded)
    elif catalogue.tables and not is_optional:  # dumps begin with what is to be dropped of an earlier schema
        raise NotThere(f"there is no index `{name[1]}`")


def drop_constraint(
    table: Declared,
    name: str,
    catalogue: Catalogue,
    *,
    is_index: bool = False,
    is_cascaded: bool = False,
    is_optional: bool = False,
) -> None:
    """Drop what has that name: a key, a unique group, a foreign key, a check, or what no model has.

    `is_index`: the statement drops an index, which is never a foreign key or a check. Raises `NotUnderstood` where nothing has
    the name, unless `is_optional`, and where PostgreSQL refuses.
    """
    names = catalogue.index_names(table) if is_index else table.known_names()
    if not is_index and catalogue.dialect == POSTGRESQL:
        names -= table.plain_index_names()
    known = find_name(name, names)
    if known is None:
        is_checked = not is_index and table.drop_check(name)
        if not (is_checked or is_optional or table.is_implied(name)):
            raise NotThere(f"there is no {'index' if is_index else 'constraint'} `{name}`")
        return
    if known == table.key_name:
        drop_key(table, catalogue, is_cascaded=is_cascaded)
        return
    group = next((each for each in table.uniques if each.name == known), None)
    if group is not None:
        if is_index and not group.is_index and catalogue.dialect == POSTGRESQL:
            raise NotUnderstood(f"`{known}` is a constraint, which DROP INDEX does not drop")
        _drop_links_to(table, group.made, group.columns, catalogue, is_cascaded=is_cascaded)
        table.uniques = [each for each in table.uniques if each is not group]
    if not is_index and (
        group is None or catalogue.dialect != MYSQL
    ):  # where a foreign key and an index may share a name
        table.links = [each for each in table.links if each.name != known]
    table.partial = [each for each in table.partial if each.name != known]
    table.expressions.pop(known, None)
    table.others.discard(known)
    if not is_index:
        table.drop_check(known)


def drop_link(table: Declared, name: str, *, is_optional: bool = False) -> None:
    """Drop the foreign key of a name, and no index that has the same one."""
    known = find_name(name, [each.name for each in table.links])
    if known is None and not is_optional:
        raise NotThere(f"there is no foreign key `{name}`")
    table.links = [each for each in table.links if each.name != known]


def drop_key(table: Declared, catalogue: Catalogue, *, is_cascaded: bool = False) -> None:
    """Drop the primary key; its columns stay NOT NULL."""
    _drop_links_to(table, table.key_made, table.key, catalogue, is_cascaded=is_cascaded)
    table.key, table.key_name, table.key_included, table.key_made = (), "", (), 0


def _drop_links_to(
    table: Declared, made: int, columns: tuple[str, ...], catalogue: Catalogue, *, is_cascaded: bool
) -> None:
    """Drop the foreign keys that need what is dropped, as PostgreSQL does with CASCADE."""
    if catalogue.dialect == POSTGRESQL:
        found = [(other, link) for other, link in catalogue.links_to(table) if link.needs == made]
        catalogue.drop_links(found, f"what makes `{', '.join(columns)}` unique", cascade=is_cascaded)
