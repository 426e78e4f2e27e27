"""Prices queries again once they are compiled, and repeats the search if one costs more than the search assumed.

The search prices a statement before there is a plan, by the possible ways to answer each step. The plan has a price of its own.
If that is clearly higher, or there is no plan, a step that costs the difference is added to the problem (`query_prices.py`). It
applies to every design with the structures that the statement was to use, unless a step of the statement has a cheaper way in
that design, which would be another query. So the queries of the chosen design cost what the search assumed, within
`SEARCHED_AGAIN_TIMES` or `SEARCHED_AGAIN_SHARE`, as far as time allowed. The designs that an explanation mentions (rivals, and
those beyond a flip point) are checked in the same way.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.ir.design_problem import DesignProblem, Solution, StatementStep
from nestling.pipeline.compiled_prices import Draft
from nestling.pipeline.query_prices import NO_QUERY, ROUNDING, Queries

if TYPE_CHECKING:
    from nestling.pipeline.designing import PosedProblem

MOST_ROUNDS = 100
"""Searches after the first one, as far as there is time."""
SEARCHING = 2 / 3
"""Share of the time for the searches; the rest is for explaining the result."""
LEAST_SECONDS = 1.0
"""Least time for a search after the first one, so that there is a design."""


def least_cost_solution(
    found: PosedProblem,
    *,
    draft: Draft,
    limit_seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[PosedProblem, Solution]:
    """Return the least-cost solution by the prices of its queries, and the problem with the corrections that the search needed.

    `draft`: makes the design of a solution. `limit_seconds`: the time for all searches, which take the share `SEARCHING` of it,
    and for what follows. Compiling queries takes half of it at most.
    """
    search = _Search(found, draft, limit_seconds, clock)
    problem, solution = search.without_unanswered(*search.corrected())
    return replace(found, problem=problem, queries=search.queries), solution


class _Search:
    """Repeats the search; before each search it adds what the last design's queries cost beyond what was assumed."""

    def __init__(self, found: PosedProblem, draft: Draft, limit_seconds: float, clock: Callable[[], float]) -> None:
        from nestling.optimizer.solved_parts import SolvedParts

        self.found, self.clock = found, clock
        self.until = clock() + limit_seconds * SEARCHING
        self.queries = Queries(found, draft, clock, limit_seconds / 2)
        self.solved = SolvedParts()
        self.seconds = 0.0
        self.bounds = dict[frozenset[StatementStep], float]()  # by the corrections of the problem they were proved for

    def corrected(self) -> tuple[DesignProblem, Solution]:
        """Return the problem with all corrections, and a solution whose queries cost what the search assumed.

        Only the last search chooses among equally cheap designs, because that takes longer than the search itself. After
        `MOST_ROUNDS`, or when time is up, the result is the best design tried so far, without a proof. If a tried design costs
        less than the solution, its correction was too high: it is lowered, and the search goes on.
        """
        problem, tried, rounds = self.found.problem, dict[frozenset[str], float](), 0
        solution, is_preferred = self._solved(problem, any_of_equals=True), False
        self.queries.least = solution.cost
        while True:
            more = self.queries.dearer(problem, solution.chosen)[0]
            cheapest = min(tried, key=tried.__getitem__, default=solution.chosen)
            if more:
                dearer = sum(each.modes[-1].cost * problem.rates[each.statement] for each in more)
                tried[solution.chosen] = solution.cost + dearer
                if rounds == MOST_ROUNDS or (rounds and self.clock() >= self.until):
                    self.queries.tried = rounds + 1
                    return self._best_of(tried, problem, solution)
                kept = (each for each in problem.steps if each.name not in self.queries.superseded)
                problem, rounds, is_preferred = replace(problem, steps=(*kept, *more)), rounds + 1, False
            elif tried.get(cheapest, math.inf) * (1 + ROUNDING) < solution.cost:
                del tried[cheapest]
                problem, is_preferred = self.queries.as_priced(problem, cheapest), False
            elif is_preferred:
                return problem, solution
            else:
                is_preferred = True
            solution = self._solved(problem, any_of_equals=not is_preferred)

    def _best_of(
        self, tried: Mapping[frozenset[str], float], problem: DesignProblem, last: Solution
    ) -> tuple[DesignProblem, Solution]:
        """Return the last solution, or a choice of structures from `tried` whose queries cost less."""
        from nestling.optimizer.evaluate import evaluate

        best = min(tried, key=tried.__getitem__)
        if best == last.chosen:
            return problem, last
        problem = self.queries.as_priced(problem, best)
        found = evaluate(problem, best)
        assert found is not None, "only allowed choices are tried"
        bound = min(last.bound, found.cost)
        return problem, replace(last, chosen=best, modes=found.modes, cost=found.cost, bound=bound, proved=False)

    def without_unanswered(self, problem: DesignProblem, solution: Solution) -> tuple[DesignProblem, Solution]:
        """Remove from problem and solution the steps of statements that no design answers: their penalty is not a cost."""
        lacking = [each for each in problem.steps if each.name.startswith(NO_QUERY)]
        stayed = {
            each.statement for each in lacking if solution.modes[each.statement, each.name] == len(each.modes) - 1
        }
        if not stayed:
            return problem, solution
        problem = replace(
            problem, steps=tuple(each for each in problem.steps if each not in lacking or each.statement not in stayed)
        )
        self.queries.unanswered |= stayed
        return problem, self._solved(problem)

    def _solved(self, problem: DesignProblem, *, any_of_equals: bool = False) -> Solution:
        """Solve the problem. The result has the seconds of all searches so far.

        Its bound is the highest of the searches with fewer corrections, because corrections only add cost.
        """
        from nestling.optimizer import solve

        limit = max(self.until - self.clock(), LEAST_SECONDS)
        found = solve(problem, limit_seconds=limit, any_of_equals=any_of_equals, solved=self.solved)
        corrections = frozenset(problem.steps[len(self.found.problem.steps) :])
        self.bounds[corrections] = max(self.bounds.get(corrections, found.bound), found.bound)
        self.seconds += found.seconds
        highest = max(bound for known, bound in self.bounds.items() if known <= corrections)
        return replace(found, bound=min(found.cost, highest), seconds=self.seconds)
