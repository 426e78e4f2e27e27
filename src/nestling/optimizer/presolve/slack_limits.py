"""Drops limits that no choice can exceed; they would only connect components."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from nestling.ir.design_problem import Limit
from nestling.optimizer.presolve.reduced import Reduced


def slack_limits(reduced: Reduced) -> Reduced:
    """Drop the limits that hold whatever is chosen."""
    problem = reduced.problem
    group_of = {structure: group.name for group in problem.groups for structure in group.among}
    limits = tuple(limit for limit in problem.limits if _most(limit, group_of) > limit.at_most)
    return replace(reduced, problem=replace(problem, limits=limits))


def _most(limit: Limit, group_of: dict[str, str]) -> float:
    """At least as much as any choice counts: of one group only the largest, of amounts below zero none."""
    largest: dict[str, float] = defaultdict(float)
    alone: dict[str, float] = defaultdict(float)
    total = 0.0
    for when, amount in limit.amounts:
        if len(when) == 1:
            alone[when[0]] += amount
        elif not when:
            total += amount
        else:
            total += max(amount, 0.0)
    for structure, amount in alone.items():
        if structure in group_of:
            largest[group_of[structure]] = max(largest[group_of[structure]], amount)
        else:
            total += max(amount, 0.0)
    return total + sum(largest.values())
