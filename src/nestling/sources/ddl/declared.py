"""A table while it is being declared, with the names of its constraints and indexes, by which statements drop them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from nestling.ir.model import Attribute
from nestling.ir.statements.operators import Collation
from nestling.ir.types import TEXTS
from nestling.sources.ddl.cursor import Name, NotThere
from nestling.sources.tables import CheckConstraint, ForeignKey, PartialIndex, find_name

_GIVEN_NAME = re.compile(r".*_check\d*|.*_chk_\d+|constraint_\d+", re.IGNORECASE)
"""What databases call a check that was not given a name."""


@dataclass(frozen=True, slots=True)
class DeclaredUnique:
    """A UNIQUE constraint over columns, or a unique index over them (`is_index`).

    `included`: further columns of its index. `is_null_once`: NULL counts as a value (NULLS NOT DISTINCT). `is_late`: it may be
    broken within a statement or a transaction (DEFERRABLE). `prefixes`: the columns of which only the first characters count.
    `made`: a number that rises from one to the next that is made; 0 before it is.
    """

    columns: tuple[str, ...]
    name: str = ""
    is_index: bool = False
    included: tuple[str, ...] = ()
    is_null_once: bool = False
    is_late: bool = False
    prefixes: tuple[str, ...] = ()
    made: int = 0


@dataclass(frozen=True, slots=True)
class DeclaredLink:
    """A foreign key, the schema and name of the table it refers to, and its own name.

    `needs`: the number of the key or unique group it refers to, without which PostgreSQL does not keep it.
    """

    target: Name
    key: ForeignKey
    name: str = ""
    needs: int = 0


@dataclass
class Declared:
    """A table while it is being declared."""

    name: Name
    line: int
    columns: dict[str, Attribute] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    key_name: str = ""
    key_included: tuple[str, ...] = ()
    key_made: int = 0
    uniques: list[DeclaredUnique] = field(default_factory=list)
    links: list[DeclaredLink] = field(default_factory=list)
    checks: list[CheckConstraint] = field(default_factory=list)
    partial: list[PartialIndex] = field(default_factory=list)
    expressions: dict[str, str] = field(default_factory=dict)  # the keys of unique indexes over expressions, by name
    others: set[str] = field(default_factory=set)  # names of indexes and constraints that no model has
    implied: set[str] = field(default_factory=set)  # names of indexes that MySQL may have made for foreign keys
    has_triggers: bool = True  # by which PostgreSQL enforces foreign keys
    has_policies: bool = False
    heirs: list[Declared] = field(default_factory=list, compare=False, repr=False)  # that inherit from it
    is_checked: bool = True  # whether its engine enforces foreign keys
    without_rowid: bool = False
    integers: set[str] = field(
        default_factory=set
    )  # declared INTEGER to the letter, which SQLite may take for the rowid
    plain: set[str] = field(default_factory=set)  # compared as the conceptual values are
    collation: Collation = Collation.BINARY
    collated: set[str] = field(default_factory=set)  # columns that name a collation of their own

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

    def place_column(self, name: str, after: str) -> None:
        """Move a column behind another one; to the front if that is empty."""
        moved = {name: self.columns.pop(name)}
        known = find_name(after, self.columns) if after else ""
        if known is None:
            self.columns |= moved
            raise NotThere(f"there is no column `{after}` to place `{name}` after")
        rest = list(self.columns.items())
        place = 1 + list(self.columns).index(known) if known else 0
        self.columns = {**dict(rest[:place]), **moved, **dict(rest[place:])}

    def attributes(self) -> tuple[Attribute, ...]:
        """The columns, texts without a collation of their own with the table's."""
        return tuple(
            replace(column, collation=self.collation)
            if column.type.name in TEXTS and column.name not in self.collated
            else column
            for column in self.columns.values()
        )

    def keep_collations(self) -> None:
        """Give every column the collation it has now as its own: the table's is about to change for later ones."""
        self.columns = {each.name: each for each in self.attributes()}
        self.collated |= self.columns.keys()

    # --- constraints and indexes by name -----------------------------------------------------------------------------

    def constraint_names(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The names of the key and of the UNIQUE constraints, with their columns."""
        if self.key and self.key_name:
            yield self.key_name, self.key
        yield from ((each.name, each.columns) for each in self.uniques if each.name and not each.is_index)

    def unique_over(self, columns: tuple[str, ...]) -> int:
        """The number of what was first to make these columns unique, in any order; 0 if nothing does."""
        groups = [(self.key_made, self.key), *((each.made, each.columns) for each in self.uniques if not each.is_late)]
        return min((made for made, names in groups if {*names} == {*columns} and made), default=0)

    def index_names(self) -> set[str]:
        """The names of all indexes, those of constraints included."""
        found = {self.key_name, *self.expressions, *self.others}
        found |= {each.name for each in self.uniques} | {each.name for each in self.partial}
        return found - {""}

    def known_names(self) -> set[str]:
        """The names of all constraints and indexes."""
        return self.index_names() | ({each.name for each in self.links} | {each.name for each in self.checks}) - {""}

    def plain_index_names(self) -> set[str]:
        """The names of unique indexes that are no constraints."""
        found = {*self.expressions} | {each.name for each in self.partial}
        return found | {each.name for each in self.uniques if each.is_index}

    def is_implied(self, name: str) -> bool:
        """Whether it may be what MySQL calls an index it made for a foreign key; one whose name was taken has a number behind."""
        return any(find_name(each, self.implied) is not None for each in (name, re.sub(r"_\d+\Z", "", name)))

    def rename_constraint(self, old: str, new: str) -> bool:
        """Give a constraint or an index another name; whether there is one with the old name."""
        name = find_name(old, self.known_names())
        if name is None:
            return False
        self.key_name = new if self.key_name == name else self.key_name
        self.uniques = [replace(each, name=new) if each.name == name else each for each in self.uniques]
        self.partial = [replace(each, name=new) if each.name == name else each for each in self.partial]
        self.links = [replace(each, name=new) if each.name == name else each for each in self.links]
        self.checks = [replace(each, name=new) if each.name == name else each for each in self.checks]
        self.expressions = {new if known == name else known: keys for known, keys in self.expressions.items()}
        self.others = {new if known == name else known for known in self.others}
        return True

    def change_link(self, name: str, change: Callable[[ForeignKey], ForeignKey]) -> bool:
        """Change what is known of the foreign key of a name; whether there is one."""
        found = find_name(name, [each.name for each in self.links])
        if not found:
            return False
        self.links = [replace(each, key=change(each.key)) if each.name == found else each for each in self.links]
        return True

    # --- checks ------------------------------------------------------------------------------------------------------

    def drop_check(self, name: str) -> bool:
        """Remove the check of a name; by a name that databases give, any check without one may be gone. Whether there was one."""
        before = list(self.checks)
        is_known = self.enforce_check(name, enforced=False)
        self.checks = [check for check in self.checks if not check.name or check.name.casefold() != name.casefold()]
        return is_known or self.checks != before

    def enforce_check(self, name: str, *, enforced: bool) -> bool:
        """Change whether the check of a name holds; whether there may be one."""
        given = _GIVEN_NAME.fullmatch(name) is not None

        def is_meant(check: CheckConstraint) -> bool:
            return check.name.casefold() == name.casefold() if check.name else given

        found = any(map(is_meant, self.checks))
        self.checks = [
            replace(check, holds=enforced) if is_meant(check) and (check.name or not enforced) else check
            for check in self.checks
        ]
        return found

    def doubt_checks(self, column: str) -> None:
        """Take the checks on a column as ones that may not hold: it is redefined, and what becomes of them differs."""
        self.checks = [replace(check, holds=check.holds and not _names(check, column)) for check in self.checks]
        self.partial = [
            replace(each, where="") if _names(CheckConstraint(each.where), column) else each for each in self.partial
        ]

    # --- columns that change -----------------------------------------------------------------------------------------

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
        self.uniques = [
            replace(
                each, columns=renamed(each.columns), included=renamed(each.included), prefixes=renamed(each.prefixes)
            )
            for each in self.uniques
        ]
        self.partial = [
            replace(each, columns=renamed(each.columns), lower=renamed(each.lower)) for each in self.partial
        ]
        self.links = [replace(each, key=replace(each.key, columns=renamed(each.key.columns))) for each in self.links]

    def drop_column(self, known: str, *, is_taken_out: bool) -> None:
        """Remove a column with every key it is part of; if it `is_taken_out`, keys and unique groups keep their other columns."""
        del self.columns[known]
        if is_taken_out:
            self.key = _without(self.key, known)
            reduced = (replace(each, columns=_without(each.columns, known)) for each in self.uniques)
            self.uniques = [each for each in reduced if each.columns]
        else:
            self.key = () if known in (*self.key, *self.key_included) else self.key
            self.uniques = [each for each in self.uniques if known not in (*each.columns, *each.included)]
        self.key_name, self.key_made = (self.key_name, self.key_made) if self.key else ("", 0)
        self.partial = [
            each
            for each in self.partial
            if known not in each.columns and not _names(CheckConstraint(each.where), known)
        ]
        self.expressions = {
            name: keys for name, keys in self.expressions.items() if not _names(CheckConstraint(keys), known)
        }
        self.links = [each for each in self.links if known not in each.key.columns]
        self.checks = [check for check in self.checks if not _names(check, known)]


def _without(names: Sequence[str], left: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != left)


def _names(check: CheckConstraint, column: str) -> bool:
    """Whether a check is on a column, as far as words can tell."""
    word = rf"(?<!\w){re.escape(column)}(?!\w)"
    return check.column == column or re.search(word, check.sql, re.IGNORECASE) is not None
