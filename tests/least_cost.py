"""The design at least cost, without what its alternatives would cost, which takes longer to find than the design."""

from __future__ import annotations

from functools import partial

from nestling.ir.proposal import OPTIMAL, Proposal
from nestling.ir.reading import Reading
from nestling.pipeline import design
from nestling.pipeline.correcting import least_cost_solution
from nestling.pipeline.designing import explained_proposal, posed_problem, proposal_of


def designed(reading: Reading, strategy: str = OPTIMAL) -> Proposal:
    """What `pipeline.design` finds for a reading; at least cost, its decisions tell no alternatives' costs."""
    if strategy != OPTIMAL or not any(statement.accesses for statement in reading.workload.statements):
        return design(reading, strategy)
    problem = posed_problem(reading, None, None)
    return explained_proposal(
        *least_cost_solution(problem, draft=partial(proposal_of, problem), limit_seconds=60.0), seconds_left=0.0
    )
