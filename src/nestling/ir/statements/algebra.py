"""Relations: a statement as a tree of operators over the conceptual model, every name resolved.

Each relation yields rows of `columns`, in that order; a bag, except that a `Sort` orders it and a `LimitOffset` or a `Query`
straight above keeps that order. Relations that make columns (`Scan`, `Values`, `Unnest`, `Project`, `GroupBy`, `Window`,
`SetOperation`, `Recursive`, `Working`) have an alias, unique in the whole statement; the others pass their inputs' columns
through.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statements.operands import is_mixed, is_mixed_time, nullable
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.read_locks import ReadLock
from nestling.ir.types import FLOAT, TIMES, Type


class JoinKind(StrEnum):
    """Which rows without a partner stay; CROSS has no condition."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    CROSS = "cross"


INNER_JOINS = (JoinKind.INNER, JoinKind.CROSS)
"""Joins of which only rows with a partner stay."""


class SetOperator(StrEnum):
    """Union, intersection, difference; rows are the same when all their values are, NULLs included."""

    UNION = "union"
    INTERSECT = "intersect"
    EXCEPT = "except"


class AggregateFunction(StrEnum):
    """Aggregates. NULLs are left out; over nothing COUNT is 0, TOTAL is 0.0 and the others are NULL.

    SUM: an integer if all values are integers, else a float (SQLite); exact decimals stay exact. AVG: a float, exact for
    decimals (PostgreSQL: for integers too). ANY_VALUE: a value of some row, NULLs *not* left out; all ANY_VALUEs of a group
    are of the same row, and where `at` is set of a row that has that minimum or maximum (SQLite's bare columns). LIST: an array
    of the values, NULLs *not* left out. The four of spread: a float of floats, else exact (PostgreSQL). PERCENTILE_CONT is a
    float between two values, PERCENTILE_DISC the first value that has so large a share before it and with it, both by `order`.
    """

    COUNT = "count"
    SUM = "sum"
    TOTAL = "total"
    AVG = "avg"
    MIN = "min"
    MAX = "max"
    CONCAT = "concat"
    EVERY = "every"
    SOME = "some"
    ANY_VALUE = "any value"
    LIST = "list"
    STDDEV_POP = "stddev_pop"
    STDDEV_SAMP = "stddev_samp"
    VAR_POP = "var_pop"
    VAR_SAMP = "var_samp"
    PERCENTILE_CONT = "percentile_cont"
    PERCENTILE_DISC = "percentile_disc"


SPREAD = frozenset(
    {
        AggregateFunction.STDDEV_POP,
        AggregateFunction.STDDEV_SAMP,
        AggregateFunction.VAR_POP,
        AggregateFunction.VAR_SAMP,
    }
)


class WindowOnly(StrEnum):
    """Functions that exist over windows only."""

    ROW_NUMBER = "row_number"
    RANK = "rank"
    DENSE_RANK = "dense_rank"
    PERCENT_RANK = "percent_rank"
    CUME_DIST = "cume_dist"
    NTILE = "ntile"
    LAG = "lag"  # (value[, offset[, default]])
    LEAD = "lead"
    FIRST_VALUE = "first_value"
    LAST_VALUE = "last_value"
    NTH_VALUE = "nth_value"


class FrameUnit(StrEnum):
    """What a frame's bounds count."""

    ROWS = "rows"
    RANGE = "range"
    GROUPS = "groups"


@dataclass(frozen=True, slots=True)
class SortKey:
    """An expression to order by."""

    expression: Expression
    descending: bool
    nulls_first: bool
    collation: Collation = Collation.BINARY


@dataclass(frozen=True, slots=True)
class Named:
    """An output: its name (unique in its relation) and what it is. `mixed` as in `Column`, of which a mixed column makes sure."""

    name: str
    expression: Expression
    mixed: bool = False

    def __post_init__(self) -> None:
        if is_mixed(self.expression):
            object.__setattr__(self, "mixed", True)


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """One aggregate over the rows of a group; COUNT without an argument counts rows.

    `filter`: only rows where it is true. `order` is CONCAT's and LIST's, without which any order is right; `separator` CONCAT's.
    `at`: (MIN or MAX, its argument), see ANY_VALUE. `share`: which part of the values a percentile has before it, from 0 to 1.
    """

    function: AggregateFunction
    argument: Expression | None
    type: Type
    distinct: bool = False
    filter: Expression | None = None
    order: tuple[SortKey, ...] = ()
    separator: Expression | None = None
    collation: Collation = Collation.BINARY
    at: tuple[AggregateFunction, Expression] | None = None
    share: float | None = None

    def nullable(self, *, keyed: bool) -> bool:
        """Whether it can be NULL; groups `keyed` by anything have a row. Floats may add up to no number, which can be NULL."""
        if self.function in (AggregateFunction.COUNT, AggregateFunction.TOTAL):
            return False
        if not keyed or self.argument is None or self.filter is not None or self.type == FLOAT:
            return True
        if self.function is AggregateFunction.LIST:
            return False
        if self.function in (AggregateFunction.STDDEV_SAMP, AggregateFunction.VAR_SAMP):
            return True  # of one value
        return nullable(self.argument) or (self.separator is not None and nullable(self.separator))


@dataclass(frozen=True, slots=True)
class NamedAggregate:
    """An aggregate and the column it becomes."""

    name: str
    aggregate: AggregateCall
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a frame: so many rows (values, groups) before or after the current one; `None` is unbounded, 0 the current."""

    offset: Expression | None
    following: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of the partition a window function sees."""

    unit: FrameUnit
    start: Bound
    end: Bound


WHOLE_PARTITION = Frame(FrameUnit.ROWS, Bound(None, following=False), Bound(None, following=True))
"""All rows of the partition."""


@dataclass(frozen=True, slots=True)
class WindowFunction:
    """A function over the frame around each row; ranks and offsets see the whole partition whatever the frame.

    `partition_collations` are the partition's, in order, empty when all are binary.
    """

    function: WindowOnly | AggregateFunction
    arguments: tuple[Expression, ...]
    type: Type
    partition: tuple[Expression, ...]
    order: tuple[SortKey, ...]
    frame: Frame
    filter: Expression | None = None
    collation: Collation = Collation.BINARY
    partition_collations: tuple[Collation, ...] = ()

    @property
    def mixed(self) -> bool:
        """Whether it is a date that may also be a text, because one of its arguments may be; see `Column`."""
        return self.type.name in TIMES and any(map(is_mixed_time, self.arguments))


@dataclass(frozen=True, slots=True)
class NamedWindow:
    """A window function and the column it becomes."""

    name: str
    window: WindowFunction


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of an entity; `columns` are its attributes under the alias."""

    entity: str
    alias: str
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column:
        """The column of an attribute."""
        return next(each for each in self.columns if each.name == name)


@dataclass(frozen=True, slots=True)
class Values:
    """Rows of expressions; one row of no columns is what a SELECT without FROM starts from."""

    alias: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Unnest:
    """A row for each element of an array, none where it is NULL; a second column is its place, from 1.

    The array is a column of rows around it: of the left of a join, or of an outer query.
    """

    alias: str
    columns: tuple[Column, ...]
    array: Column


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the predicate is true."""

    input: Relation
    predicate: Expression

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the input."""
        return self.input.columns


@dataclass(frozen=True, slots=True)
class Project:
    """One row for each, of the outputs only."""

    input: Relation
    alias: str
    outputs: tuple[Named, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """One for each output."""
        return tuple(
            Column(self.alias, out.name, out.expression.type, nullable(out.expression), out.mixed)
            for out in self.outputs
        )


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of rows for which the condition is true, and by `kind` the rows left alone, with NULLs for the other side.

    The right side may mention columns of the left (LATERAL) in an inner, cross or left join: it is evaluated for each row there.
    """

    kind: JoinKind
    left: Relation
    right: Relation
    condition: Expression | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The left's, then the right's; nullable on a side that may lack a partner."""
        left, right = self.left.columns, self.right.columns
        if self.kind in (JoinKind.RIGHT, JoinKind.FULL):
            left = tuple(replace(column, nullable=True) for column in left)
        if self.kind in (JoinKind.LEFT, JoinKind.FULL):
            right = tuple(replace(column, nullable=True) for column in right)
        return left + right


@dataclass(frozen=True, slots=True)
class GroupBy:
    """One row for each combination of key values (NULLs are the same); without keys exactly one row, even over nothing.

    `collations` are the keys', in order.
    """

    input: Relation
    alias: str
    keys: tuple[Named, ...]
    aggregates: tuple[NamedAggregate, ...]
    collations: tuple[Collation, ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The keys, then the aggregates."""
        keys = tuple(
            Column(self.alias, key.name, key.expression.type, nullable(key.expression), key.mixed) for key in self.keys
        )
        keyed = bool(keys)
        return keys + tuple(
            Column(self.alias, item.name, item.aggregate.type, item.aggregate.nullable(keyed=keyed), item.mixed)
            for item in self.aggregates
        )


@dataclass(frozen=True, slots=True)
class Distinct:
    """Equal rows (NULLs are the same) once; `collations` are the columns', in order, empty when all are binary."""

    input: Relation
    collations: tuple[Collation, ...] = ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the input."""
        return self.input.columns


@dataclass(frozen=True, slots=True)
class Sort:
    """The rows in order; equal ones in any."""

    input: Relation
    keys: tuple[SortKey, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the input."""
        return self.input.columns


@dataclass(frozen=True, slots=True)
class LimitOffset:
    """At most `count` rows (None or, in SQLite, a negative number: all) after leaving out `offset`."""

    input: Relation
    count: Expression | None
    offset: Expression | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the input."""
        return self.input.columns


@dataclass(frozen=True, slots=True)
class SetOperation:
    """Rows of both sides, column by position; `all` keeps duplicates as SQL does (sum, minimum, difference of counts)."""

    operator: SetOperator
    all: bool
    left: Relation
    right: Relation
    alias: str
    columns: tuple[Column, ...]
    collations: tuple[Collation, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Each row with the window functions' values added."""

    input: Relation
    alias: str
    functions: tuple[NamedWindow, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The input's, then the functions'."""
        found = (Column(self.alias, item.name, item.window.type, mixed=item.window.mixed) for item in self.functions)
        return self.input.columns + tuple(found)


@dataclass(frozen=True, slots=True)
class Recursive:
    """The rows of `base`, then again and again those of `step` over the rows found last, until there are none.

    Unless `all`, a row found before is left out, which is what ends a cycle.
    """

    alias: str
    columns: tuple[Column, ...]
    base: Relation
    step: Relation
    all: bool


@dataclass(frozen=True, slots=True)
class Working:
    """Inside the step of the `Recursive` called `recursion`: the rows found last."""

    recursion: str
    alias: str
    columns: tuple[Column, ...]


Relation: TypeAlias = (
    Scan
    | Values
    | Unnest
    | Filter
    | Project
    | Join
    | GroupBy
    | Distinct
    | Sort
    | LimitOffset
    | SetOperation
    | Window
    | Recursive
    | Working
)


@dataclass(frozen=True, slots=True)
class Query:
    """A read: the relation and the names SQL gives its columns, in order (they may repeat; the columns' own never do).

    `typed`: every value of a column is shown as one of the column's type, as servers do and SQLite does not.
    `locks`: how the source locks rows that are read until the transaction ends.
    """

    relation: Relation
    names: tuple[str, ...]
    typed: bool = False
    locks: ReadLock | None = None


def filtered(relation: Relation, predicate: Expression | None) -> Relation:
    """The rows for which the predicate is true; all where there is none."""
    return relation if predicate is None else Filter(relation, predicate)
