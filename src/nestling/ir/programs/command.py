"""What is done to a MongoDB, as plain data: executors carry it out, emitters print it.

Every command is what the server understands, so a script and a driver call are two spellings of one value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CreateCollection:
    """`create` with its options as the server takes them (validator, timeseries, clusteredIndex, capped …)."""

    name: str
    options: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModifyCollection:
    """`collMod` with its options (validator, validationLevel, validationAction)."""

    name: str
    options: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class CreateIndex:
    """`createIndexes` for one index: keys in order, options as the server takes them (name, unique, …)."""

    collection: str
    keys: tuple[tuple[str, int | str], ...]
    options: Mapping[str, object]

    @property
    def name(self) -> str:
        """The name that the options give the index, else the one that the shell would give it."""
        return str(self.options.get("name", "_".join(f"{path}_{direction}" for path, direction in self.keys)))


Command = CreateCollection | ModifyCollection | CreateIndex


@dataclass(frozen=True, slots=True)
class FileField:
    """A field that holds a pointer to a file in a GridFS bucket, and whether the file's bytes are text."""

    field: str
    bucket: str
    is_text: bool


@dataclass(frozen=True, slots=True)
class Aggregation:
    """A query: an `aggregate` on a collection, yielding rows with the value of `columns[i]` in the field `str(i)`.

    `files` are fields of a row that hold a pointer to a file; the client puts the file's content in its place.
    """

    collection: str
    stages: tuple[Mapping[str, object], ...]
    columns: tuple[str, ...]
    files: tuple[FileField, ...] = ()
