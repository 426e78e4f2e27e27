"""Indexes the database has while a migration runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.found_indexes import found_indexes
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.undo_record import OLD_SUFFIX
from nestling.executors.rights import check_privileges
from nestling.ir.programs.command import CreateIndex


def indexes_today(database: Database[Any], collections: Sequence[str]) -> tuple[CreateIndex, ...]:
    """The indexes of collections except those on `_id`, as the server reports them; also if a collection is set aside."""
    check_privileges(database, (collections, ("listIndexes",)))
    there = frozenset(database.list_collection_names())
    aside = {name: f"{name}{OLD_SUFFIX}" for name in collections if f"{name}{OLD_SUFFIX}" in there}
    return tuple(each for name in collections for each in found_indexes(database, name, aside.get(name, name)))


def require_same_indexes(job: Job, database: Database[Any]) -> None:
    """Raise `MigrationError` if the indexes have changed since this run began."""
    if indexes_today(database, job.replaced) != tuple(job.indexes.seen):
        what = "indexes of collections that are being rebuilt have changed since this run began"
        raise MigrationError(Problem(what, where=database.name, next_move="run it again"))
