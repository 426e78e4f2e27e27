"""What computes each kind of computed value."""

from __future__ import annotations

from nestling.ir.algebra import AggregateFunction
from nestling.ir.rows import AggregateKind

FUNCTIONS = {
    AggregateKind.COUNT: AggregateFunction.COUNT,
    AggregateKind.SUM: AggregateFunction.SUM,
    AggregateKind.AVG: AggregateFunction.AVG,
    AggregateKind.MIN: AggregateFunction.MIN,
    AggregateKind.MAX: AggregateFunction.MAX,
}
