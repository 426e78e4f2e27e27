"""The design at least cost, without what its alternatives would cost, which takes longer to find than the design."""

from __future__ import annotations

from functools import partial

from nestling.ir.proposal import Costs, Proposal
from nestling.ir.reading import Reading
from nestling.optimizer.weigh import statement_costs
from nestling.pipeline import design
from nestling.pipeline.correcting import settled
from nestling.pipeline.designing import OPTIMAL, drafted, posed, with_users
from nestling.strategies import assembled


def designed(reading: Reading, strategy: str = OPTIMAL) -> Proposal:
    """What `pipeline.design` finds for a reading; at least cost, its decisions tell no alternatives' costs."""
    if strategy != OPTIMAL or not any(statement.accesses for statement in reading.workload.statements):
        return design(reading, strategy)
    problem = posed(reading, None, None)
    found, solution = settled(problem, draft=partial(drafted, problem), limit_seconds=60.0)
    candidates = with_users(found.candidates, found.problem, solution)
    names = {statement.name for statement in reading.workload.statements}
    each = tuple((name, cost) for name, cost in statement_costs(found.problem, solution.chosen) if name in names)
    costs = Costs(solution.cost, solution.bound, found.profile.name, each)
    return assembled(found.situation, OPTIMAL, candidates, solution, (), costs)
