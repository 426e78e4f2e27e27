"""Compares the prices of compiled queries with those that the search assumed, and makes the corrections that the search needs.

The search prices a statement before there is a query, by the structures that each of its steps may use. The queries of its
choice are then compiled and priced. For a query that costs clearly more, a *correction* joins the problem: one more step of the
statement. The last way of this step adds the difference, and is open to every design. The ways before it add less or nothing,
and describe the designs that the correction does not apply to.

An example. The search assumes 2 ms for `page`, which uses `index on a` in the array `list`. The query costs 9 ms. For an
earlier choice with `index on c` and `list`, the query cost what was assumed, and one of the steps could use `index on b` for
less. The correction has these ways::

    needs              without       adds
    index on c, list                 0 ms   a known query that costs what was assumed
    index on b                       0 ms   a cheaper way of a step: another query, priced when it is chosen
                       index on a    0 ms   designs without what this query uses have another query
                       list          0 ms
                                     7 ms   all others

A structure that a query uses need not be the reason why it costs more. If a later choice finds `page` by `index on d` in place
of `index on a`, and its query costs 9 ms too, both indexes are *idle*: the correction of that choice applies with or without
them. Otherwise the search would try many equivalent indexes one after the other. If a design that was tried turns out cheaper
than such a correction says, it gets the price of its own query (`Queries.as_priced`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import InitVar, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from nestling.ir.design_problem import DesignProblem, Mode, Solution, StatementStep
from nestling.ir.rate import LEAST_PER_SECOND
from nestling.ir.workload import Statement
from nestling.pipeline.compiled_prices import CompiledPrices, Draft, DraftedDesign
from nestling.pipeline.looked_choice import WITHOUT, LookedChoice, Used, choice_with_ways

if TYPE_CHECKING:
    from nestling.optimizer.corrections import Look
    from nestling.optimizer.evaluate import Evaluation
    from nestling.pipeline.designing import PosedProblem

SEARCHED_AGAIN_TIMES, SEARCHED_AGAIN_SHARE = 1.5, 0.003
"""How many times the price of the search a statement's query must cost, and what share of the workload the difference must be,
for another search. A judgement: below this the cost model's own error is larger."""
LARGEST_FACTOR_OF_ONE_CAUSE = 1.1
"""Two queries of a statement whose extra costs differ by at most this factor have the same cause."""
ROUNDING = 1e-9
"""Costs that differ by at most this share are equal."""
UNANSWERED = 10.0
"""Penalty for an execution without a plan, as a multiple of the cost of one second of the workload."""
NO_QUERY = "this design has no query for it"
_DEARER = "its query costs more than was assumed"
_ANOTHER = "as another query"
_TOLD = "what another step does not tell of it"


@dataclass(frozen=True, slots=True)
class DearerQuery:
    """The basis of a correction: a query that uses `used` and costs `seconds` more than was assumed.

    It applies to designs that have all of `used` except `idle`, and none of the `cheaper` ways. `step` is the correction's name
    in the problem, `chosen` the choice whose query was priced.
    """

    used: Used
    seconds: float
    cheaper: tuple[Mode, ...]
    idle: Used = frozenset()
    step: str = ""
    chosen: frozenset[str] = frozenset()

    @property
    def why(self) -> Used:
        """Return the structures in use that may be why the query costs more."""
        return self.used - self.idle

    def is_paid_beside(self, used: Used) -> bool:
        """Whether designs with what another query uses also pay this correction; if that is a cheaper way, they do not."""
        return not any(used.issuperset(way.needs) and used.isdisjoint(way.without) for way in self.cheaper)


@dataclass(slots=True)
class StatementQueries:
    """What is known about the queries of one statement.

    `dearer`: queries that cost more than was assumed, each with its correction. `as_estimated`: the structures used by queries
    that cost no more. `exchanged`: structures that one of two equally expensive queries uses and the other does not. `matters`:
    those of them that turned out to be a reason after all.
    """

    dearer: list[DearerQuery] = field(default_factory=list)
    as_estimated: set[Used] = field(default_factory=set)
    exchanged: set[str] = field(default_factory=set)
    matters: set[str] = field(default_factory=set)

    def idle(self, used: Used, more: float) -> Used:
        """Return the structures that a query uses but that do not cause its extra cost, as others without them cost as much."""
        for told in self.dearer:
            if max(more, told.seconds) <= LARGEST_FACTOR_OF_ONE_CAUSE * min(more, told.seconds):
                self.exchanged |= used ^ told.used
        return used & self.exchanged - self.matters

    def told_already(self, query: LookedQuery, more: float) -> Iterator[Mode]:
        """Yield a way for designs that already pay an earlier correction: it adds only what that one lacks of `more`.

        Together the two add no more than the larger of them.
        """
        for told in self.dearer:
            if not told.why <= query.choice.chosen and told.is_paid_beside(query.used):
                rest = more - told.seconds
                yield Mode(_TOLD, tuple(sorted(told.why)), rest if rest >= query.least_seconds else 0.0)

    def superseded_by(self, correction: StatementStep) -> Iterator[str]:
        """Yield the corrections made redundant by one that adds as much for their own choices. The last one is the newest."""
        from nestling.optimizer.evaluate import best_mode

        for told in self.dearer[:-1]:
            paid = best_mode(correction, told.chosen)
            if paid is not None and paid[1] * LARGEST_FACTOR_OF_ONE_CAUSE >= told.seconds:
                yield told.step


@dataclass(frozen=True, slots=True)
class LookedQuery:
    """The query of a statement in a choice that is being examined.

    `said`: the seconds of one execution according to the problem. `rate`: executions per second. `whole`: the lowest possible
    cost of the workload.
    """

    choice: LookedChoice
    statement: str
    used: Used
    said: float
    rate: float
    whole: float

    @property
    def least_seconds(self) -> float:
        """Return the smallest extra cost of an execution that matters relative to the workload."""
        return SEARCHED_AGAIN_SHARE * self.whole / max(self.rate, LEAST_PER_SECOND)

    @property
    def unanswered_seconds(self) -> float:
        """Return the penalty for an execution that has no query."""
        return UNANSWERED * self.whole / max(self.rate, LEAST_PER_SECOND)

    def matters(self, more: float) -> bool:
        """Whether an extra cost of this many seconds per execution is worth a correction."""
        return more * self.rate >= SEARCHED_AGAIN_SHARE * self.whole

    def is_dearer(self, price: float) -> bool:
        """Whether a price is clearly above what the problem says."""
        return price >= SEARCHED_AGAIN_TIMES * self.said and self.matters(price - self.said)


@dataclass(slots=True)
class Queries:
    """The queries of the choices that were examined, and the corrections that follow from them.

    `superseded`: corrections made redundant by others. `unanswered`: statements that no allowed design answers. `tried`: how
    many designs were examined, if the search did not finish. `least`: the lowest possible cost of the workload; shares refer to
    it, so that every design is treated alike. `seconds`: how long queries may be compiled.
    """

    found: PosedProblem
    draft: Draft
    clock: InitVar[Callable[[], float]]
    seconds: InitVar[float]
    unanswered: set[str] = field(default_factory=set)
    superseded: set[str] = field(default_factory=set)
    tried: int = 0
    least: float = math.inf
    _prices: CompiledPrices = field(init=False)
    _known: dict[str, StatementQueries] = field(default_factory=lambda: defaultdict(StatementQueries))
    _made: int = 0

    def __post_init__(self, clock: Callable[[], float], seconds: float) -> None:
        self._prices = CompiledPrices(self.found, clock, seconds)

    @property
    def notes(self) -> tuple[str, ...]:
        """Say in words what there was no time for."""
        told = []
        if self._prices.missed:
            told.append(
                "time ran out before the queries of every design tried were compiled, so another run may find a different "
                "design"
            )
        if self.tried:
            told.append(
                f"in each of the {self.tried} designs tried, queries cost more than estimated: this is the best of them, "
                "but a cheaper one may be among those not tried"
            )
        return tuple(f"{each}: raise --time-limit" for each in told)

    def beside(self, problem: DesignProblem, *, seconds: float) -> Look:
        """The look at rivals of a corrected problem's solution, at other rates too, for some seconds at most."""
        known = list[StatementStep]()
        self._prices.allow(seconds)

        def look(rates: Mapping[str, float], chosen: frozenset[str]) -> tuple[tuple[StatementStep, ...], bool]:
            corrections, is_complete = self.dearer(
                replace(problem, steps=(*problem.steps, *known), rates=rates), chosen
            )
            known.extend(corrections)
            return corrections, is_complete

        return look

    def dearer(self, problem: DesignProblem, chosen: frozenset[str]) -> tuple[tuple[StatementStep, ...], bool]:
        """Return corrections for the queries of a choice that cost more than the problem says, and whether all were examined.

        A search that starts from these rates may find another design if the choice pays for an earlier correction that no
        longer matters at these rates, or that its own query does not confirm. That counts as not examined.
        """
        from nestling.optimizer.weigh import statement_costs

        evaluation = _evaluated(problem, chosen)
        whole = min(self.least, evaluation.cost)
        said = dict(statement_costs(problem, chosen))
        choice = choice_with_ways(self.found.problem, chosen, evaluation)
        design = self._drafted(chosen, evaluation)
        corrections, is_confirmed = list[StatementStep](), True
        for statement in self._asked(said, problem.rates):
            name = statement.name
            query = LookedQuery(choice, name, choice.used(name), said[name], problem.rates[name], whole)
            if not self._prices.ask(statement, query.used, design):
                return tuple(corrections), False
            is_confirmed &= self._confirms(query, tuple(_paid(problem, name, evaluation)))
            correction = self._correction(query)
            corrections += [] if correction is None else [correction]
        return tuple(corrections), is_confirmed

    def as_priced(self, problem: DesignProblem, chosen: frozenset[str]) -> DesignProblem:
        """The problem in which no statement of a choice that was looked at costs more than its query, where corrections say so.

        A structure that a correction takes for idle, and that this choice does without, is why after all.
        """
        from nestling.optimizer.evaluate import best_mode
        from nestling.optimizer.weigh import statement_costs

        choice = choice_with_ways(self.found.problem, chosen, _evaluated(problem, chosen))
        said = dict(statement_costs(problem, chosen))
        idle = {each.step: each.idle for known in self._known.values() for each in known.dearer}
        steps = list(problem.steps)
        for place, step in enumerate(steps):
            name = step.statement
            paid = best_mode(step, chosen) if step.name in idle else None
            if paid is None or not paid[1]:
                continue
            used = choice.used(name)
            price = self._prices.of(name, used)
            if price is None or said[name] <= price * (1 + ROUNDING):
                continue
            left = max(paid[1] - (said[name] - price), 0.0)
            said[name] -= paid[1] - left
            steps[place] = self._lowered(step, used, idle[step.name] - chosen, left)
        return replace(problem, steps=tuple(steps))

    def _lowered(self, correction: StatementStep, used: Used, why: Used, left: float) -> StatementStep:
        """Lower a correction: designs without one of `why`, or else those with all of `used`, pay no more than `left`."""
        self._known[correction.statement].matters |= why
        ways = [Mode(WITHOUT, (), left, without=(name,)) for name in sorted(why)]
        ways = ways or [Mode(_ANOTHER, tuple(sorted(used)), left)]
        return replace(correction, modes=(*ways, *correction.modes))

    def _asked(self, said: Mapping[str, float], rates: Mapping[str, float]) -> Iterator[Statement]:
        """Yield the statements whose queries are examined, most expensive first."""
        workload = self.found.situation.reading.workload
        statements = (each for each in workload.statements if each.name in said)
        for statement in sorted(statements, key=lambda each: -said[each.name] * rates[each.name]):
            if not statement.sql or not statement.accesses or statement.name in self.unanswered:
                continue
            if workload.command_of(statement) is None:  # else its own query is another command than the application's
                yield statement

    def _drafted(self, chosen: frozenset[str], evaluation: Evaluation) -> DraftedDesign:
        solution = Solution(chosen, evaluation.modes, evaluation.cost, 0.0, 0.0, proved=False)
        return DraftedDesign(self.draft, solution)

    def _confirms(self, query: LookedQuery, paid: tuple[float, ...]) -> bool:
        """Whether a query is as dear as the corrections say that its choice pays, and each of them matters at this rate."""
        if not paid:
            return True
        price = self._prices.of(query.statement, query.used) or 0.0
        return all(map(query.matters, paid)) and price >= SEARCHED_AGAIN_TIMES * (query.said - sum(paid))

    def _correction(self, query: LookedQuery) -> StatementStep | None:
        """Return the extra cost of a query as a step, or None if it does not matter."""
        statement, known = query.statement, self._known[query.statement]
        price = self._prices.of(statement, query.used)
        if price is None:
            return None
        text = _DEARER if price < math.inf else NO_QUERY
        price = price if price < math.inf else query.unanswered_seconds
        if not query.is_dearer(price):
            known.as_estimated.add(query.used)
            return None
        self._made += 1
        name, more = f"{text} ({self._made})", price - query.said
        ways = _as_estimated(query, known)
        told = DearerQuery(query.used, more, (), step=name, chosen=query.choice.chosen)
        if text == _DEARER:
            cheaper = tuple(query.choice.cheaper(statement, query.used))
            told = replace(told, cheaper=cheaper, idle=known.idle(query.used, more))
            ways += (*cheaper, *known.told_already(query, more))
            known.dearer.append(told)
        ways = [each for each in ways if _is_possible_beside(each, told.why, query.choice)]
        ways += [Mode(WITHOUT, (), 0.0, without=(each,)) for each in sorted(told.why)]
        ways += query.choice.instead(
            statement,
            told.idle,
            known.exchanged,
            partial(self._is_as_dear, query, price),
            more=more,
            least=query.least_seconds,
        )
        correction = StatementStep(statement, name, (*ways, Mode(text, (), more)))
        self.superseded |= {*known.superseded_by(correction)}
        return correction

    def _is_as_dear(self, query: LookedQuery, price: float, name: str, other: str) -> bool:
        """Whether the query costs as much with another structure, or none ("" as `other`), in place of `name`."""
        from nestling.optimizer.evaluate import evaluate

        problem = query.choice.problem
        statement = self.found.situation.reading.workload.statement(query.statement)
        chosen = (query.choice.chosen - {name}) | ({other} if other else frozenset())
        evaluation = evaluate(problem, chosen)
        if statement is None or evaluation is None:
            return False
        used = choice_with_ways(problem, chosen, evaluation).used(statement.name)
        if not self._prices.ask(statement, used, self._drafted(chosen, evaluation)):
            return False
        return (self._prices.of(statement.name, used) or 0.0) * LARGEST_FACTOR_OF_ONE_CAUSE >= price


def _evaluated(problem: DesignProblem, chosen: frozenset[str]) -> Evaluation:
    from nestling.optimizer.evaluate import evaluate

    evaluation = evaluate(problem, chosen)
    assert evaluation is not None, "only allowed choices are looked at"
    return evaluation


def _paid(problem: DesignProblem, statement: str, evaluation: Evaluation) -> Iterator[float]:
    """Yield what each correction that the choice pays adds to one execution of a statement."""
    for step in problem.steps:
        if step.statement == statement and step.name.startswith(_DEARER):
            mode = step.modes[evaluation.modes[statement, step.name]]
            if mode.cost:
                yield mode.cost


def _as_estimated(query: LookedQuery, known: StatementQueries) -> list[Mode]:
    """Return the ways of designs with the structures of another query that costs what was assumed."""
    others = [tuple(sorted(each)) for each in known.as_estimated if not each <= query.choice.chosen]
    return [Mode(_ANOTHER, each, 0.0) for each in sorted(others)]


def _is_possible_beside(way: Mode, why: Used, choice: LookedChoice) -> bool:
    """Whether a design can have a way and everything that a correction is about; if not, `without` says so already."""
    return why.isdisjoint(way.without) and choice.go_together(why.union(way.needs))
