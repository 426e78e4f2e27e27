"""Ends a migration that has not cut over, using its stored state alone: the designs may have changed, or be gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.common.errors import MigrationError, Problem
from nestling.executors.migrate.cutover import (
    drop,
    drop_built_indexes,
    forget_images,
    switch_back,
    switch_indexes_back,
    unfence,
)
from nestling.executors.migrate.late import late_collections, put_back
from nestling.executors.migrate.state import COLLECTION, begun_migration
from nestling.ir.migration import Phase
from nestling.ir.programs.command import CreateIndex


@dataclass(frozen=True, slots=True)
class Aborted:
    """What an abort dropped and left.

    `indexes`: those the migration had built on collections that both designs have. `late`: collections of late writes that do
    not fit into the old ones.
    """

    indexes: tuple[CreateIndex, ...]
    late: tuple[str, ...]


def abort(database: Database[Any]) -> Aborted:
    """End the migration: the old design is as before, including what was written while a collection had no name."""
    with typed_errors(address(database)), begun_migration(database) as (states, state):
        if state.phase is Phase.DONE:
            move = "migrate back, from the new design to the old one"
            raise MigrationError(Problem("the new design has already taken over", next_move=move))
        if state.trail is None:
            what = (
                "this migration was begun by an earlier version of nestling, which did not record everything it created"
            )
            raise MigrationError(Problem(what, where=COLLECTION, next_move="abort it with that version"))
        switch_back(state.trail, database)
        if state.phase is Phase.SWITCHING:
            switch_indexes_back(state.trail, database)
        dropped = drop_built_indexes(state.trail, database)
        unfence(database, state)
        put_back(state.trail.replaced, database, bypass=False)
        forget_images(database, state)
        drop(database, (*state.trail.names, *state.trail.helping))
        late = late_collections(state.trail.replaced, database)
        states.remove()
        return Aborted(dropped, late)
