"""Running an application-level join: the first read, its ids, the second read by them, and the rows of both together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from pymongo.database import Database

from nestling.executors.batches import batches
from nestling.executors.run import documents, row_of
from nestling.ir.codec import BsonDocument
from nestling.ir.programs.client_join import MOST_IDS, ClientJoin, bind_join, with_ids
from nestling.ir.rows import Row

Partners = dict[Hashable, list[BsonDocument]]


def run_join(database: Database[Any], join: ClientJoin, values: Mapping[str, object] | None = None) -> Iterator[Row]:
    """Yield the rows; raises `WorkloadError` for parameters that do not fit before anything is asked."""
    return map(row_of(join.columns), _joined(database, bind_join(join, values)))


def _joined(database: Database[Any], join: ClientJoin) -> Iterator[BsonDocument]:
    if join.joining.ordered_by == 0:
        return _in_order_of_first(database, join)
    return _in_order_of_second(database, join)


def _in_order_of_first(database: Database[Any], join: ClientJoin) -> Iterator[BsonDocument]:
    given, found = join.joining.given, join.joining.found
    nothing: list[BsonDocument] = [{}] if join.joining.lonely else []
    for batch in batches(documents(database, join.first), MOST_IDS):
        ids = _ids(batch, given)
        partners = _by(documents(database, with_ids(join.second, ids)) if ids else (), found)
        for row in batch:
            for partner in partners.get(row.get(given), nothing):
                yield _output(join, row, partner)


def _in_order_of_second(database: Database[Any], join: ClientJoin) -> Iterator[BsonDocument]:
    """Asked once where it sorts, limits or groups, else in parts."""
    given, found = join.joining.given, join.joining.found
    partners = _by(documents(database, join.first), given)
    ids = [key for key in partners if key is not None]
    size = max(len(ids), 1) if join.joining.whole else MOST_IDS
    for start in range(0, max(len(ids), 1 if join.joining.whole else 0), size):
        for row in documents(database, with_ids(join.second, list[object](ids[start : start + size]))):
            for partner in partners.get(row.get(found), ()) if found else ({},):
                yield _output(join, partner, row)


def _ids(rows: Iterable[BsonDocument], field: str) -> list[object]:
    return list(dict.fromkeys(row[field] for row in rows if row.get(field) is not None))


def _by(rows: Iterable[BsonDocument], field: str) -> Partners:
    found: Partners = {}
    for row in rows:
        found.setdefault(row.get(field), []).append(row)
    return found


def _output(join: ClientJoin, first: BsonDocument, second: BsonDocument) -> BsonDocument:
    """The fields of a result document, as a read would have them."""
    sides = (first, second)
    return {
        column.field: sides[side].get(field)
        for column, (side, field) in zip(join.columns, join.joining.outputs, strict=True)
    }
