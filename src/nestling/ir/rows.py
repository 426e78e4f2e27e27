"""How executors ask a source for rows and give rows to a target, without knowing the database behind it.

A `RowQuery` is plain data over the conceptual model: a base entity, columns reached by following relationships, an order that
determines every row's position, and a key to continue after. Sources turn it into SQL (or a pipeline); executors merge the
streams.

Values are *conceptual*: `None`, `bool`, `int`, `Decimal`, `float`, `str`, `bytes`, `date`, `datetime` (naive for timestamp,
UTC-aware for timestamptz), `UUID`, for json and arrays what `json.loads` gives (arrays of conceptual values), and text in a
documented form for time, interval and bits. A value that does not exactly fit its attribute's type is passed on as found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from nestling.common.errors import Problem
from nestling.ir.model import Entity, Model, Relationship

Row = tuple[object, ...]
"""Conceptual values, in the order of the columns asked for or of an entity's attributes."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One step along a relationship: `up` from child to parent, otherwise down from parent to its children.

    Text form: the relationship's name; `name:up` or `name:down` if a self-relationship makes it ambiguous.
    """

    relationship: str
    up: bool

    def target(self, model: Model) -> str:
        """The entity the hop arrives at."""
        link = model.relationship(self.relationship)
        return link.parent if self.up else link.child

    def start(self, model: Model) -> str:
        """The entity the hop leaves from."""
        link = model.relationship(self.relationship)
        return link.child if self.up else link.parent

    def near(self, model: Model) -> tuple[str, ...]:
        """The attributes of the starting row by which it goes."""
        link = model.relationship(self.relationship)
        return link.child_attributes if self.up else link.parent_attributes

    def far(self, model: Model) -> tuple[str, ...]:
        """The attributes of the target row that the hop compares, in the same order; none is NULL if there is a target row."""
        link = model.relationship(self.relationship)
        return link.parent_attributes if self.up else link.child_attributes

    def to_one(self, model: Model) -> bool:
        """Whether it arrives at no more than one row."""
        return self.up or model.relationship(self.relationship).cardinality.value == "1:1"


RowPath = tuple[Hop, ...]


class UndecodableText(bytes):
    """Text whose bytes are not valid UTF-8, unchanged; unlike `bytes` of a binary column it is written back as text."""

    __slots__ = ()


class JsonNull:
    """The JSON value `null`, which is not SQL's NULL (`None`)."""

    def __repr__(self) -> str:
        return "JSON_NULL"


JSON_NULL = JsonNull()


@dataclass(frozen=True, slots=True)
class RowColumn:
    """An attribute of the entity reached from the base entity along `path` (empty: the base entity's own)."""

    attribute: str
    path: RowPath = ()


@dataclass(frozen=True, slots=True)
class RowSortKey:
    """A column to sort by, ascending by default. NULLs come first ascending and last descending, in every dialect."""

    column: RowColumn
    descending: bool = False


class AggregateKind(StrEnum):
    """Aggregates; NULLs are left out, over no rows `count` is 0 and the others are NULL, as in SQL."""

    COUNT = "count"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"


EXTREME_IS_LAST = {AggregateKind.MIN: False, AggregateKind.MAX: True}
"""The aggregates that are a row's own value, and whether that row is the last in ascending order."""


@dataclass(frozen=True, slots=True)
class RowAggregate:
    """A function over a column, or over the joined rows if the column is None (count only)."""

    function: AggregateKind
    column: RowColumn | None = None


@dataclass(frozen=True, slots=True)
class NewestRows:
    """Keep only the first `limit` rows, by `order`, of every group of equal `within` values."""

    within: tuple[RowColumn, ...]
    order: tuple[RowSortKey, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class RowQuery:
    """Rows of `entity` joined along every path its columns use (outer joins, except along `inner` paths).

    - `order`: ascending, in the base entity's database order. `after`: values of the `order` columns to continue after; these
      columns must then be non-null and unique together. With values of only the first few, all rows equal in those are skipped.
    - `without_parent`: only base rows that match no parent along that relationship (foreign key NULL or dangling).
    - `without_children`: only base rows that no child refers to along that relationship.
    - `group_by_order`: one row per distinct `order` values: the order columns, then the `aggregates`.
    - `ancestors`: a self-relationship; a row per (base row, ancestor). The ancestor's columns are those whose path is exactly
      `(Hop(ancestors, up=True),)`. Rows are ordered by `order` and then from the root of the tree downwards.
    """

    entity: str
    columns: tuple[RowColumn, ...]
    order: tuple[RowColumn, ...] = ()
    inner: tuple[RowPath, ...] = ()
    after: tuple[object, ...] | None = None
    without_parent: str | None = None
    without_children: str | None = None
    newest: NewestRows | None = None
    group_by_order: bool = False
    aggregates: tuple[RowAggregate, ...] = ()
    ancestors: str | None = None


class RowSource(Protocol):
    """Where rows come from."""

    @property
    def model(self) -> Model:
        """The model whose names the queries use."""

    def snapshot(self) -> AbstractContextManager[None]:
        """A context in which every query sees the same state of the data, as far as the database supports that."""

    def rows(self, query: RowQuery) -> Iterator[tuple[object, ...]]:
        """Stream rows in constant memory. Several streams may be open at once."""

    def count(self, entity: str) -> int:
        """Rows of an entity, now."""

    def highest_number(self, entity: str, attribute: str) -> int | None:
        """The highest number the source ever gave to the attribute, which is never reused; None if there is none."""


@dataclass(frozen=True, slots=True)
class RefusedValues:
    """Values of one attribute and one Python type that a sink does not accept, or would return changed.

    `count`: the number of rows with such a value; `row` is the first of them, and `problem` says what is wrong with its value.
    """

    entity: str
    attribute: str
    kind: type
    count: int
    row: tuple[object, ...]
    problem: Problem

    @property
    def text(self) -> str:
        """The problem, and the number of rows that have it."""
        return self.problem.what + (f"; {self.count:,} rows have this problem" if self.count > 1 else "")


def summed(found: Iterable[RefusedValues]) -> tuple[RefusedValues, ...]:
    """One for each attribute and type, with the rows of all."""
    sums = dict[tuple[str, str, type], RefusedValues]()
    for each in found:
        at = (each.entity, each.attribute, each.kind)
        sums[at] = replace(sums[at], count=sums[at].count + each.count) if at in sums else each
    return tuple(sums.values())


class RowSink(Protocol):
    """The target for rebuilt rows: `begin` creates what is missing, and `finish` makes everything visible."""

    def begin(self, model: Model) -> None:
        """Create what holds the entities. Raises an error if something is in the way."""

    def write(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> None:
        """Add rows, each a tuple of conceptual values in attribute order."""

    def refused(self, entity: Entity, rows: Sequence[tuple[object, ...]]) -> Iterator[RefusedValues]:
        """Yield all values of rows that `write` would refuse. Adds nothing."""

    def finish(self) -> tuple[str, ...]:
        """Check the relationships and commit. Return sentences about parts of the model that are not declared there."""

    def close(self) -> None:
        """Take back all of it, unless it was finished."""


def up(relationship: Relationship) -> Hop:
    """The hop from the child of `relationship` to its parent."""
    return Hop(relationship.name, up=True)


def down(relationship: Relationship) -> Hop:
    """The hop from the parent of `relationship` to its children."""
    return Hop(relationship.name, up=False)


def reversed_path(hops: RowPath) -> RowPath:
    """The path from its end back to its beginning."""
    return tuple(Hop(hop.relationship, up=not hop.up) for hop in reversed(hops))
