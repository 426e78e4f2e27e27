"""What is known of the values of an attribute, or at a path of documents, for estimates of how many rows there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from nestling.ir.distribution import Distribution
from nestling.ir.model import Model
from nestling.ir.statements.algebra import Relation, Scan
from nestling.ir.statements.expression import Column
from nestling.ir.statistics import Statistics, value_of
from nestling.ir.storage.bounds import UNKNOWN_BYTES
from nestling.planner.busy_parents import busier
from nestling.planner.distinct import distinct_of


@dataclass(frozen=True, slots=True)
class PathStatistics:
    """Of the values at a path: how many are distinct, which share is missing, bytes of one, how many a document holds, how
    they lie.
    """

    distinct: float | None = None
    missing: float = 0.0
    bytes: float = UNKNOWN_BYTES
    each: float = 1.0
    values: Distribution | None = None
    busier: float = 1.0


KnownOf = Callable[[Column], PathStatistics | None]


def attribute_known(entity: str, attribute: str, model: Model, statistics: Statistics) -> PathStatistics:
    """What statistics say of an attribute's values, and keys where these do not."""
    found = statistics.entity(entity).attribute(attribute)
    distinct = distinct_of(entity, attribute, model, statistics)
    missing, size = value_of(found.null_share, 0.0), value_of(found.average_bytes, UNKNOWN_BYTES)
    more = busier(entity, attribute, model, statistics)
    return PathStatistics(distinct, missing, size, values=found.values, busier=more)


def known_of_scans(relations: Iterable[Relation], model: Model, statistics: Statistics) -> KnownOf:
    """What statistics say of the columns of those relations that are tables; nothing of what others make."""
    entities = {each.alias: each.entity for each in relations if isinstance(each, Scan)}

    def known(column: Column) -> PathStatistics | None:
        entity = entities.get(column.alias)
        return attribute_known(entity, column.name, model, statistics) if entity else None

    return known
