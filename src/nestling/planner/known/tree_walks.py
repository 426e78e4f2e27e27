"""How far walks along a tree go: as deep as it was measured to be, and a guess where nobody did."""

from __future__ import annotations

from nestling.ir.statistics import Statistics, value_of

LEVELS_NOT_MEASURED = 3.0
"""How far a walk along a relationship goes when nobody measured it. A judgement: categories, threads and reporting lines are two
to four levels deep."""


def rows_on_the_way(relationship: str, statistics: Statistics) -> float:
    """The rows above one, which over all rows are as many as those below one: a row stands below each that stands above it."""
    return max(value_of(statistics.relationship(relationship).depth, LEVELS_NOT_MEASURED), 1.0)


def levels(rows: float, *, down: bool) -> float:
    """The steps of a walk that meets so many rows: one each on the way up; on the way down it begins anywhere."""
    return (rows + 1) / 2 if down else rows
