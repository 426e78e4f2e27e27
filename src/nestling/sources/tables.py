"""Tables as every relational source describes them, before anything is concluded from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nestling.ir.model import Attribute, OnDelete, OnUpdate


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A declared foreign key; no `referenced_columns` means the key of `table`.

    `enforced` is False if the database allows rows without a parent, `valid` is False if only rows from before its declaration
    may lack one (NOT VALID). `deferred`: it may be broken until the transaction ends. `where` is the position in the source.
    `on_delete_columns`: all that `on_delete` sets; empty: the whole foreign key.
    """

    columns: tuple[str, ...]
    table: str
    referenced_columns: tuple[str, ...] = ()
    on_delete: OnDelete = OnDelete.RESTRICT
    on_update: OnUpdate = OnUpdate.RESTRICT
    enforced: bool = True
    valid: bool = True
    deferred: bool = False
    where: str = ""
    on_delete_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckConstraint:
    """A CHECK constraint: its condition in the source's SQL, and its name if it has one.

    `column`: what VALUE stands for in the check of a domain. `holds` is False if rows may violate it (NOT VALID, NOT ENFORCED).
    """

    sql: str
    name: str = ""
    column: str = ""
    holds: bool = True


@dataclass(frozen=True, slots=True)
class PartialIndex:
    """A unique index over columns of some rows, with its condition in the source's SQL.

    `lower`: the columns in `lower()`. Such an index may cover all rows: `of_all`.
    """

    columns: tuple[str, ...]
    where: str
    name: str = ""
    lower: tuple[str, ...] = ()
    of_all: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A declared table. `uniques` holds unique constraints and unique indexes over plain columns, all rows included.

    `plain` are the columns whose values the source compares as the conceptual ones are, `partial` unique indexes of some rows,
    `names` the names of keys and unique constraints, where they matter, with their columns, `inherited_by` PostgreSQL's tables
    that inherit from it.
    """

    name: str
    columns: tuple[Attribute, ...]
    key: tuple[str, ...] = ()
    uniques: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    checks: tuple[CheckConstraint, ...] = ()
    plain: frozenset[str] = frozenset()
    partial: tuple[PartialIndex, ...] = ()
    where: str = ""
    names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    inherited_by: tuple[str, ...] = ()


def find_name(name: str, known: Iterable[str]) -> str | None:
    """`name` among the `known`: the exact one first, else the only one that differs by case alone."""
    names = list(known)
    if name in names:
        return name
    folded = [other for other in names if other.casefold() == name.casefold()]
    return folded[0] if len(folded) == 1 else None
