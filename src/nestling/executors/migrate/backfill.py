"""The backfill: derives every document of the new design from the old homes, batch by batch, while these keep changing.

Changes since before the first read are applied afterwards, so batches need not be consistent with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from bson.raw_bson import RawBSONDocument
from pymongo.database import Database
from pymongo.errors import BulkWriteError

from nestling.common import server_codes
from nestling.executors.load.empty import empty
from nestling.executors.migrate.derive import Deriver, ExpectedDocuments, refused_document
from nestling.executors.migrate.distinct_values import mark
from nestling.executors.migrate.server_side import CannotBuild, ServerSide, build
from nestling.executors.migrate.state import MigrationState, States
from nestling.executors.migrate.unit import MigrationUnit, RootKey
from nestling.ir.rows import Row
from nestling.ir.storage.names import MIGRATE

BATCH_SCOPES = 5_000
"""Where no index finds its children, every batch scans them."""
BATCH_ROWS = 20_000
"""Events of one bucket's owner stay together, so a batch may be larger."""

Tell = Callable[[str, int], None]
"""Hears the collection at work and how many root rows of it are done."""
Batch = tuple[list[RootKey], list[Row]]


def backfill(
    deriver: Deriver,
    targets: Sequence[MigrationUnit],
    on_server: Sequence[ServerSide],
    database: Database[Any],
    states: States,
    state: MigrationState,
    tell: Tell,
) -> MigrationState:
    """Build what is not built yet, and return the new state."""
    for side in on_server:
        if side.collection not in state.done:
            tell(side.collection, 0)
            try:
                build(database, side, f"{MIGRATE} {state.designs[:16]}")
            except CannotBuild:
                continue
            state = replace(state, done=(*state.done, side.collection))
            states.save(state)
    by_server = {side.collection for side in on_server}.intersection(state.done)
    for target in targets:
        if target.store.name not in by_server and target.unit.name not in state.done:
            state = _unit(deriver, target, database, states, state, tell)
    return state


def _unit(
    deriver: Deriver, target: MigrationUnit, database: Database[Any], states: States, state: MigrationState, tell: Tell
) -> MigrationState:
    goes_on = target.is_keyed and state.unit == target.unit.name
    after = state.after if goes_on else None
    if target.is_numbered or target.is_series:
        for name in target.collections:  # what is there says not which rows it is of
            empty(database, name)
    rows = 0
    for scopes, roots in _batches(target, deriver.homes.stream(target.entity.name, target.attributes, after)):
        wanted = deriver.wanted(target, scopes, roots)
        if not _inserted(deriver, database, wanted):
            deriver.apply(target, scopes, wanted)
        rows += len(roots)
        tell(target.store.name, rows)
        if target.is_keyed:
            state = replace(state, unit=target.unit.name, after=scopes[-1])
            states.save(state)
    state = replace(state, done=(*state.done, target.unit.name), unit="", after=None)
    states.save(state)
    return state


def _batches(target: MigrationUnit, rows: Iterator[Row]) -> Iterator[Batch]:
    """Root rows with their scopes; rows of one scope, which come together, stay together."""
    scopes, batch, last, scope_of = list[RootKey](), list[Row](), None, target.scoping()
    for row in rows:
        scope = scope_of(row)
        if (this := mark(scope)) != last:
            if len(scopes) >= BATCH_SCOPES or len(batch) >= BATCH_ROWS:
                yield scopes, batch
                scopes, batch = [], []
            scopes.append(scope)
            last = this
        batch.append(row)
    if batch:
        yield scopes, batch


def _inserted(deriver: Deriver, database: Database[Any], wanted: ExpectedDocuments) -> bool:
    """Insert the documents, as none should exist, except those left out; False if some exist."""
    is_new = True
    for name, documents in wanted.documents.items():
        try:
            database[name].insert_many(map(RawBSONDocument, documents), ordered=False)
        except BulkWriteError as error:
            for refused in error.details["writeErrors"]:
                match refused["code"]:
                    case server_codes.DUPLICATE_KEY:
                        is_new = False
                    case server_codes.NOT_VALID:
                        deriver.leave_out(name, refused)
                    case _:
                        raise refused_document(name, refused) from None
    return is_new
