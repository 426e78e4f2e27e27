"""Conditions with subqueries are asked in the order that looks up least, whatever order the statement says them in.

First comes what leaves most rows out for its work: what a row's own document tells goes before what is looked up for each row. Of
conditions that are alike in this the statement's order stays.
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
    """The predicates in the order to ask them in; `ask` gives the rows of which one is true."""
    price = context.price
    if price is None or len(predicates) < 2:
        return predicates
    return sorted(predicates, key=lambda each: _effort(rows, each, ask, context, price))


def _effort(
    rows: Lowered, predicate: Expression, ask: _Ask, context: LoweringContext, price: Callable[[Work], float]
) -> float:
    """Seconds for each share of the rows that is left out."""
    from nestling.planner.work.estimate import narrowed

    tried = ask(rows, predicate, replace(context, names=VariableNames(), price=None))
    work, kept = narrowed(rows.step, tried.step, context.design, context.statistics)
    return price(work) / max(1 - kept, _LEAST_SHARE)
