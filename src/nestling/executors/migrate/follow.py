"""Applies changes: everything written to the old design since the documents of the new one began to be built."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pymongo.database import Database

from nestling.common.errors import HistoryLost, MigrationError, Problem
from nestling.executors.changes import (
    READ_AHEAD,
    ChangeBatch,
    ChangeEvent,
    ChangeStream,
    EventKind,
    HistoryPoint,
    Watching,
    follow,
)
from nestling.executors.migrate.affected_documents import carry_over
from nestling.executors.migrate.backfill import Tell
from nestling.executors.migrate.changed_rows import observe
from nestling.executors.migrate.compare import HomeViews
from nestling.executors.migrate.derive import Deriver
from nestling.executors.migrate.state import COLLECTION, MigrationState, States
from nestling.executors.migrate.unit import MigrationUnit
from nestling.executors.moment import now
from nestling.ir.quantity_words import count

CHANGES_AT_ONCE = 500
WAIT_SECONDS = 0.5
LATE_SECONDS = 2.0
"""From this delay on, the age of a change is reported."""
_MARKER = "marker "


@dataclass(slots=True)
class ChangeFollower:
    """A stream of the old design's changes and their targets. `changes` counts the applied ones.

    `aside`: the names that some of its collections get when they are set aside or restored. `tell` receives progress.
    """

    deriver: Deriver
    targets: Sequence[MigrationUnit]
    sides: HomeViews
    database: Database[Any]
    states: States
    state: MigrationState
    stream: ChangeStream
    aside: Mapping[str, Collection[str]]
    tell: Tell
    changes: int = 0

    def step(self, wait_seconds: float = WAIT_SECONDS) -> ChangeBatch:
        """Carry over the changes received so far, and record that they are."""
        batch = self.stream.take(CHANGES_AT_ONCE, wait_seconds)
        changes = [change for change in batch.changes if change.collection != COLLECTION and not self._is_aside(change)]
        for change in changes:
            if not change.kind.of_document:
                what = f"the collection was {_ENDED.get(change.kind, change.kind)} while it was being migrated"
                move = "end the migration with `--abort`, and find out what happened"
                raise MigrationError(Problem(what, where=change.collection, next_move=move))
        if changes:
            observed = observe(self.deriver.homes, changes)
            found = list(observed.rows)
            if unknown := sorted(observed.unknown):
                self._require_compared(unknown)
                found += self.sides.compare(unknown).differing
            carry_over(self.deriver, self.targets, found)
            self.changes += len(changes)
            self.state = replace(self.state, point=batch.point)
            self.states.save(self.state)
            self.tell(
                f"changes: {count(self.changes)} carried over, {at_hand(self.stream.behind, changes[-1].wall)}", 0
            )
        return batch

    def _is_aside(self, change: ChangeEvent) -> bool:
        """Whether a collection was renamed to its aside name, or back."""
        if change.kind is not EventKind.RENAME:
            return False
        return change.to in self.aside.get(change.collection, ()) or change.collection in self.aside.get(change.to, ())

    def _require_compared(self, entities: Sequence[str]) -> None:
        """Raise an error for unknown changes of rows that do not move: comparing their equal homes finds nothing."""
        if still := [name for name in entities if name not in self.sides.entities]:
            what = f"the earlier state of changed rows of {', '.join(f'`{name}`' for name in still)} is no longer known"
            move = "end the migration with `--abort`, and start again with a server that keeps pre-images for longer"
            raise MigrationError(Problem(what, next_move=move))

    def drain(self) -> None:
        """Carry over every change that has happened before this call."""
        marker = f"{_MARKER}{uuid.uuid4().hex}"
        marks = self.database[COLLECTION]
        marks.insert_one({"_id": marker})
        try:
            while not any(change.id == marker for change in self.step().changes):
                pass
        finally:
            marks.delete_one({"_id": marker})


_ENDED = {EventKind.DROP: "dropped", EventKind.RENAME: "renamed", EventKind.DROP_DATABASE: "dropped"}


@contextmanager
def following(
    make: Callable[[ChangeStream], ChangeFollower],
    database: Database[Any],
    collections: Sequence[str],
    state: MigrationState,
) -> Iterator[ChangeFollower]:
    """A follower from the position in the state.

    Raises `MigrationError` if the server's history is too short.
    """
    try:
        with follow(database, _watching(collections), after=state.point) as stream:
            yield make(stream)
    except HistoryLost as lost:
        move = "end the migration with `--abort`, and start again; or stop all writers, and use `--offline`"
        raise MigrationError(*(replace(each, next_move=move) for each in lost.problems)) from None


def at_hand(behind: int, wall: datetime | None) -> str:
    """How many more have been read, which are not all where they are as many as are held, and how old the last one was."""
    more = f"{count(behind)} or more" if behind >= READ_AHEAD else f"about {count(behind)} more"
    seconds = (now() - wall).total_seconds() if wall is not None else 0.0
    return f"{more} at hand" + (f", written up to {seconds:,.0f} s ago" if seconds >= LATE_SECONDS else "")


def latest(database: Database[Any], collections: Sequence[str]) -> HistoryPoint:
    """The point before everything that is yet to happen."""
    with follow(database, _watching(collections)) as stream:
        return stream.point


def _watching(collections: Sequence[str]) -> Watching:
    return Watching((*collections, COLLECTION), before=True, after=True)
