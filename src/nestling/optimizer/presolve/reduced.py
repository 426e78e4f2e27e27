"""A problem part of which is decided already."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.design_problem import DesignProblem


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is left to decide, and the structures that are certain to be chosen. Left-out structures are certainly not."""

    problem: DesignProblem
    chosen: frozenset[str] = frozenset()
