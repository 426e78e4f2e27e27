"""Extra costs of queries beyond what was assumed: steps that are added to a problem, shared by all solves.

A correction only adds cost. So the best choice remains the best if it pays none of the new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from nestling.ir.design_problem import DesignProblem, Mode, StatementStep

MOST_ROUNDS = 12
"""Most solves after the first one, each with the extra costs found for the last one's choice."""


class LookResult(Enum):
    """The result of examining the queries of a choice."""

    FINE = "fine"
    DEARER = "dearer"  # there are new corrections: solve again
    NO_TIME = "no time"


Look = Callable[[Mapping[str, float], frozenset[str]], tuple[tuple[StatementStep, ...], bool]]
"""Gives, for rates and the structures of a whole design, new corrections, and whether all queries were looked at."""


def nothing_to_look_at(_rates: Mapping[str, float], _chosen: frozenset[str]) -> tuple[tuple[StatementStep, ...], bool]:
    """The examination for a problem without queries."""
    return (), True


@dataclass(slots=True)
class Corrections:
    """The corrections so far. `chosen`: the whole design that is weighed; parts that are not solved again stay as in it."""

    chosen: frozenset[str] = frozenset()
    look: Look = nothing_to_look_at
    steps: list[StatementStep] = field(default_factory=list)
    _known: dict[int, tuple[int, DesignProblem, DesignProblem]] = field(default_factory=dict)

    @property
    def revision(self) -> int:
        """Grows with each correction."""
        return len(self.steps)

    def check(self, part: DesignProblem, chosen: frozenset[str]) -> LookResult:
        """Look at the queries of a choice for a part, at the part's rates."""
        here = {structure.id for structure in part.structures}
        new, is_complete = self.look(part.rates, (self.chosen - here) | chosen)
        self.steps += new
        return LookResult.DEARER if new else LookResult.FINE if is_complete else LookResult.NO_TIME

    def applied(self, part: DesignProblem) -> DesignProblem:
        """A part with the corrections that touch it."""
        known = self._known.get(id(part))
        if known is None or known[0] != self.revision:
            here = frozenset(structure.id for structure in part.structures)
            more = tuple(within for step in self.steps if (within := _within(step, here, self.chosen)) is not None)
            known = self.revision, part, replace(part, steps=(*part.steps, *more)) if more else part
            self._known[id(part)] = known  # the part is kept, so that its id stays its own
        return known[2]


def _within(step: StatementStep, here: frozenset[str], chosen: frozenset[str]) -> StatementStep | None:
    """A correction restricted to one part, all others being as chosen; None if it does not matter there."""
    modes = tuple(_possible(step.modes, here, chosen))
    if any(not (mode.cost or mode.needs or mode.without) for mode in modes):
        return None
    touched = any(mode.needs or mode.without for mode in modes)
    return StatementStep(step.statement, step.name, modes) if touched else None


def _possible(modes: tuple[Mode, ...], here: frozenset[str], chosen: frozenset[str]) -> Iterator[Mode]:
    elsewhere = chosen - here
    for mode in modes:
        needs = tuple(name for name in mode.needs if name in here)
        if elsewhere.issuperset(set(mode.needs) - here) and elsewhere.isdisjoint(mode.without):
            yield replace(mode, needs=needs, without=tuple(name for name in mode.without if name in here))
