"""What the queries of designs cost by the cost model: each is compiled once for what it uses, as far as there is time."""

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
"""Queries compiled for a design, and as many for the rivals it is explained by: a number, so that each run finds the same."""

Draft = Callable[[Solution], "Proposal"]
"""Makes the design of a solution."""


@dataclass(slots=True)
class DraftedDesign:
    """The design of a solution, made when it is first asked for: where every price is known it never is."""

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
    """Prices of queries, by the statement and the structures it uses.

    `left`: how many more may be compiled, within `seconds`. `missed`: statements that no time was left for.
    """

    found: PosedProblem
    clock: Callable[[], float]
    seconds: float
    left: int = MOST_QUERIES
    missed: set[str] = field(default_factory=set)
    _known: dict[tuple[str, Used], float | None] = field(default_factory=dict)
    _plain: Proposal | None = None

    def allow(self, seconds: float) -> None:
        """Begin anew with the time and the number of queries there are."""
        self.seconds, self.left = seconds, MOST_QUERIES

    def of(self, statement: str, used: Used) -> float | None:
        """The seconds of one execution; None where the cost model cannot say or nobody has asked yet, infinite where the design
        has no query and another one has.
        """
        return self._known.get((statement, used))

    def ask(self, statement: Statement, used: Used, design: DraftedDesign) -> bool:
        """Price the query of a statement, unless it is known; False where there is no time for it, or no such design."""
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
        """Whether this design has no query for it, and the one in which every entity has a collection of its own has one."""
        from nestling.pipeline.proving.statements import is_answered
        from nestling.strategies import design

        reading = self.found.situation.reading
        if is_answered(proposal, reading, statement):
            return False
        if self._plain is None:
            self._plain = design(reading, "normalized", None)
        return is_answered(self._plain, reading, statement)
