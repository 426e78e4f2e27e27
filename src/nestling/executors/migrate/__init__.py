"""Moves a live database from one design to another over the same model, while it is being written to.

`backfill` derives every document of the new design from the old homes, `follow` applies concurrent changes (`changed_rows`:
which rows; `affected_documents`: which documents; `derive`: their new content), `compare` proves both sides equal, `cutover`
switches.
"""

from nestling.executors.migrate.aborting import Aborted, abort
from nestling.executors.migrate.active_design import TRUSTED_SECONDS, ask_in_use, check_in_use, strays
from nestling.executors.migrate.collection_options import lost_options
from nestling.executors.migrate.compare import HomeViews
from nestling.executors.migrate.cutover import refuse_writes
from nestling.executors.migrate.homes import Homes
from nestling.executors.migrate.indexes import indexes_today
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.migrating import Dropped, Migration, MigrationReport
from nestling.executors.migrate.preflight import breaking_new_rules, in_the_way, lacking_rights, without_history
from nestling.executors.migrate.server_side import Gathered, ServerSide
from nestling.executors.migrate.spool import Shelf
from nestling.executors.migrate.stopping import ABORT_AGAIN, DROP_AGAIN, what_stays
from nestling.executors.migrate.undo_record import OLD_SUFFIX
from nestling.executors.migrate.unit import MigrationUnit
from nestling.executors.migrate.waiting import with_patience

__all__ = [
    "ABORT_AGAIN",
    "DROP_AGAIN",
    "OLD_SUFFIX",
    "TRUSTED_SECONDS",
    "Aborted",
    "Dropped",
    "Gathered",
    "HomeViews",
    "Homes",
    "Job",
    "Migration",
    "MigrationReport",
    "MigrationUnit",
    "ServerSide",
    "Shelf",
    "abort",
    "ask_in_use",
    "breaking_new_rules",
    "check_in_use",
    "in_the_way",
    "indexes_today",
    "lacking_rights",
    "lost_options",
    "refuse_writes",
    "strays",
    "what_stays",
    "with_patience",
    "without_history",
]
