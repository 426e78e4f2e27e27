"""Buckets: events grouped by their owner and a time window (or by count alone), in pages of limited size.

Events arrive ordered by owner, window attribute and key. A bucket is written when its page is full, when its owner's next
window begins, or when the owner's rows end. Owners that the source's database considers equal (`Ada`, `ada`) may arrive mixed:
their buckets are open simultaneously. Rows without a date go to buckets of their own, open as long as their owner's rows
arrive.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from nestling.executors.load.body import body_columns, element_code
from nestling.executors.load.bucket_summary import summary_of
from nestling.executors.load.document_code import AnyRow, NewDocument, merge, nested
from nestling.executors.load.level import RowLayout, StreamLevel, own_columns, total_order
from nestling.executors.load.merge import Merge, located_error
from nestling.executors.load.parts import body_of
from nestling.executors.load.roots import Documents, distinct
from nestling.executors.load.stored_value import UnstorableError
from nestling.ir.primitives import WindowUnit
from nestling.ir.rows import RowColumn, RowQuery
from nestling.ir.storage.layout import Node, StoredCollection
from nestling.ir.storage.names import stored_name
from nestling.ir.value_forms.calendar_units import unit_start

Owner = tuple[Any, ...]
_Place = tuple[Owner, datetime | None]
Event = tuple[AnyRow, Any]


def bucket_documents(work: Merge, store: StoredCollection, group: Node) -> Documents:
    """The bucket documents of a store, in the order they are completed."""
    bucket, events = group.bucket, group.children[0]
    assert bucket is not None
    entity = work.model.entity(group.entity)
    window = (bucket.window.attribute,) if bucket.window is not None else ()
    level = StreamLevel(entity.name, (), own_columns((*bucket.by, *window, *total_order(entity))))
    layout = RowLayout((*level.identity, *body_columns(work, events.body)))
    body = body_of(work, level, events.body, events.children, layout)
    build = element_code(work, body, events).compile()
    pages = _Pages(work, store, group, layout)
    for row in distinct(work, group, work.source.rows(RowQuery(entity.name, layout.columns, level.identity)), layout):
        try:
            element = build(row)
        except UnstorableError as error:
            raise located_error(error, entity, layout, row) from None
        work.loaded[entity.name] += 1
        for document in pages.add(row, element):
            yield store.name, document, ()
    for document in pages.end():
        yield store.name, document, ()
    work.check_exhausted()


class _Pages:
    """The open buckets of one owner (and of those that the database may consider equal)."""

    def __init__(self, work: Merge, store: StoredCollection, group: Node, layout: RowLayout) -> None:
        assert group.bucket is not None
        self._bucket, self._constants = group.bucket, store.collection.constants
        entity = work.model.entity(group.entity)
        self._by = [layout[RowColumn(name)] for name in self._bucket.by]
        self._header = [
            (stored_name(name), group.path_of(name) or name, work.values.encoder(entity.name, entity.attribute(name)))
            for name in self._bucket.by
        ]
        window = self._bucket.window
        self._window = None if window is None else (layout[RowColumn(window.attribute)], window.unit)
        self._summary = [
            (item.field, summary_of(item, entity, layout, work.values.policy)) for item in self._bucket.summary
        ]
        self._owners: Owner | None = None
        self._open: dict[_Place, list[Event]] = {}
        self._written: Counter[_Place] = Counter()
        self._current: dict[Owner, datetime] = {}

    def add(self, row: AnyRow, element: Any) -> Iterator[NewDocument]:
        """Put an event into its bucket; yields the documents that are complete now."""
        owner = tuple(row[place] for place in self._by)
        if (owners := tuple(map(_folded, owner))) != self._owners:
            yield from self.end()
            self._owners = owners
        start = self._start(row)
        if start is not None and (before := self._current.get(owner)) != start:
            if before is not None:
                yield from self._close((owner, before))
            self._current[owner] = start
        events = self._open.setdefault((owner, start), [])
        events.append((row, element))
        if len(events) == self._bucket.limit:
            yield from self._close((owner, start))

    def end(self) -> Iterator[NewDocument]:
        """Close every open bucket: the owner's rows have ended."""
        for place in tuple(self._open):
            yield from self._close(place)
        self._written.clear()
        self._current.clear()

    def _start(self, row: AnyRow) -> datetime | None:
        if self._window is None:
            return None
        place, unit = self._window
        return unit_start(row[place], unit)

    def _close(self, place: _Place) -> Iterator[NewDocument]:
        events = self._open.pop(place, None)
        if events:
            self._written[place] += 1
            yield self._document(place, self._written[place], events)

    def _document(self, place: _Place, page: int, events: list[Event]) -> NewDocument:
        owner, start = place
        by = [
            (name, path, encode(v))
            for (name, path, encode), v in zip(self._header, owner, strict=True)
            if v is not None
        ]
        begin: NewDocument = {} if start is None else {"bucket_start": start}
        document: NewDocument = {"_id": {**{name: value for name, _, value in by}, **begin, "page": page}}
        document.update(self._constants)
        for _, path, value in by:
            merge(document, nested(path, value))
        document.update(begin)
        if start is not None and self._window is not None and (end := window_end(start, self._window[1])) is not None:
            document["bucket_end"] = end
        document |= {"page": page, "count": len(events)}
        for field, summarise in self._summary:
            if (value := summarise([row for row, _ in events])) is not None:
                merge(document, nested(field, value))
        merge(document, nested(self._bucket.field, [element for _, element in events]))
        return document


def _folded(value: Any) -> Any:
    """The text as a lenient collation sees it: without case, accents and trailing blanks."""
    if value.__class__ is not str:
        return value
    decomposed = unicodedata.normalize("NFKD", value.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character)).rstrip()


def window_end(start: datetime, unit: WindowUnit) -> datetime | None:
    """The first instant after a window; None beyond the year 9999."""
    lengths = {
        WindowUnit.MINUTE: timedelta(minutes=1),
        WindowUnit.HOUR: timedelta(hours=1),
        WindowUnit.DAY: timedelta(days=1),
    }
    try:
        if unit is WindowUnit.MONTH:
            return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
        return start + lengths[unit]
    except (OverflowError, ValueError):
        return None
