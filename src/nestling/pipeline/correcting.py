"""Queries are priced again once they are compiled; where one costs more than the search reckoned with, it searches again.

The search prices a statement before there is a plan: by the ways there are to answer each step. The plan has a price of its own.
Where that is clearly higher, or there is no plan, the difference is charged to every design that has the structures the statement
was to use. So the queries of the chosen design cost what was reckoned with, within `DEARER` or `SHARE`, as far as there was time.
A design that has these structures and more pays the charge too, though its query may be a better one: the proof is one of these
prices.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nestling.ir.options import Charge, DesignProblem, Solution
from nestling.ir.workload import Statement

if TYPE_CHECKING:
    from nestling.ir.proposal import Proposal
    from nestling.pipeline.designing import PosedProblem

MOST_ROUNDS = 12
"""Searches after the first one."""
MOST_SECONDS = 10.0
"""How long queries are compiled in all: those of many hundred statements are not all looked at."""
LEAST_SECONDS = 1.0
"""How long a search after the first one may take at least, so that there is a design."""
DEARER, SHARE = 1.5, 0.003
"""How many times as much a statement must cost as was reckoned with, and of how much of the workload, to search again."""
_DEARER, _NO_QUERY = "its query costs more than was reckoned with", "this design has no query for it"
UNANSWERED = 10.0
"""What an execution of a statement without a plan counts for: so many times what a second of the workload costs."""


Draft = Callable[[Solution], "Proposal"]


@dataclass(slots=True)
class _Round:
    """A solution looked at: the design it makes, and the prices that were reckoned with."""

    found: PosedProblem
    problem: DesignProblem
    solution: Solution
    proposal: Proposal

    def used(self, statement: str) -> tuple[str, ...]:
        """The structures by which the statement is answered, and for which it is charged."""
        from nestling.optimizer.evaluate import applies

        chosen, names = self.solution.chosen, dict[str, None]()
        for step in self.problem.steps:
            if step.statement == statement:
                mode = step.modes[self.solution.modes[step.statement, step.name]]
                names |= dict.fromkeys((*mode.needs, *(name for name, _ in mode.also if name in chosen)))
        for charge in self.problem.charges:
            if charge.statement == statement and applies(charge, chosen):
                names |= dict.fromkeys(charge.when)
        return tuple(names)


def settled(
    found: PosedProblem,
    *,
    draft: Draft,
    limit_seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[PosedProblem, Solution]:
    """The least-cost solution by the prices of its queries, and the problem with what the search had to be told for it.

    `draft`: the design that is made of a solution. `limit_seconds` are for all searches together. In the second half of them no
    further query is looked at.
    """
    search = _Search(found, draft, limit_seconds, clock)
    problem, solution = search.without_unanswered(*search.corrected())
    return replace(found, problem=problem), solution


class _Search:
    """Searches one after the other, each told what the queries of the last one's design cost more than it reckoned with."""

    def __init__(self, found: PosedProblem, draft: Draft, limit_seconds: float, clock: Callable[[], float]) -> None:
        self.found, self.draft, self.clock = found, draft, clock
        self.until = clock() + limit_seconds
        self.until_queries = clock() + min(MOST_SECONDS, limit_seconds / 2)
        self.known = set[tuple[str, tuple[str, ...]]]()

    def corrected(self) -> tuple[DesignProblem, Solution]:
        """The problem with what its queries cost more, and the solution whose queries cost what was reckoned with.

        After `MOST_ROUNDS` the best of those that were tried, whose proof is gone.
        """
        problem = self.found.problem
        solution, tried = self._solved(problem), list[frozenset[str]]()
        while more := self._charges(problem, solution):
            if len(tried) == MOST_ROUNDS:
                dearer = sum(each.cost * problem.rates[each.statement] for each in more)
                return problem, _best_of(tried, problem, solution, solution.cost + dearer)
            tried.append(solution.chosen)
            problem = replace(problem, charges=(*problem.charges, *more))
            solution = self._solved(problem)
        return problem, solution

    def without_unanswered(self, problem: DesignProblem, solution: Solution) -> tuple[DesignProblem, Solution]:
        """The same without charges for statements that no design answers: what they count for is no cost."""
        from nestling.optimizer.evaluate import applies

        lacking = [each for each in problem.charges if each.text == _NO_QUERY]
        stayed = {each.statement for each in lacking if applies(each, solution.chosen)}
        if not stayed:
            return problem, solution
        gone = [each for each in lacking if each.statement in stayed]
        problem = replace(problem, charges=tuple(each for each in problem.charges if each not in gone))
        return problem, self._solved(problem)

    def _solved(self, problem: DesignProblem) -> Solution:
        from nestling.optimizer import solve

        return solve(problem, limit_seconds=max(self.until - self.clock(), LEAST_SECONDS))

    def _charges(self, problem: DesignProblem, solution: Solution) -> tuple[Charge, ...]:
        looked = _Round(self.found, problem, solution, self.draft(solution))
        return tuple(_charges(looked, self.known, lambda: self.clock() < self.until_queries))


def _best_of(tried: Sequence[frozenset[str]], problem: DesignProblem, last: Solution, last_cost: float) -> Solution:
    """The last solution, or an earlier choice of structures that costs less than `last_cost` by what is known now."""
    from nestling.optimizer.evaluate import evaluate

    priced = [(each, chosen) for chosen in tried if (each := evaluate(problem, chosen)) is not None]
    best, chosen = min(priced, key=lambda found: found[0].cost, default=(None, last.chosen))
    if best is None or chosen == last.chosen or best.cost >= last_cost:
        return last
    return replace(last, chosen=chosen, modes=best.modes, cost=best.cost, proved=False)


def _charges(looked: _Round, known: set[tuple[str, tuple[str, ...]]], is_time: Callable[[], bool]) -> Iterator[Charge]:
    """What the statements' queries cost more than was reckoned with, the statements that cost most first."""
    from nestling.optimizer.weigh import statement_costs

    said = dict(statement_costs(looked.problem, looked.solution.chosen))
    rates, whole = looked.problem.rates, looked.solution.cost
    statements = [each for each in looked.found.situation.reading.workload.statements if each.name in said]
    for statement in sorted(statements, key=lambda each: -said[each.name] * rates[each.name]):
        used = looked.used(statement.name)
        if (statement.name, used) in known or not statement.sql or not statement.accesses:
            continue
        if not is_time():
            return
        reckoned, text = said[statement.name], _DEARER
        seconds = _priced(looked, statement)
        if seconds is None and _is_answered_elsewhere(looked, statement):
            seconds, text = UNANSWERED * whole / max(rates[statement.name], 1e-9), _NO_QUERY
        known.add((statement.name, used))
        if seconds is None or seconds < DEARER * reckoned:
            continue
        if (seconds - reckoned) * rates[statement.name] >= SHARE * whole:
            yield Charge(statement.name, text, used, seconds - reckoned)


def _priced(looked: _Round, statement: Statement) -> float | None:
    """Seconds of an execution of its query; None where the cost model cannot say, or there is no query."""
    from nestling.pipeline.proving.statements import predicted_seconds

    return predicted_seconds(looked.proposal, looked.found.situation.reading, statement, looked.found.profile)


def _is_answered_elsewhere(looked: _Round, statement: Statement) -> bool:
    """Whether this design has no query for it, and the one in which every entity has a collection of its own has one."""
    from nestling.pipeline.proving.statements import is_answered
    from nestling.strategies import design

    reading = looked.found.situation.reading
    if is_answered(looked.proposal, reading, statement):
        return False
    return is_answered(design(reading, "normalized", None), reading, statement)
