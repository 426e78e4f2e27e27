"""Derives documents of the new design: a few scopes at a time, from a snapshot of the old design, and writes differences.

The result follows from the present content of the old homes, so repeating it, late or after a crash, is always right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import bson
from bson import ObjectId
from bson.raw_bson import RawBSONDocument
from pymongo import DeleteOne, InsertOne, ReplaceOne
from pymongo.client_session import ClientSession
from pymongo.database import Database
from pymongo.errors import BulkWriteError

from nestling.common.errors import MigrationError, Problem, RowRefused
from nestling.common.server_codes import DUPLICATE_KEY, NOT_VALID
from nestling.executors.batches import batches
from nestling.executors.errors.invalid import why_refused
from nestling.executors.load.merge import Merge
from nestling.executors.load.stored_value import ValueEncoders
from nestling.executors.migrate.closure import gather
from nestling.executors.migrate.distinct_values import mark, once
from nestling.executors.migrate.homes import Homes
from nestling.executors.migrate.needed_rows import needed_model
from nestling.executors.migrate.refused_row import ANEW, refused_row
from nestling.executors.migrate.spool import OpenShelf, Shelf, Spool
from nestling.executors.migrate.unit import Found, MigrationUnit, RootKey
from nestling.ir.codec import AS_STORED, CODEC, RAW, BsonDocument
from nestling.ir.literals import shell
from nestling.ir.model import Model
from nestling.ir.quantity_words import cut
from nestling.ir.rows import Row, RowPath
from nestling.ir.storage.names import value_at
from nestling.ir.storage.stored_forms import all_with_stored, with_stored
from nestling.ir.value_forms.canonical import stored_bytes
from nestling.ir.values import Policy

SCOPES_AT_ONCE = 500
MIGRATE_AGAIN = "run `migrate` again while nothing writes to these collections; the old design is still complete"
LEFT_OUT_AT_MOST = 10_000
"""How many documents refused by a validator one run leaves out: more of them are not just rows about to be deleted."""


@dataclass(slots=True)
class ExpectedDocuments:
    """The expected documents by collection, in BSON."""

    documents: dict[str, list[bytes]] = field(default_factory=dict)
    owners: list[Found] = field(default_factory=list)

    def add(self, collection: str, document: BsonDocument) -> None:
        """Add one document."""
        self.documents.setdefault(collection, []).append(bson.encode(document, codec_options=CODEC))


@dataclass(frozen=True, slots=True)
class _Place:
    """Temporary storage for the rows that a target's documents need."""

    kept: Model
    shelf: Shelf


class Deriver:
    """Derives documents of some targets from the old homes.

    `written` counts documents; `displaced` those removed because another one has their unique value now. Documents that a
    validator refuses are left out. Their rows may be about to disappear, like those of a deleted parent: a later change then
    removes them. Otherwise the comparison finds that they are missing.
    """

    def __init__(
        self,
        homes: Homes,
        database: Database[Any],
        open_shelf: OpenShelf,
        moment: datetime,
        policy: Policy,
        *,
        snapshot: bool = True,
    ) -> None:
        """Read in snapshots, unless the server has none."""
        self.homes, self._database, self._open_shelf = homes, database, open_shelf
        self._moment, self._policy, self._snapshot = moment, policy, snapshot
        self.written, self.displaced, self._left_out = 0, 0, 0
        self._refusal: MigrationError | None = None
        self._shelves, self._open = dict[str, _Place](), ExitStack()

    def __enter__(self) -> Deriver:
        """Return the deriver, which keeps the places it derives documents in."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release the places."""
        self._open.close()

    def _place(self, target: MigrationUnit) -> _Place:
        """Where the documents of a target are derived, made when first asked for."""
        name = target.unit.name
        if name not in self._shelves:
            kept = needed_model(self.homes.model, target)
            self._shelves[name] = _Place(kept, self._open.enter_context(self._open_shelf(all_with_stored(kept))))
        return self._shelves[name]

    def leave_out(self, name: str, refused: Mapping[str, Any]) -> None:
        """Record a document that a validator refuses. Raises `MigrationError` if there are too many."""
        self._left_out += 1
        self._refusal = self._refusal or refused_document(name, refused)
        if self._left_out > LEFT_OUT_AT_MOST:
            raise self._refusal

    def forget_left_out(self) -> None:
        """Reset the list of documents left out."""
        self._left_out, self._refusal = 0, None

    def require_nothing_left_out(self) -> None:
        """Raise `MigrationError` for the first document that was left out since that was forgotten."""
        if self._refusal is not None:
            raise self._refusal

    def session(self) -> AbstractContextManager[ClientSession]:
        """One state of the old design, for as long as the server keeps it."""
        return self._database.client.start_session(snapshot=self._snapshot)

    def derive(self, target: MigrationUnit, scopes: Iterable[RootKey]) -> None:
        """Make the documents of these scopes what the old homes imply now."""
        for some in batches(once(scopes), SCOPES_AT_ONCE):
            rows = self.homes.fetch(target.entity.name, target.attributes, some)
            self.apply(target, some, self.wanted(target, some, rows))

    def wanted(self, target: MigrationUnit, scopes: Sequence[RootKey], roots: Iterable[Row]) -> ExpectedDocuments:
        """The expected documents of these scopes; `roots` are their root rows, possibly with others.

        Raises `MigrationError` for a value that the temporary storage would change.
        """
        try:
            return self._wanted(target, scopes, roots)
        except RowRefused as error:
            names = with_stored(self._place(target).kept.entity(error.entity)).attribute_names
            raise refused_row(self.homes, error, dict(zip(names, error.row, strict=True))) from None

    def _wanted(self, target: MigrationUnit, scopes: Sequence[RootKey], roots: Iterable[Row]) -> ExpectedDocuments:
        wanted, belongs = ExpectedDocuments(), _belongs(target, scopes)
        marks = frozenset(map(mark, scopes))
        place = self._place(target)
        with self.session() as session:
            spool = Spool(
                self.homes.model,
                place.kept,
                place.shelf,
                self._policy,
                nulls=self.homes.told.nulls,
                required=target.required,
            )
            scope_of = target.scoping()
            exact = (row for row in roots if mark(scope_of(row)) in marks)
            rows = gather(self.homes, target, exact, spool, session)
            wanted.owners += self._page_finders(target, rows)
            source = place.shelf.source()
            with source.snapshot():
                values = ValueEncoders(self._policy)
                merge = Merge(
                    target.design, source, values, self._moment, None, Counter(), tells_forms=True, again=MIGRATE_AGAIN
                )
                for name, document, row in target.unit.documents(merge):
                    if belongs(document, row):
                        if target.is_numbered:
                            document["_id"] = ObjectId()
                        wanted.add(name, document)
                        for store, beside in merge.side:
                            wanted.add(store, beside)
                    merge.side.clear()
        return wanted

    def apply(self, target: MigrationUnit, scopes: Sequence[RootKey], wanted: ExpectedDocuments) -> None:
        """Write the differences to the target."""
        finders = [*target.finders(scopes), *wanted.owners]
        if target.is_numbered or target.is_series:
            self._apply_bag(target, finders, wanted)
            return
        there: dict[tuple[str, bytes], tuple[object, bytes]] = {}
        for name, finder in finders:
            for found in self._raw(name).find(finder):
                there[name, stored_bytes(found["_id"])] = (found["_id"], found.raw)
        for name, documents in wanted.documents.items():
            changes: list[Any] = []
            for encoded in documents:
                raw = RawBSONDocument(encoded, RAW)
                before = there.pop((name, stored_bytes(raw["_id"])), None)
                if before is None or before[1] != encoded:
                    changes.append(ReplaceOne({"_id": raw["_id"]}, raw, upsert=True))
            self._write(name, changes, before=[key for (at, _), (key, _) in there.items() if at == name])
            there = {at: each for at, each in there.items() if at[0] != name}
        for name in dict.fromkeys(at for at, _ in there):
            self._write(name, [], before=[key for (at, _), (key, _) in there.items() if at == name])

    def _apply_bag(self, target: MigrationUnit, finders: Sequence[Found], wanted: ExpectedDocuments) -> None:
        """Compare documents without a meaningful `_id` by count: as many of each as there are rows."""
        for name in target.collections:
            missing: dict[bytes, list[dict[str, Any]]] = {}
            for encoded in wanted.documents.get(name, ()):
                document = bson.decode(encoded, AS_STORED)
                missing.setdefault(_content(document), []).append(document)
            surplus = []
            there = self._database[name]
            for found in (found for at, finder in finders if at == name for found in there.find(finder)):
                if alike := missing.get(_content(found)):
                    alike.pop()
                else:
                    surplus.append(found["_id"])
            added = [document | {"_id": ObjectId()} for documents in missing.values() for document in documents]
            self._write(name, [InsertOne(document) for document in added], before=surplus)

    def _write(self, name: str, changes: list[Any], before: Sequence[object] = ()) -> None:
        """First deletions, then insertions: a unique value may move from one document to another."""
        operations = [*(DeleteOne({"_id": key}) for key in before), *changes]
        while operations:
            try:
                self._database[name].bulk_write(operations, ordered=True)
            except BulkWriteError as error:
                refused = error.details["writeErrors"][0]
                done = refused["index"]
                if refused["code"] == NOT_VALID:
                    self.leave_out(name, refused)
                    operations[done] = DeleteOne({"_id": _document(refused)["_id"]})  # it is not what it was either
                else:
                    self._displace(name, refused)
            else:
                done = len(operations)
            self.written += done
            operations = operations[done:]

    def _displace(self, name: str, refused: Mapping[str, Any]) -> None:
        """Remove the document that still holds a unique value: it has changed too, and is derived again when its turn comes."""
        if refused["code"] != DUPLICATE_KEY or "keyValue" not in refused or set(refused["keyValue"]) == {"_id"}:
            raise refused_document(name, refused)
        found = self._database[name].delete_one(_same(refused), collation=refused.get("collation"))
        if not found.deleted_count:
            raise refused_document(name, refused)
        self.displaced += 1

    def _raw(self, name: str) -> Any:
        return self._database.get_collection(name, codec_options=RAW)

    def _page_finders(self, target: MigrationUnit, rows: Mapping[RowPath, Sequence[Row]]) -> Iterator[Found]:
        """What finds the pages of every parent at hand."""
        for paged in target.paged:
            for owner in once(paged.owner(self.homes.model, row) for row in rows[paged.path]):
                if None not in owner:
                    yield paged.finder(self.homes.model, owner, self._policy)

    def forget_pages(self, target: MigrationUnit, gone: Mapping[str, Sequence[Row]]) -> None:
        """Remove the pages of parents that are no longer there; `gone` are rows by entity that came or went."""
        for paged in target.paged:
            owners = once(paged.owner(self.homes.model, row) for row in gone.get(paged.link.parent, ()))
            held = self.homes.fetch(paged.link.parent, paged.link.parent_attributes, owners)
            there = {mark(paged.owner(self.homes.model, row)) for row in held}
            for owner in owners:
                if None not in owner and mark(owner) not in there:
                    name, finder = paged.finder(self.homes.model, owner, self._policy)
                    self._database[name].delete_many(finder)


def refused_document(name: str, refused: Mapping[str, Any]) -> MigrationError:
    """A document that the new collection does not take."""
    identity = _document(refused).get("_id")
    what = f"the document with _id {cut(shell(identity))} is refused: {why_refused(refused)}"
    move = f"fix its data in the old collections, and run this again; or {ANEW}"
    return MigrationError(Problem(what, where=name, next_move=move))


def _document(refused: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document of an insert or a replacement."""
    change: Mapping[str, Any] = refused["op"]
    document: Mapping[str, Any] = change["u"] if set(change) >= {"q", "u"} else change
    return document


def _same(refused: Mapping[str, Any]) -> dict[str, Any]:
    """What finds the document that holds a unique value; of texts under a collation the server tells only what sorts them."""
    values = refused["keyValue"]
    if "collation" in refused:
        values = {path: value_at(_document(refused), path) for path in values}
    return {path: {"$eq": value} for path, value in values.items()}


def _content(document: Mapping[str, Any]) -> bytes:
    """All but the `_id`, fields in order of their names: the server may keep them in another."""
    kept = {name: document[name] for name in sorted(document) if name != "_id"}
    return bson.encode(kept, codec_options=CODEC)


def _belongs(target: MigrationUnit, scopes: Sequence[RootKey]) -> Callable[[BsonDocument, Row], bool]:
    """Whether a document the loader built is of these scopes: its row begins with its scope; a bucket says whose it is."""
    if target.root.bucket is None:
        marks, width = frozenset(map(mark, scopes)), len(target.attributes)
        return lambda _, row: mark(tuple(row[:width])) in marks
    stored = frozenset(mark(target.stored(scope)) for scope in scopes)
    paths = [target.root.path_of(name) or name for name in target.attributes]
    return lambda document, _: mark(tuple(value_at(document, path) for path in paths)) in stored
