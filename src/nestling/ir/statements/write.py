"""Statements that write, over the algebra of queries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from nestling.ir.constraints.defaults import Generated
from nestling.ir.constraints.partial_unique import PartialUnique
from nestling.ir.statements.algebra import Named, Relation, Scan
from nestling.ir.statements.expression import Expression


@dataclass(frozen=True, slots=True)
class Assignment:
    """An attribute and its new value, which may mention the old row."""

    attribute: str
    expression: Expression


class SeenRows(StrEnum):
    """Which rows the subqueries of new values see in what the statement itself changes."""

    BEFORE = "before"  # as they were before the statement
    SO_FAR = "so far"  # as it has left them when a row's turn comes; a subquery that does not ask about the row is asked once


class ConflictAction(StrEnum):
    """What an insert does with a row whose key exists."""

    NOTHING = "nothing"
    UPDATE = "update"
    REPLACE = "replace"  # delete the rows in the way, then insert


@dataclass(frozen=True, slots=True)
class Conflict:
    """How an insert meets a row with the same `attributes` (any key or unique group when empty).

    `among`: only rows of which that group's condition is true meet each other.
    UPDATE: `assignments` and `predicate` mention the old row by the insert's alias and the new one by `excluded`. `key_first`: of
    several rows that are there, the one with the same key changes (MySQL). `once`: no row is met twice (PostgreSQL).
    `ignores`: a row that is there is looked for before any other constraint (IGNORE). `needs_parents`: a row without a parent
    that a foreign key enforces is left out (MySQL's IGNORE), `needs_fit`: one that breaks NOT NULL or a CHECK (SQLite's).
    `seen`: what the subqueries of `assignments` and `predicate` see, PostgreSQL's BEFORE.
    """

    action: ConflictAction
    attributes: tuple[str, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    predicate: Expression | None = None
    excluded: str = ""
    key_first: bool = False
    once: bool = False
    ignores: bool = False
    needs_parents: bool = False
    needs_fit: bool = False
    among: PartialUnique | None = None
    seen: SeenRows = SeenRows.BEFORE


@dataclass(frozen=True, slots=True)
class GeneratedValue:
    """A value of an attribute that whoever stores the row generates if the row has none (it is not given, or NULL)."""

    attribute: str
    how: Generated


@dataclass(frozen=True, slots=True)
class Returning:
    """What a write answers of each row: as it is afterwards, or was when it goes. Outputs over columns of the target's alias."""

    outputs: tuple[Named, ...]
    names: tuple[str, ...]  # as SQL gives them: they may repeat
    typed: bool = False  # as a query's


@dataclass(frozen=True, slots=True)
class Insert:
    """Add the source's rows, its columns in the order of `attributes`; those a default fills are among them.

    Attributes neither there nor in `generated` are NULL.
    """

    entity: str
    alias: str
    attributes: tuple[str, ...]
    source: Relation
    conflict: Conflict | None = None
    generated: tuple[GeneratedValue, ...] = ()
    returning: Returning | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Change the target's rows for which the predicate is true (all when None); every right side sees the row before.

    `seen`: what the subqueries of `assignments` see, SO_FAR in SQLite.
    """

    target: Scan
    assignments: tuple[Assignment, ...]
    predicate: Expression | None = None
    returning: Returning | None = None
    seen: SeenRows = SeenRows.BEFORE


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the target's rows for which the predicate is true (all when None)."""

    target: Scan
    predicate: Expression | None = None
    returning: Returning | None = None


Write: TypeAlias = Insert | Update | Delete
