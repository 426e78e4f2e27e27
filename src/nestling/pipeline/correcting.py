"""Queries are priced again once they are compiled; where one costs more than the search reckoned with, it searches again.

The search prices a statement before there is a plan: by the ways there are to answer each step. The plan has a price of its own.
Where that is clearly higher, or there is no plan, a step that costs the difference joins the problem (`query_prices.py`). Every
design that has the structures the statement was to use pays it, but not one in which a step of the statement has a cheaper way:
that is another query. So the queries of the chosen design cost what was reckoned with, within `SEARCHED_AGAIN_TIMES` or
`SEARCHED_AGAIN_SHARE`, as far as there was time. The designs that an explanation speaks of, rivals and those beyond a flip, are
looked at in the same way.
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
"""Of the time there is, as much may be searched: the rest is for what is told of the design that is found."""
LEAST_SECONDS = 1.0
"""How long a search after the first one may take at least, so that there is a design."""


def settled(
    found: PosedProblem,
    *,
    draft: Draft,
    limit_seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[PosedProblem, Solution]:
    """The least-cost solution by the prices of its queries, and the problem with what the search had to be told for it.

    `draft`: the design that is made of a solution. `limit_seconds` are for all searches together, which take `SEARCHING` of them,
    and for what comes after; queries are compiled for half of them at most.
    """
    search = _Search(found, draft, limit_seconds, clock)
    problem, solution = search.without_unanswered(*search.corrected())
    return replace(found, problem=problem, queries=search.queries), solution


class _Search:
    """Searches one after the other, each told what the queries of the last one's design cost more than it reckoned with."""

    def __init__(self, found: PosedProblem, draft: Draft, limit_seconds: float, clock: Callable[[], float]) -> None:
        from nestling.optimizer.solved_parts import SolvedParts

        self.found, self.clock = found, clock
        self.until = clock() + limit_seconds * SEARCHING
        self.queries = Queries(found, draft, clock, limit_seconds / 2)
        self.solved = SolvedParts()
        self.seconds = 0.0
        self.bounds = dict[frozenset[StatementStep], float]()  # by the corrections of the problem they were proved for

    def corrected(self) -> tuple[DesignProblem, Solution]:
        """The problem with what its queries cost more, and the solution whose queries cost what was reckoned with.

        Which of equally cheap designs it is, is asked of the last one alone: that takes longer than the search. After
        `MOST_ROUNDS`, or when the time is up, it is the best of those that were tried, whose proof is gone. One that was tried,
        and costs less than the solution, was told to cost too much: that is taken back, and the search goes on.
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
        """The last solution, or the choice of structures among those `tried` whose queries cost less."""
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
        """The same without what stands for statements that no design answers: what they count for is no cost."""
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
        """The solution with the seconds of all searches, and the highest bound of those without some of its corrections, which
        only add cost.
        """
        from nestling.optimizer import solve

        limit = max(self.until - self.clock(), LEAST_SECONDS)
        found = solve(problem, limit_seconds=limit, any_of_equals=any_of_equals, solved=self.solved)
        corrections = frozenset(problem.steps[len(self.found.problem.steps) :])
        self.bounds[corrections] = max(self.bounds.get(corrections, found.bound), found.bound)
        self.seconds += found.seconds
        highest = max(bound for known, bound in self.bounds.items() if known <= corrections)
        return replace(found, bound=min(found.cost, highest), seconds=self.seconds)
