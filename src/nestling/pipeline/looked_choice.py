"""A choice whose queries are examined: which structures answer each statement, and which other ways there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.ir.design_problem import Charge, DesignProblem, Mode, StatementStep

if TYPE_CHECKING:
    from nestling.optimizer.evaluate import Evaluation

Used = frozenset[str]
"""Structures that a statement's query is made of."""
WITHOUT = "without what it uses"
EQUALLY_GOOD_SHARE = 0.1
"""A way counts as equally good if it is more expensive by at most this share of the query's extra cost."""


@dataclass(frozen=True, slots=True)
class LookedChoice:
    """A choice under examination, in the problem as it was first posed."""

    problem: DesignProblem
    chosen: frozenset[str]
    evaluation: Evaluation
    loads: Mapping[str, float]
    steps: Mapping[str, Sequence[StatementStep]]
    charges: Mapping[str, Sequence[Charge]]

    def used(self, statement: str) -> Used:
        """Return the structures that answer the statement, those it is charged for, and those that rule out a cheaper way."""
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
        """Yield the cheaper ways of the statement's steps that this choice does not allow.

        Their cost includes what the structures in use would add.
        """
        from nestling.optimizer.evaluate import TOLERANCE, is_possible, mode_cost

        for step, mode in self._modes(statement):
            cost = mode_cost(mode, self.chosen, self.loads) * (1 - TOLERANCE)
            for other in step.modes:
                if mode_cost(other, used, self.loads) < cost and not is_possible(other, self.chosen):
                    yield Mode("by a cheaper way", other.needs, 0.0, without=other.without)

    def instead(
        self,
        statement: str,
        idle: Used,
        tried: Iterable[str],
        is_as_dear: Callable[[str, str], bool],
        *,
        more: float,
        least: float,
    ) -> Iterator[Mode]:
        """Yield ways out for structures that do not cause a query's extra cost `more`: designs without them or their equivalents.

        Equivalents are those already `tried`, and those that `is_as_dear` finds just as expensive in place of one ("" means
        none). If a step falls back to a more expensive way, the query exceeds the assumed price by that much less; differences
        below `least` are ignored.
        """
        members = {name: group.among for group in self.problem.groups if len(group.among) > 1 for name in group.among}
        for name in sorted(idle.intersection(members)):
            yield Mode(WITHOUT, (), 0.0, without=tuple(sorted({name}.union(set(members[name]).intersection(tried)))))
        for step, mode in self._modes(statement):
            for name in sorted(idle.intersection(mode.needs) - members.keys()):
                without = [name]
                for dearer, missing in sorted(self._in_place(step, mode, name, members)):
                    left = more - dearer
                    if left < least or not (missing in tried or is_as_dear(name, missing)):
                        yield Mode(
                            WITHOUT, (missing,) if missing and left >= least else (), 0.0, without=tuple(without)
                        )
                    elif dearer > EQUALLY_GOOD_SHARE * more:
                        yield Mode(WITHOUT, (), left, without=tuple(without))
                    if not missing or left < least:
                        break
                    without.append(missing)

    def _in_place(
        self, step: StatementStep, mode: Mode, name: str, members: Iterable[str]
    ) -> Iterator[tuple[float, str]]:
        """Yield the other ways of a step without a structure: how much more each costs, and the missing structure it needs."""
        from nestling.optimizer.evaluate import mode_cost

        there, cost = self.chosen - {name}, mode_cost(mode, self.chosen, self.loads)
        for other in step.modes:
            missing = [each for each in other.needs if each not in there]
            if len(missing) <= 1 and {name, *members}.isdisjoint(missing) and there.isdisjoint(other.without):
                dearer = mode_cost(other, there.union(missing), self.loads) - cost
                yield dearer, missing[0] if missing else ""

    def _modes(self, statement: str) -> Iterator[tuple[StatementStep, Mode]]:
        for step in self.steps.get(statement, ()):
            yield step, step.modes[self.evaluation.modes[step.statement, step.name]]


def choice_with_ways(problem: DesignProblem, chosen: frozenset[str], evaluation: Evaluation) -> LookedChoice:
    """Return the choice with the ways in which it answers the steps of the problem as first posed."""
    from nestling.optimizer.evaluate import load_values

    steps: dict[str, list[StatementStep]] = defaultdict(list)
    charges: dict[str, list[Charge]] = defaultdict(list)
    for step in problem.steps:
        steps[step.statement].append(step)
    for charge in problem.charges:
        charges[charge.statement].append(charge)
    return LookedChoice(problem, chosen, evaluation, load_values(problem, chosen), steps, charges)
