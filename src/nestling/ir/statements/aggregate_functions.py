"""The function of SQL that gives each kind of computed value."""

from __future__ import annotations

from nestling.ir.rows import EXTREME_IS_LAST, AggregateKind
from nestling.ir.statements.algebra import AggregateFunction

FUNCTIONS = {
    AggregateKind.COUNT: AggregateFunction.COUNT,
    AggregateKind.SUM: AggregateFunction.SUM,
    AggregateKind.AVG: AggregateFunction.AVG,
    AggregateKind.MIN: AggregateFunction.MIN,
    AggregateKind.MAX: AggregateFunction.MAX,
}
EXTREMES = {FUNCTIONS[kind]: is_last for kind, is_last in EXTREME_IS_LAST.items()}
"""By SQL function that takes an extreme, whether it takes the last value."""
