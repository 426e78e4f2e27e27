"""Which of two designs a database has, from the beginning of a migration until its leftovers are dropped."""

from __future__ import annotations

from collections.abc import Collection, Generator
from typing import Any

from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.calls import CollectionCall
from nestling.executors.migrate.state import COLLECTION, STATE_ID, States
from nestling.executors.migrate.undo_record import OLD_SUFFIX
from nestling.ir.migration import Phase
from nestling.ir.storage.names import LOOK

TRUSTED_SECONDS = 1.0
"""How long a program may rely on the design that it has read.

A cutover refuses writes for longer than that before it renames collections, so that all later writers have read it again.
"""
ASKED_SECONDS = 0.25
"""How long a cutover waits after announcing the renaming, so that earlier requests are finished or refused."""
_UNSURE = (Phase.FENCED,)
"""Phases whose end must be noticed at once, so that no answer is cached."""


def ask_in_use(design: str) -> Generator[CollectionCall, Any, bool]:
    """Ask as `check_in_use` does; gives whether the answer may be trusted for a while."""
    fields = {"phase": 1, "old": 1, "new": 1}
    found = yield CollectionCall(
        COLLECTION, "find", {"filter": {"_id": STATE_ID}, "projection": fields, "comment": LOOK}
    )
    if not found:
        return True
    phase = Phase(found[0]["phase"])
    _require_in_use(phase, found[0].get("old", ""), found[0].get("new", ""), design)
    return phase not in _UNSURE


def strays(database: Database[Any], stores: Collection[str]) -> dict[str, int]:
    """Collections of the old design that were created again after the cutover, with their number of unread documents.

    `stores`: the collections of the design in use. After `--drop-old` the old design is no longer known.
    """
    state = States(database).read()
    if state is None or state.trail is None or state.phase is not Phase.DONE:
        return {}
    there = frozenset(database.list_collection_names())
    names = [name for name in state.trail.replaced if name in there and name not in stores]
    counts = {name: database[name].count_documents({}) for name in names if f"{name}{OLD_SUFFIX}" in there}
    return {name: count for name, count in counts.items() if count}


def check_in_use(database: Database[Any], design: str) -> None:
    """Raise `MigrationError` if the documents do not have this design (by its digest) now.

    A program that maintains its copies would write them into the other design's documents.
    """
    state = States(database).read()
    if state is not None:
        _require_in_use(state.phase, state.old, state.new, design)


def _require_in_use(phase: Phase, old: str, new: str, design: str) -> None:
    if old == new or design not in (old, new):
        return
    if phase is Phase.SWITCHING:
        move = "try again in a second; `nestling migrate … --cutover` continues where it stopped, and `--abort` ends it"
        raise MigrationError(
            Problem("collections are being renamed: another design is taking over", COLLECTION, next_move=move)
        )
    if phase is Phase.DONE and design == old:
        move = "use the new design, and create a `Store` with it; migrating back is a separate migration"
        raise MigrationError(Problem("another design has replaced this one", COLLECTION, next_move=move))
    if phase is not Phase.DONE and design == new:
        move = "let it take over first (`nestling migrate … --cutover`), or use the old design"
        raise MigrationError(Problem("a migration to this design has not taken over yet", COLLECTION, next_move=move))
