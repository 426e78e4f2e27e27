"""The fields that documents have and their design does not know, found by the server; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.executors.exact import exact
from nestling.ir.unknown_field import UnknownField


def find_unknown(database: Database[Any], asked: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[UnknownField, ...]:
    """By what each collection is asked: its unknown fields, those in most documents first."""
    with typed_errors(address(database)):
        return tuple(
            UnknownField(name, found["_id"], found["documents"], found["example"])
            for name, stages in asked.items()
            for found in exact(database)[name].aggregate([*stages], allowDiskUse=True)
        )
