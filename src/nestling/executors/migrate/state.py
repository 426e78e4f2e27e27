"""How far a migration has come: one document in the database it moves, replaced as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import bson
from pymongo import WriteConcern
from pymongo.database import Database

from nestling.common.errors import MigrationError, Problem
from nestling.executors.changes import HistoryPoint
from nestling.executors.load.checkpoint import found_key, stored_key
from nestling.executors.migrate.migration_lease import alone, is_taken
from nestling.executors.migrate.undo_record import OLD_SUFFIX, Trail
from nestling.ir.codec import CODEC
from nestling.ir.migration import Phase
from nestling.ir.storage.names import OWN_COLLECTIONS

COLLECTION = f"{OWN_COLLECTIONS}migrate"
STATE_ID = "migration"


@dataclass(frozen=True, slots=True)
class MigrationState:
    """The state of a migration.

    - `designs` identifies both designs, `old` and `new` each one (by everything that decides how data is stored). `offline`:
      nobody writes, and no changes are followed.
    - `done`: finished units of the backfill; `after`: the scope after which the present unit continues. `point`: the position
      from which changes are followed.
    - `images` and `fences`: what was changed on old collections: those that keep pre-images for the migration, and their
      validators before writes were refused.
    - `is_complete`: nothing has been written to the old collections since the new ones hold everything.
    - `trail`: the data needed to undo it; None: an earlier version of nestling began it.
    """

    designs: str
    moment: datetime
    phase: Phase = Phase.BACKFILL
    offline: bool = False
    done: tuple[str, ...] = ()
    unit: str = ""
    after: tuple[object, ...] | None = None
    point: HistoryPoint | None = None
    images: tuple[str, ...] = ()
    fences: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    old: str = ""
    new: str = ""
    trail: Trail | None = None
    is_complete: bool = False

    @property
    def built(self) -> frozenset[str]:
        """Collections that are not in use yet."""
        return frozenset(self.trail.names if self.trail is not None and self.phase is not Phase.DONE else ())

    @property
    def set_aside(self) -> frozenset[str]:
        """Names of collections that are not in use any more."""
        return (
            frozenset(f"{name}{OLD_SUFFIX}" for name in self.trail.replaced) if self.trail is not None else frozenset()
        )


class States:
    """The state of a database's migration."""

    def __init__(self, database: Database[Any], check: Callable[[], None] | None = None) -> None:
        """Call `check` before anything is saved: it raises when somebody else is at it."""
        self._check = check
        concern = WriteConcern(w="majority", j=True)
        self._collection = database.get_collection(COLLECTION, codec_options=CODEC, write_concern=concern)

    def save(self, state: MigrationState) -> None:
        """Everything written before is durable when this returns."""
        if self._check is not None:
            self._check()
        document = {
            "designs": state.designs,
            "moment": state.moment,
            "phase": str(state.phase),
            "offline": state.offline,
            "done": list(state.done),
            "unit": state.unit,
            "after": None if state.after is None else [stored_key(each) for each in state.after],
            "point": None if state.point is None else state.point.document(),
            "images": list(state.images),
            "fences": [[name, bson.encode(fence)] for name, fence in state.fences.items()],
            "old": state.old,
            "new": state.new,
            "trail": None if state.trail is None else state.trail.stored(),
            "is_complete": state.is_complete,
        }
        self._collection.replace_one({"_id": STATE_ID}, document, upsert=True)

    def read(self) -> MigrationState | None:
        """The state, if a migration has begun."""
        found = self._collection.find_one({"_id": STATE_ID})
        if found is None:
            return None
        after, point, trail = found["after"], found["point"], found.get("trail")
        return MigrationState(
            found["designs"],
            found["moment"],
            Phase(found["phase"]),
            found["offline"],
            tuple(found["done"]),
            found["unit"],
            None if after is None else tuple(found_key(value) for value in after),
            None if point is None else HistoryPoint.of(point),
            tuple(found["images"]),
            {name: bson.decode(fence) for name, fence in found["fences"]},
            found.get("old", ""),
            found.get("new", ""),
            None if trail is None else Trail.of(trail),
            found.get("is_complete", False),
        )

    def resume(self, designs: str) -> MigrationState | None:
        """The state to continue from. Raises `MigrationError` if it belongs to another migration."""
        found = self.read()
        if found is not None and found.designs != designs:
            what = "another migration of this database has begun: between other designs, or with other `--renamed` or `--fill`"
            move = "continue with those, or end it with `--abort`"
            if found.phase is Phase.DONE:
                what = "another migration of this database has cut over, and the collections it set aside still exist"
                move = "end it with `--drop-old` and its designs"
            raise MigrationError(Problem(what, where=COLLECTION, next_move=move))
        return found

    def remove(self) -> None:
        """Remove the state: there is no migration any more."""
        self._collection.drop()


@contextmanager
def begun_migration(database: Database[Any]) -> Iterator[tuple[States, MigrationState]]:
    """The migration that has begun, whatever its designs, exclusively."""
    if States(database).read() is None:
        if is_taken(database, COLLECTION):
            what = "a migration is about to begin: another process is examining the documents first"
            raise MigrationError(
                Problem(what, where=database.name, next_move="stop that process, or wait until the migration has begun")
            )
        raise MigrationError(Problem("no migration has begun", where=database.name))
    with alone(database, COLLECTION) as still:
        states = States(database, still)
        state = states.read()
        assert state is not None
        yield states, state
