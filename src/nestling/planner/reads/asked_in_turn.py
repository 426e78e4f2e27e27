"""Orders conditions with subqueries by how much they save, whatever their order in the statement.

The first condition is the one that excludes most rows for its work: conditions on a row's own document come before those that
need a lookup for each row. Equally good conditions keep the statement's order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nestling.ir.paths.work import Work
from nestling.ir.statements.expression import Expression
from nestling.planner.reads.rows import Lowered, LoweringContext, VariableNames

_Ask = Callable[[Lowered, Expression, LoweringContext], Lowered]
_LEAST_SHARE = 1e-6


def asked_in_turn(
    rows: Lowered, predicates: Sequence[Expression], ask: _Ask, context: LoweringContext
) -> Sequence[Expression]:
    """Return the predicates in the best order. `ask` gives the rows for which one is true."""
    price = context.price
    if price is None or len(predicates) < 2:
        return predicates
    return sorted(predicates, key=lambda each: _effort(rows, each, ask, context, price))


def _effort(
    rows: Lowered, predicate: Expression, ask: _Ask, context: LoweringContext, price: Callable[[Work], float]
) -> float:
    """Seconds for each share of the rows that is left out."""
    from nestling.planner.work.estimate import narrowing_work

    tried = ask(rows, predicate, replace(context, names=VariableNames(), price=None))
    work, kept = narrowing_work(rows.step, tried.step, context.design, context.statistics)
    return price(work) / max(1 - kept, _LEAST_SHARE)
