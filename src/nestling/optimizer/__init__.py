"""The search: priced options in, the least-cost choice out, with a bound that proves it. Knows nothing of MongoDB.

::

    Problem ──► weighted ──► presolve ──► components ──► relaxation ──► branching ──► tie break ──► evaluate ──► Solution
                rates into   exact        separate       mostly whole   where it      fewest, least  from the
                the costs    reductions   parts          already        is not        change         definition

The most effective reductions: `presolve/choices` removes structures and modes that something else always beats, and
`presolve/hoisting` turns costs that all modes share into charges, and adds up those of all statements.
"""

from nestling.optimizer.alternatives import alternatives
from nestling.optimizer.budget import storage_budget, with_limits
from nestling.optimizer.check import check
from nestling.optimizer.flips import flip
from nestling.optimizer.pareto import pareto
from nestling.optimizer.solve import solve

__all__ = [
    "alternatives",
    "check",
    "flip",
    "pareto",
    "solve",
    "storage_budget",
    "with_limits",
]
