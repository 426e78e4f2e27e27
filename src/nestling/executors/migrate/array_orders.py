"""Orders of arrays that rows do not tell: a migration that goes on puts the elements in another one, and has to be told to."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.job import Job

LOST = "is in an order that none of its values tell: it would be lost"
_MOVE = (
    "give the elements a field that tells their order, in the model and in both designs, and order the array by it (`order:`);"
    " or go on without it: `--drop-order`"
)


def require_order(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` for arrays of what is rewritten whose order would be lost."""
    if found := find_fields(database, job.searches.array_orders):
        raise MigrationError(*(Problem(f"{each.text()}, {LOST}", next_move=_MOVE) for each in found))
