"""Queries are priced again once they are compiled; where one costs more than the search reckoned with, it searches again.

The search prices a statement before there is a plan: by the ways there are to answer each step. The plan has a price of its own.
Where that is clearly higher, or there is no plan, a step that costs the difference joins the problem. Every design that has the
structures the statement was to use pays it, but not one in which a step of the statement has a cheaper way: that is another
query. So the queries of the chosen design cost what was reckoned with, within `DEARER` or `SHARE`, as far as there was time.
The designs that an explanation speaks of, rivals and those beyond a flip, are looked at in the same way.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nestling.common.errors import DesignError
from nestling.ir.options import Charge, DesignProblem, Mode, Solution, StatementStep
from nestling.ir.workload import Statement

if TYPE_CHECKING:
    from nestling.ir.proposal import Proposal
    from nestling.optimizer.corrections import Look
    from nestling.optimizer.evaluate import Evaluation
    from nestling.pipeline.designing import PosedProblem

MOST_ROUNDS = 100
"""Searches after the first one, as far as there is time."""
MOST_QUERIES = 1_000
"""Queries compiled for a design, and as many for the rivals it is explained by: a number, so that each run finds the same."""
LEAST_SECONDS = 1.0
"""How long a search after the first one may take at least, so that there is a design."""
DEARER, SHARE = 1.5, 0.003
"""How many times as much a statement must cost as was reckoned with, and of how much of the workload, to search again."""
_DEARER, _NO_QUERY = "its query costs more than was reckoned with", "this design has no query for it"
_TOLD = "what another step does not tell of it"
UNANSWERED = 10.0
"""What an execution of a statement without a plan counts for: so many times what a second of the workload costs."""


Draft = Callable[[Solution], "Proposal"]
Used = frozenset[str]


@dataclass(frozen=True, slots=True)
class ToldMore:
    """What a step tells that a query costs more, in seconds, in designs with what it uses and none of the cheaper ways."""

    used: Used
    seconds: float
    cheaper: tuple[Mode, ...]

    def is_paid_beside(self, used: Used) -> bool:
        """Whether designs that also have what another query uses pay it: where that is a cheaper way, they do not."""
        return not any(used.issuperset(way.needs) and used.isdisjoint(way.without) for way in self.cheaper)


@dataclass(slots=True)
class Queries:
    """What the queries of designs cost, each compiled once for what it uses.

    `left`: how many more may be compiled, within `seconds`. `missed`: statements that no time was left for.

    `prices`: by statement and the structures it uses, seconds; None where the cost model cannot say, infinite where the design
    has no query and another one has. `right`: by statement, what it used where its query costs what was reckoned with; `told`:
    what is told of it where it costs more.
    `unanswered`: statements that no allowed design answers. `tried`: designs whose queries were looked at, where there was no end
    to it. `least`: what the workload costs at least; shares are of it, so that no design is told more of than others.
    """

    found: PosedProblem
    draft: Draft
    clock: Callable[[], float]
    seconds: float
    left: int = MOST_QUERIES
    missed: set[str] = field(default_factory=set)
    prices: dict[tuple[str, Used], float | None] = field(default_factory=dict)
    right: dict[str, set[Used]] = field(default_factory=lambda: defaultdict(set))
    told: dict[str, list[ToldMore]] = field(default_factory=lambda: defaultdict(list))
    unanswered: set[str] = field(default_factory=set)
    tried: int = 0
    least: float = math.inf
    _steps: int = 0
    _plain: list[Proposal] = field(default_factory=list)

    def dearer(self, problem: DesignProblem, chosen: frozenset[str]) -> tuple[tuple[StatementStep, ...], bool]:
        """Steps for what the queries of a choice cost more than the problem says, and whether all were looked at.

        Where the choice pays for an earlier one that matters no more at these rates, or that its own query does not confirm, a
        search that begins at these rates may find otherwise: that counts as not looked at.
        """
        from nestling.optimizer.evaluate import evaluate
        from nestling.optimizer.weigh import statement_costs

        evaluation = evaluate(problem, chosen)
        assert evaluation is not None, "only allowed choices are looked at"
        whole = min(self.least, evaluation.cost)
        said, rates = dict(statement_costs(problem, chosen)), problem.rates
        looked = _looked(self.found.problem, chosen, evaluation)
        statements = [each for each in self.found.situation.reading.workload.statements if each.name in said]
        steps: list[StatementStep] = []
        is_known = True
        draft: list[Proposal] = []
        for statement in sorted(statements, key=lambda each: -said[each.name] * rates[each.name]):
            if not statement.sql or not statement.accesses or statement.name in self.unanswered:
                continue
            key = statement.name, looked.used(statement.name)
            if key not in self.prices:
                if self.left <= 0 or self.seconds <= 0:
                    self.missed |= {statement.name} if self.left > 0 else set()
                    return tuple(steps), False
                began = self.clock()
                try:
                    draft = draft or [self.draft(_as_solution(chosen, evaluation))]
                except DesignError:  # what no document can hold: the search does not know it
                    return tuple(steps), False
                self.prices[key] = self._price(draft[0], statement)
                self.seconds -= self.clock() - began
                self.left -= 1
            paid = list(_paid(problem, statement.name, evaluation))
            is_known &= all(each * rates[statement.name] >= SHARE * whole for each in paid)
            is_known &= not paid or (self.prices[key] or 0.0) >= DEARER * (said[statement.name] - sum(paid))
            if (step := self._step(looked, key, said[statement.name], rates[statement.name], whole)) is not None:
                steps.append(step)
        return tuple(steps), is_known

    @property
    def notes(self) -> tuple[str, ...]:
        """What there was no time for, in words."""
        told = []
        if self.missed:
            told.append(
                "the time was up before the queries of every design tried were compiled, so that another run may find another one"
            )
        if self.tried:
            told.append(
                f"queries of each of the {self.tried} designs tried cost more than was reckoned with: this is the best of them,"
                " and a cheaper one may be among those not tried"
            )
        return tuple(f"{each}: raise --time-limit" for each in told)

    def beside(self, problem: DesignProblem, *, seconds: float) -> Look:
        """The look at rivals of a corrected problem's solution, at other rates too, for some seconds at most."""
        self.seconds, self.left, known = seconds, MOST_QUERIES, list[StatementStep]()

        def look(rates: Mapping[str, float], chosen: frozenset[str]) -> tuple[tuple[StatementStep, ...], bool]:
            steps, is_complete = self.dearer(replace(problem, steps=(*problem.steps, *known), rates=rates), chosen)
            known.extend(steps)
            return steps, is_complete

        return look

    def _price(self, proposal: Proposal, statement: Statement) -> float | None:
        from nestling.pipeline.proving.statements import predicted_seconds

        seconds = predicted_seconds(proposal, self.found.situation.reading, statement, self.found.profile)
        return math.inf if seconds is None and self._is_answered_elsewhere(proposal, statement) else seconds

    def _is_answered_elsewhere(self, proposal: Proposal, statement: Statement) -> bool:
        """Whether this design has no query for it, and the one in which every entity has a collection of its own has one."""
        from nestling.pipeline.proving.statements import is_answered
        from nestling.strategies import design

        reading = self.found.situation.reading
        if is_answered(proposal, reading, statement):
            return False
        self._plain = self._plain or [design(reading, "normalized", None)]
        return is_answered(self._plain[0], reading, statement)

    def _step(
        self, looked: _Looked, key: tuple[str, Used], said: float, rate: float, whole: float
    ) -> StatementStep | None:
        """What a query costs more than `said`, as a step; None where it does not matter beside the `whole`.

        A design that has what this one uses and what another step is about, too, pays for both: together not more than the
        dearer of them says.
        """
        statement, used = key
        price = self.prices[key]
        text = _DEARER
        if price is None:
            return None
        if price == math.inf:
            price, text = UNANSWERED * whole / max(rate, 1e-9), _NO_QUERY
        if price < DEARER * said or (price - said) * rate < SHARE * whole:
            self.right[statement].add(used)
            return None
        others = [tuple(sorted(each)) for each in self.right[statement] if not each <= looked.chosen]
        ways = [Mode("as another query", each, 0.0) for each in sorted(others)]
        if text == _DEARER:
            cheaper = tuple(looked.cheaper(statement, used))
            ways += cheaper
            elsewhere = [each for each in self.told[statement] if not each.used <= looked.chosen]
            for told in elsewhere:
                if told.is_paid_beside(used):
                    more = price - said - told.seconds
                    ways.append(Mode(_TOLD, tuple(sorted(told.used)), more if more * rate >= SHARE * whole else 0.0))
            self.told[statement].append(ToldMore(used, price - said, cheaper))
        ways = [each for each in ways if used.isdisjoint(each.without) and looked.go_together(used.union(each.needs))]
        ways += [Mode("without what it uses", (), 0.0, without=(name,)) for name in sorted(used)]
        self._steps += 1
        return StatementStep(statement, f"{text} ({self._steps})", (*ways, Mode(text, (), price - said)))


@dataclass(frozen=True, slots=True)
class _Looked:
    """A choice looked at, in the problem as it was posed."""

    problem: DesignProblem
    chosen: frozenset[str]
    evaluation: Evaluation
    loads: Mapping[str, float]
    steps: Mapping[str, Sequence[StatementStep]]
    charges: Mapping[str, Sequence[Charge]]

    def used(self, statement: str) -> Used:
        """The structures by which the statement is answered, for which it is charged, and that bar it from a cheaper way."""
        from nestling.optimizer.evaluate import applies, mode_cost

        names = set[str]()
        for step, mode in self._modes(statement):
            names |= {*mode.needs, *(name for name, _ in mode.also if name in self.chosen)}
            cost = mode_cost(mode, self.chosen, self.loads)
            for other in step.modes:
                if other.cost < cost and self.chosen.issuperset(other.needs):
                    names |= self.chosen.intersection(other.without)
        for charge in self.charges.get(statement, ()):
            if applies(charge, self.chosen):
                names |= {*charge.when}
        return frozenset(names)

    def go_together(self, names: frozenset[str]) -> bool:
        """Whether no decision has two of these structures."""
        return all(len(names.intersection(group.among)) <= 1 for group in self.problem.groups)

    def cheaper(self, statement: str, used: Used) -> Iterator[Mode]:
        """The ways of the statement's steps that this choice does not have and that cost less than those it has.

        Each with what structures that are used anyway make it cost besides.
        """
        from nestling.optimizer.evaluate import TOLERANCE, is_possible, mode_cost

        for step, mode in self._modes(statement):
            cost = mode_cost(mode, self.chosen, self.loads) * (1 - TOLERANCE)
            for other in step.modes:
                if mode_cost(other, used, self.loads) < cost and not is_possible(other, self.chosen):
                    yield Mode("by a cheaper way", other.needs, 0.0, without=other.without)

    def _modes(self, statement: str) -> Iterator[tuple[StatementStep, Mode]]:
        for step in self.steps.get(statement, ()):
            yield step, step.modes[self.evaluation.modes[step.statement, step.name]]


def _looked(problem: DesignProblem, chosen: frozenset[str], evaluation: Evaluation) -> _Looked:
    from nestling.optimizer.evaluate import load_values

    steps: dict[str, list[StatementStep]] = defaultdict(list)
    charges: dict[str, list[Charge]] = defaultdict(list)
    for step in problem.steps:
        steps[step.statement].append(step)
    for charge in problem.charges:
        charges[charge.statement].append(charge)
    return _Looked(problem, chosen, evaluation, load_values(problem, chosen), steps, charges)


def _paid(problem: DesignProblem, statement: str, evaluation: Evaluation) -> Iterator[float]:
    """What an execution of a statement costs more in a choice, for each dearer query."""
    for step in problem.steps:
        if step.statement == statement and step.name.startswith(_DEARER):
            mode = step.modes[evaluation.modes[statement, step.name]]
            if mode.cost:
                yield mode.cost


def _as_solution(chosen: frozenset[str], evaluation: Evaluation) -> Solution:
    return Solution(chosen, evaluation.modes, evaluation.cost, 0.0, 0.0, proved=False)


def settled(
    found: PosedProblem,
    *,
    draft: Draft,
    limit_seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[PosedProblem, Solution]:
    """The least-cost solution by the prices of its queries, and the problem with what the search had to be told for it.

    `draft`: the design that is made of a solution. `limit_seconds` are for all searches together; queries are compiled for
    half of them at most.
    """
    search = _Search(found, draft, limit_seconds, clock)
    problem, solution = search.without_unanswered(*search.corrected())
    return replace(found, problem=problem, queries=search.queries), solution


class _Search:
    """Searches one after the other, each told what the queries of the last one's design cost more than it reckoned with."""

    def __init__(self, found: PosedProblem, draft: Draft, limit_seconds: float, clock: Callable[[], float]) -> None:
        from nestling.optimizer.solved_parts import SolvedParts

        self.found, self.clock = found, clock
        self.until = clock() + limit_seconds
        self.queries = Queries(found, draft, clock, limit_seconds / 2)
        self.solved = SolvedParts()

    def corrected(self) -> tuple[DesignProblem, Solution]:
        """The problem with what its queries cost more, and the solution whose queries cost what was reckoned with.

        Which of equally cheap designs it is, is asked of the last one alone: that takes longer than the search. After
        `MOST_ROUNDS`, or when the time is up, it is the best of those that were tried, whose proof is gone.
        """
        problem, tried = self.found.problem, list[frozenset[str]]()
        solution, is_preferred = self._solved(problem, any_of_equals=True), False
        self.queries.least = solution.cost
        while True:
            more = self.queries.dearer(problem, solution.chosen)[0]
            if not more and is_preferred:
                return problem, solution
            if not more:
                solution, is_preferred = self._solved(problem), True
                continue
            if len(tried) == MOST_ROUNDS or (tried and self.clock() >= self.until):
                self.queries.tried = len(tried) + 1
                dearer = sum(each.modes[-1].cost * problem.rates[each.statement] for each in more)
                return problem, _best_of(tried, problem, solution, solution.cost + dearer)
            tried.append(solution.chosen)
            problem = replace(problem, steps=(*problem.steps, *more))
            solution, is_preferred = self._solved(problem, any_of_equals=True), False

    def without_unanswered(self, problem: DesignProblem, solution: Solution) -> tuple[DesignProblem, Solution]:
        """The same without what stands for statements that no design answers: what they count for is no cost."""
        lacking = [each for each in problem.steps if each.name.startswith(_NO_QUERY)]
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
        from nestling.optimizer import solve

        limit = max(self.until - self.clock(), LEAST_SECONDS)
        return solve(problem, limit_seconds=limit, any_of_equals=any_of_equals, solved=self.solved)


def _best_of(tried: Sequence[frozenset[str]], problem: DesignProblem, last: Solution, last_cost: float) -> Solution:
    """The last solution, or an earlier choice of structures that costs less than `last_cost` by what is known now."""
    from nestling.optimizer.evaluate import evaluate

    priced = [(each, chosen) for chosen in tried if (each := evaluate(problem, chosen)) is not None]
    best, chosen = min(priced, key=lambda found: found[0].cost, default=(None, last.chosen))
    if best is None or chosen == last.chosen or best.cost >= last_cost:
        return last
    return replace(last, chosen=chosen, modes=best.modes, cost=best.cost, proved=False)
