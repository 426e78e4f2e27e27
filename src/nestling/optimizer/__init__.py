"""The search: priced options in, the least-cost choice out, with a bound that proves it. Knows nothing of MongoDB.

::

    Problem ──► weighted ──► presolve ──► components ──► relaxation ──► branching ──► tie break ──► evaluate ──► Solution
                rates into   exact        what does      mostly whole   where it      fewest, least  from the
                the costs    reductions   not touch      already        is not        change         definition

The reductions that matter most: `presolve/choices` leaves out structures and modes that something else always beats,
`presolve/hoisting` turns what is due whatever the mode into charges and adds those of all statements up.
"""

from nestling.optimizer.alternatives import OtherChoice, alternatives
from nestling.optimizer.budget import storage_budget, with_limits
from nestling.optimizer.check import check
from nestling.optimizer.flips import flip
from nestling.optimizer.pareto import ParetoPoint, pareto
from nestling.optimizer.solve import solve

__all__ = [
    "OtherChoice",
    "ParetoPoint",
    "alternatives",
    "check",
    "flip",
    "pareto",
    "solve",
    "storage_budget",
    "with_limits",
]
