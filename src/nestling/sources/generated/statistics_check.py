"""Whether generated rows are what the statistics they were made from say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.model import Model, Relationship
from nestling.ir.statistics import Quantity, RelationshipStatistics, Statistics

TOLERANCE = 0.1
"""How far a number may be off, as a share of it."""
DISTINCT_TOLERANCE = 0.5
"""How far a number of distinct values may be off, as a share of it: of few values between two quantiles, some are made twice."""
NULL_TOLERANCE = 0.02
"""How far a share of NULLs may be off, in absolute terms."""
FAN_OUTS = ("mean", "p50", "p95", "p99", "maximum")


@dataclass(frozen=True, slots=True)
class StatisticsDifference:
    """A number of the rows that is not what it was to be."""

    what: str
    wanted: float
    found: float

    def __str__(self) -> str:
        return f"{self.what}: {self.found:g}, not {self.wanted:g}"


def check_generated(
    model: Model, wanted: Statistics, found_model: Model, found: Statistics
) -> tuple[StatisticsDifference, ...]:
    """Every number of rows that differs, and every fan-out, distinct count, NULL share and width beyond the tolerances above.

    `found` is measured on the rows, over the model their database shows; relationships are identified by their foreign keys.
    """
    return (*_entities(model, wanted, found), *_relationships(model, wanted, found_model, found))


def _entities(model: Model, wanted: Statistics, found: Statistics) -> Iterator[StatisticsDifference]:
    for entity in model.entities:
        one, other = wanted.entity(entity.name), found.entity(entity.name)
        yield from _difference_of(f"rows of {entity.name}", one.count, other.count, 0.0)
        for attribute in entity.attributes:
            mine, theirs = one.attribute(attribute.name), other.attribute(attribute.name)
            where = f"{entity.name}.{attribute.name}"
            if attribute.name not in _decided(model, entity.name):
                off = TOLERANCE if mine.values is None else DISTINCT_TOLERANCE
                yield from _difference_of(f"distinct values of {where}", mine.distinct, theirs.distinct, off)
            yield from _difference_of(f"bytes of {where}", mine.average_bytes, theirs.average_bytes, TOLERANCE)
            if mine.null_share is not None and theirs.null_share is not None:
                nulls = mine.null_share.value, theirs.null_share.value
                rows = other.count.value if other.count is not None else 0.0
                if abs(nulls[0] - nulls[1]) > max(NULL_TOLERANCE, 1 / max(1.0, rows)):
                    yield StatisticsDifference(f"share of NULLs of {where}", *nulls)


def _decided(model: Model, entity: str) -> set[str]:
    """Attributes whose distinct values follow from others': foreign keys and keys."""
    links = model.parents_of(entity)
    return {name for link in links for name in link.child_attributes} | set(model.entity(entity).key)


def _relationships(
    model: Model, wanted: Statistics, found_model: Model, found: Statistics
) -> Iterator[StatisticsDifference]:
    theirs = {_foreign_key(link): link.name for link in found_model.relationships}
    for link in model.relationships:
        if _foreign_key(link) not in theirs:
            continue
        one, other = wanted.relationship(link.name), found.relationship(theirs[_foreign_key(link)])
        for name in FAN_OUTS:
            yield from _difference_of(f"{name} of {link.name}", getattr(one, name), getattr(other, name), TOLERANCE)
        yield from _dangling(link, one, other)


def _dangling(
    link: Relationship, wanted: RelationshipStatistics, found: RelationshipStatistics
) -> Iterator[StatisticsDifference]:
    if found.dangling is not None and found.dangling.value:
        wish = wanted.dangling.value if wanted.dangling is not None else 0.0
        if found.dangling.value > wish:
            yield StatisticsDifference(f"dangling rows of {link.name}", wish, found.dangling.value)


def _foreign_key(link: Relationship) -> tuple[str, str, tuple[str, ...]]:
    return link.child, link.parent, link.child_attributes


def _difference_of(
    what: str, wanted: Quantity | None, found: Quantity | None, tolerance: float
) -> Iterator[StatisticsDifference]:
    if wanted is not None and found is not None:
        off = abs(wanted.value - found.value)
        if off > max(1.0 if tolerance else 0.0, tolerance * abs(wanted.value)):
            yield StatisticsDifference(what, wanted.value, found.value)
