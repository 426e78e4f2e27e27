"""Restricts reads to some documents: those with given ids, or given documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nestling.ir.drift import ID_COLUMN
from nestling.ir.programs.compiled import CompiledRead, Mql
from nestling.ir.programs.filling import read_for_row
from nestling.ir.programs.program import ReadRows
from nestling.ir.value_forms.canonical import stored_bytes

NUMBER = "number"


def of_ids(read: CompiledRead, ids: Sequence[object]) -> CompiledRead:
    """The read over the documents with these ids; it begins with the documents of its collection."""
    return of_values(read, "_id", ids)


def of_values(read: CompiledRead, path: str, values: Sequence[object]) -> CompiledRead:
    """The read over the documents with one of these values at a path."""
    return replace(read, pipeline=(_with_values(path, values), *read.pipeline))


def ids_of_values(read: CompiledRead, path: str, values: Sequence[object]) -> CompiledRead:
    """The ids (column `id`) of the read's documents with one of these values at a path."""
    return replace(read, pipeline=(_with_values(path, values), {"$project": {"_id": 0, ID_COLUMN: "$_id"}}))


def every_id(read: CompiledRead) -> CompiledRead:
    """The ids (column `id`) of all the read's documents."""
    return replace(read, pipeline=({"$project": {"_id": 0, ID_COLUMN: "$_id"}},))


def of_few(read: CompiledRead, path: str, values: Sequence[object], most: int) -> CompiledRead:
    """The read over so many documents at most with one of these values at a path; a last row has their number as `NUMBER`.

    The rows are only all of them when the number is less than `most`.
    """
    some: tuple[Mql, ...] = (_with_values(path, values), {"$limit": most})
    count: Mql = {"$unionWith": {"coll": read.collection, "pipeline": [*some, {"$count": NUMBER}]}}
    return replace(read, pipeline=(*some, *read.pipeline, count))


def _with_values(path: str, values: Sequence[object]) -> Mql:
    return {"$match": {path: {"$in": list(values)}}}


def of_documents(read: CompiledRead, documents: Sequence[Mapping[str, Any]]) -> CompiledRead:
    """The read over documents that are no longer there."""
    given: Mql = {"$documents": {"$literal": [dict(document) for document in documents]}}
    return replace(read, collection=None, pipeline=(given, *read.pipeline))


def with_values(read: CompiledRead, names: Iterable[str], values: Iterable[object]) -> CompiledRead:
    """The read with stored values in place of its parameters."""
    names = tuple(names)
    step = ReadRows(read.name, read, tuple((name, name) for name in names))
    return read_for_row(step, dict(zip(names, values, strict=True)))


class DistinctValues:
    """Values of any kind, each once, in the order they came."""

    def __init__(self) -> None:
        self._found: dict[bytes, Any] = {}

    def __len__(self) -> int:
        return len(self._found)

    def add(self, value: object) -> None:
        """Add a value unless it is present."""
        self._found.setdefault(stored_bytes(value), value)

    def update(self, values: Iterable[object]) -> None:
        """Add several values."""
        for value in values:
            self.add(value)

    @property
    def values(self) -> list[Any]:
        """All distinct values."""
        return list(self._found.values())
