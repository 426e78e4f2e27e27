"""Fields the designs do not know: no row tells of them, so a migration that goes on leaves them behind, and has to be told to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.found_fields import find_fields
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.undo_record import BEFORE
from nestling.ir.found_field import FoundField
from nestling.ir.quantity_words import counted

SHOWN = 20
_BEFORE = (
    "add them to the model and to both designs (`nestling inspect URI -o model.yaml --design-out design.yaml` reads them anew,"
    " all but those whose names no query can say, such as `$z`), or go on without them: `--drop-unknown`"
)
_AFTER = "copy what is needed into the new design's documents, or let them go: `--drop-unknown`"


def left_behind(job: Job, database: Database[Any], *, is_allowed: bool) -> tuple[FoundField, ...]:
    """Unknown fields of the old collections that the new design has no use for; raises `MigrationError` unless they may go."""
    found = find_fields(database, job.searches.unknown)
    if found and not is_allowed:
        raise _refused(found, "is not in the designs: it would be lost", _BEFORE)
    return found


def dropped_with(
    job: Job, database: Database[Any], names: Sequence[str], *, is_allowed: bool
) -> tuple[FoundField, ...]:
    """Unknown fields of collections that were set aside; raises `MigrationError` unless they may go."""
    called = {each: stages for name, stages in job.searches.unknown.items() for each in (f"{name}{BEFORE}", name)}
    found = find_fields(database, {name: called[name] for name in names if name in called})
    if found and not is_allowed:
        raise _refused(found, "is not in the designs: it is here alone, and would be gone for good", _AFTER)
    return found


def _refused(found: Sequence[FoundField], why: str, move: str) -> MigrationError:
    told = [f"{each.text()}, {why}" for each in found[:SHOWN]]
    if len(found) > SHOWN:
        told.append(f"and so on, in {counted(len(found) - SHOWN, 'more field')}")
    return MigrationError(*(Problem(each, next_move=move) for each in told))
