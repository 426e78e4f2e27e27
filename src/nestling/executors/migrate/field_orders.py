"""Orders of fields in sub-documents: a migration writes them in the new design's order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.losses import is_of_id


def reordered_fields(job: Job, database: Database[Any]) -> Iterator[str]:
    """Each sub-document but `_id`s that gets another order, with its counts, as `plan` says it."""
    for each in find_fields(database, job.searches.field_orders):
        if not is_of_id(each):
            yield (
                f"{each.text()}, has its fields in a different order than the new design, and gets that order: queries for "
                "the whole sub-document in today's order will then find nothing"
            )


def compare_id_orders(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` if a new `_id` has another field order than the new design, which rows do not show."""
    if found := find_fields(database, job.searches.id_orders):
        what = "has its fields in a different order than the new design; this migration did not write it that way"
        move = "find out what writes to the collection, end the migration with `--abort`, and start again"
        raise MigrationError(*(Problem(f"{each.text()}, {what}", next_move=move) for each in found))
