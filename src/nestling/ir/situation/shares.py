"""The share of an entity's rows that satisfy conditions with constants, by its statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from math import prod

from nestling.ir.distribution import below, equal, up_to
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statistics import AttributeStatistics, EntityStatistics


def share_of(known: EntityStatistics, constants: Iterable[Clause]) -> float | None:
    """The share of rows, 0 to 1; None if unknown. Attributes are assumed to be independent."""
    return share_by(known.attribute, constants)


def share_by(known: Callable[[str], AttributeStatistics], constants: Iterable[Clause]) -> float | None:
    """The share of rows that meet the constants, 0 to 1, given statistics by attribute name; None if unknown.

    Attributes are assumed to be independent.
    """
    ordered = sorted(constants, key=lambda each: each.name)
    groups = [list(group) for _, group in groupby(ordered, key=lambda each: each.name)]
    found = [_of_one(known(group[0].name), group) for group in groups]
    told = [each for each in found if each is not None]
    return prod(told) if len(told) == len(found) else None


def _of_one(known: AttributeStatistics, constants: list[Clause]) -> float | None:
    """The conditions on one attribute: their exclusions are assumed to be disjoint."""
    missing = known.null_share.value if known.null_share is not None else None
    left = 1.0
    for each in constants:
        kept = _share_of_values(known, each)
        if kept is None:
            return None
        left -= 1 - kept
    if constants[0].comparison is ClauseOperator.NULL:
        return missing
    if constants[0].comparison is ClauseOperator.PRESENT and missing is None:
        return None
    return max(left, 0.0) * (1 - (missing or 0.0))


def _share_of_values(known: AttributeStatistics, one: Clause) -> float | None:
    """The share among rows that have a value."""
    distinct = known.distinct.value if known.distinct is not None else None
    if one.comparison in (ClauseOperator.NULL, ClauseOperator.PRESENT):
        return 1.0
    if known.values is None:
        return 1 / max(distinct, 1.0) if distinct is not None and one.comparison is ClauseOperator.EQUAL else None
    match one.comparison:
        case ClauseOperator.EQUAL:
            return equal(known.values, one.value, distinct)
        case ClauseOperator.LESS:
            return below(known.values, one.value, distinct)
        case ClauseOperator.LESS_OR_EQUAL:
            return up_to(known.values, one.value, distinct)
        case ClauseOperator.GREATER:
            beyond = up_to(known.values, one.value, distinct)
        case _:
            beyond = below(known.values, one.value, distinct)
    return None if beyond is None else 1 - beyond
