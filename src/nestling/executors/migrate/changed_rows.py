"""From changed documents of the old design to changed rows: their contents before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bson

from nestling.executors.changes import ChangeEvent, EventKind
from nestling.executors.migrate.homes import Homes
from nestling.ir.codec import CODEC, BsonDocument
from nestling.ir.migration import HeldIds
from nestling.ir.model import Entity
from nestling.ir.paths.access_path import column_field
from nestling.ir.rows import Row
from nestling.ir.storage.names import stored_name
from nestling.ir.value_forms.canonical import stored_bytes
from nestling.ir.values import decoder


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row at some time, and the attributes that have changed since or before; None: it was inserted or deleted."""

    entity: str
    row: Row
    attributes: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Observed:
    """Changed rows, and entities with unidentified changed rows."""

    rows: tuple[ChangedRow, ...]
    unknown: frozenset[str] = frozenset()


def observe(homes: Homes, changes: Iterable[ChangeEvent]) -> Observed:
    """The rows affected by changes; for documents without a pre-image their entities are `unknown`."""
    by_document: dict[tuple[str, bytes], list[ChangeEvent]] = {}
    for change in changes:
        key = stored_bytes(change.id)
        by_document.setdefault((change.collection, key), []).append(change)
    unknown = set[str]()
    images: dict[str, list[list[BsonDocument]]] = {}
    for (name, _), of_one in by_document.items():
        owner = _owner(homes, name)
        collection = name if owner is None else owner
        found = _images(of_one if owner is None else _of_owner(homes, owner, of_one))
        if found is None:
            unknown |= {place.entity for place in homes.places if place.query.collection == collection}
            unknown |= {
                homes.model.relationship(h.relationship).child for h in homes.held if h.collection == collection
            }
        elif found:  # a part of a document that is gone tells nothing
            images.setdefault(collection, []).append(found)
    rows = (row for collection, documents in images.items() for row in _of_documents(homes, collection, documents))
    return Observed(tuple(rows), frozenset(unknown))


def _images(changes: Sequence[ChangeEvent]) -> list[BsonDocument] | None:
    """The document at every known time, empty if it did not exist. None: some version is unknown."""
    found: dict[bytes, BsonDocument] = {}
    for change in changes:
        if change.kind is EventKind.INSERT:
            found[b""] = {}
        elif change.before is None:
            return None
        else:
            found[bson.encode(change.before, codec_options=CODEC)] = change.before
        after = change.after or {}
        found[bson.encode(after, codec_options=CODEC) if after else b""] = after
    return list(found.values())


# --- what is split off -----------------------------------------------------------------------------------------------


def _owner(homes: Homes, collection: str) -> str | None:
    """The collection whose rows have parts in this one."""
    return next((place.query.collection for place in homes.places if collection in place.parts), None)


def _of_owner(homes: Homes, owner: str, changes: Sequence[ChangeEvent]) -> list[ChangeEvent]:
    """A change of a part as one of the document it belongs to: it was there, and all of it may differ."""
    found = []
    for change in changes:
        identity = change.id
        if isinstance(identity, Mapping) and set(identity) == {"collection", "field", "_id"}:
            identity = identity["_id"]  # a file
        documents = homes.database[owner]
        document = documents.find_one({"_id": identity})
        if document is not None:
            found.append(ChangeEvent(EventKind.INSERT, owner, identity, change.point, after=document))
    return found


# --- rows ------------------------------------------------------------------------------------------------------------


def _of_documents(homes: Homes, collection: str, documents: Sequence[Sequence[BsonDocument]]) -> Iterator[ChangedRow]:
    """The former rows of some documents, each document at several times."""
    known = [image for images in documents for image in images if image]
    rows = iter(homes.in_documents(collection, known))
    for images in documents:
        held: list[dict[str, list[dict[str, Any]]]] = [next(rows) if image else {} for image in images]
        for name in dict.fromkeys(name for each in held for name in each):
            yield from _differing(homes, homes.model.entity(name), [each.get(name, []) for each in held])
        for ids in homes.held:
            if ids.collection == collection:
                yield from _relisted(homes, ids, images, held)


def _differing(homes: Homes, entity: Entity, times: Sequence[Sequence[BsonDocument]]) -> Iterator[ChangedRow]:
    """Rows that are not the same at all times, with the attributes that differ."""
    kept = [{bson.encode(row, codec_options=CODEC): row for row in rows} for rows in times]
    always = set(kept[0]).intersection(*kept[1:])
    versions: dict[bytes, list[BsonDocument]] = {}
    for rows in kept:
        for raw, row in rows.items():
            if raw not in always:
                versions.setdefault(_key(entity, row), []).append(row)
    for found in versions.values():
        is_always_there = bool(entity.key) and all(any(row in rows.values() for row in found) for rows in kept)
        attributes = _attributes(entity, found) if is_always_there else None
        for row in found:
            yield ChangedRow(entity.name, homes.decode(entity.name, row), attributes)


def _key(entity: Entity, row: BsonDocument) -> bytes:
    names = entity.identity
    fields = (column_field(entity.attribute_names.index(name)) for name in names)
    return bson.encode({field: row.get(field) for field in fields}, codec_options=CODEC)


def _attributes(entity: Entity, rows: Sequence[BsonDocument]) -> frozenset[str]:
    fields = ((name, column_field(place)) for place, name in enumerate(entity.attribute_names))
    first = rows[0]
    return frozenset(name for name, field in fields if any(_field(row, field) != _field(first, field) for row in rows))


def _field(row: BsonDocument, field: str) -> bytes:
    """A field with the type of its value; one that is missing is no null."""
    return bson.encode({field: row[field]} if field in row else {}, codec_options=CODEC)


# --- foreign keys that arrays of ids tell ------------------------------------------------------------------------------


def _relisted(
    homes: Homes, ids: HeldIds, images: Sequence[BsonDocument], held: Sequence[Mapping[str, Sequence[BsonDocument]]]
) -> Iterator[ChangedRow]:
    """The children whose ids were not always in the array, as they are and as former children, and rows that may be deleted."""
    link = homes.model.relationship(ids.relationship)
    parent, child = homes.model.entity(link.parent), homes.model.entity(link.child)
    times = [{stored_bytes(i): i for i in _ids(image, ids)} for image in images]
    always = set(times[0]).intersection(*times[1:])
    moved = [value for time in times for raw, value in time.items() if raw not in always]
    rows = list(homes.fetch(child.name, child.key, (_key_values(homes, child, value) for value in moved)))
    parents = [homes.decode(parent.name, row) for time in held for row in time.get(parent.name, ())]
    for above in parents if moved else ():
        yield ChangedRow(parent.name, above, None)
    for row in rows:
        yield ChangedRow(child.name, row, None)
        for above in parents:
            changed = list(row)
            for mine, theirs in zip(link.child_attributes, link.parent_attributes, strict=True):
                changed[child.attribute_names.index(mine)] = above[parent.attribute_names.index(theirs)]
            yield ChangedRow(child.name, tuple(changed), None)


def _ids(image: BsonDocument, ids: HeldIds) -> Iterator[Any]:
    found: list[Any] = [image]
    for step in ids.path.split("."):
        found = [each for part in found for each in _into(part, step)]
    for each in found:
        for item in each if isinstance(each, list) else [each]:
            yield item[ids.id_field] if ids.id_field else item


def _into(part: Any, step: str) -> Iterator[Any]:
    for each in part if isinstance(part, list) else [part]:
        if isinstance(each, Mapping) and step in each:
            yield each[step]


def _key_values(homes: Homes, child: Entity, identity: Any) -> tuple[object, ...]:
    values = [identity[stored_name(name)] for name in child.key] if isinstance(identity, Mapping) else [identity]
    pairs = zip(child.key, values, strict=True)
    return tuple(decoder(child.attribute(name).type, homes.policy)(value) for name, value in pairs)
