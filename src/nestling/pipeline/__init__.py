"""The spine: one function per stage, in the order data flows. Commands, notebooks and tests call these and nothing deeper.

::

    inspect ──► design ──► load (create, fill, index, verify) ──► verify ──► unload      designing, moving
                  │
                  └──► convert, convert_join, convert_all, queries_module                statements

    calibrate: a server's own prices                                                    measuring
    capture ──► captured_workload: what a live database is asked, as SQL                capturing
    facts_of ──► diagnose: what hurts in a live database                                 examining
    in_place ──► redesign: a live database's model and design of today, what to change   reversing
    sync_plan ──► sync: copies kept right in the background                              syncing
    plan_migration ──► migrate ──► drop_old: from one design to another, live            migrating
"""

from nestling.pipeline.capturing import capture, captured_workload, facts_with, with_captured
from nestling.pipeline.designing import OPTIMAL, design, inspect, pareto, read_proposal
from nestling.pipeline.examining import diagnose, facts_of, price_notes
from nestling.pipeline.measuring import Calibrated, calibrate
from nestling.pipeline.migrating import abort_migration, drop_old, migrate
from nestling.pipeline.migration_plan import plan_migration
from nestling.pipeline.moving import Loaded, Mode, home_queries, load, opened, reach_rows, unload, verify
from nestling.pipeline.reversing import Redesign, in_place, is_mongodb, redesign
from nestling.pipeline.statements import convert, convert_all, convert_join, queries_module, statements_of
from nestling.pipeline.syncing import sync, sync_plan, sync_standing
from nestling.pipeline.watching import Watch

__all__ = [
    "OPTIMAL",
    "Calibrated",
    "Loaded",
    "Mode",
    "Redesign",
    "Watch",
    "abort_migration",
    "calibrate",
    "capture",
    "captured_workload",
    "convert",
    "convert_all",
    "convert_join",
    "design",
    "diagnose",
    "drop_old",
    "facts_of",
    "facts_with",
    "home_queries",
    "in_place",
    "inspect",
    "is_mongodb",
    "load",
    "migrate",
    "opened",
    "pareto",
    "plan_migration",
    "price_notes",
    "queries_module",
    "reach_rows",
    "read_proposal",
    "redesign",
    "statements_of",
    "sync",
    "sync_plan",
    "sync_standing",
    "unload",
    "verify",
    "with_captured",
]
