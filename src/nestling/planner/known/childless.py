"""Which share of parents has no children: the foreign keys that children have tell how many parents have some.

Where these were not counted, few parents are taken to have none when children are as many as parents or more.
"""

from __future__ import annotations

from nestling.ir.model import Relationship
from nestling.ir.statistics import Statistics
from nestling.planner.known.distinct import rows_of

FEW_CHILDLESS = 0.01
"""The least share of parents taken to have no children."""


def childless(link: Relationship, mean: float, statistics: Statistics) -> float:
    """The share of parents that have no children, where they have `mean` on average."""
    few = max(FEW_CHILDLESS, 1 - mean)
    if len(link.child_attributes) > 1:
        return few
    counted = statistics.entity(link.child).attribute(link.child_attributes[0]).distinct
    return max(few, 1 - counted.value / max(rows_of(link.parent, statistics), 1.0)) if counted is not None else few
