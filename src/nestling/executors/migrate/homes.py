"""The rows of a design, found in its homes: by attribute, all of them in an order, or in documents that have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pymongo.client_session import ClientSession
from pymongo.database import Database

from nestling.executors.batches import COMMAND_BYTES, batches, small_batches
from nestling.executors.migrate.distinct_values import mark, once
from nestling.executors.migrate.forms import telling_decoder
from nestling.executors.read import read_stored
from nestling.ir.migration import HeldIds, HomePlace
from nestling.ir.model import Model
from nestling.ir.paths.access_path import column_field
from nestling.ir.programs.command import Aggregation
from nestling.ir.rows import Row
from nestling.ir.storage.names import OWN_COLLECTIONS
from nestling.ir.storage.stored_forms import KeptForms
from nestling.ir.value_forms.canonical import stored_bytes
from nestling.ir.values import Policy, encoder

ASKED_AT_ONCE = 5_000
"""Most values in one `$in`: each query scans everything if there is no index."""
SCRATCH = f"{OWN_COLLECTIONS}migrate_document"

MARK = "_nestling_number"

_Stage = Mapping[str, Any]
_Document = dict[str, Any]
AttributeValues = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Homes:
    """How rows of a design are read. `homes`: the whole home views by entity; `places`: their parts.

    A row's values are followed by the stored forms in `told` (`ir/storage/stored_forms.py`).
    """

    database: Database[Any]
    model: Model
    homes: Mapping[str, Aggregation]
    places: tuple[HomePlace, ...]
    held: tuple[HeldIds, ...]
    policy: Policy
    told: KeptForms = KeptForms()
    _decoders: dict[str, Callable[[_Document], Row]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _files: dict[str, frozenset[str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def at(self, entity: str) -> tuple[HomePlace, ...]:
        """The places of an entity's rows."""
        return tuple(place for place in self.places if place.entity == entity)

    def nulls_of(self, entity: str) -> frozenset[str]:
        """The attributes of an entity in which null and missing are distinguished."""
        return self.told.nulls.get(entity, frozenset())

    def fetch(
        self,
        entity: str,
        attributes: Sequence[str],
        values: Iterable[AttributeValues],
        session: ClientSession | None = None,
    ) -> Iterator[Row]:
        """The rows whose attributes have one of these combinations of values.

        A row may come more than once where copies are its home.
        """
        kind = self.model.entity(entity)
        converts = [encoder(kind.attribute(name).type, self.policy) for name in attributes]
        decode = self.decoder(entity)
        for chunk in batches(once(values), ASKED_AT_ONCE):
            asked = [
                tuple(None if value is None else convert(value) for convert, value in zip(converts, each, strict=True))
                for each in chunk
            ]
            for place in self.at(entity):
                query = _asked(place, attributes, asked)
                yield from map(decode, read_stored(self.database, query, session))

    def whole(self, entity: str, attributes: Sequence[str], values: Sequence[AttributeValues]) -> Iterator[Row]:
        """The rows with these values, each as often as the entity's home contains it."""
        seen = Counter[object]()
        for some in batches(values, ASKED_AT_ONCE):
            brought = Counter[object]()
            for row in self.fetch(entity, attributes, some):
                at = mark(row)
                brought[at] += 1
                is_copy = any(place.is_copy for place in self.at(entity))
                if brought[at] > seen[at] and not (is_copy and seen[at]):
                    seen[at] += 1
                    yield row

    def stream(self, entity: str, order: Sequence[str], after: AttributeValues | None) -> Iterator[Row]:
        """All rows in the order of some attributes as the server sorts them, behind the values `after`."""
        kind, whole = self.model.entity(entity), self.homes[entity]
        fields = [column_field(whole.columns.index(name)) for name in order]
        stages: tuple[_Stage, ...] = whole.stages
        if after is not None:
            converts = [encoder(kind.attribute(name).type, self.policy) for name in order]
            stored = [None if v is None else convert(v) for convert, v in zip(converts, after, strict=True)]
            stages = (*stages, {"$match": _behind(fields, stored)})
        only = self.at(entity)
        path = only[0].paths.get(order[0]) if len(only) == 1 and only[0].at_root and len(order) == 1 else None
        if path is not None:  # the index may give the order
            stages = ({"$sort": {path: 1}}, *stages)
        elif order:
            stages = (*stages, {"$sort": dict.fromkeys(fields, 1)})
        return map(self.decoder(entity), read_stored(self.database, replace(whole, stages=stages)))

    def in_documents(self, collection: str, documents: Sequence[Mapping[str, Any]]) -> list[dict[str, list[_Document]]]:
        """For each of these documents of a collection, the rows by entity it holds, undecoded; files stay pointers."""
        found: list[dict[str, list[_Document]]] = [{} for _ in documents]
        for place in self.places:
            if place.query.collection == collection:
                for row in self._rows_in(_marked(place.query.stages), documents):
                    found[row.pop(MARK)].setdefault(place.entity, []).append(row)
        return found

    def _rows_in(self, stages: Sequence[_Stage], documents: Sequence[Mapping[str, Any]]) -> Iterator[_Document]:
        for some in small_batches({**document, MARK: number} for number, document in enumerate(documents)):
            first = some[0]
            if len(some) == 1 and len(stored_bytes(first)) > COMMAND_BYTES:  # too large for a command
                self.database[SCRATCH].replace_one({"_id": first["_id"]}, first, upsert=True)
                yield from self.database[SCRATCH].aggregate([{"$match": {"_id": first["_id"]}}, *stages])
                self.database.drop_collection(SCRATCH)
            else:
                yield from self.database.aggregate([{"$documents": {"$literal": some}}, *stages])

    def decode(self, entity: str, row: Mapping[str, Any]) -> Row:
        """An undecoded row as conceptual values; a file's content is not among them."""
        if entity not in self._files:
            self._files[entity] = frozenset(file.field for place in self.at(entity) for file in place.query.files)
        files = self._files[entity]
        kept = {name: value for name, value in row.items() if name not in files} if files else dict(row)
        return self.decoder(entity)(kept)

    def decoder(self, entity: str) -> Callable[[_Document], Row]:
        """The function from an undecoded row to its values, followed by their stored forms."""
        if entity not in self._decoders:
            kind = self.model.entity(entity)
            self._decoders[entity] = telling_decoder(kind.attribute_names, kind, self.told, self.policy)
        return self._decoders[entity]


def _marked(stages: Sequence[_Stage]) -> tuple[_Stage, ...]:
    """The stages, whose last makes the rows, with the number of the document each row is from."""
    *before, last = stages
    return (*before, {"$replaceWith": {**last["$replaceWith"], MARK: f"${MARK}"}})


def _asked(place: HomePlace, attributes: Sequence[str], asked: Sequence[AttributeValues]) -> Aggregation:
    """The place's rows, fewer of them read where an attribute is a field there."""
    columns = place.query.columns
    values = dict(zip(attributes, map(list, zip(*asked, strict=True)), strict=True))
    first = {place.paths[name]: {"$in": some} for name, some in values.items() if name in place.paths}
    last = _exactly([column_field(columns.index(name)) for name in attributes], asked)
    before: tuple[_Stage, ...] = ({"$match": first},) if first else ()
    after: tuple[_Stage, ...] = ({"$match": last},) if last else ()
    return replace(place.query, stages=(*before, *place.query.stages, *after))


def _exactly(fields: Sequence[str], asked: Sequence[AttributeValues]) -> _Stage:
    """The condition that the fields have one of these combinations, not values of several of them.

    The field with the most values is asked for in one list for each combination of the others.
    """
    if len(fields) < 2:
        return {name: {"$in": [each[0] for each in asked]} for name in fields}
    widest = max(range(len(fields)), key=lambda place: len(once((each[place],) for each in asked)))
    others = [place for place in range(len(fields)) if place != widest]
    alike: dict[AttributeValues, dict[str, list[object]]] = {}
    for each in asked:
        key = mark(tuple(each[place] for place in others))
        found = alike.setdefault(key, {fields[place]: [each[place]] for place in others} | {fields[widest]: []})
        found[fields[widest]].append(each[widest])
    return {"$or": [{name: {"$in": some} for name, some in found.items()} for found in alike.values()]}


def _behind(fields: Sequence[str], values: Sequence[object]) -> _Stage:
    """Rows behind a place in the server's order, values of any type among them."""
    parts = []
    for position, last in enumerate(fields):
        same = [{"$eq": [_or_null(name), {"$literal": v}]} for name, v in zip(fields[:position], values, strict=False)]
        parts.append({"$and": [*same, {"$gt": [_or_null(last), {"$literal": values[position]}]}]})
    return {"$expr": {"$or": parts}}


def _or_null(field: str) -> _Stage:
    return {"$ifNull": [f"${field}", None]}
