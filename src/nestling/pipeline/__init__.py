"""The spine: one function per stage, in the order data flows. Commands, notebooks and tests call these and nothing deeper.

::

    inspect ──► design ──► load (create, fill, index, verify) ──► verify ──► unload      designing, moving
                  │
                  └──► convert, convert_join, convert_all, queries_module                statements

    calibrate: a server's own prices                                                    measuring
    facts_of ──► diagnose: what hurts in a live database                                 examining
"""

from nestling.pipeline.designing import OPTIMAL, design, inspect, pareto, read_proposal
from nestling.pipeline.examining import diagnose, facts_of, price_notes
from nestling.pipeline.measuring import Calibrated, calibrate
from nestling.pipeline.moving import Loaded, Mode, home_queries, load, opened, reach_rows, unload, verify
from nestling.pipeline.statements import convert, convert_all, convert_join, queries_module, statements_of
from nestling.pipeline.watching import Watch

__all__ = [
    "OPTIMAL",
    "Calibrated",
    "Loaded",
    "Mode",
    "Watch",
    "calibrate",
    "convert",
    "convert_all",
    "convert_join",
    "design",
    "diagnose",
    "facts_of",
    "home_queries",
    "inspect",
    "load",
    "opened",
    "pareto",
    "price_notes",
    "queries_module",
    "reach_rows",
    "read_proposal",
    "statements_of",
    "unload",
    "verify",
]
