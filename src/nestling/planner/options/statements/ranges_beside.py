"""Ranges between columns of two tables: what they keep of the rows that are looked up for each of others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from nestling.ir.statements.expression import Column, Compare, Expression
from nestling.planner.known.ranges import SampleValues
from nestling.planner.known.selectivity import together
from nestling.planner.known.values import KnownOf
from nestling.planner.reads.correlate import ordered_columns
from nestling.planner.work.expressions import weight
from nestling.planner.work.stream import Condition, Use


@dataclass(frozen=True, slots=True)
class RangeBeside:
    """A range of a table's column, of which a row of the table `beside` (an alias) gives the ends."""

    beside: str
    condition: Condition

    @property
    def attribute(self) -> str:
        """The name of the column."""
        return self.condition.path


def ranges_beside(
    asked: Iterable[Expression], known: KnownOf, values: SampleValues
) -> Mapping[str, tuple[RangeBeside, ...]]:
    """By alias, those that conditions ask; both ends of one column's range are one."""
    ends = defaultdict[tuple[Column, str], list[Compare]](list)
    for each in dict.fromkeys(asked):
        if isinstance(each, Compare) and isinstance(each.left, Column):
            pair = ordered_columns(each, each.left.alias)
            if pair is not None:
                ends[pair[0], pair[1].alias].append(each)
                ends[pair[1], pair[0].alias].append(_mirrored(each))
    found = defaultdict[str, list[RangeBeside]](list)
    for (column, beside), parts in ends.items():
        kept = together(parts, known, values)
        asked_once = Condition(column.name, Use.NONE, kept, weight=sum(map(weight, parts)), varies=True)
        found[column.alias].append(RangeBeside(beside, asked_once))
    return {alias: tuple(ranges) for alias, ranges in found.items()}


def _mirrored(compare: Compare) -> Compare:
    """The comparison with its sides exchanged."""
    return replace(compare, operator=compare.operator.mirrored, left=compare.right, right=compare.left)
