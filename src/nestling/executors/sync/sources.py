"""Collections that were dropped or renamed: what is copied from them may be the last there is of it, and is left."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.common.errors import Problem, SyncError
from nestling.executors.check.differing_rows import collections_in
from nestling.ir.programs.route import SyncPlan
from nestling.ir.quantity_words import first_of

MOST_NAMED = 5
"""Copies of one collection that are named."""
_NEXT_MOVE = (
    "bring it back, then start the sync again; or let what was copied from it be taken away: `nestling sync --remove`"
)


def require_sources(database: Database[Any], plan: SyncPlan) -> None:
    """Raise `SyncError` with every collection that is not there, and that something there may be copied from."""
    there = set(database.list_collection_names())
    missing: dict[str, set[str]] = {}
    for kept in plan.kept:
        for source in {*collections_in(kept.check.read.pipeline)} - there:
            if kept.collection in there and database[kept.collection].find_one({}, {"_id": 1}) is not None:
                missing.setdefault(source, set()).add(kept.id)
    if missing:
        raise SyncError(*(_problem(name, sorted(ids)) for name, ids in sorted(missing.items())))


def _problem(name: str, ids: list[str]) -> Problem:
    what = f"`{name}` is not there any more: what was copied from it is left as it is ({first_of(ids, MOST_NAMED)})"
    return Problem(what, next_move=_NEXT_MOVE)
