"""Indexes the database has: a migration that goes on may lose some of them, and has to be told to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.found_indexes import found_indexes
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.undo_record import BEFORE
from nestling.executors.rights import check_privileges
from nestling.ir.command import CreateIndex
from nestling.ir.words.index_words import index_words

LOST = "would be lost: the new design has no such index"
_MOVE = (
    "name it under `indexes:` in the new design where a design can say it; or go on without it, and create what is needed"
    " after the cutover: `--drop-indexes`"
)


def indexes_today(database: Database[Any], collections: Sequence[str]) -> tuple[CreateIndex, ...]:
    """The indexes of collections but those on `_id`, as the server tells them; also where a collection is set aside by now."""
    check_privileges(database, (collections, ("listIndexes",)))
    there = frozenset(database.list_collection_names())
    aside = {name: f"{name}{BEFORE}" for name in collections if f"{name}{BEFORE}" in there}
    return tuple(each for name in collections for each in found_indexes(database, name, aside.get(name, name)))


def lost_words(index: CreateIndex) -> str:
    """Which index would be lost."""
    return f"the index `{index.name}` of `{index.collection}` on {index_words(index)} {LOST}"


def require_indexes(job: Job, database: Database[Any], *, is_allowed: bool) -> None:
    """Raise `MigrationError` for indexes that would be lost, and where there are others than when this run began."""
    if job.indexes.lost and not is_allowed:
        raise MigrationError(*(Problem(lost_words(each), next_move=_MOVE) for each in job.indexes.lost))
    if indexes_today(database, job.replaced) != tuple(job.indexes.seen):
        what = "indexes of collections that are built anew have changed since this run began"
        raise MigrationError(Problem(what, where=database.name, next_move="run it again"))
