"""Copies and computed values that differ from what they follow from, which a migration derives anew: what is there would be lost.

What is kept in the background may lag, and is derived anew without a question: it is told.
"""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.check import differing_fields
from nestling.executors.migrate.job import Job
from nestling.ir.found_field import FoundField

LOST = "differs from what it follows from: it would be lost"
LAGS = "differs from what it follows from, behind which it may lag, and is derived anew"
_MOVE = (
    "make it an attribute of the model and of both designs where it is data of its own (`nestling inspect URI -o model.yaml"
    " --design-out design.yaml` does so); where it is a copy, `nestling check DESIGN URI --repair` makes it what it follows from,"
    " or removes it where that is gone; or go on without what is there: `--drop-copies`"
)


def require_copies(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` for values of what is rewritten that nothing else tells."""
    if found := differing_fields(job.searches.copies, database):
        raise MigrationError(*(Problem(f"{each.text()}, {LOST}", next_move=_MOVE) for each in found))


def lagging(job: Job, database: Database[Any]) -> tuple[FoundField, ...]:
    """What the background has not brought up to date yet, of what is rewritten."""
    return differing_fields(job.searches.lagging, database)
