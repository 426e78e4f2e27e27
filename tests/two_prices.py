"""What a design's statements cost by the prices the search goes by, and by those of what they are compiled to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nestling.cost import Profile
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.optimizer.evaluate import evaluate
from nestling.optimizer.weigh import statement_costs
from nestling.pipeline.designing import posed_problem, priced_problem
from nestling.pipeline.proving.statements import predicted_seconds
from nestling.planner.options.structures.in_place import with_in_place


@dataclass(frozen=True, slots=True)
class TwoPrices:
    """Seconds an execution of one statement takes on a design."""

    search: float
    compiled: float

    @property
    def factor(self) -> float:
        """How many times the one is the other, at least 1."""
        return max(self.search / self.compiled, self.compiled / self.search)


def two_prices(reading: Reading, proposal: Proposal, profile: Profile | None = None) -> Mapping[str, TwoPrices]:
    """By statement; without those that one of the two has no price for. Empty where the design is none the search may choose,
    be it that its documents may grow too large.
    """
    of = posed_problem(reading, None, profile)
    there = with_in_place(proposal.design, of.candidates)
    problem = replace(priced_problem(of.situation, of.profile, there.candidates), limits=())
    if evaluate(problem, there.chosen) is None:
        return {}
    search = dict(statement_costs(problem, there.chosen))
    found = {each.name: predicted_seconds(proposal, reading, each, of.profile) for each in reading.workload.statements}
    return {name: TwoPrices(search[name], seconds) for name, seconds in found.items() if seconds and search.get(name)}
