"""What the queries of designs cost beside what the search reckons with, and the steps that tell it.

Designs that differ in what is not why a query costs more are told of together: structures that two queries of a statement use in
place of one another, while both cost as much more, are not why. Otherwise each of many indexes that do as well would be tried in
turn. Where a design that was tried turns out to cost less than it is told to, it is told what its queries cost (`as_priced`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from nestling.common.errors import DesignError
from nestling.ir.design_problem import DesignProblem, Mode, Solution, StatementStep
from nestling.ir.workload import Statement
from nestling.pipeline.looked_choice import WITHOUT, LookedChoice, Used, looked

if TYPE_CHECKING:
    from nestling.ir.proposal import Proposal
    from nestling.optimizer.corrections import Look
    from nestling.optimizer.evaluate import Evaluation
    from nestling.pipeline.designing import PosedProblem

MOST_QUERIES = 1_000
"""Queries compiled for a design, and as many for the rivals it is explained by: a number, so that each run finds the same."""
DEARER, SHARE = 1.5, 0.003
"""How many times as much a statement must cost as was reckoned with, and of how much of the workload, to search again."""
ALIKE = 1.1
"""How many times as much one query of a statement may cost more than another, for the same to be why."""
ROUNDING = 1e-9
"""A cost that is so much above another, as a share, is the same."""
UNANSWERED = 10.0
"""What an execution of a statement without a plan counts for: so many times what a second of the workload costs."""
NO_QUERY = "this design has no query for it"
_DEARER = "its query costs more than was reckoned with"
_ANOTHER = "as another query"
_TOLD = "what another step does not tell of it"

Draft = Callable[[Solution], "Proposal"]


@dataclass(frozen=True, slots=True)
class ToldMore:
    """What a step tells that a query costs more, in seconds, in designs with what it uses and none of the cheaper ways.

    `idle`: of what it uses, what is not why; `step`: its name; `chosen`: the choice it was found of.
    """

    used: Used
    seconds: float
    cheaper: tuple[Mode, ...]
    idle: Used = frozenset()
    step: str = ""
    chosen: frozenset[str] = frozenset()

    @property
    def why(self) -> Used:
        """What it uses that may be why it costs more."""
        return self.used - self.idle

    def is_paid_beside(self, used: Used) -> bool:
        """Whether designs that also have what another query uses pay it: where that is a cheaper way, they do not."""
        return not any(used.issuperset(way.needs) and used.isdisjoint(way.without) for way in self.cheaper)


@dataclass(slots=True)
class Queries:
    """What the queries of designs cost, each compiled once for what it uses.

    `left`: how many more may be compiled, within `seconds`. `missed`: statements that no time was left for.

    `prices`: by statement and the structures it uses, seconds; None where the cost model cannot say, infinite where the design
    has no query and another one has. `right`: by statement, what it used where its query costs what was reckoned with; `told`:
    what is told of it where it costs more; `changed`: what it uses in one query and not in another that costs as much more;
    `matters`: of that, what is why after all.

    `superseded`: steps others tell all of. `unanswered`: statements that no allowed design answers. `tried`: how many designs'
    queries were looked at, where there was no end to it. `least`: what the workload costs at least; shares are of it, so that no
    design is told more of than others.
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
    changed: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    matters: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    unanswered: set[str] = field(default_factory=set)
    superseded: set[str] = field(default_factory=set)
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
        choice = looked(self.found.problem, chosen, evaluation)
        workload = self.found.situation.reading.workload
        statements = [each for each in workload.statements if each.name in said]
        steps: list[StatementStep] = []
        is_known = True
        draft = partial(self._drafted, chosen, evaluation, [])
        for statement in sorted(statements, key=lambda each: -said[each.name] * rates[each.name]):
            if not statement.sql or not statement.accesses or statement.name in self.unanswered:
                continue
            if workload.inserted_with(statement) is not None:
                continue  # its own query is another command than the application's
            key = statement.name, choice.used(statement.name)
            if not self._is_priced(key, statement, draft):
                return tuple(steps), False
            paid = list(_paid(problem, statement.name, evaluation))
            is_known &= all(each * rates[statement.name] >= SHARE * whole for each in paid)
            is_known &= not paid or (self.prices[key] or 0.0) >= DEARER * (said[statement.name] - sum(paid))
            if (step := self._step(choice, key, said[statement.name], rates[statement.name], whole)) is not None:
                steps.append(step)
        return tuple(steps), is_known

    def _is_priced(self, key: tuple[str, Used], statement: Statement, draft: Callable[[], Proposal]) -> bool:
        """Whether the query is priced, now at the latest; there may be no time, or no design."""
        if key not in self.prices:
            if self.left <= 0 or self.seconds <= 0:
                self.missed |= {statement.name} if self.left > 0 else set()
                return False
            began = self.clock()
            try:
                self.prices[key] = self._price(draft(), statement)
            except DesignError:  # what no document can hold: the search does not know it
                return False
            self.seconds -= self.clock() - began
            self.left -= 1
        return True

    def _drafted(self, chosen: frozenset[str], evaluation: Evaluation, drafts: list[Proposal]) -> Proposal:
        """The design of a choice, made when it is asked for; `drafts` keeps it."""
        drafts += [] if drafts else [self.draft(_as_solution(chosen, evaluation))]
        return drafts[0]

    def _is_as_dear(self, choice: LookedChoice, statement: str, price: float, name: str, other: str) -> bool:
        """Whether the query of a statement costs as much, too, with another structure, or none, in place of one."""
        from nestling.optimizer.evaluate import evaluate

        asked = self.found.situation.reading.workload.statement(statement)
        chosen = (choice.chosen - {name}) | ({other} if other else frozenset())
        evaluation = evaluate(choice.problem, chosen)
        if asked is None or evaluation is None:
            return False
        key = statement, looked(choice.problem, chosen, evaluation).used(statement)
        if not self._is_priced(key, asked, partial(self._drafted, chosen, evaluation, [])):
            return False
        return (self.prices[key] or 0.0) * ALIKE >= price

    def as_priced(self, problem: DesignProblem, chosen: frozenset[str]) -> DesignProblem:
        """The problem in which no statement of a choice that was looked at costs more than its query, as far as steps tell it.

        What a step takes for no reason, and this choice does without, is one.
        """
        from nestling.optimizer.evaluate import best_mode, evaluate
        from nestling.optimizer.weigh import statement_costs

        evaluation = evaluate(problem, chosen)
        assert evaluation is not None, "only allowed choices are looked at"
        choice, said = looked(self.found.problem, chosen, evaluation), dict(statement_costs(problem, chosen))
        idle = {each.step: each.idle for told in self.told.values() for each in told}
        steps = list(problem.steps)
        for place, step in enumerate(steps):
            paid = best_mode(step, chosen) if step.name in idle else None
            price = self.prices.get((step.statement, used := choice.used(step.statement))) if paid is not None else None
            if paid is None or price is None or not paid[1] or said[step.statement] <= price * (1 + ROUNDING):
                continue
            left = max(paid[1] - (said[step.statement] - price), 0.0)
            said[step.statement] -= paid[1] - left
            why = idle[step.name] - chosen
            self.matters[step.statement] |= why
            ways = [Mode(WITHOUT, (), left, without=(name,)) for name in sorted(why)]
            steps[place] = replace(step, modes=(*(ways or [Mode(_ANOTHER, tuple(sorted(used)), left)]), *step.modes))
        return replace(problem, steps=tuple(steps))

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
        self, choice: LookedChoice, key: tuple[str, Used], said: float, rate: float, whole: float
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
            price, text = UNANSWERED * whole / max(rate, 1e-9), NO_QUERY
        if price < DEARER * said or (price - said) * rate < SHARE * whole:
            self.right[statement].add(used)
            return None
        self._steps += 1
        name, more = f"{text} ({self._steps})", price - said
        others = [tuple(sorted(each)) for each in self.right[statement] if not each <= choice.chosen]
        ways = [Mode(_ANOTHER, each, 0.0) for each in sorted(others)]
        idle, least = Used(), SHARE * whole / max(rate, 1e-9)
        if text == _DEARER:
            idle = self._idle(statement, used, more)
            cheaper = tuple(choice.cheaper(statement, used))
            ways += (*cheaper, *self._told_elsewhere(choice, key, more, least))
            self.told[statement].append(ToldMore(used, more, cheaper, idle, name, choice.chosen))
        why = used - idle
        ways = [each for each in ways if why.isdisjoint(each.without) and choice.go_together(why.union(each.needs))]
        ways += [Mode(WITHOUT, (), 0.0, without=(name,)) for name in sorted(why)]
        as_dear = partial(self._is_as_dear, choice, statement, price)
        ways += choice.instead(statement, idle, self.changed[statement], as_dear, more=more, least=least)
        found = StatementStep(statement, name, (*ways, Mode(text, (), more)))
        self._supersede(found)
        return found

    def _supersede(self, step: StatementStep) -> None:
        """Steps of a statement by which their own choice is told of no more than by this one are not needed."""
        from nestling.optimizer.evaluate import best_mode

        for told in self.told[step.statement][:-1]:
            paid = best_mode(step, told.chosen)
            if paid is not None and paid[1] * ALIKE >= told.seconds:
                self.superseded.add(told.step)

    def _idle(self, statement: str, used: Used, more: float) -> Used:
        """What a query uses that is not why it costs more: others without it cost as much more."""
        for told in self.told[statement]:
            if max(more, told.seconds) <= ALIKE * min(more, told.seconds):
                self.changed[statement] |= used ^ told.used
        return used & self.changed[statement] - self.matters[statement]

    def _told_elsewhere(self, choice: LookedChoice, key: tuple[str, Used], more: float, least: float) -> Iterator[Mode]:
        """What designs pay that also have what another step is about: what that does not tell."""
        statement, used = key
        for told in self.told[statement]:
            if not told.why <= choice.chosen and told.is_paid_beside(used):
                rest = more - told.seconds
                yield Mode(_TOLD, tuple(sorted(told.why)), rest if rest >= least else 0.0)


def _paid(problem: DesignProblem, statement: str, evaluation: Evaluation) -> Iterator[float]:
    """What an execution of a statement costs more in a choice, for each dearer query."""
    for step in problem.steps:
        if step.statement == statement and step.name.startswith(_DEARER):
            mode = step.modes[evaluation.modes[statement, step.name]]
            if mode.cost:
                yield mode.cost


def _as_solution(chosen: frozenset[str], evaluation: Evaluation) -> Solution:
    return Solution(chosen, evaluation.modes, evaluation.cost, 0.0, 0.0, proved=False)
