"""Collections that were dropped or renamed: copies of their data may be all that remains, and are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.errors import Problem, SyncError
from nestling.ir.drift import Check
from nestling.ir.programs.route import SyncPlan
from nestling.ir.quantity_words import first_of
from nestling.ir.storage.names import join

MOST_NAMED = 5
"""Copies of one collection that are named."""
_NEXT_MOVE = "restore it, then start the sync again; or remove what was copied from it: `nestling sync --remove`"


def require_homes(database: Database[Any], plan: SyncPlan) -> None:
    """Raise `SyncError` with every collection that is not there, and that documents hold copies from."""
    there = set(database.list_collection_names())
    missing: dict[str, list[str]] = {}
    for kept in plan.kept:
        gone = kept.homes - there
        if gone and database[kept.collection].find_one(_holding(kept.check.check), {"_id": 1}) is not None:
            for name in gone:
                missing.setdefault(name, []).append(kept.id)
    if missing:
        raise SyncError(*(_problem(name, ids) for name, ids in sorted(missing.items())))


def _holding(check: Check) -> dict[str, Any]:
    """The documents with any of the copy's values."""
    at = join(*(step.field for step in check.place))
    return {"$or": [{join(at, each.path): {"$exists": True, "$nin": [None, []]}} for each in check.values]}


def _problem(name: str, ids: Sequence[str]) -> Problem:
    what = f"`{name}` no longer exists: the copies made from it are left as they are ({first_of(ids, MOST_NAMED)})"
    return Problem(what, next_move=_NEXT_MOVE)
