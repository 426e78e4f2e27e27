"""How many children the parent has that a read asks for. Where parents keep getting children, busy ones are read more often.

Busy parents are read most: the feed of a busy project, the inbox of a busy person. So a read of one parent's children finds as
many as the parent of *a child* has on average, not as many as a parent has on average. This holds for relationships that are
declared or measured to grow and whose children lie in no array. For others every parent counts alike, so that a design with
children inside their parents is measured by the same rows.
"""

from __future__ import annotations

from itertools import pairwise

from nestling.ir.model import Model
from nestling.ir.statistics import Origin, RelationshipStatistics, Statistics


def longer(known: RelationshipStatistics) -> float:
    """How many more children the parent of a child has than parents have on average, from the quantiles of fan-out."""
    steps = ((0.5, known.p50), (0.95, known.p95), (0.99, known.p99), (0.999, known.p999), (1.0, known.maximum))
    points = [(share, quantity.value) for share, quantity in steps if quantity is not None]
    if len(points) < 2:
        return 1.0
    points.insert(0, (0.0, max(0.0, 2 * points[0][1] - points[1][1])))
    mean = square = 0.0
    for (start, low), (end, high) in pairwise(points):
        mean += (end - start) * (low + high) / 2
        square += (end - start) * (low * low + low * high + high * high) / 3
    return max(1.0, square / mean**2) if mean else 1.0


def busier(entity: str, attribute: str, model: Model, statistics: Statistics) -> float:
    """How many more rows than on average have the value of a foreign key that a statement asks for, at least 1."""
    links = (link for link in model.parents_of(entity) if link.child_attributes == (attribute,))
    known = (statistics.relationship(link.name) for link in links)
    return max((longer(each) for each in known if _grows(each)), default=1.0)


def _grows(known: RelationshipStatistics) -> bool:
    """Whether somebody knows that a parent keeps getting children; that it looks so is not enough."""
    return known.grows is not None and bool(known.grows.value) and known.grows.origin is not Origin.INFERRED
