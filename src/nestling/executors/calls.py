"""Compiled reads and commands as calls of the driver, which are the same for its synchronous and its asynchronous client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never, cast

from pymongo import DeleteMany, DeleteOne, InsertOne, ReplaceOne, ReturnDocument, UpdateMany, UpdateOne
from pymongo.read_concern import ReadConcern
from pymongo.results import BulkWriteResult, DeleteResult, InsertOneResult, UpdateResult
from pymongo.write_concern import WriteConcern

from nestling.ir.programs.compiled import CompiledRead, Mql, Operation
from nestling.ir.programs.program import Action, NextNumbers, WriteCommand
from nestling.ir.storage.kept_numbers import LAST
from nestling.ir.storage.names import NUMBERS_COLLECTION

_Request: TypeAlias = InsertOne[Mql] | ReplaceOne[Mql] | UpdateOne | UpdateMany | DeleteOne | DeleteMany

ONE_MOMENT = ReadConcern("snapshot")
"""What reads inside a transaction see: one state of all data, on every shard."""
TO_LAST = WriteConcern("majority")
"""When a transaction counts as done: once no election can take it back, whatever the server's default is."""


COUNTER_RAISED = WriteConcern(1)
"""When a counter counts as raised. The row that has the number is written after it to the same replica set, so whoever waits
until the row is safe has waited for the counter too.
"""


@dataclass(frozen=True, slots=True)
class CollectionCall:
    """A method of a collection (or of the database if the collection is None) with its named arguments."""

    collection: str | None
    method: str
    arguments: dict[str, Any]

    def on(self, database: Any, **more: object) -> Any:
        """Call the method on a client's database; returns a result, a cursor, or an awaitable."""
        target = database if self.collection is None else database[self.collection]
        return getattr(target, self.method)(**self.arguments, **more)


def read_call(read: CompiledRead) -> CollectionCall | None:
    """Return the call of a bound read; None if it requests no rows, which a `find` cannot express.

    The server may use its disk for data that exceed its memory.
    """
    if read.operation is Operation.AGGREGATE:
        options = {"allowDiskUse": True} | ({"collation": read.collation_option} if read.collation_option else {})
        return CollectionCall(read.collection, "aggregate", {"pipeline": list(read.pipeline), **options})
    if read.limit == 0:
        return None
    arguments = {
        "filter": read.filter,
        "projection": read.projection,
        "skip": read.skip or 0,
        "limit": read.limit or 0,
        "sort": list(read.sort) or None,
        "allow_disk_use": True,
        "collation": read.collation_option,
    }
    return CollectionCall(read.collection, "find", arguments)


def command_call(command: WriteCommand) -> CollectionCall:
    """The call of a command in which nothing is open; an update and one that takes it back are one request."""
    if command.back is not None:
        return CollectionCall(command.collection, "bulk_write", {"requests": [*_requests(command)]})
    if command.action is Action.REPLACE_ONE:
        whole = {"filter": command.filter or {}, "replacement": command.document, "upsert": command.upsert}
        return CollectionCall(command.collection, command.action.method, whole)
    is_insert = command.action is Action.INSERT_ONE
    arguments: dict[str, object] = {"document": command.document} if is_insert else {"filter": command.filter or {}}
    if command.update is not None:
        update = list(command.update) if isinstance(command.update, tuple) else command.update
        arguments |= {"update": update, "upsert": command.upsert}
        arguments["array_filters"] = list(command.array_filters) or None
    return CollectionCall(command.collection, command.action.method, arguments)


def batch_call(batch: Sequence[WriteCommand]) -> CollectionCall:
    """The call of commands on one collection, in their order, as one request."""
    requests = [request for command in batch for request in _requests(command)]
    return CollectionCall(batch[0].collection, "bulk_write", {"requests": requests})


def _requests(command: WriteCommand) -> Iterator[_Request]:
    """The command as a part of a request, and how to handle its result."""
    asked: Mql = command.filter or {}
    filters: list[Mapping[str, Any]] | None = [*command.array_filters] or None
    update = list(command.update) if isinstance(command.update, tuple) else command.update or {}
    match command.action:
        case Action.INSERT_ONE:
            yield InsertOne(cast(Mql, command.document))
        case Action.REPLACE_ONE:
            yield ReplaceOne(asked, cast(Mql, command.document), upsert=command.upsert)
        case Action.UPDATE_ONE:
            yield UpdateOne(asked, update, upsert=command.upsert, array_filters=filters)
        case Action.UPDATE_MANY:
            yield UpdateMany(asked, update, upsert=command.upsert, array_filters=filters)
        case Action.DELETE_ONE:
            yield DeleteOne(asked)
        case Action.DELETE_MANY:
            yield DeleteMany(asked)
        case _:
            assert_never(command.action)
    if command.back is not None:
        yield UpdateOne(asked, command.back)


def number_call(asked: NextNumbers) -> CollectionCall:
    """The call that increments a counter and returns the changed document."""
    raised = {"filter": {"_id": asked.counter}, "update": {"$inc": {LAST: asked.count}}}
    return CollectionCall(
        NUMBERS_COLLECTION,
        "find_one_and_update",
        {**raised, "upsert": True, "return_document": ReturnDocument.AFTER},
    )


def documents_met(
    command: WriteCommand, result: InsertOneResult | UpdateResult | DeleteResult | BulkWriteResult
) -> int:
    """The number of documents a command inserted, matched or deleted; an upsert that inserts counts as 1, a skipped one as 0."""
    match result:
        case InsertOneResult():
            return 1
        case DeleteResult():
            return result.deleted_count
        case BulkWriteResult():
            return result.matched_count
        case UpdateResult():
            made = int(result.upserted_id is not None)
            return made if command.leaves_alone else result.matched_count or made
