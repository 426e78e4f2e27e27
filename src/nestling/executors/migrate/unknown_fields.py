"""Unknown fields in what the old design leaves behind, which would be dropped with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.losses import loss_problems
from nestling.executors.migrate.undo_record import OLD_SUFFIX
from nestling.ir.found_field import FoundField
from nestling.ir.migration import Loss


def dropped_with(
    job: Job, database: Database[Any], names: Sequence[str], *, is_allowed: bool
) -> tuple[FoundField, ...]:
    """Unknown fields of collections that were set aside; raises `MigrationError` unless they may go."""
    called = {each: stages for name, stages in job.searches.unknown.items() for each in (f"{name}{OLD_SUFFIX}", name)}
    found = find_fields(database, {name: called[name] for name in names if name in called})
    if found and not is_allowed:
        why = "is not in the designs: it exists only here, and would be lost for good"
        move = f"copy what is needed into the new design's documents, or drop the rest: `{Loss.UNKNOWN.flag}`"
        raise MigrationError(*loss_problems([f"{each.text()}, {why}" for each in found], move))
    return found
