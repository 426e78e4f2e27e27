"""One thread's view of the database: snapshot reads that are no older than the changes it handles, and durable writes.

Reads see what a majority of the servers has, so that nothing is derived from data that an election may undo; a session makes
them no older than the changes and the thread's own writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bson.timestamp import Timestamp
from pymongo import ReadPreference, WriteConcern
from pymongo.database import Database
from pymongo.read_concern import ReadConcern

from nestling.executors.abilities import capped_collections
from nestling.executors.calls import ONE_MOMENT, read_call
from nestling.executors.check.differing_rows import collections_in
from nestling.executors.errors.read_errors import read_errors
from nestling.ir.codec import CODEC
from nestling.ir.programs.compiled import CompiledRead

BATCH = 1_000


class DatabaseSession:
    """A database with its own session; for one thread."""

    def __init__(self, database: Database[Any]) -> None:
        self.database = database.with_options(
            codec_options=CODEC,
            read_concern=ONE_MOMENT,
            write_concern=WriteConcern(w="majority"),
            read_preference=ReadPreference.PRIMARY,
        )
        self.session = database.client.start_session(causal_consistency=True)
        self._capped = capped_collections(database)

    def not_before(self, time: Timestamp | None) -> None:
        """Reads from now on see this moment of the cluster, or a later one."""
        if time is not None:
            self.session.advance_operation_time(time)

    @property
    def reached(self) -> Database[Any]:
        """The database as the open transaction sees it, or else in a snapshot."""
        return self.database.with_options(read_concern=ReadConcern()) if self.session.in_transaction else self.database

    def _reached_by(self, read: CompiledRead) -> Database[Any]:
        """The database for a read; capped collections are read with majority instead of snapshot reads."""
        if self._capped.isdisjoint((read.collection, *collections_in(read.pipeline))) or self.session.in_transaction:
            return self.reached
        return self.database.with_options(read_concern=ReadConcern("majority"))

    def ask(self, read: CompiledRead) -> Iterator[Mapping[str, Any]]:
        """The documents a bound read yields."""
        call = read_call(read)
        assert call is not None
        with (
            read_errors(read.name or "the background's read", self.database),
            call.on(self._reached_by(read), session=self.session, batchSize=BATCH) as cursor,
        ):
            yield from cursor

    def close(self) -> None:
        """Let the server forget the session."""
        self.session.end_session()
