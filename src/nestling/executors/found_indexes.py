"""The indexes a collection has, as the server tells them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pymongo.database import Database

from nestling.ir.command import CreateIndex
from nestling.ir.index_form import does_work_of

_OF_THE_SERVER = ("v", "key", "ns", "background")


def found_indexes(database: Database[Any], collection: str, called: str = "") -> Iterator[CreateIndex]:
    """All but that on `_id`; `called`: what the collection's name is at the moment, if it is another."""
    for told in database[called or collection].list_indexes():
        keys = tuple((str(path), way if isinstance(way, str) else int(way)) for path, way in told["key"].items())
        if keys != (("_id", 1),):
            options = {name: each for name, each in told.items() if name not in _OF_THE_SERVER}
            yield CreateIndex(collection, keys, options)


def is_there(database: Database[Any], command: CreateIndex) -> bool:
    """Whether an index is there that does the same work, be it by another name, as applications call theirs."""
    usual = database[command.collection].options().get("collation")
    return any(does_work_of(each, command, usual) for each in found_indexes(database, command.collection))
