"""The workload: SQL statements over the conceptual model with their rates, and what the application requires.

A statement keeps its SQL; `accesses` is its footprint over the model (which rows it touches and how), found by the source that
parsed it. Requirements say how stale a copy may be, what must change atomically, and the bounds and budgets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from nestling.common.errors import Problem, WorkloadError
from nestling.ir.freshness import Freshness
from nestling.ir.rows import AggregateKind
from nestling.ir.statements.clause import Clause, ClauseOperator

DOCUMENT_BYTES = 16 * 1024 * 1024
"""What a document has at most: the server's bound."""
_SELECT = re.compile(r"\bselect\b", re.IGNORECASE)


class StatementKind(StrEnum):
    """What a statement does to the data."""

    SELECT = "select"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"

    @property
    def writes(self) -> bool:
        """Whether it changes rows."""
        return self is not StatementKind.SELECT


class Operator(StrEnum):
    """How a filter compares an attribute: what an index can do for it."""

    EQUALITY = "="
    RANGE = "range"
    IN = "in"
    PATTERN = "pattern"
    CASED = "cased"  # lower(…) or upper(…) of it, for equality
    FOLDED = "folded"  # lower(…) or upper(…) of it, or of more, otherwise
    CONTAINS = "contains"  # elements of an array
    EACH = "each"  # with what a subquery gives for each row
    LACKS = "lacks"  # that no row of a subquery has it: NOT IN
    OTHER = "other"

    @property
    def is_exact(self) -> bool:
        """Whether it names the values asked for."""
        return self in (Operator.EQUALITY, Operator.IN)

    @property
    def leads(self) -> bool:
        """Whether the entries it finds in an index stand together for each value, so that a further key may narrow them."""
        return self.is_exact or self is Operator.CONTAINS

    @property
    def seeks(self) -> bool:
        """Whether an index finds the rows."""
        return self.leads or self is Operator.RANGE


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """An attribute compared with a constant or a parameter."""

    attribute: str
    operator: Operator


LEAST_TOGETHER = 2
"""Entities of a group that must change together."""
UNITS = ("minute", "hour", "day", "month", "year")
"""Units of time rows may be grouped by, finest first."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows shown only in groups: by `keys`, attributes with None or with a unit of their time (`hour`, `day`, …).

    `aggregates` are all that is shown of a group besides.
    """

    keys: tuple[tuple[str, str | None], ...]
    aggregates: tuple[tuple[AggregateKind, str | None], ...]


class Walk(StrEnum):
    """The way a recursive query goes along a relationship of an entity with itself, again and again to the end."""

    UP = "up"  # from a row to its parent: all rows above it
    DOWN = "down"  # from a row to its children: all rows below it


@dataclass(frozen=True, slots=True)
class Access:
    """One occurrence of an entity in a statement.

    `via` is the relationship by which a join reached it from an access before it, None when it stands alone. `attributes` are
    those read (SELECT) or set (writes). `sort` are attributes the result is ordered by, `-name` when descending. `aggregates` are
    set when nothing of the rows is shown but these: a function and its attribute (None: the rows themselves). `grouping` is set
    when they are shown in groups of its own attributes only. `walk`: the relationship is gone along to the end. `constants`: what
    the statement's text alone says of each row it finds, whatever its parameters are; `sets`: of each row it writes.
    `unsorted`: the attribute at which `sort` ends, though the order goes on: its NULLs come where no index has them. `any_of`: of
    an OR what each side compares, where an index could find the rows of each; nothing on a side that is of another table.
    `joined`: those that equal columns of other tables where no relationship is gone along. `up`: of a relationship of an entity
    with itself it is the parents' side. `ranged`: those of which a column of another table gives an end of a range.
    """

    entity: str
    kind: StatementKind
    attributes: tuple[str, ...] = ()
    filters: tuple[AttributeFilter, ...] = ()
    sort: tuple[str, ...] = ()
    via: str | None = None
    aggregates: tuple[tuple[AggregateKind, str | None], ...] = ()
    grouping: Grouping | None = None
    walk: Walk | None = None
    constants: tuple[Clause, ...] = ()
    sets: tuple[Clause, ...] = ()
    unsorted: str = ""
    any_of: tuple[tuple[AttributeFilter, ...], ...] = ()
    joined: tuple[str, ...] = ()
    up: bool = False
    ranged: tuple[str, ...] = ()

    def compared(self, operator: Operator) -> set[str]:
        """The attributes its conditions compare by it."""
        return {each.attribute for each in self.filters if each.operator is operator}

    @property
    def asks_for_null(self) -> bool:
        """Whether a condition is IS NULL, for which the server reads the documents: an index entry does not tell it whether the
        field is missing (seen on MongoDB 6.0).
        """
        return any(each.comparison is ClauseOperator.NULL for each in self.constants)

    @property
    def nulls(self) -> frozenset[str]:
        """The attributes that become NULL in every row that it writes."""
        return frozenset(each.name for each in self.sets if each.comparison is ClauseOperator.NULL)

    @property
    def joins(self) -> tuple[AttributeFilter, ...]:
        """The attributes that a lookup of its rows compares for equality, without those that a condition names anyway."""
        named = self.compared(Operator.EQUALITY)
        return tuple(AttributeFilter(name, Operator.EQUALITY) for name in self.joined if name not in named)

    @property
    def ranges(self) -> tuple[AttributeFilter, ...]:
        """The further attributes that a lookup of its rows uses: those of which it gives an end of a range."""
        return tuple(AttributeFilter(name, Operator.RANGE) for name in self.ranged)

    @property
    def either(self) -> frozenset[str]:
        """The attributes that the sides of the OR compare."""
        return frozenset(each.attribute for side in self.any_of for each in side)

    @property
    def sides(self) -> tuple[Access, ...]:
        """An access for each side of the OR, if all of them are about it."""
        return self.own_sides if all(self.any_of) else ()

    @property
    def own_sides(self) -> tuple[Access, ...]:
        """An access for each side of the OR that is about it."""
        return tuple(map(self.of_side, filter(None, self.any_of)))

    def of_side(self, side: tuple[AttributeFilter, ...]) -> Access:
        """The access with the comparisons of one side of the OR, and the equalities that must hold besides."""
        besides = (each for each in self.filters if each.operator.seeks)
        return replace(self, filters=tuple(dict.fromkeys((*besides, *side))), any_of=())

    @property
    def order(self) -> tuple[tuple[str, bool], ...]:
        """The sort attributes, each with whether it descends."""
        return tuple(
            (name[1:], True) if name.startswith("-") and len(name) > 1 else (name, False) for name in self.sort
        )


@dataclass(frozen=True, slots=True)
class Quantile:
    """Where a value that is not given lies: the share (0..1) of an attribute's values that are smaller.

    Of the pattern of a LIKE it is the share of values that match.
    """

    share: float


@dataclass(frozen=True, slots=True)
class Statement:
    """A named SQL statement: rate in executions a second, sample parameters as JSON text, its footprint.

    `quantiles`: by parameter of a range that has no sample, the share (0..1) of the attribute's values that are smaller; by
    parameter of a LIKE, the share that match. `limit`:
    how many rows it asks for at most, when that is known. `measured_seconds`: how long the command it says was measured to take
    each time; `asked_with`: the first of several statements that are one command of the application, of which this is another.
    """

    name: str
    sql: str
    kind: StatementKind
    rate_per_second: float = 1.0
    dialect: str = ""
    parameters: tuple[str, ...] = ()
    samples: tuple[tuple[str, object], ...] = ()
    accesses: tuple[Access, ...] = ()
    limit: int | None = None
    quantiles: tuple[tuple[str, float], ...] = ()
    measured_seconds: float | None = None
    asked_with: str = ""

    @property
    def known_values(self) -> dict[str, object]:
        """For each parameter, what is known of its values: a sample, or a `Quantile`."""
        return {name: Quantile(share) for name, share in self.quantiles} | dict(self.samples)

    @property
    def is_flat(self) -> bool:
        """Whether no query stands inside another: all its accesses are joined row by row."""
        return len(_SELECT.findall(self.sql)) <= 1

    def __post_init__(self) -> None:
        if not self.rate_per_second > 0 or self.rate_per_second == float("inf"):
            what = f"statement `{self.name}` runs {self.rate_per_second:g} times a second"
            raise WorkloadError(
                Problem(what=what, next_move="give a rate above 0, such as `rate: 5/s` or `rate: 2/day`")
            )


@dataclass(frozen=True, slots=True)
class Requirements:
    """What the application asks of any design; defaults are the sources' and the server's limits."""

    freshness: tuple[tuple[str, Freshness], ...] = ()  # `entity.attribute` or relationship -> weakest allowed
    atomic: tuple[tuple[str, ...], ...] = ()  # groups of entities that must change together
    storage_budget_bytes: int | None = None
    document_bound_bytes: int = DOCUMENT_BYTES
    array_bound: int | None = None
    transaction_bound: int | None = None  # documents that one transaction may change
    retention_days: tuple[tuple[str, float], ...] = ()
    tolerance: tuple[
        tuple[str, int], ...
    ] = ()  # `entity.attribute` or relationship -> an answer is less than that too low
    schema_version: int | None = None  # a number every document carries
    short_names: bool = False  # attributes are stored under initials
    archive: tuple[tuple[str, str, str], ...] = ()  # entity, attribute, value: rows before it lie apart
    read_only: tuple[str, ...] = ()  # entities whose rows never come, change or go


LEAST_WINDOW_SECONDS = 3_600.0
"""Rates watched for less say nothing of what happens over months."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Statements in file order, names unique, and the requirements. `window_seconds`: how long the statements were watched, where
    their rates were counted. `left_out`: names of statements that nobody could read, so that no design weighs them. `in_part`:
    names of those that are weighed with only what could be read of them.
    """

    statements: tuple[Statement, ...] = ()
    requirements: Requirements = Requirements()
    window_seconds: float | None = None
    left_out: tuple[str, ...] = ()
    in_part: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [statement.name for statement in self.statements]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            problems = (Problem(what=f"statement `{name}` appears twice", next_move="rename one") for name in twice)
            raise WorkloadError(*problems)

    @property
    def tells_growth(self) -> bool:
        """Whether rates may be taken to go on for months: those of a short while may not."""
        return self.window_seconds is None or self.window_seconds >= LEAST_WINDOW_SECONDS

    def statement(self, name: str) -> Statement | None:
        """The statement of that name, if there is one."""
        return next((statement for statement in self.statements if statement.name == name), None)

    def command_of(self, statement: Statement) -> Statement | None:
        """The statement in whose command an application also asks for this one; None where that is a command of its own.

        A write of the documents that this one also writes, or a SELECT whose documents also hold what this one shows.
        """
        first = self.statement(statement.asked_with) if statement.asked_with else None
        if first is None or first is statement or first.kind.writes is not statement.kind.writes:
            return None
        return first
