"""Prices the queries of designs by the cost model. Each query is compiled once per set of structures, while time remains."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nestling.common.errors import DesignError
from nestling.ir.design_problem import Solution
from nestling.ir.workload import Statement
from nestling.pipeline.looked_choice import Used

if TYPE_CHECKING:
    from nestling.ir.proposal import Proposal
    from nestling.pipeline.designing import PosedProblem

MOST_QUERIES = 1_000
"""Most queries compiled for a design, and again for its rivals: a count, not a time, so that every run finds the same."""

Draft = Callable[[Solution], "Proposal"]
"""Makes the design of a solution."""


@dataclass(slots=True)
class DraftedDesign:
    """The design of a solution, made on first use: if every price is known, it is never made."""

    draft: Draft
    solution: Solution
    _made: Proposal | None = None

    def proposal(self) -> Proposal:
        """The design; raises `DesignError` where no document can hold it."""
        if self._made is None:
            self._made = self.draft(self.solution)
        return self._made


@dataclass(slots=True)
class CompiledPrices:
    """Prices of queries, by statement and the structures that it uses.

    `left`: how many more queries may be compiled, within `seconds`. `missed`: the statements for which no time was left.
    """

    found: PosedProblem
    clock: Callable[[], float]
    seconds: float
    left: int = MOST_QUERIES
    missed: set[str] = field(default_factory=set)
    _known: dict[tuple[str, Used], float | None] = field(default_factory=dict)
    _plain: Proposal | None = None

    def allow(self, seconds: float) -> None:
        """Start a new budget of time and queries."""
        self.seconds, self.left = seconds, MOST_QUERIES

    def of(self, statement: str, used: Used) -> float | None:
        """Return the seconds of one execution.

        None if the cost model cannot say or nobody has asked yet; infinite if this design has no query but another design has
        one.
        """
        return self._known.get((statement, used))

    def ask(self, statement: Statement, used: Used, design: DraftedDesign) -> bool:
        """Price the query of a statement unless its price is known.

        Return False if no time is left or there is no such design.
        """
        if (statement.name, used) in self._known:
            return True
        if self.left <= 0 or self.seconds <= 0:
            if self.left > 0:
                self.missed.add(statement.name)
            return False
        began = self.clock()
        try:
            self._known[statement.name, used] = self._price(design.proposal(), statement)
        except DesignError:  # what no document can hold: the search does not know it
            return False
        self.seconds -= self.clock() - began
        self.left -= 1
        return True

    def _price(self, proposal: Proposal, statement: Statement) -> float | None:
        from nestling.pipeline.proving.statements import predicted_seconds

        seconds = predicted_seconds(proposal, self.found.situation.reading, statement, self.found.profile)
        return math.inf if seconds is None and self._is_answered_elsewhere(proposal, statement) else seconds

    def _is_answered_elsewhere(self, proposal: Proposal, statement: Statement) -> bool:
        """Whether this design has no query for the statement, but the design with one collection per entity has one."""
        from nestling.pipeline.proving.statements import is_answered
        from nestling.strategies import design

        reading = self.found.situation.reading
        if is_answered(proposal, reading, statement):
            return False
        if self._plain is None:
            self._plain = design(reading, "normalized", None)
        return is_answered(self._plain, reading, statement)
