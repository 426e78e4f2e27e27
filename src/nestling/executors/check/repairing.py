"""Repairing: each document is changed only while it holds what was found, and looked at again afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pymongo.database import Database
from pymongo.errors import BulkWriteError

from nestling.executors.check.differing_rows import FoundRow
from nestling.executors.check.repairs import Repairs
from nestling.executors.errors.invalid import why_refused
from nestling.executors.exact import exact
from nestling.ir.drift import CompiledCheck

REPAIRED_AT_ONCE = 500


def mend(database: Database[Any], compiled: CompiledCheck, rows: Sequence[FoundRow]) -> dict[int, str]:
    """Make the rows' documents what they must be; gives why the server refused, by the row's place."""
    refused: dict[int, str] = {}
    repairs = Repairs(compiled)
    collection = exact(database)[compiled.check.collection]
    for start in range(0, len(rows), REPAIRED_AT_ONCE):
        some = rows[start : start + REPAIRED_AT_ONCE]
        try:
            collection.bulk_write([repairs.of(row) for row in some], ordered=False)
        except BulkWriteError as error:
            refused |= {start + place: why for place, why in _refusals(error)}
    return refused


def _refusals(error: BulkWriteError) -> Iterator[tuple[int, str]]:
    for each in (error.details or {}).get("writeErrors", ()):
        yield each["index"], why_refused(each)
