"""What the statements read so far have made: tables, types, and what could not be understood.

The only thing in the reader that changes. It behaves like the database would: dropping removes, altering alters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from nestling.ir.fraction import Fraction
from nestling.ir.model import Attribute, View
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.ir.types import TEXTS, Type
from nestling.sources.ddl.column_type import ReadType
from nestling.sources.ddl.cursor import Name
from nestling.sources.ddl.tokens import Token
from nestling.sources.defaults import retyped
from nestling.sources.json_checks import json_columns
from nestling.sources.tables import CheckConstraint, ForeignKey, PartialIndex, Table, find_name

DEFAULT_SCHEMAS = {POSTGRESQL: "public", SQLITE: "main"}
_GIVEN_NAME = re.compile(r".*_check\d*|.*_chk_\d+|constraint_\d+", re.IGNORECASE)
"""What databases call a check that was not given a name."""


@dataclass
class Declared:
    """A table while it is being declared; foreign keys name their table by schema and name."""

    name: Name
    line: int
    columns: dict[str, Attribute] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    uniques: list[tuple[str, ...]] = field(default_factory=list)
    foreign_keys: list[tuple[Name, ForeignKey]] = field(default_factory=list)
    checks: list[CheckConstraint] = field(default_factory=list)
    partial: list[PartialIndex] = field(default_factory=list)
    names: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)  # of its key and unique constraints
    waiting: str = ""  # the name that was given to the constraint that comes next
    checks_foreign_keys: bool = True
    without_rowid: bool = False
    integers: set[str] = field(
        default_factory=set
    )  # declared INTEGER to the letter, which SQLite may take for the rowid
    plain: set[str] = field(default_factory=set)  # compared as the conceptual values are
    collation: Collation = Collation.BINARY
    collated: set[str] = field(default_factory=set)  # columns that name a collation of their own

    def name_constraint(self, columns: tuple[str, ...]) -> None:
        """Keep the name that was given to a key or unique constraint, if one was."""
        if self.waiting and columns:
            self.names.append((self.waiting, columns))
        self.waiting = ""

    def column_name(self, name: str) -> str:
        """The name as the table spells it, or as given when it has no such column."""
        return find_name(name, self.columns) or name

    def set_nullable(self, name: str, *, nullable: bool) -> None:
        """Change whether a column may be NULL, if there is such a column."""
        if (known := find_name(name, self.columns)) is not None:
            self.columns[known] = replace(self.columns[known], nullable=nullable)

    def set_key(self, names: tuple[str, ...]) -> None:
        """Make those columns the key."""
        self.key = names
        for name in names:
            self.set_nullable(name, nullable=False)

    def attributes(self) -> tuple[Attribute, ...]:
        """The columns, texts without a collation of their own with the table's."""
        return tuple(
            replace(column, collation=self.collation)
            if column.type.name in TEXTS and column.name not in self.collated
            else column
            for column in self.columns.values()
        )

    def drop_check(self, name: str) -> None:
        """Remove the check of a name; by a name that databases give, any check without one may be gone."""
        self.enforce_check(name, enforced=False)
        self.checks = [check for check in self.checks if not check.name or check.name.casefold() != name.casefold()]

    def enforce_check(self, name: str, *, enforced: bool) -> None:
        """Change whether the check of a name holds."""
        given = _GIVEN_NAME.fullmatch(name) is not None and not enforced
        self.checks = [
            replace(check, holds=enforced)
            if check.name.casefold() == name.casefold() or (given and not check.name)
            else check
            for check in self.checks
        ]

    def doubt_checks(self, column: str) -> None:
        """Take the checks on a column as ones that may not hold: it is redefined, and what becomes of them differs."""
        self.checks = [replace(check, holds=check.holds and not _names(check, column)) for check in self.checks]
        self.partial = [
            replace(each, where="") if _names(CheckConstraint(each.where), column) else each for each in self.partial
        ]

    def rename_column(self, old: str, new: str) -> None:
        """Rename a column wherever the table itself names it."""
        known = self.column_name(old)
        self.doubt_checks(known)
        for marked in (self.integers, self.collated, self.plain):
            if known in marked:
                marked.symmetric_difference_update((known, new))

        def renamed(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(new if name.casefold() == known.casefold() else name for name in names)

        self.columns = {
            new if name == known else name: replace(column, name=new) if name == known else column
            for name, column in self.columns.items()
        }
        self.key = renamed(self.key)
        self.uniques = [renamed(unique) for unique in self.uniques]
        self.names = [(name, renamed(columns)) for name, columns in self.names]
        self.partial = [replace(each, columns=renamed(each.columns)) for each in self.partial]
        self.foreign_keys = [(to, replace(key, columns=renamed(key.columns))) for to, key in self.foreign_keys]

    def drop_column(self, name: str) -> None:
        """Remove a column with every key it is part of."""
        known = self.column_name(name)
        self.columns.pop(known, None)
        self.key = () if known in self.key else self.key
        self.uniques = [unique for unique in self.uniques if known not in unique]
        self.partial = [
            each
            for each in self.partial
            if known not in each.columns and not _names(CheckConstraint(each.where), known)
        ]
        self.foreign_keys = [(to, key) for to, key in self.foreign_keys if known not in key.columns]
        self.checks = [check for check in self.checks if not _names(check, known)]


def _names(check: CheckConstraint, column: str) -> bool:
    """Whether a check is on a column, as far as words can tell."""
    word = rf"(?<!\w){re.escape(column)}(?!\w)"
    return check.column == column or re.search(word, check.sql, re.IGNORECASE) is not None


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
        keys, some = (key.columns for _, key in table.foreign_keys), (each.columns for each in table.partial)
        found = json_columns(table.checks, self.dialect, types, (table.key, *table.uniques, *keys, *some))
        return tuple(_as_json(each, found[each.name]) if each.name in found else each for each in columns)

    def _table(self, table: Declared) -> Table:
        keys = []
        for to, key in table.foreign_keys:
            target = self.partitions.get(self.home(to), to)
            parent = self.find(target)
            name = self.entity_name(parent.name) if parent else ".".join(filter(None, self.home(target)))
            keys.append(replace(key, table=name, enforced=key.enforced and table.checks_foreign_keys))
        return Table(
            name=self.entity_name(table.name),
            columns=self._attributes(table),
            key=table.key,
            uniques=tuple(table.uniques),
            foreign_keys=tuple(keys),
            checks=tuple(table.checks),
            plain=frozenset(table.plain),
            partial=tuple(table.partial),
            where=self.where(table.line),
            names=tuple(table.names) if self.dialect == POSTGRESQL else (),
        )
