"""Fields that are null: rows do not tell them from fields that are missing, and a migration that goes on has to be told to."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.job import Job
from nestling.ir.found_field import FoundField

LOST = (
    "is null, and would come over as a field that is missing: `{field: null}` finds both, while `$exists` and `$type`"
    " tell them apart"
)
_MOVE = "see whether statements and code take a missing field for null, and let it go: `--drop-nulls`"


def nulls(job: Job, database: Database[Any]) -> tuple[FoundField, ...]:
    """The fields of what is rewritten that are null; a null among the elements of an array is another matter."""
    asked = {name: stages for name, stages in job.searches.nulls.items() if name not in job.kept}
    return tuple(each for each in find_fields(database, asked) if not each.path.endswith("[]"))


def require_no_nulls(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` for them."""
    if found := nulls(job, database):
        raise MigrationError(*(Problem(f"{each.text()}, {LOST}", next_move=_MOVE) for each in found))
