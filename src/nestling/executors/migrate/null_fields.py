"""Fields that are null and that the new design has no field for, such as an array: they would come over as missing."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.job import Job
from nestling.ir.found_field import FoundField

LOST = (
    "is null, and would come over as a field that is missing, an array as an empty one: `{field: null}` finds null and missing,"
    " while `$exists` and `$type` tell them apart"
)
_MOVE = "see whether statements and code take a missing field for null, and let it go: `--drop-nulls`"


def nulls(job: Job, database: Database[Any]) -> tuple[FoundField, ...]:
    """The fields of what is rewritten that are null, and do not come over; nulls among the elements of an array are no fields."""
    asked = {name: stages for name, stages in job.searches.nulls.items() if name not in job.kept}
    kept = {
        (place.query.collection, path)
        for place in job.homes.places
        for attribute, path in place.paths.items()
        if attribute in job.homes.nulls_of(place.entity)
    }
    found = (each for each in find_fields(database, asked) if not each.path.endswith("[]"))
    return tuple(each for each in found if (each.collection, each.path.replace("[]", "")) not in kept)


def require_no_nulls(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` for them."""
    if found := nulls(job, database):
        raise MigrationError(*(Problem(f"{each.text()}, {LOST}", next_move=_MOVE) for each in found))
