"""Budgets: limits added to a problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nestling.ir.design_problem import DesignProblem, Limit

STORAGE = "storage"


def storage_budget(problem: DesignProblem, at_most_bytes: float) -> Limit:
    """The limit on the bytes of all structures together."""
    amounts = tuple(((structure.id,), structure.bytes) for structure in problem.structures if structure.bytes)
    return Limit(STORAGE, amounts, at_most_bytes, "the storage budget", in_bytes=True)


def with_limits(problem: DesignProblem, limits: Iterable[Limit]) -> DesignProblem:
    """The problem with more limits; one of the same name is replaced."""
    added = {limit.name: limit for limit in limits}
    return replace(problem, limits=(*(limit for limit in problem.limits if limit.name not in added), *added.values()))
