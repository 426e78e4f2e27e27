"""Arrays whose order would be lost, found by the server; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pymongo.database import Database

from nestling.common.connection import address, typed_errors
from nestling.executors.exact import exact
from nestling.ir.reordered import Reordered


def find_reordered(database: Database[Any], asked: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[Reordered, ...]:
    """By what each collection is asked: its arrays, those of most documents first."""
    with typed_errors(address(database)):
        return tuple(
            Reordered(name, found["_id"], found["documents"], found["example"])
            for name, stages in asked.items()
            for found in exact(database)[name].aggregate([*stages], allowDiskUse=True)
        )
