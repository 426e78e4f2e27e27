"""The steps of access paths that only statements need: they work on rows whose columns may be anywhere in a document.

A `Layout` says where a `Column` of the algebra is between two steps: the dotted path of its value. Expressions and predicates
are those of `nestling.ir.statements.expression`, without subqueries: the planner has put their results into fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from nestling.ir.statements.algebra import AggregateCall, SortKey, WindowFunction
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statements.operators import Collation

if TYPE_CHECKING:
    from nestling.ir.paths.access_path import PathExpression, Step

ColumnId: TypeAlias = tuple[str, str]
NUMBER = "_n"
"""Suffix for the number of an aggregate's values, which is counted in addition."""
VARIABLE = "$$"
"""Prefix of the path of a column that is a variable of a surrounding lookup, not a field."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The path of each column, by (alias, name)."""

    entries: tuple[tuple[ColumnId, str], ...] = ()
    _paths: dict[ColumnId, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_paths", dict(self.entries))

    @staticmethod
    def of(paths: Mapping[ColumnId, str] | Iterable[tuple[ColumnId, str]]) -> Layout:
        """A layout of these paths; of several for one column the last."""
        found: dict[ColumnId, str] = dict(paths)
        return Layout(tuple(found.items()))

    def __contains__(self, column: Column) -> bool:
        return (column.alias, column.name) in self._paths

    def path(self, column: Column) -> str:
        """The column's path; raises `KeyError`."""
        return self._paths[column.alias, column.name]

    def __or__(self, other: Layout) -> Layout:
        return Layout.of({**self._paths, **other._paths})

    def under(self, prefix: str) -> Layout:
        """The layout one level further down in the documents; variables do not change."""
        return Layout(
            tuple((key, path if path.startswith(VARIABLE) else f"{prefix}.{path}") for key, path in self.entries)
        )

    def inside(self, path: str) -> Layout:
        """The columns at or below `path`, relative to it; the column at `path` itself has an empty path."""
        start = f"{path}."
        return Layout(
            tuple((key, f"{at}.".removeprefix(start)[:-1]) for key, at in self.entries if f"{at}.".startswith(start))
        )


class Keep(StrEnum):
    """What happens to the rows that a lookup finds."""

    MATCHED = "matched"  # a row for each one found; none where nothing was found
    ALL = "all"  # the same, but a row that finds nothing stays as it is
    TOGETHER = "together"  # each row once, the field being an array of those found


@dataclass(frozen=True, slots=True)
class Where:
    """The rows for which the predicate is true.

    `identity`: the parts of a compound `_id`, in order, where these are still the documents of a collection: given all of them
    (or the first few), one `_id` (or a range of them) is meant, which its index finds.
    """

    source: Step
    predicate: Expression
    layout: Layout
    identity: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WhereElement:
    """Only documents with an element of the array that satisfies the predicate, unchanged.

    `layout` is that of the unwound documents: if the array has bare values, its own path is that of their column. `again`: the
    array is unwound later and the predicate tested for each element, so only a fast condition is needed here. `negated`: only
    documents without such an element.
    """

    source: Step
    predicate: Expression
    layout: Layout
    array: str
    again: bool = True
    negated: bool = False


@dataclass(frozen=True, slots=True)
class KeepElements:
    """The documents with only those elements of the array that satisfy the predicate; `layout` as in `WhereElement`."""

    source: Step
    predicate: Expression
    layout: Layout
    array: str


@dataclass(frozen=True, slots=True)
class AggregateElements:
    """The documents with a new field: an aggregate of the array elements that satisfy the predicate.

    `layout` as in `WhereElement`. ANY_VALUE is that of the first element, in the aggregate's order if it has one.
    """

    source: Step
    field: str
    array: str
    aggregate: AggregateCall
    predicate: Expression | None
    layout: Layout


@dataclass(frozen=True, slots=True)
class WherePair:
    """The documents with a pair `name` in the list `array` whose value satisfies the predicate, which is false of NULL.

    `key` and `value` are the fields of a pair; `layout` has the one column the predicate is about.
    """

    source: Step
    predicate: Expression
    layout: Layout
    array: str
    key: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Compute:
    """The documents with top-level fields added."""

    source: Step
    fields: tuple[tuple[str, Expression], ...]
    layout: Layout


@dataclass(frozen=True, slots=True)
class Add:
    """The documents with top-level fields added, whose values are expressions over the documents."""

    source: Step
    fields: tuple[tuple[str, PathExpression], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """New documents of these top-level fields only, in this order; `shown`: NULL is there as null, else left out."""

    source: Step
    fields: tuple[tuple[str, Expression], ...]
    layout: Layout
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Correlate:
    """Each row with the rows that `foreign` yields for it, one in `field` at a time (or all, by `keep`).

    `equal`: (path here, path in the collection that `foreign` scans first) whose values must be equal or both missing, tested
    before anything else in `foreign`. With `identity`, (name, path here) of the parts of a compound `_id`, that must be equal
    instead. `variables`: values of this row that `foreign` uses, by name. `beside`: at most one row is found, and all such
    lookups of a row come before any of their results is extracted.
    """

    source: Step
    foreign: Step
    field: str
    keep: Keep
    equal: tuple[str, str] | None = None
    variables: tuple[tuple[str, str], ...] = ()
    identity: tuple[tuple[str, str], ...] = ()
    beside: bool = False


@dataclass(frozen=True, slots=True)
class GroupRows:
    """A document per combination of the keys' values, with NULLs equal: `_id.<key field>` and the aggregates' fields.

    Without keys there is one document, even for no rows. `following`: the keys whose values follow from the other keys.
    """

    source: Step
    keys: tuple[tuple[str, Expression], ...]
    aggregates: tuple[tuple[str, AggregateCall], ...]
    layout: Layout
    collations: tuple[Collation, ...] = ()
    following: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SortRows:
    """The documents in order. `prefix`: for the fields of keys that are not plain fields.

    `by_id`: the order of a compound `_id` is that of the keys, so the index on `_id` yields the documents in order.
    """

    source: Step
    keys: tuple[SortKey, ...]
    layout: Layout
    prefix: str
    by_id: bool = False


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The first of the documents with equal values of the keys, with NULLs equal; in any order.

    `fields`: the paths that are kept, none inside another; everything if there are none.
    """

    source: Step
    keys: tuple[Expression, ...]
    layout: Layout
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slice:
    """At most `count` documents after skipping `offset`; both are literals or parameters."""

    source: Step
    count: Expression | None
    offset: Expression | None


@dataclass(frozen=True, slots=True)
class Barrier:
    """The documents unchanged; the server tests no later condition before this step.

    MongoDB 6.0 moves a lookup's conditions on a time series to its front, and then uses the first row's result for all rows.
    """

    source: Step


@dataclass(frozen=True, slots=True)
class Repeat:
    """Each document as often as the whole number at `path` says; `field` gets the position."""

    source: Step
    times: Expression
    layout: Layout
    field: str


@dataclass(frozen=True, slots=True)
class Windows:
    """The documents with window functions' values added as top-level fields; all have the same partition and order.

    The partition's and order's values are fields already.
    """

    source: Step
    functions: tuple[tuple[str, WindowFunction], ...]
    layout: Layout


@dataclass(frozen=True, slots=True)
class Constants:
    """Documents that are written in the statement."""

    rows: tuple[tuple[tuple[str, Expression], ...], ...]
    layout: Layout = Layout()


@dataclass(frozen=True, slots=True)
class GraphLookup:
    """Each document with all that are reachable from it, one in `field` at a time, none twice.

    Starting from `start` (a path here), documents of `collection` whose `to` equals the `by` field of those found before; their
    field `depth` counts the steps, from 0.
    """

    source: Step
    collection: str
    start: str
    by: str
    to: str
    field: str
    depth: str


RowStep: TypeAlias = (
    Where
    | WhereElement
    | KeepElements
    | AggregateElements
    | WherePair
    | Compute
    | Add
    | Shape
    | Correlate
    | GroupRows
    | SortRows
    | FirstRows
    | Slice
    | Barrier
    | Repeat
    | Windows
    | Constants
    | GraphLookup
)

ROW_STEPS = (
    Where,
    WhereElement,
    KeepElements,
    AggregateElements,
    WherePair,
    Compute,
    Add,
    Shape,
    Correlate,
    GroupRows,
    SortRows,
    FirstRows,
    Slice,
    Barrier,
    Repeat,
    Windows,
    Constants,
    GraphLookup,
)
