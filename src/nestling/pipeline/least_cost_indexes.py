"""A design of a strategy that asks for no costs, with the indexes that cost the workload least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.ir.candidate import INDEXES, Candidate
from nestling.ir.design import Design
from nestling.ir.design_problem import Group
from nestling.ir.primitives import Index
from nestling.pipeline.designing import PosedProblem, priced_problem

if TYPE_CHECKING:
    from nestling.ir.proposal import Proposal


def with_least_cost_indexes(proposal: Proposal, found: PosedProblem, *, limit_seconds: float) -> Proposal:
    """Keep the collections, and use the indexes that the search chooses for them.

    Indexes that the design itself needs for keys and references stay, unless a chosen index starts with their fields. The
    proposal is returned unchanged if the search cannot represent its design.
    """
    from nestling.optimizer.solve import attempt
    from nestling.planner.options.structures.in_place import with_in_place

    there = with_in_place(proposal.design, found.candidates)
    stay = [each for each in there.candidates if each.id in there.chosen and not _is_index(each)]
    indexes = [each for each in there.candidates if _is_index(each)]
    problem = priced_problem(found.situation, found.profile, (*stay, *indexes))
    kept = (Group(f"{each.id} stays", (each.id,)) for each in stay)
    problem = replace(problem, groups=(*problem.groups, *kept), limits=())
    solution = attempt(problem, limit_seconds=limit_seconds, any_of_equals=True)
    if solution is None:
        return proposal
    chosen = [each for each in indexes if each.id in solution.chosen]
    return replace(proposal, design=replace(proposal.design, indexes=tuple(_indexes(proposal.design, chosen))))


def _is_index(candidate: Candidate) -> bool:
    return isinstance(candidate.part, INDEXES)


def _indexes(design: Design, chosen: list[Candidate]) -> Iterator[Index]:
    """Yield the design's own indexes, except prefixes of chosen ones, then the chosen ones that it lacks."""
    from nestling.strategies.placement.already_built import as_indexes

    more = [index for each in chosen for index in as_indexes(design, each)]
    kept = [each for each in design.indexes if _is_rule(each) or not any(other.extends(each) for other in more)]
    yield from kept
    known = {(each.of, each.keys) for each in kept}
    yield from (each for each in more if (each.of, each.keys) not in known)


def _is_rule(index: Index) -> bool:
    return index.unique or index.expire_after_seconds is not None
