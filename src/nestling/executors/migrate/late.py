"""Writes to an old collection's name while no collection has it: an insert creates one, which is set aside separately.

When the last changes are applied, or a migration is undone, its documents are moved to where they belong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import BulkWriteError, OperationFailure

from nestling.common.errors import MigrationError, Problem
from nestling.common.server_codes import DUPLICATE_KEY, NOT_VALID, UNAUTHORIZED
from nestling.executors.batches import batches
from nestling.executors.migrate.undo_record import OLD_SUFFIX
from nestling.ir.value_forms.canonical import stored_bytes

LATE_SUFFIX = f"{OLD_SUFFIX}.late"
"""Suffix for a collection that was created while an old collection had no name."""
_LATE_NAMES = 10
_AT_ONCE = 1000


def late_collections(names: Iterable[str], database: Database[Any]) -> tuple[str, ...]:
    """The existing collections of this kind, for old collections with these names."""
    there = frozenset(database.list_collection_names())
    return tuple(each for name in names for each in _late_names(name) if each in there)


def names_aside(name: str) -> tuple[str, ...]:
    """The names that an old collection, or a late collection under its name, may get."""
    return f"{name}{OLD_SUFFIX}", *_late_names(name)


def _late_names(name: str) -> tuple[str, ...]:
    """One for each time a name is free for a moment, and more for repetitions."""
    return tuple(f"{name}{LATE_SUFFIX}{number or ''}" for number in range(_LATE_NAMES))


def set_late_aside(database: Database[Any], name: str) -> None:
    """Rename a collection that was created in place of an old one."""
    there = frozenset(database.list_collection_names())
    free = next((each for each in _late_names(name) if each not in there), None)
    if free is None:
        what = "something keeps writing to it while its name is given to another collection"
        raise MigrationError(
            Problem(what, where=name, next_move="stop whatever writes to it, and run this again; or `--abort`")
        )
    database[name].rename(free)


def put_back(names: Iterable[str], database: Database[Any], *, bypass: bool) -> None:
    """Move such documents into the old collections, whatever their present names; `bypass`: skip their validators.

    Documents stay if their key is taken, or if they may not be written past a validator.
    """
    there = frozenset(database.list_collection_names())
    for name in names:
        before = f"{name}{OLD_SUFFIX}"
        for late in late_collections([name], database):
            _move(database[late], database[before if before in there else name], bypass=bypass)


def _move(late: Collection[Any], into: Collection[Any], *, bypass: bool) -> None:
    for some in batches(late.find(), _AT_ONCE):
        _insert(into, some, bypass=bypass)
        wanted = {stored_bytes(each) for each in some}
        found = into.find({"_id": {"$in": [each["_id"] for each in some]}})
        moved = [each["_id"] for each in found if stored_bytes(each) in wanted]
        late.delete_many({"_id": {"$in": moved}})
    if late.find_one({}, {"_id": 1}) is None:
        late.drop()


def _insert(into: Collection[Any], documents: Sequence[Mapping[str, Any]], *, bypass: bool) -> None:
    try:
        into.insert_many(documents, ordered=False, bypass_document_validation=bypass)
    except BulkWriteError as error:
        codes = {each["code"] for each in (error.details or {}).get("writeErrors", ())}
        if not codes or not codes <= {DUPLICATE_KEY, NOT_VALID}:
            raise
    except OperationFailure as error:
        if error.code != UNAUTHORIZED:
            raise
