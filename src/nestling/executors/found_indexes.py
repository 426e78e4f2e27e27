"""The existing indexes of a collection, as reported by the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pymongo.database import Database

from nestling.ir.indexes.index_form import does_work_of
from nestling.ir.programs.command import CreateIndex

_OF_THE_SERVER = ("v", "key", "ns", "background")


def found_indexes(database: Database[Any], collection: str, called: str = "") -> Iterator[CreateIndex]:
    """All indexes but that on `_id`, as commands that create them; `called`: the collection's current name, if different.

    The server reports no collation for an index that compares exactly. If the collection has a collation, the command must say
    so.
    """
    there = database[called or collection]
    plain = {} if usual_collation(database, there.name) is None else {"collation": {"locale": "simple"}}
    for told in there.list_indexes():
        keys = tuple((str(path), way if isinstance(way, str) else int(way)) for path, way in told["key"].items())
        if keys != (("_id", 1),):
            yield CreateIndex(collection, keys, plain | options_of(told))


def options_of(told: Mapping[str, Any]) -> dict[str, Any]:
    """The options of an index as the server tells it."""
    return {name: each for name, each in told.items() if name not in _OF_THE_SERVER}


def is_there(database: Database[Any], command: CreateIndex) -> bool:
    """Whether an index is there that does the same work, be it by another name, as applications call theirs."""
    usual = usual_collation(database, command.collection)
    return any(does_work_of(each, command, usual) for each in found_indexes(database, command.collection))


def usual_collation(database: Database[Any], collection: str) -> Mapping[str, Any] | None:
    """The default collation of a collection's indexes and queries."""
    found: Mapping[str, Any] | None = database[collection].options().get("collation")
    return found
