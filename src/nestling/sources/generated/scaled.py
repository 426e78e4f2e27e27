"""What is known of the data when there is more of it: more parents, each with as many children as before."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, RelationshipStatistics, Statistics

GROWING_SHARE = 0.1
"""Distinct values beyond this share of the rows become more with the rows; fewer stay as they are (a status, a country)."""


def scaled(statistics: Statistics, scale: float) -> Statistics:
    """The statistics of `scale` times as many rows."""
    return Statistics(
        tuple((name, _entity(known, scale)) for name, known in statistics.entities),
        tuple((name, _relationship(known, scale)) for name, known in statistics.relationships),
    )


def _entity(known: EntityStatistics, scale: float) -> EntityStatistics:
    rows = known.count.value if known.count is not None else 0.0
    attributes = tuple((name, _attribute(numbers, rows, scale)) for name, numbers in known.attributes)
    count = _times(known.count, scale)
    if count is not None and rows:
        count = replace(count, value=max(1.0, count.value))
    return replace(known, count=count, attributes=attributes)


def _attribute(known: AttributeStatistics, rows: float, scale: float) -> AttributeStatistics:
    if known.distinct is None or known.distinct.value <= GROWING_SHARE * rows:
        return known
    return replace(known, distinct=_times(known.distinct, scale))


def _relationship(known: RelationshipStatistics, scale: float) -> RelationshipStatistics:
    counts = {name: _times(getattr(known, name), scale) for name in ("dangling", "orphans", "respelled")}
    return replace(known, **counts)


def _times(quantity: Quantity | None, scale: float) -> Quantity | None:
    return replace(quantity, value=float(round(quantity.value * scale))) if quantity is not None else None
