"""The function of SQL that gives each kind of computed value."""

from __future__ import annotations

from nestling.ir.rows import AggregateKind
from nestling.ir.statements.algebra import AggregateFunction

FUNCTIONS = {
    AggregateKind.COUNT: AggregateFunction.COUNT,
    AggregateKind.SUM: AggregateFunction.SUM,
    AggregateKind.AVG: AggregateFunction.AVG,
    AggregateKind.MIN: AggregateFunction.MIN,
    AggregateKind.MAX: AggregateFunction.MAX,
}
