"""The fields that are in a migration's way, found by the server; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.executors.exact import as_stored
from nestling.ir.found_field import FoundField


def find_fields(database: Database[Any], asked: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[FoundField, ...]:
    """Run each collection's search and return the fields found, those in most documents first."""
    with typed_errors(address(database)):
        return tuple(
            _found(name, **found)
            for name, stages in asked.items()
            for found in as_stored(database)[name].aggregate([*stages], allowDiskUse=True)
        )


def _found(collection: str, _id: Mapping[str, Any], documents: int, example: object) -> FoundField:
    return FoundField(collection, tuple(_id["steps"]), documents, example, _id.get("where", ""))
