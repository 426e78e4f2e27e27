"""Numbers about the data, each with its provenance: declared beats measured beats inferred."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from math import isfinite
from typing import TYPE_CHECKING, TypeVar

from nestling.common.errors import InputError, Problem

if TYPE_CHECKING:
    from nestling.ir.distribution import Distribution


class Origin(StrEnum):
    """Where a number comes from, strongest first."""

    DECLARED = "declared"
    MEASURED = "measured"
    INFERRED = "inferred"


UNIQUE_LOOKING = 0.9
"""Share of different values in a sample above which the whole is taken to go on like that."""
UNKNOWN_ROWS = 1000.0
"""Rows of an entity nobody counted."""
CLOSED_RANGE = 1 / 20
"""Assumed share of values between two unknown ends.

More than PostgreSQL's 1/200, and less than the 1/9 of two independent ranges.
"""
_QUANTITY = re.compile(r"^\s*([-+0-9.eE]+)\s*(?:\((declared|measured|inferred)(?: over (\d+) rows)?\))?\s*$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its provenance; `rows`: how many rows it was measured over, None for all.

    Text form: `412`, `412 (measured)`, `0.031 (measured over 100000 rows)`; a bare number is declared.
    """

    value: float
    origin: Origin = Origin.DECLARED
    rows: int | None = None

    def __post_init__(self) -> None:
        if not isfinite(self.value):
            raise InputError(Problem(what=f"`{self.value}` is not a finite number"))

    def __str__(self) -> str:
        whole = float(self.value).is_integer() and abs(self.value) < 1e15
        number = f"{self.value:.0f}" if whole else repr(float(self.value))
        if self.origin is Origin.DECLARED:
            return number
        return (
            f"{number} ({self.origin} over {self.rows} rows)" if self.rows is not None else f"{number} ({self.origin})"
        )

    @property
    def is_estimate(self) -> bool:
        """Whether it was concluded from some of the rows."""
        return self.rows is not None

    @staticmethod
    def parse(text: str | float) -> Quantity:
        """Read the text form; raises `InputError`."""
        match = _QUANTITY.match(str(text))
        try:
            if match is None:
                raise ValueError
            return Quantity(float(match[1]), Origin(match[2] or "declared"), int(match[3]) if match[3] else None)
        except ValueError:
            what = f"`{text}` is not a number"
            raise InputError(Problem(what=what, next_move="write `412` or `412 (measured)`")) from None


def value_of(quantity: Quantity | None, otherwise: float) -> float:
    """The counted value, or `otherwise` if there is none."""
    return quantity.value if quantity is not None else otherwise


def measured(value: float, rows: int | None = None) -> Quantity:
    """A quantity measured over `rows` rows (None: all), rounded like its text form."""
    return Quantity(float(f"{value:.6g}") if not float(value).is_integer() else float(value), Origin.MEASURED, rows)


def inferred(value: float) -> Quantity:
    """A quantity concluded from something else."""
    return Quantity(value, Origin.INFERRED)


def distinct_of_all(found: int, looked_at: int, rows: float) -> float:
    """Estimate the distinct values among all rows from a sample: more if nearly all sampled values differ."""
    share = found / looked_at
    return round(share * rows if share > UNIQUE_LOOKING else found)


@dataclass(frozen=True, slots=True)
class AttributeStatistics:
    """One attribute: bytes per value (average, maximum), distinct values, share of NULLs (0..1), distribution of values.

    `ordered_otherwise`: the number of texts with characters that the source sorts differently from MongoDB; None if the sort
    order is not affected, or nothing is known. `elements`: average per array; `distinct_elements`: different ones over all
    arrays.
    """

    average_bytes: Quantity | None = None
    maximum_bytes: Quantity | None = None
    distinct: Quantity | None = None
    null_share: Quantity | None = None
    ordered_otherwise: Quantity | None = None
    elements: Quantity | None = None
    distinct_elements: Quantity | None = None
    values: Distribution | None = None


@dataclass(frozen=True, slots=True)
class EntityStatistics:
    """One entity: rows, new rows a day, and its attributes' statistics by name."""

    count: Quantity | None = None
    growth_per_day: Quantity | None = None
    attributes: tuple[tuple[str, AttributeStatistics], ...] = ()

    def attribute(self, name: str) -> AttributeStatistics:
        """The statistics of an attribute, empty if nothing is known."""
        return next((found for attribute, found in self.attributes if attribute == name), AttributeStatistics())


@dataclass(frozen=True, slots=True)
class RelationshipStatistics:
    """Fan-out: children per parent, over *all* parents; dangling references; depth of a self-relationship.

    `grows` (0 or 1) says whether a parent gets more children for ever. `dangling` counts child rows whose foreign key is not
    NULL and matches no parent; `orphans` counts child rows whose foreign key is NULL; `respelled` those that match their parent
    only by the source's collation, for example in another case.
    """

    mean: Quantity | None = None
    p50: Quantity | None = None
    p95: Quantity | None = None
    p99: Quantity | None = None
    p999: Quantity | None = None
    maximum: Quantity | None = None
    grows: Quantity | None = None
    dangling: Quantity | None = None
    orphans: Quantity | None = None
    respelled: Quantity | None = None
    depth: Quantity | None = None


Record = TypeVar("Record", EntityStatistics, AttributeStatistics, RelationshipStatistics)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is known about the data, by entity and by relationship name. Unknown names give empty records."""

    entities: tuple[tuple[str, EntityStatistics], ...] = ()
    relationships: tuple[tuple[str, RelationshipStatistics], ...] = ()
    _entities: dict[str, EntityStatistics] = field(init=False, repr=False, compare=False)
    _relationships: dict[str, RelationshipStatistics] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_entities", dict(self.entities))
        object.__setattr__(self, "_relationships", dict(self.relationships))

    def entity(self, name: str) -> EntityStatistics:
        """Statistics of an entity, empty if nothing is known."""
        return self._entities.get(name, EntityStatistics())

    def relationship(self, name: str) -> RelationshipStatistics:
        """Statistics of a relationship, empty if nothing is known."""
        return self._relationships.get(name, RelationshipStatistics())

    def merged(self, other: Statistics) -> tuple[Statistics, tuple[str, ...]]:
        """Both statistics combined, and a sentence for each conflict. The stronger provenance wins, on a tie that of `self`."""
        conflicts: list[str] = []
        entities = []
        for name in dict.fromkeys((*self._entities, *other._entities)):
            mine, theirs = self.entity(name), other.entity(name)
            attributes = tuple(
                (a, _attribute(mine.attribute(a), theirs.attribute(a), f"{name}.{a}", conflicts))
                for a in dict.fromkeys((*dict(mine.attributes), *dict(theirs.attributes)))
            )
            entities.append((name, replace(_stronger(mine, theirs, name, conflicts), attributes=attributes)))
        relationships = tuple(
            (name, _stronger(self.relationship(name), other.relationship(name), name, conflicts))
            for name in dict.fromkeys((*self._relationships, *other._relationships))
        )
        return Statistics(tuple(entities), relationships), tuple(conflicts)


def quantities(record: Record) -> Iterator[tuple[str, Quantity]]:
    """The numbers of a record that are known, by field name."""
    for item in fields(record):
        value = getattr(record, item.name)
        if isinstance(value, Quantity):
            yield item.name, value


def without_values(statistics: Statistics) -> Statistics:
    """The statistics without any value of the data."""
    entities = (
        (name, replace(known, attributes=tuple((a, replace(found, values=None)) for a, found in known.attributes)))
        for name, known in statistics.entities
    )
    return replace(statistics, entities=tuple(entities))


def _attribute(
    mine: AttributeStatistics, theirs: AttributeStatistics, where: str, conflicts: list[str]
) -> AttributeStatistics:
    known = [each.values for each in (mine, theirs) if each.values is not None]
    values = min(known, key=lambda each: list(Origin).index(each.origin), default=None)
    return replace(_stronger(mine, theirs, where, conflicts), values=values)


def _stronger(mine: Record, theirs: Record, where: str, conflicts: list[str]) -> Record:
    chosen = dict(quantities(theirs))
    for name, value in quantities(mine):
        other = chosen.get(name)
        if other is not None and other.value != value.value:
            conflicts.append(f"{where}: {name} is {value} here and {other} there")
        if other is None or list(Origin).index(value.origin) <= list(Origin).index(other.origin):
            chosen[name] = value
    return replace(mine, **chosen)  # type: ignore[arg-type]  # the names came from `quantities`
