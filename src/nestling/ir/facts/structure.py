"""What relates the rows of documents: keys, links, repeated values and kinds. No values, but for the names of kinds.

A row is a document, a sub-document or an element of an array; `node` are the steps that lead to it. Columns are given by the
steps of their fields from the document's root, so that a column of a document above can be named too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

Steps = tuple[str, ...]
Columns = tuple[Steps, ...]
FieldPlace = tuple[str, Steps]
"""A collection and the way to a field in its documents."""


@dataclass(frozen=True, slots=True)
class Key:
    """Columns that no two of the `rows` looked at share; `main`: what tells them apart. `declared`: by a unique index too."""

    database: str
    collection: str
    node: Steps
    columns: Columns
    rows: int
    main: bool = True
    declared: bool = False


class Evidence(StrEnum):
    """Why values are believed to refer to others."""

    NAME = "name"  # the field's name says so
    VALUES = "values"  # they would not all be there by chance
    COVERAGE = "coverage"  # they are nearly all there is, of one collection only


@dataclass(frozen=True, slots=True)
class Link:
    """Values of `columns` that are a key of rows elsewhere: of `checked` different ones, `resolved` are found there.

    `fan_out`: rows a value has in the mean, 50, 95 and 99 of 100 and at most. `sole`: no value occurs twice. `orphans`: rows
    without a value, `dangling`: rows with one that is not found. `whole`: counted over all rows.
    """

    database: str
    collection: str
    node: Steps
    columns: Columns
    target: str
    target_node: Steps
    target_columns: Columns
    checked: int
    resolved: int
    evidence: Evidence
    sole: bool = False
    orphans: int = 0
    dangling: int = 0
    fan_out: tuple[float, float, float, float, float] | None = None
    whole: bool = True

    @property
    def total(self) -> bool:
        """Whether every row looked at has its other side."""
        return self.whole and not self.orphans and not self.dangling


@dataclass(frozen=True, slots=True)
class Unclear:
    """Values that look like references, and are found in several collections: nothing says in which they are meant.

    Not `named`: nothing but the values looks so, and `targets` is the one field that has them.
    """

    database: str
    collection: str
    columns: Columns
    targets: tuple[str, ...]
    checked: int
    resolved: int
    named: bool = True


@dataclass(frozen=True, slots=True)
class NearKey:
    """A column whose values are nearly a key of another collection, but `repeated` rows there have one that is not their own."""

    database: str
    collection: str
    column: Steps
    target: str
    target_column: Steps
    repeated: int


@dataclass(frozen=True, slots=True)
class LackedId:
    """A column that is the id of most elements of an array; of `checked` elements, `lacking` have none."""

    database: str
    collection: str
    node: Steps
    column: Steps
    lacking: int
    checked: int


@dataclass(frozen=True, slots=True)
class RepeatedColumn:
    """A column that repeats a column of the row its link leads to: of `checked` rows, `equal` do.

    `named`: its name says which column it repeats (`customer_name`, `customer.name`). `by_values`: chance does not explain how
    many are equal.
    """

    database: str
    collection: str
    node: Steps
    column: Steps
    link: Columns
    target: str
    target_node: Steps
    target_column: Steps
    checked: int
    equal: int
    named: bool = False
    by_values: bool = False


@dataclass(frozen=True, slots=True)
class Kinds:
    """A field that tells which of several kinds a document is; for each its name, documents and the columns only it has.

    Without `column` no field tells, and the kinds have no names: their columns are there together, and never with another's.
    """

    database: str
    collection: str
    column: Steps
    kinds: tuple[tuple[str, int, Columns], ...]


@dataclass(frozen=True, slots=True)
class Counted:
    """A column that counts the rows which link to its own, by `key`, or the elements of an array beside it: of `checked` rows,
    `equal` do.

    `by_values`: chance does not explain how many are equal.
    """

    database: str
    collection: str
    node: Steps
    column: Steps
    child: str
    child_node: Steps
    child_columns: Columns
    checked: int
    equal: int
    key: Columns = ()
    by_values: bool = False

    @property
    def is_inside(self) -> bool:
        """Whether it counts the elements of an array beside it, which need no link."""
        return not self.child_columns


@dataclass(frozen=True, slots=True)
class StructureFacts:
    """All of it. `partial`: the nodes (collection and steps) of which not all rows were looked at."""

    keys: tuple[Key, ...] = ()
    links: tuple[Link, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    near_keys: tuple[NearKey, ...] = ()
    repeats: tuple[RepeatedColumn, ...] = ()
    counted: tuple[Counted, ...] = ()
    kinds: tuple[Kinds, ...] = ()
    partial: tuple[tuple[str, Steps], ...] = ()
    lacked_ids: tuple[LackedId, ...] = ()


def merged(structures: Sequence[StructureFacts]) -> StructureFacts:
    """The structures of several databases as one."""
    return StructureFacts(
        *(sum((getattr(each, item.name) for each in structures), ()) for item in fields(StructureFacts))
    )
