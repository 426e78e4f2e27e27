"""Describes a row that cannot pass through the client into documents, in terms of the documents it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from bson import ObjectId
from bson.datetime_ms import DatetimeMS

from nestling.common.errors import MigrationError, Problem, RowRefused
from nestling.executors.migrate.duplicate_keys import repeated_problems, repeated_uniques
from nestling.executors.migrate.homes import Homes
from nestling.executors.migrate.matching_documents import documents_with
from nestling.ir.field_removal import null_removal
from nestling.ir.found_field import FoundField
from nestling.ir.literals import shell
from nestling.ir.migration import HomePlace
from nestling.ir.model import Attribute, Entity
from nestling.ir.quantity_words import cut
from nestling.ir.rows import JSON_NULL, JsonNull
from nestling.ir.storage.names import value_at
from nestling.ir.values import encoder

_NO_DOCUMENT: Mapping[str, Any] = {"$not": {"$type": "object"}}
INSPECT = "read the model and both designs again (`nestling inspect URI -o model.yaml --design-out today.yaml`)"
ANEW = f"end this migration with `nestling migrate --abort`, and {INSPECT}"
_KINDS: Mapping[type, tuple[str, ...]] = {
    ObjectId: ("objectId",),
    UUID: ("binData",),
    bytes: ("binData",),
    date: ("date",),
    bool: ("bool",),
    int: ("int", "long"),
    float: ("double",),
    Decimal: ("decimal",),
    str: ("string",),
    datetime: ("date",),
    DatetimeMS: ("date",),
    dict: ("object",),
    list: ("array",),
    JsonNull: ("null",),
}


def refused_row(homes: Homes, error: RowRefused, values: Mapping[str, object]) -> MigrationError:
    """Name the path of the field, the documents with such a value, and the remedy.

    `values`: the row's values by attribute.
    """
    entity = homes.model.entity(error.entity)
    if not error.attribute:
        return _same_values(homes, error)
    found = place_of(homes, error.entity, values, error.attribute)
    if found is None:
        return MigrationError(*error.problems)
    collection, path, identity = found
    value = values[error.attribute]
    if other := _of_other_form(homes, collection, path, identity):
        return MigrationError(other)
    among = _among(homes, collection, path, entity.attribute(error.attribute), value)
    what = f"`{path}` is {among}, such as _id {cut(shell(identity))}"
    if value is None:
        why = ", which the design does not allow"
    elif entity.attribute(error.attribute).also:
        why = ", and of other types elsewhere: it cannot be carried over as it is"
    else:
        why = ": it cannot be carried over as it is"
    return MigrationError(Problem(what + why, collection, next_move=_move(entity, error.attribute, path, value)))


def _of_other_form(homes: Homes, collection: str, path: str, identity: object) -> Problem | None:
    """The problem if not the value but its container is wrong: an array for a sub-document, a null among elements."""
    database = homes.database
    document = database[collection].find_one({"_id": {"$eq": identity}}) or {}
    names = path.split(".")
    for depth in range(1, len(names)):
        above = ".".join(names[:depth])
        value = value_at(document, above)
        if isinstance(value, list) and any(not isinstance(each, Mapping) and each is not None for each in value):
            _, number = documents_with(database[collection], {above: {"$type": "array", "$elemMatch": _NO_DOCUMENT}})
            what = f"`{above}` is {cut(shell(value))} in {number}, such as _id {cut(shell(identity))}, where the design has"
            move = f"give it the form it has in other documents, or unset it; or {ANEW}"
            return Problem(f"{what} `{path}` in it", collection, next_move=move)
    for depth in range(1, len(names) + 1):
        above = ".".join(names[:depth])
        if isinstance(value := value_at(document, above), list) and None in value:
            documents = database[collection].count_documents({above: {"$elemMatch": {"$eq": None}}})
            null = FoundField(collection, (*names[:depth], None), documents, identity)
            return Problem(f"{null.text()}, is null", next_move=null_removal(null.steps).command(collection))
    return None


def _same_values(homes: Homes, error: RowRefused) -> MigrationError:
    """A row that is refused as a whole: another one has the same values, which the model says are unique."""
    if repeated := tuple(repeated_problems(repeated_uniques(homes, [error.entity]))):
        return MigrationError(*repeated)
    return MigrationError(*error.problems)


def place_of(homes: Homes, entity: str, values: Mapping[str, object], attribute: str) -> tuple[str, str, object] | None:
    """The place of a row's attribute: the collection, the path, and the `_id` of a document that has the row."""
    kind = homes.model.entity(entity)
    for place in homes.at(entity):
        path = place.paths.get(attribute)
        document = _holding(homes, place, kind, values) if path is not None else None
        if path is not None and document is not None:
            return place.query.collection, path, document["_id"]
    return None


def kind_of(value: object) -> str:
    """The server's name for a value's type, except for UUIDs."""
    return "UUID" if isinstance(value, UUID) else _KINDS.get(value.__class__, (value.__class__.__name__,))[0]


def _among(homes: Homes, collection: str, path: str, attribute: Attribute, value: object) -> str:
    """The value, and how many documents have such a one: of its type if there are several types, else the same."""
    if value is None:
        return f"null or missing in {documents_with(homes.database[collection], {path: None})[1]}"
    stored = encoder(attribute.type, homes.policy)(value)
    alike: dict[str, Any] = {"$type": [*_KINDS[value.__class__]]} if value.__class__ in _KINDS else {}
    word = kind_of(value)
    if value is not JSON_NULL and not attribute.also:
        alike["$eq"], word = stored, cut(shell(stored))
    _, found = documents_with(homes.database[collection], {path: alike})
    return f"{word} in {found}"


def _move(entity: Entity, attribute: str, path: str, value: object) -> str:
    if path.partition(".")[0] == "_id":
        return f"insert that document again under another `_id`, and delete the first; then {ANEW}"
    if value is None:
        return f"give it a value in those documents; or {ANEW}, which makes it optional"
    if value is JSON_NULL:
        return "$unset the field where it is null, or give it a value; `nestling migrate --abort` ends this migration"
    if entity.attribute(attribute).also:
        return f"give the field values of one type in all documents; then {ANEW}"
    return f"give the field another value, or unset it, in those documents; then {ANEW}"


def _holding(homes: Homes, place: HomePlace, entity: Entity, values: Mapping[str, object]) -> Mapping[str, Any] | None:
    """A document with the row at this place, by its key (or all attributes if it has none)."""
    names = [name for name in entity.identity if name in place.paths]
    if not names or (entity.key and len(names) < len(entity.key)):
        return None
    asked: dict[str, Any] = {}
    for name in names:
        value, convert = values[name], encoder(entity.attribute(name).type, homes.policy)
        asked[place.paths[name]] = {"$eq": None if value is None or value is JSON_NULL else convert(value)}
    return homes.database[place.query.collection].find_one(asked, {"_id": 1})
