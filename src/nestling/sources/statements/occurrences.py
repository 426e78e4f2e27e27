"""What a statement touches, collected while it is walked: occurrences of entities, and where each column comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from nestling.ir.constraints.computed_attributes import computed_of
from nestling.ir.model import Entity
from nestling.ir.rows import AggregateKind
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.storage.stored_equality import alike_in_order
from nestling.ir.types import TypeName, is_ordered_as_stored
from nestling.ir.workload import Access, AttributeFilter, Grouping, Operator, StatementKind, Walk
from nestling.sources.tables import find_name


@dataclass(eq=False)
class Occurrence:
    """One mention of an entity in a statement, and what is done with it."""

    entity: Entity
    kind: StatementKind
    read: set[str] = field(default_factory=set)
    written: dict[str, None] = field(default_factory=dict)
    filters: dict[AttributeFilter, None] = field(default_factory=dict)
    sort: dict[str, None] = field(default_factory=dict)
    any_of: tuple[tuple[AttributeFilter, ...], ...] = ()
    odd_nulls: set[str] = field(default_factory=set)  # ordered by, with NULLs at the end where no index has them
    aggregates: dict[tuple[AggregateKind, str | None], None] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)  # attributes put out, grouped by or sorted by as they are
    grouping: Grouping | None = None
    constants: dict[Clause, None] = field(default_factory=dict)
    sets: dict[Clause, None] = field(default_factory=dict)
    recurs: bool = False  # in the step of a recursive query
    optional: bool = False  # by an outer join: rows may lack one
    ranged: dict[str, None] = field(default_factory=dict)  # attributes of which others' columns give an end of a range

    def access(
        self, via: str | None, walk: Walk | None = None, joined: tuple[str, ...] = (), *, up: bool = False
    ) -> Access:
        """The access that the workload records for the occurrence."""
        match self.kind:
            case StatementKind.SELECT:
                attributes = tuple(name for name in self.entity.attribute_names if name in self.read)
            case StatementKind.UPDATE:  # what the source computes of them changes too
                made = (attribute.name for attribute in computed_of(self.entity, self.written))
                attributes = tuple(dict.fromkeys((*self.written, *made)))
            case _:
                attributes = tuple(self.written)
        aggregates = () if self.shown else tuple(self.aggregates)
        filters, sort = tuple(self.filters), tuple(takewhile(self._has_index_order, self.sort))
        unsorted = next(iter([*self.sort][len(sort) :]), "").removeprefix("-")
        said = tuple(self.constants), tuple(self.sets), unsorted, self.any_of, joined, up, tuple(self.ranged)
        return Access(
            self.entity.name, self.kind, attributes, filters, sort, via, aggregates, self.grouping, walk, *said
        )

    def _has_index_order(self, key: str) -> bool:
        attribute = key.removeprefix("-")
        if not is_ordered_as_stored(self.entity.attribute(attribute).type):
            return False
        return attribute not in self.odd_nulls or self._is_present(attribute)

    def _is_present(self, attribute: str) -> bool:
        """Whether a condition leaves no NULLs of it."""
        not_null = Clause(attribute, ClauseOperator.PRESENT)
        has_value = (each.attribute == attribute and each.operator.seeks for each in self.filters)
        return not_null in self.constants or any(has_value)


ColumnOrigin = tuple[Occurrence, str]
"""An attribute of an occurrence."""
Origins = tuple[ColumnOrigin, ...]
"""Where a column's values come from: one attribute, several in a union, none when they are computed."""


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A name in FROM with its columns; `is_open` when nestling cannot know them all (an unknown table, a function)."""

    alias: str
    columns: Mapping[str, Origins]
    entity: Entity | None = None
    is_open: bool = False

    def column(self, name: str) -> Origins | None:
        """Where a column comes from; None when there is no such column."""
        found = find_name(name, self.columns)
        return None if found is None else self.columns[found]


@dataclass(eq=False)
class NameScope:
    """The names one SELECT can use: its sources, the columns USING merged, its own outputs; then those around it."""

    parent: NameScope | None = None
    sources: list[NamedSource] = field(default_factory=list)
    merged: set[str] = field(default_factory=set)
    outputs: dict[str, Origins] = field(default_factory=dict)
    queries: dict[str, NamedSource] = field(default_factory=dict)  # by WITH

    def source(self, alias: str) -> NamedSource | None:
        """The source of that alias, from the inside out."""
        by_alias = {source.alias: source for source in self.sources}
        found = find_name(alias, by_alias)
        if found is not None:
            return by_alias[found]
        return self.parent.source(alias) if self.parent else None

    def holding(self, alias: str) -> NameScope | None:
        """The scope that has the source of that alias: this one, or one around it."""
        if find_name(alias, [source.alias for source in self.sources]) is not None:
            return self
        return self.parent.holding(alias) if self.parent else None

    def is_within(self, other: NameScope | None) -> bool:
        """Whether it is that scope, or one inside it."""
        return self is other or (self.parent is not None and self.parent.is_within(other))

    def query(self, name: str) -> NamedSource | None:
        """The WITH query of that name, from the inside out."""
        found = find_name(name, self.queries)
        if found is not None:
            return self.queries[found]
        return self.parent.query(name) if self.parent else None

    @property
    def is_open(self) -> bool:
        """Whether a name that is nowhere may still be one nestling cannot see."""
        return any(source.is_open for source in self.sources) or (self.parent is not None and self.parent.is_open)

    def holders(self, name: str) -> list[NamedSource]:
        """The sources of this scope alone that have a column of that name."""
        return [source for source in self.sources if source.column(name) is not None]

    def aliases(self) -> list[str]:
        """Every alias that can be used here."""
        return [source.alias for source in self.sources] + (self.parent.aliases() if self.parent else [])

    def column_names(self) -> list[str]:
        """Every column that can be used here."""
        own = [name for source in self.sources for name in source.columns]
        return own + (self.parent.column_names() if self.parent else [])


def found_by(entity: Entity, attribute: str, operator: Operator) -> AttributeFilter:
    """The comparison as an index may serve it: none does a range of values it has in another order, nor intervals at all."""
    kind = entity.attribute(attribute).type
    is_served = is_ordered_as_stored(kind) if operator is Operator.RANGE else kind.name is not TypeName.INTERVAL
    return AttributeFilter(attribute, operator if is_served or not operator.seeks else Operator.OTHER)


def add_filter(origins: Origins, operator: Operator) -> None:
    """Say that an attribute is compared with something known when the statement runs."""
    for occurrence, attribute in origins:
        occurrence.filters.setdefault(found_by(occurrence.entity, attribute, operator))


def add_range_beside(one: Origins, other: Origins) -> None:
    """Say that two columns of different rows are ordered: each gives an end of a range of the other, where an index has these."""
    for here, there in ((one, other), (other, one)):
        for (occurrence, attribute), (beside, name) in zip(here, there, strict=False):
            types = occurrence.entity.attribute(attribute).type, beside.entity.attribute(name).type
            if occurrence is not beside and alike_in_order(*types):
                occurrence.ranged[attribute] = None


def add_read(origins: Origins) -> None:
    """Say that an attribute is needed."""
    for occurrence, attribute in origins:
        occurrence.read.add(attribute)


def add_sort(origins: Origins, *, descending: bool = False, nulls_first: bool | None = None) -> None:
    """Say that the result is ordered by an attribute. Indexes have NULLs first, and last from behind."""
    for occurrence, attribute in origins:
        if nulls_first is descending and occurrence.entity.attribute(attribute).nullable:
            occurrence.odd_nulls.add(attribute)
        if not {attribute, f"-{attribute}"} & occurrence.sort.keys():
            occurrence.sort[f"-{attribute}" if descending else attribute] = None
    add_shown(origins)


def add_shown(origins: Origins) -> None:
    """Say that an attribute matters by itself, row by row."""
    for occurrence, attribute in origins:
        occurrence.shown.add(attribute)


def add_aggregate(function: AggregateKind, origins: Origins) -> None:
    """Say that an aggregate over an attribute is needed."""
    for occurrence, attribute in origins:
        occurrence.aggregates.setdefault((function, attribute))
