"""What writes, transactions and changes cost: probes on scratch collections of their own.

Writes are acknowledged by one server and not waited for on its disk: what is measured is the work they make, not how long a
commit takes to be safe.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from pymongo import UpdateOne
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.write_concern import WriteConcern

from nestling.executors.measure import TimedCall, timed
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work

_Documents = Collection[dict[str, Any]]

SMALL, MIDDLE, BIG, HUGE = 120, 4_000, 60_000, 1_000_000
STORED_DOCUMENTS = 1_000
BATCH = 200
EVENTS = 300
PROBED_ROWS = 20_000


def write_probes(database: Database[Any]) -> Iterator[TimedCall]:
    """The probes, their collections filled."""
    plain = database.with_options(write_concern=WriteConcern(w=1))
    yield from _inserts(plain)
    yield from _updates(plain)
    yield from _deletes(plain)
    yield from _transactions(plain)
    yield _events(plain)
    yield TimedCall("client_join", Work(client_rows=PROBED_ROWS), timed(_join_rows))


def _document(number: int, size: int) -> dict[str, Any]:
    padding = "x" * max(1, size - 100)
    return {
        "_id": number,
        "a": number % 97,
        "b": number % 991,
        "c": number,
        "d": -number,
        "e": number % 7,
        "t": padding,
    }


def _filled(
    database: Database[Any], name: str, size: int, *, indexes: int = 0, stored: int = STORED_DOCUMENTS
) -> _Documents:
    """A collection of `stored` documents with so many indexes."""
    collection: _Documents = database[name]
    collection.insert_many([_document(number, size) for number in range(stored)])
    for field in "abcde"[:indexes]:
        collection.create_index(field)
    return collection


def _inserts(database: Database[Any]) -> Iterator[TimedCall]:
    for size, indexes, batch in (
        (SMALL, 0, 1), (SMALL, 5, 1), (SMALL, 0, BATCH), (SMALL, 1, BATCH), (SMALL, 3, BATCH), (SMALL, 5, BATCH),
        (MIDDLE, 0, 1), (MIDDLE, 0, BATCH), (BIG, 0, 1), (BIG, 0, 10),
    ):  # fmt: skip
        name = f"insert_{size}_{indexes}_{batch}"
        collection = _filled(database, name, size, indexes=indexes, stored=10)
        work = work_of.request() + work_of.insert(batch, size, indexes)
        yield TimedCall(name, work, _inserting(collection, size, batch))


def _inserting(collection: _Documents, size: int, batch: int) -> Callable[[], float]:
    numbers = count(STORED_DOCUMENTS)

    def run() -> float:
        documents = [_document(next(numbers), size) for _ in range(batch)]
        return timed(lambda: collection.insert_many(documents, ordered=False))()

    return run


def _updates(database: Database[Any]) -> Iterator[TimedCall]:
    for size, stored in ((SMALL, STORED_DOCUMENTS), (MIDDLE, STORED_DOCUMENTS), (BIG, 50), (HUGE, 10)):
        collection = _filled(database, f"update_{size}", size, indexes=1, stored=stored)
        numbers = count()
        found = work_of.request() + work_of.fetch_by_index(1, size)
        yield TimedCall(
            f"update_{size}",
            found + work_of.update(1, size),
            timed(lambda c=collection, n=numbers, s=stored: _set(c, next(n) * 7 % s, "c")),  # type: ignore[misc]
        )
        yield TimedCall(
            f"update_indexed_{size}",
            found + work_of.update(1, size, index_entries_changed=1),
            timed(lambda c=collection, n=numbers, s=stored: _set(c, next(n) * 7 % s, "a")),  # type: ignore[misc]
        )
        yield TimedCall(
            f"update_many_{size}",
            work_of.request() + work_of.fetch_by_index(stored, size, seeks=0) + work_of.update(stored, size),
            timed(lambda c=collection: c.update_many({"_id": {"$gte": 0}}, {"$inc": {"c": 1}})),  # type: ignore[misc]
        )
    bulk = _filled(database, "update_bulk", SMALL)
    changes = [UpdateOne({"_id": number}, {"$inc": {"c": 1}}) for number in range(BATCH)]
    work = (
        work_of.request()
        + work_of.fetch_by_index(BATCH, SMALL, seeks=BATCH)
        + work_of.update(BATCH, SMALL, changes=BATCH)
    )
    yield TimedCall("update_bulk", work, timed(lambda: bulk.bulk_write(changes)))


def _set(collection: _Documents, number: int, field: str) -> object:
    return collection.update_one({"_id": number}, {"$inc": {field: 1}})


def _deletes(database: Database[Any]) -> Iterator[TimedCall]:
    for indexes, batch in ((0, 1), (0, BATCH), (4, BATCH)):
        name = f"delete_{indexes}_{batch}"
        collection = _filled(database, name, SMALL, indexes=indexes, stored=10)
        work = work_of.request() + work_of.fetch_by_index(batch, SMALL) + work_of.delete(batch, indexes)
        yield TimedCall(name, work, _deleting(collection, batch))


def _deleting(collection: _Documents, batch: int) -> Callable[[], float]:
    numbers = count(STORED_DOCUMENTS)

    def run() -> float:
        chosen = [next(numbers) for _ in range(batch)]
        collection.insert_many([_document(number, SMALL) for number in chosen])
        return timed(lambda: collection.delete_many({"_id": {"$gte": chosen[0], "$lte": chosen[-1]}}))()

    return run


def _transactions(database: Database[Any]) -> Iterator[TimedCall]:
    collection = _filled(database, "transactions", SMALL)
    numbers = count()
    for writes in (1, 3):
        one = work_of.request() + work_of.fetch_by_index(1, SMALL) + work_of.update(1, SMALL)
        yield TimedCall(
            f"transaction_{writes}",
            writes * one + work_of.transaction(),
            timed(lambda w=writes: _in_transaction(collection, numbers, w)),  # type: ignore[misc]
        )


def _in_transaction(collection: _Documents, numbers: Iterator[int], writes: int) -> None:
    client = collection.database.client
    with client.start_session() as session, session.start_transaction(write_concern=WriteConcern(w=1)):
        for _ in range(writes):
            number = next(numbers) * 7 % STORED_DOCUMENTS
            collection.update_one({"_id": number}, {"$inc": {"c": 1}}, session=session)


def _events(database: Database[Any]) -> TimedCall:
    """Changes read from a stream; what is then written for them is counted as what it is."""
    collection = _filled(database, "events", SMALL, stored=1)
    numbers = count(STORED_DOCUMENTS)

    def run() -> float:
        with collection.watch(batch_size=EVENTS) as stream:
            collection.insert_many([_document(next(numbers), SMALL) for _ in range(EVENTS)])
            began = time.perf_counter()
            for _ in range(EVENTS):
                stream.next()
            return time.perf_counter() - began

    return TimedCall("events", work_of.request() + Work(events=EVENTS), run)


def _join_rows() -> dict[int, list[dict[str, int]]]:
    """Rows put under those they belong to, as a client does that joins."""
    found: dict[int, list[dict[str, int]]] = {}
    for number in range(PROBED_ROWS):
        row = {"id": number, "parent": number % 997}
        found.setdefault(row["parent"], []).append(row)
    return found
