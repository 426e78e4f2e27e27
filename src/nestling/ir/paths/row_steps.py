"""The steps of access paths that only statements need: they work on rows whose columns lie anywhere in a document.

What a `Column` of the algebra means between two steps is said by a `Layout`: the dotted path its value has there. Expressions and
predicates are those of `nestling.ir.statements.expression`, without subqueries: the planner has put what these yield into fields.
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
    from nestling.ir.paths.access_path import PathExpression as PathExpression
    from nestling.ir.paths.access_path import Step

ColumnId: TypeAlias = tuple[str, str]
NUMBER = "_n"
"""What follows an aggregate's name in that of the number of its values, which is counted beside it."""
VARIABLE = "$$"
"""What the path of a column starts with that is a variable of a lookup around these steps, and no field."""


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
        """The same, one level down in the documents; variables stay what they are."""
        return Layout(
            tuple((key, path if path.startswith(VARIABLE) else f"{prefix}.{path}") for key, path in self.entries)
        )

    def inside(self, path: str) -> Layout:
        """The columns whose paths begin with `path`, as seen from what lies there; the path of what lies there is empty."""
        start = f"{path}."
        return Layout(
            tuple((key, f"{at}.".removeprefix(start)[:-1]) for key, at in self.entries if f"{at}.".startswith(start))
        )


class Keep(StrEnum):
    """What becomes of the rows a lookup finds."""

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
    """Only documents with an element of the array that satisfies the predicate, whole.

    `layout` is that of the unwound documents: where the array is of bare values, its own path is that of their column. `again`:
    the array is unwound later and the predicate asked of each element, so that here only what is quickly told need be.
    `negated`: only documents without such an element.
    """

    source: Step
    predicate: Expression
    layout: Layout
    array: str
    again: bool = True
    negated: bool = False


@dataclass(frozen=True, slots=True)
class KeepElements:
    """The documents, of the array those elements alone that satisfy the predicate; `layout` as in `WhereElement`."""

    source: Step
    predicate: Expression
    layout: Layout
    array: str


@dataclass(frozen=True, slots=True)
class AggregateElements:
    """The documents with a field: an aggregate of the elements of the array that satisfy the predicate.

    `layout` as in `WhereElement`. ANY_VALUE is that of the first element, in the aggregate's order where it has one.
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
    """The documents with top-level fields added, whose values are said in terms of the documents."""

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
    """Each row with the rows `foreign` yields for it, one under `field` at a time (or all, by `keep`).

    `equal`: (path here, path in the collection that `foreign` scans first) whose values must be equal or both missing, asked
    before anything `foreign` does. With `identity`, (name, path here) of the parts of a compound `_id`, that is what must be
    equal. `variables` are values of this row that `foreign` mentions, by name. `beside`: at most one is found, and those of
    several such lookups in a row are all there before any is taken out.
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
    """A document per combination of the keys' values, NULLs being the same: `_id.<key field>` and the aggregates' fields.

    Without keys one document, even over nothing. `following`: the keys whose values follow from those of the other keys.
    """

    source: Step
    keys: tuple[tuple[str, Expression], ...]
    aggregates: tuple[tuple[str, AggregateCall], ...]
    layout: Layout
    collations: tuple[Collation, ...] = ()
    following: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SortRows:
    """The documents in order. `prefix`: what the fields are called that keys become which are no plain fields.

    `by_id`: the order of a compound `_id` is the order of the keys, so that the index on `_id` has the documents in it.
    """

    source: Step
    keys: tuple[SortKey, ...]
    layout: Layout
    prefix: str
    by_id: bool = False


@dataclass(frozen=True, slots=True)
class FirstRows:
    """Of the documents with equal values of the keys, NULLs being the same, the one that comes first; in any order.

    `fields`: the paths of what is taken of it, none inside another; all of it where there are none.
    """

    source: Step
    keys: tuple[Expression, ...]
    layout: Layout
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slice:
    """So many documents after leaving out the first; literals or parameters."""

    source: Step
    count: Expression | None
    offset: Expression | None


@dataclass(frozen=True, slots=True)
class Barrier:
    """The same documents; the server asks no later condition before it.

    MongoDB 6.0 moves what a lookup asks of a time series to its front, and then takes the first row's answer for all rows.
    """

    source: Step


@dataclass(frozen=True, slots=True)
class Repeat:
    """Each document as often as the whole number at `path` says; `field` is where the count goes."""

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
    """Each document with all that are reached from it, one under `field` at a time, none twice.

    From `start` (a path here) on, documents of `collection` whose `to` is the value of the `by` field of those found before;
    their field `depth` counts the steps, from 0.
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
