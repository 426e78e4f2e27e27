"""How many rows a table's own predicates leave, where the statistics tell how many it has: where joins had best start.

Values of parameters are not known here, as a statement is compiled once for all of them: a range with such ends is taken for a
wide one. The shares decide the order of joins
only; a wrong guess costs time, never an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import JoinKind, Relation
from nestling.ir.statements.expression import Expression, Literal
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statistics import Statistics
from nestling.planner.known.selectivity import WIDE_RANGES, together
from nestling.planner.known.values import known_of_scans
from nestling.planner.reads.rewrites.links import fixed_column, scan_of
from nestling.planner.reads.traverse import everything, inputs

GROUPED = 1 / 3
"""Groups or distinct rows per row."""


@dataclass(frozen=True, slots=True, order=True)
class RemainingRows:
    """What predicates leave of a side of a join: the share of its rows (0..1), and their number; ordered by the share first.

    The share says how much of all that is joined later is left, too; a small table without a predicate leaves all of it.
    """

    share: float
    rows: float

    def times(self, share: float, rows: float | None = None) -> RemainingRows:
        """After another predicate; `rows`: how many of the rows, where that is not the same share."""
        return RemainingRows(self.share * share, self.rows * (share if rows is None else rows))


def rows_left(relation: Relation, model: Model, statistics: Statistics) -> RemainingRows | None:
    """An estimate; None when the number of a table's rows is not known."""
    scan, predicates = scan_of(relation)
    if scan is not None:
        return _of_scan(scan, predicates, model, statistics)
    below = [rows_left(each, model, statistics) for each in inputs(relation)]
    found = [each for each in below if each is not None]
    if len(found) < len(below):
        return None
    match relation:
        case a.Values(rows=rows):
            return RemainingRows(0.0, float(len(rows)))
        case a.Filter(predicate=predicate):
            known_of = known_of_scans(everything(relation.input), model, statistics)
            return found[0].times(together(conjuncts(predicate), known_of, unknown=WIDE_RANGES))
        case a.LimitOffset(count=Literal(value=int() as count)):
            return found[0].times(min(1.0, max(count, 0) / max(found[0].rows, 1.0)))
        case a.Join(kind=JoinKind.INNER | JoinKind.CROSS):
            one, other = found
            return RemainingRows(one.share * other.share, max(one.rows * other.share, other.rows * one.share))
        case a.GroupBy(keys=()):
            return RemainingRows(0.0, 1.0)
        case a.GroupBy() | a.Distinct():
            return found[0].times(1.0, GROUPED)
        case _:
            return max(found, key=lambda each: each.rows, default=RemainingRows(1.0, 1.0))


def _of_scan(
    scan: a.Scan, predicates: Sequence[Expression], model: Model, statistics: Statistics
) -> RemainingRows | None:
    known = statistics.entity(scan.entity)
    if known.count is None:
        return None
    rows = max(known.count.value, 1.0)
    fixed = {column.name for each in predicates if (column := fixed_column(each, scan.alias)) is not None}
    if model.entity(scan.entity).is_superkey(fixed):
        return RemainingRows(0.0, 1.0)
    share = together(predicates, known_of_scans([scan], model, statistics), unknown=WIDE_RANGES)
    return RemainingRows(share, rows * share)
