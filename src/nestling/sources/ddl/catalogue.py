"""What the statements read so far have made: tables, types, and what could not be understood.

With its tables the only thing in the reader that changes. It behaves like the database would: dropping removes, altering alters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from nestling.ir.fraction import Fraction
from nestling.ir.model import Attribute, View
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.types import Type
from nestling.sources.ddl.column_type import ReadType
from nestling.sources.ddl.cursor import Name, NotThere, NotUnderstood
from nestling.sources.ddl.declared import Declared, DeclaredLink
from nestling.sources.ddl.tokens import Token
from nestling.sources.defaults import retyped
from nestling.sources.json_checks import json_columns
from nestling.sources.remarks import (
    checked_late,
    inherited,
    nulls_once,
    policies_left_out,
    unique_by_expression,
    unique_prefix,
)
from nestling.sources.tables import Table, find_name

DEFAULT_SCHEMAS = {POSTGRESQL: "public", SQLITE: "main"}


def _as_json(column: Attribute, kind: Type) -> Attribute:
    default = retyped(column.default, kind)
    return replace(column, type=kind, default=default, collation=Collation.BINARY, allowed=None)


_HEAD = 4000
_MARIADB = re.compile(r"MariaDB|/\*M!")
"""What programs that dump a MariaDB write at the beginning of the file."""


class Catalogue:
    """The state of one reading."""

    def __init__(self, dialect: str, path: str = "", text: str = "") -> None:
        self.dialect = dialect
        self.path = path
        self.text = text
        self.is_mariadb = dialect == MYSQL and _MARIADB.search(text[:_HEAD]) is not None
        self.usual_collation = Collation.UNICODE_CI if dialect == MYSQL else Collation.BINARY
        self.numbers = count(1)  # of keys and unique groups
        self.tables: dict[Name, Declared] = {}
        self.types: dict[Name, ReadType] = {}
        self.partitions: dict[Name, Name] = {}
        self.views: dict[Name, View] = {}
        self.null_keys: list[str] = []
        self.gaps: list[Gap] = []
        self.notes: dict[str, None] = {}
        self.narrow: dict[str, None] = {}  # integers whose width is not kept
        self.skipped: dict[str, int] = {}

    def where(self, line: int) -> str:
        """A line as a place for messages."""
        return f"{self.path}:{line}" if self.path else f"line {line}"

    def gap(self, what: str, line: int, kind: GapKind = GapKind.NOTIMPL) -> None:
        """List what is not understood, with its line."""
        self.gaps.append(Gap(kind, what, self.where(line)))

    def fraction(self, read: ReadType) -> Fraction | None:
        """The digits of a second that a column of that type keeps; MariaDB cuts the rest off."""
        return replace(read.fraction, cut=self.is_mariadb) if read.fraction is not None else None

    def note(self, text: str) -> None:
        """List what a person should see, once."""
        self.notes.setdefault(text)

    def source(self, tokens: Sequence[Token]) -> str:
        """The tokens as they stand in the text."""
        return self.text[tokens[0].start : tokens[-1].end] if tokens else ""

    def home(self, name: Name) -> Name:
        """The name with an unsaid or default schema as the empty one."""
        return ("" if name[0].lower() == DEFAULT_SCHEMAS.get(self.dialect, "") else name[0], name[1])

    def find(self, name: Name) -> Declared | None:
        """The table of that name: exactly, else by another case, else in another schema when only one has it."""
        schema, bare = self.home(name)
        if (schema, bare) in self.tables:
            return self.tables[schema, bare]
        in_schema = {known[1]: known for known in self.tables if known[0].lower() == schema.lower()}
        if (found := find_name(bare, in_schema)) is not None:
            return self.tables[in_schema[found]]
        anywhere = [known for known in self.tables if known[1].casefold() == bare.casefold()]
        only_bare = not schema or self.dialect == MYSQL
        return self.tables[anywhere[0]] if only_bare and len(anywhere) == 1 else None

    def declare(self, table: Declared) -> bool:
        """Add a table; False when there is one of that name."""
        table.name = self.home(table.name)
        if table.name in self.tables:
            return False
        self.tables[table.name] = table
        return True

    # --- tables that refer to others ---------------------------------------------------------------------------------

    def target(self, link: DeclaredLink) -> Declared | None:
        """The table a foreign key refers to; that of the rows for a partition."""
        return self.find(self.partitions.get(self.home(link.target), link.target))

    def bind(self, table: Declared) -> None:
        """Settle what a table's foreign keys refer to: the key that their target has now, by the names it has now.

        SQLite looks the key up whenever it needs it.
        """
        table.links = [self._bound(link) for link in table.links]

    def _bound(self, link: DeclaredLink) -> DeclaredLink:
        if link.needs or (found := self.target(link)) is None:
            return link
        names = link.key.referenced_columns or (() if self.dialect == SQLITE else found.key)
        is_said, names = bool(link.key.referenced_columns), tuple(map(found.column_name, names))
        needs = found.unique_over(names) if is_said else found.key_made
        return replace(link, target=found.name, key=replace(link.key, referenced_columns=names), needs=needs)

    def links_to(self, table: Declared) -> Iterator[tuple[Declared, DeclaredLink]]:
        """The foreign keys that refer to a table, with the tables that have them."""
        for other in self.tables.values():
            for link in other.links:
                if self.target(link) is table:
                    yield other, link

    def drop_links(self, links: Sequence[tuple[Declared, DeclaredLink]], what: str, *, cascade: bool) -> None:
        """Remove the foreign keys that need `what`, which is dropped. Raises `NotUnderstood` where PostgreSQL refuses that."""
        if links and not cascade:
            refer = ", ".join(dict.fromkeys(f"`{other.name[1]}`" for other, _ in links))
            raise NotUnderstood(f"{what} stays: foreign keys of {refer} need it, and there is no CASCADE")
        for other, link in links:
            other.links = [each for each in other.links if each is not link]

    def drop_column(self, table: Declared, name: str, *, cascade: bool) -> None:
        """Remove a column, and with CASCADE the foreign keys to it. Raises `NotUnderstood` where there is none."""
        known = find_name(name, table.columns)
        if known is None:
            raise NotThere(f"there is no column `{name}`")
        if self.dialect == POSTGRESQL:
            to_it = [
                (other, link)
                for other, link in self.links_to(table)
                if known in link.key.referenced_columns and not (other is table and known in link.key.columns)
            ]
            self.drop_links(to_it, f"column `{known}`", cascade=cascade)
        table.drop_column(known, is_taken_out=self.dialect == MYSQL)

    def rename_column(self, table: Declared, old: str, new: str) -> None:
        """Rename a column, also where foreign keys refer to it. Raises `NotUnderstood` where there is none."""
        known = find_name(old, table.columns)
        if known is None:
            raise NotThere(f"there is no column `{old}`")
        for other, link in list(self.links_to(table)):
            names = tuple(new if name == known else name for name in link.key.referenced_columns)
            changed = replace(link, key=replace(link.key, referenced_columns=names))
            other.links = [changed if each is link else each for each in other.links]
        table.rename_column(known, new)

    def drop_table(self, table: Declared, *, cascade: bool) -> None:
        """Remove a table. In PostgreSQL foreign keys to it go with CASCADE; elsewhere they wait for a next table of its name."""
        if self.dialect == POSTGRESQL:
            others = [(other, link) for other, link in self.links_to(table) if other is not table]
            self.drop_links(others, f"table `{table.name[1]}`", cascade=cascade)
        del self.tables[table.name]

    # --- indexes -----------------------------------------------------------------------------------------------------

    def index_names(self, table: Declared) -> set[str]:
        """The names by which indexes of a table are dropped; those of SQLite's constraints have others."""
        return table.plain_index_names() | table.others if self.dialect == SQLITE else table.index_names()

    def owner_of_index(self, name: Name) -> tuple[Declared, str] | None:
        """The table of an index, and how the index is spelled: in its schema, else where only one table has one of that name."""
        schema, bare = self.home(name)
        found = [
            (table, spelled)
            for table in self.tables.values()
            if (not name[0] or table.name[0].lower() == schema.lower())
            and (spelled := find_name(bare, self.index_names(table))) is not None
        ]
        own = [each for each in found if each[0].name[0] == schema]
        return (own or found)[0] if len(own) == 1 or len(found) == 1 else None

    # --- what the statements made ------------------------------------------------------------------------------------

    def retype(self, old: Type, new: Type) -> None:
        """Give every column of one type another."""
        for table in self.tables.values():
            table.columns = {n: replace(c, type=new) if c.type == old else c for n, c in table.columns.items()}

    def entity_name(self, name: Name) -> str:
        """The table's name in the model: its bare name in the default schema, or in MySQL if only one database has it."""
        schema, bare = name
        alone = self.dialect == MYSQL and sum(known[1] == bare for known in self.tables) == 1
        return bare if not schema or alone else f"{schema}.{bare}"

    def declared_tables(self) -> list[Table]:
        """All tables, as the shape of a model wants them."""
        return [self._table(table) for table in self.tables.values()]

    def _attributes(self, table: Declared) -> tuple[Attribute, ...]:
        """The columns, those that a CHECK says are JSON as such."""
        columns = table.attributes()
        types = {column.name: column.type for column in columns}
        keys, some = (link.key.columns for link in table.links), (each.columns for each in table.partial)
        uniques = (each.columns for each in table.uniques)
        found = json_columns(table.checks, self.dialect, types, (table.key, *uniques, *keys, *some))
        return tuple(_as_json(each, found[each.name]) if each.name in found else each for each in columns)

    def _table(self, table: Declared) -> Table:
        keys = []
        for link in table.links:
            parent = self.target(link)
            target = self.partitions.get(self.home(link.target), link.target)
            name = self.entity_name(parent.name) if parent else ".".join(filter(None, self.home(target)))
            keys.append(replace(link.key, table=name, enforced=link.key.enforced and table.has_triggers))
        return Table(
            name=self.entity_name(table.name),
            columns=self._attributes(table),
            key=table.key,
            uniques=tuple(each.columns for each in table.uniques),
            foreign_keys=tuple(keys),
            checks=tuple(table.checks),
            plain=frozenset(table.plain),
            partial=tuple(table.partial),
            where=self.where(table.line),
            names=tuple(table.constraint_names()) if self.dialect == POSTGRESQL else (),
            inherited_by=tuple(self.entity_name(heir.name) for heir in table.heirs if self.find(heir.name) is heir),
        )

    def add_heir(self, parent: Name, table: Declared, line: int) -> None:
        """Note that a table inherits from another."""
        self.gap(inherited(self.entity_name(table.name), self.entity_name(parent)), line)
        if (above := self.find(parent)) is not None:
            above.heirs.append(table)

    def remarks(self) -> Iterator[str]:
        """Notes on policies, and on indexes that say more or less than that columns are unique."""
        for table in self.tables.values():
            name = self.entity_name(table.name)
            if table.has_policies:
                yield policies_left_out(name)
            yield from (unique_by_expression(name, f"{index} ({keys})") for index, keys in table.expressions.items())
            for each in table.uniques:
                is_loose = any(
                    each_name in table.columns and table.columns[each_name].nullable for each_name in each.columns
                )
                if each.is_null_once and is_loose:
                    yield nulls_once(name, each.columns)
                if each.prefixes:
                    yield unique_prefix(name, each.columns, each.prefixes)
                if each.is_late:
                    yield checked_late(name, each.columns)
