"""The course of a migration: check, backfill, follow, verify, cut over – from wherever it was left."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling.common.connection import address, typed_errors
from nestling.common.errors import LeaseLost, MigrationError, NestlingError, Problem
from nestling.executors.abilities import capped_collections
from nestling.executors.changes import ChangeStream, keep_images
from nestling.executors.check import differing_fields
from nestling.executors.create import create, create_indexes
from nestling.executors.found_fields import find_fields
from nestling.executors.found_indexes import is_there
from nestling.executors.migrate.active_design import ASKED_SECONDS, TRUSTED_SECONDS
from nestling.executors.migrate.affected_documents import carry_over
from nestling.executors.migrate.backfill import Tell, backfill
from nestling.executors.migrate.changed_rows import ChangedRow
from nestling.executors.migrate.compare import HomeDifferences
from nestling.executors.migrate.cutover import (
    drop,
    drop_views,
    fence,
    forget_images,
    set_aside,
    switch,
    switch_back,
    switch_indexes,
    unfence,
)
from nestling.executors.migrate.derive import Deriver
from nestling.executors.migrate.duplicate_keys import repeated_keys, repeated_uniques
from nestling.executors.migrate.field_orders import compare_id_orders
from nestling.executors.migrate.follow import ChangeFollower, following, latest
from nestling.executors.migrate.indexes import require_same_indexes
from nestling.executors.migrate.job import Job
from nestling.executors.migrate.late import late_collections, names_aside, put_back
from nestling.executors.migrate.losses import require_nothing_lost
from nestling.executors.migrate.migration_lease import alone
from nestling.executors.migrate.preflight import check_cutover, check_documents, check_start, require_new_rules
from nestling.executors.migrate.refused_values import require_values
from nestling.executors.migrate.spool import OpenShelf
from nestling.executors.migrate.state import COLLECTION, MigrationState, States, begun_migration
from nestling.executors.migrate.undo_record import OLD_SUFFIX
from nestling.executors.migrate.unique_indexes import build_uniques
from nestling.executors.migrate.unknown_fields import dropped_with
from nestling.executors.migrate.unlike_references import require_like_references
from nestling.executors.moment import now
from nestling.ir.found_field import FoundField
from nestling.ir.migration import DifferingRow, Loss, Phase, RepeatedKey
from nestling.ir.programs.command import CreateIndex

NEAR = 50
"""Changes that came while others were carried over: so few that the rest can be carried over while writes are refused."""
ROUNDS = 20
"""How often rows that differ are derived again and compared, while writes go on."""

TOLD_SECONDS = TRUSTED_SECONDS + 0.5
"""How long writes are refused at least before collections change names: programs ask for the design in use meanwhile."""
_OPEN = (Phase.BACKFILL, Phase.FOLLOWING, Phase.READY)
"""While the old collections take writes."""


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """The progress, the rows compared by entity (empty: not compared) and whether all were equal, and what was done.

    - `changes` applied in this run, `documents` written for them; `seconds`: this run's time.
    - `unknown`: fields unknown to the designs that were left behind on request. `lagging`: fields kept in the background that
      lagged behind their source.
    - `differing`: a few of the rows that differ; `repeated`: keys that several rows have.
    - `refused_seconds`: how long the cutover made the old collections refuse writes (None: no cutover). `late`: collections
      with what was written between two names.
    """

    phase: Phase
    rows: Mapping[str, int]
    equal: bool
    changes: int
    documents: int
    seconds: float
    unknown: tuple[FoundField, ...] = ()
    lagging: tuple[FoundField, ...] = ()
    differing: tuple[DifferingRow, ...] = ()
    repeated: tuple[RepeatedKey, ...] = ()
    refused_seconds: float | None = None
    late: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """The collections that were dropped, and the fields the designs do not know that went with them, as that was asked for."""

    collections: tuple[str, ...]
    unknown: tuple[FoundField, ...]


@dataclass(slots=True)
class Migration:
    """A job on a database; of `may_lose` things may be lost."""

    job: Job
    database: Database[Any]
    open_shelf: OpenShelf
    tell: Tell
    may_lose: frozenset[Loss] = frozenset()
    unknown: tuple[FoundField, ...] = ()
    lagging: tuple[FoundField, ...] = ()
    refused_seconds: float | None = None
    last_changes: int = 0

    def run(self, *, offline: bool = False, cutover: bool = False) -> MigrationReport:
        """Go on to where the new design is complete and equal; with `cutover` until it has taken over.

        Raises `MigrationError` (also for fields, orders and values that would be lost), `LeaseLost`, `ChangesError`, `LoadError`
        (a row the new design has no place for), `ReadError` (values that take too long to compare), `PermissionDenied`.
        """
        start = time.monotonic()
        with typed_errors(address(self.database)), self._alone(offline=offline, cutover=cutover) as states:
            state = states.resume(self.job.designs)
            if state is not None and state.phase is Phase.DONE:
                drop_views(self.job, self.database)
                return MigrationReport(Phase.DONE, {}, equal=True, changes=0, documents=0, seconds=0.0)
            if state is None:
                state = self._begin(states, offline=offline)
            if state.phase is Phase.SWITCHING:
                self._switch(states, state)
                seconds, late = time.monotonic() - start, late_collections(self.job.replaced, self.database)
                changes = self.last_changes
                return MigrationReport(
                    Phase.DONE, {}, equal=True, changes=changes, documents=0, seconds=seconds, late=late
                )
            return self._go_on(states, state, start, cutover=cutover)

    @contextmanager
    def _alone(self, *, offline: bool, cutover: bool) -> Iterator[States]:
        """The state, exclusively; nothing is left in a database where a migration may not begin or end.

        It is claimed before the documents are examined, so that whoever wants to end it meanwhile learns about it.
        """
        state = States(self.database).resume(self.job.designs)
        if state is None:
            check_start(self.job, self.database, offline=offline)
        if cutover and (state is None or state.phase is not Phase.DONE):
            check_cutover(self.job, self.database)
        with alone(self.database, COLLECTION) as still:
            states = States(self.database, still)
            try:
                self._look_first(states.resume(self.job.designs), offline=offline)
                yield states
            except (NestlingError, KeyboardInterrupt):
                with suppress(PyMongoError, LeaseLost):
                    still()
                    if states.read() is None:
                        states.remove()
                raise

    def _look_first(self, state: MigrationState | None, *, offline: bool) -> None:
        """Raise what prevents it, depending on its phase."""
        if state is None:
            check_documents(self.job, self.database)
            self.tell("values of several types", 0)
            require_values(self.job, self.open_shelf, offline=offline)
        if state is None or state.phase in _OPEN:
            self._look()

    def _look(self) -> None:
        """Find what would be left behind. Raises `MigrationError` if that is not allowed."""
        require_new_rules(self.job, self.database)
        require_same_indexes(self.job, self.database)
        require_like_references(self.job)
        require_nothing_lost(self.job, self.database, but=self.may_lose, tell=self.tell)
        if Loss.UNKNOWN in self.may_lose:
            self.unknown = find_fields(self.database, self.job.searches.unknown)
        self.lagging = differing_fields(self.job.searches.lagging, self.database)

    def _begin(self, states: States, *, offline: bool) -> MigrationState:
        for target in () if offline else self.job.targets:
            target.check()
        images = () if offline else self._images()
        point = None if offline else latest(self.database, self.job.old)
        job = self.job
        state = MigrationState(
            job.designs,
            now(),
            offline=offline,
            point=point,
            images=images,
            old=job.old_design,
            new=job.new_design,
            trail=job.trail,
        )
        states.save(state)
        return state

    def _images(self) -> tuple[str, ...]:
        """Old collections the server keeps documents from before changes for, from now on."""
        if not self.job.keeps_images:
            return ()
        return keep_images(self.database, [name for name in self.job.old if name not in self.job.unfenced])

    def _go_on(self, states: States, state: MigrationState, start: float, *, cutover: bool) -> MigrationReport:
        job = self.job
        has_moments = not state.offline and capped_collections(self.database).isdisjoint(job.old)
        moment, policy = state.moment, job.policy
        with Deriver(job.homes, self.database, self.open_shelf, moment, policy, snapshot=has_moments) as deriver:
            return self._derived(states, state, start, deriver, cutover=cutover)

    def _derived(
        self, states: States, state: MigrationState, start: float, deriver: Deriver, *, cutover: bool
    ) -> MigrationReport:
        if state.phase is Phase.BACKFILL:
            state = self._backfill(states, state, deriver)
        else:
            create_indexes(self.database, self._others(self.job.indexes.carried))  # some may have come since
        with self._follower(states, state, deriver) as follower:
            self._build_uniques(follower)
            compared = self._verify(deriver, follower)
            state = self._reached(states, follower, state, Phase.READY if compared.equal else state.phase)
            if cutover and compared.equal:
                state, compared = self._cut_over(states, state, deriver, follower)
            changes = (follower.changes if follower is not None else 0) + self.last_changes
        seconds = time.monotonic() - start
        written = deriver.written
        left = self.unknown, self.lagging
        report = MigrationReport(state.phase, compared.rows, compared.equal, changes, written, seconds, *left)
        late = late_collections(self.job.replaced, self.database) if state.phase is Phase.DONE else ()
        report = replace(report, refused_seconds=self.refused_seconds, late=late)
        return report if compared.equal else self._told(report, compared)

    def _told(self, report: MigrationReport, compared: HomeDifferences) -> MigrationReport:
        """Which rows differ, and why."""
        differing = tuple(self.job.sides.told(compared.differing))
        entities = dict.fromkeys(each.entity for each in differing if each.old > 1)
        uniques = repeated_uniques(self.job.homes, dict.fromkeys(each.entity for each in compared.differing))
        return replace(report, differing=differing, repeated=(*repeated_keys(self.job.homes, entities), *uniques))

    def _backfill(self, states: States, state: MigrationState, deriver: Deriver) -> MigrationState:
        create(self.job.commands, self.database, tuple(self.job.names), resume=True)
        state = backfill(deriver, self.job.targets, self.job.on_server, self.database, states, state, self.tell)
        self.tell("indexes", 0)
        state = self._noted(state)
        states.save(state)
        create_indexes(self.database, self._others(self.job.indexes.built))
        state = replace(state, phase=Phase.FOLLOWING)
        states.save(state)
        return state

    def _others(self, indexes: Sequence[CreateIndex]) -> list[CreateIndex]:
        """The indexes that need not wait until changes are carried over."""
        return [each for each in indexes if each not in self.job.uniques]

    def _build_uniques(self, follower: ChangeFollower | None) -> None:
        """Build the unique indexes, as far as possible without outdated copies of rows that have moved."""
        if follower is not None:
            self.tell("changes", 0)
            follower.drain()
        self.tell("unique indexes", 0)
        build_uniques(self.database, self.job.uniques)

    def _to_switch(self, state: MigrationState) -> MigrationState:
        """The state with the indexes that the cutover drops and builds, as the database is now."""
        trail, last = self.job.trail, state.trail or self.job.trail
        return replace(state, trail=replace(trail, indexes_built=last.indexes_built))

    def _noted(self, state: MigrationState) -> MigrationState:
        """The state with the indexes this run is about to build on collections in use, for an abort to drop."""
        trail = state.trail or self.job.trail
        known = {(each.collection, each.name) for each in trail.indexes_built}
        new = (each for each in self.job.indexes_beside if not is_there(self.database, each))
        more = tuple(each for each in new if (each.collection, each.name) not in known)
        return replace(state, trail=replace(trail, indexes_built=(*trail.indexes_built, *more)))

    @contextmanager
    def _follower(self, states: States, state: MigrationState, deriver: Deriver) -> Iterator[ChangeFollower | None]:
        """The follower that applies changes; None if nobody writes."""
        if state.offline:
            yield None
            return
        with self._following(states, state, deriver) as follower:
            yield follower

    def _following(
        self, states: States, state: MigrationState, deriver: Deriver
    ) -> AbstractContextManager[ChangeFollower]:
        job = self.job
        aside = {name: names_aside(name) for name in job.replaced if name not in job.unfenced}

        def make(stream: ChangeStream) -> ChangeFollower:
            return ChangeFollower(
                deriver, job.targets, job.sides, self.database, states, state, stream, aside, self.tell
            )

        return following(make, self.database, job.old, state)

    def _verify(self, deriver: Deriver, follower: ChangeFollower | None) -> HomeDifferences:
        """Compare all rows, and those that differ, as they may during writes, again until each was equal once.

        A document displaced by another one's unique value is searched for at the end: if both rows have the value, one is
        missing.
        """
        displaced = deriver.displaced
        if follower is not None:
            self.tell("changes", 0)
            follower.drain()
        self.tell("comparing", 0)
        compare_id_orders(self.job, self.database)
        compared = self.job.sides.compare()
        differing = self._settled(compared.differing, follower, deriver)
        if not differing and deriver.displaced > displaced:
            compared = self.job.sides.compare()
            differing = self._settled(compared.differing, follower, None)
        return HomeDifferences(compared.rows, differing)

    def _settled(
        self, differing: tuple[ChangedRow, ...], follower: ChangeFollower | None, deriver: Deriver | None
    ) -> tuple[ChangedRow, ...]:
        """The rows that still differ; with a deriver, more than pending changes is derived again."""
        for round_ in range(ROUNDS):
            if not differing:
                break
            if follower is not None:
                follower.drain()
            if round_ > 0 and deriver is not None:
                deriver.forget_left_out()
                carry_over(deriver, self.job.targets, differing)
            differing = self.job.sides.again(differing)
        if differing and deriver is not None:
            deriver.require_nothing_left_out()
        return differing

    def _reached(
        self, states: States, follower: ChangeFollower | None, state: MigrationState, phase: Phase
    ) -> MigrationState:
        if follower is not None:
            state = follower.state
        state = replace(state, phase=phase)
        if follower is not None:
            follower.state = state
        states.save(state)
        return state

    def _cut_over(
        self, states: States, state: MigrationState, deriver: Deriver, follower: ChangeFollower | None
    ) -> tuple[MigrationState, HomeDifferences]:
        if follower is not None:
            self._catch_up(follower)
            state = follower.state
        self.tell("cutover", 0)
        begin = time.monotonic()
        try:
            return self._fenced(states, state, deriver, follower)
        finally:
            self.refused_seconds = time.monotonic() - begin

    def _catch_up(self, follower: ChangeFollower) -> None:
        """Apply changes that arrived during the comparison, and new ones, until hardly any arrive."""
        self.tell("changes", 0)
        for _ in range(ROUNDS):
            before = follower.changes
            follower.drain()
            if follower.changes - before <= NEAR:
                break

    def _fenced(
        self, states: States, state: MigrationState, deriver: Deriver, follower: ChangeFollower | None
    ) -> tuple[MigrationState, HomeDifferences]:
        """The steps while writes are refused; they are allowed again if it is stopped by hand or cannot go on."""
        try:
            state = fence(self.job, self.database, states, self._to_switch(state))
            if follower is not None:
                follower.state = state
            state = self._reached(states, follower, state, Phase.FENCED)
            told = time.monotonic()
            self._look()
            compare_id_orders(self.job, self.database)
            compared = self._verify(deriver, follower)
            if compared.equal:
                time.sleep(max(0.0, told + TOLD_SECONDS - time.monotonic()))
        except (MigrationError, KeyboardInterrupt):
            self._reopened(states, follower)
            raise
        if not compared.equal:
            return self._reopened(states, follower), compared
        state = self._reached(states, follower, state, Phase.SWITCHING)
        return self._switch(states, state), compared

    def _reopened(self, states: States, follower: ChangeFollower | None) -> MigrationState:
        """The old design takes writes again."""
        state = states.read()  # whatever this process was at, it has noted what it changed
        assert state is not None
        unfence(self.database, state)
        if follower is not None:
            follower.state = state
        return self._reached(states, follower, state, Phase.FOLLOWING)

    def _switch(self, states: States, state: MigrationState) -> MigrationState:
        if not state.is_complete:
            time.sleep(ASKED_SECONDS)
            set_aside(self.job, self.database)
            put_back(self.job.replaced, self.database, bypass=True)  # their inserts are among the last changes
            state = self._complete(states, state)
            states.save(state)
        switch(self.job, self.database)
        switch_indexes(self.job, self.database)
        unfence(self.database, state, self.job.rules)
        forget_images(self.database, state)
        state = replace(state, phase=Phase.DONE)
        states.save(state)
        drop_views(self.job, self.database)
        return state

    def _complete(self, states: States, state: MigrationState) -> MigrationState:
        """Apply everything written until the old collections were set aside: deletes, and writes that bypass validators.

        If that fails, the old design accepts writes again.
        """
        if state.offline:
            return replace(state, is_complete=True)
        try:
            return self._complete_from(states, state)
        except MigrationError:
            switch_back(self.job.trail, self.database)
            self._reopened(states, None)
            put_back(self.job.replaced, self.database, bypass=False)
            raise

    def _complete_from(self, states: States, state: MigrationState) -> MigrationState:
        job = self.job
        with (
            Deriver(job.homes, self.database, self.open_shelf, state.moment, job.policy, snapshot=False) as deriver,
            self._following(states, state, deriver) as follower,
        ):
            follower.drain()
            deriver.require_nothing_left_out()  # nobody writes any more, and nothing is compared again
            self.last_changes = follower.changes
            return replace(follower.state, is_complete=True)

    def drop_old(self) -> Dropped:
        """Drop what the old design left behind, once the new one has taken over.

        Raises `MigrationError` before that, and if fields would be lost.
        """
        with typed_errors(address(self.database)), begun_migration(self.database) as (states, state):
            states.resume(self.job.designs)
            if state.phase is not Phase.DONE:
                move = "run `--cutover` first"
                raise MigrationError(Problem("the new design has not taken over yet", next_move=move))
            drop_views(self.job, self.database)
            there = frozenset(self.database.list_collection_names())
            left = [f"{name}{OLD_SUFFIX}" for name in self.job.replaced]
            left += [name for name in self.job.replaced if name in self.job.unfenced]
            found = tuple(name for name in left if name in there)
            unknown = dropped_with(self.job, self.database, found, is_allowed=Loss.UNKNOWN in self.may_lose)
            drop(self.database, found)
            states.remove()
            return Dropped(found, unknown)
