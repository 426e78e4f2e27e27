"""What is known of the values of an attribute, or at a path of documents, for estimates of how many rows there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from nestling.ir.distribution import Distribution
from nestling.ir.model import Model
from nestling.ir.statements.algebra import Relation, Scan
from nestling.ir.statements.expression import Column
from nestling.ir.statistics import Statistics, value_of
from nestling.ir.storage.bounds import UNKNOWN_BYTES
from nestling.planner.known.busy_parents import busier
from nestling.planner.known.distinct import distinct_of, rows_of


@dataclass(frozen=True, slots=True)
class PathStatistics:
    """Of the values at a path: how many are distinct, which share is missing, bytes of one, how many a document holds, how
    they lie. `rows`: how many rows have them, of which conditions leave `share`. `step`: of values that each stand for all up
    to the next, the share of the rows one stands for; `window`: the path of such values, which say where these lie.
    """

    distinct: float | None = None
    missing: float = 0.0
    bytes: float = UNKNOWN_BYTES
    each: float = 1.0
    values: Distribution | None = None
    busier: float = 1.0
    rows: float | None = None
    share: float = 1.0
    step: float = 0.0
    window: str = ""

    @property
    def left(self) -> float | None:
        """The number of different values in the rows that are left; None if the total number is not known."""
        if self.distinct is None or self.rows is None or self.share >= 1:
            return self.distinct
        there = max(self.distinct, 1.0)
        return max(float(there * (1 - (1 - self.share) ** max(self.rows / there, 1.0))), 1.0)

    @property
    def rows_left(self) -> float | None:
        """The number of rows with values that are left."""
        return self.rows * self.share if self.rows is not None else None

    def of_share(self, share: float) -> PathStatistics:
        """The statistics for a share of the rows."""
        return replace(self, share=self.share * share) if share < 1 else self

    def at_most(self, values: float) -> PathStatistics:
        """The statistics if there are at most so many different values."""
        if self.distinct is None or self.distinct <= values:
            return self
        return replace(self, distinct=values, rows=values, share=1.0)


KnownOf = Callable[[Column], PathStatistics | None]


def attribute_known(entity: str, attribute: str, model: Model, statistics: Statistics) -> PathStatistics:
    """The statistics of an attribute's values, supplemented by what keys imply."""
    found = statistics.entity(entity).attribute(attribute)
    distinct = distinct_of(entity, attribute, model, statistics)
    missing, size = value_of(found.null_share, 0.0), value_of(found.average_bytes, UNKNOWN_BYTES)
    more = busier(entity, attribute, model, statistics)
    rows = rows_of(entity, statistics)
    return PathStatistics(distinct, missing, size, values=found.values, busier=more, rows=rows)


def known_of_scans(relations: Iterable[Relation], model: Model, statistics: Statistics) -> KnownOf:
    """What statistics say of the columns of those relations that are tables; nothing of what others make."""
    entities = {each.alias: each.entity for each in relations if isinstance(each, Scan)}

    def known(column: Column) -> PathStatistics | None:
        entity = entities.get(column.alias)
        return attribute_known(entity, column.name, model, statistics) if entity else None

    return known
