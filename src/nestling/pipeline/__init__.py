"""The spine: one function per stage, in the order in which data flows. The right column names the files in this folder.

Commands and notebooks call these functions. From deeper layers they take only what checks their options and what displays a
result: profiles, strategy names, emitters, the doctor's reports and a sync's metrics.

::

    inspect ──► design ──► load (create, fill, index, verify) ──► verify ──► unload      designing, loading
                  ├──► explain
                  ├──► with_unconverted: statements of its workload a design cannot do   compiled_workload
                  └──► convert, convert_join, convert_all, queries_module                converting

    generate, bindings: generated rows, and values drawn for parameters                  generating, parameter_values
    proving.prove_source: rival designs loaded, run and measured                         rivals, proving
    calibrate: the cost of work on your server                                           calibrating

    check: compares every copy with its source, and repairs it                           checking
    sync_plan ──► sync: keeps copies right in the background                             syncing
    plan_migration ──► migrate ──► drop_old: from one design to another, live            migration_plan, migrating

    capture ──► captured_workload: what a live database is asked, as SQL                 capturing
    facts_of ──► diagnose: what is wrong with a live database                            diagnosing
    in_place ──► redesign: a live database's model, today's design, what to change       reversing

    for the demo: a statement in SQL and MQL; a copy made stale and repaired             beside_sql, stale_copy

`proving` is imported only where it is needed, because it has more dependencies than the others.
"""

from nestling.ir.proposal import OPTIMAL
from nestling.ir.watching import Watch
from nestling.pipeline.calibrating import Calibrated, calibrate
from nestling.pipeline.capturing import capture, captured_workload, facts_with, with_captured
from nestling.pipeline.checking import check
from nestling.pipeline.compiled_workload import with_unconverted
from nestling.pipeline.converting import convert, convert_all, convert_join, queries_module, statements_of
from nestling.pipeline.designing import design, explain, inspect, pareto, read_proposal
from nestling.pipeline.diagnosing import diagnose, facts_of, price_notes
from nestling.pipeline.generating import generate
from nestling.pipeline.loading import Loaded, LoadMode, home_queries, load, opened, reach_rows, unload, verify
from nestling.pipeline.migrating import abort_migration, drop_old, migrate
from nestling.pipeline.migration_plan import plan_migration
from nestling.pipeline.parameter_values import bindings
from nestling.pipeline.reversing import Redesign, in_place, is_mongodb, redesign
from nestling.pipeline.syncing import sync, sync_plan, sync_standing

__all__ = [
    "OPTIMAL",
    "Calibrated",
    "LoadMode",
    "Loaded",
    "Redesign",
    "Watch",
    "abort_migration",
    "bindings",
    "calibrate",
    "capture",
    "captured_workload",
    "check",
    "convert",
    "convert_all",
    "convert_join",
    "design",
    "diagnose",
    "drop_old",
    "explain",
    "facts_of",
    "facts_with",
    "generate",
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
    "with_unconverted",
]
