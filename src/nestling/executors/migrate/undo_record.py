"""The record of a migration in the database: everything needed to undo it without the designs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bson

from nestling.ir.codec import CODEC
from nestling.ir.programs.command import CreateIndex

OLD_SUFFIX = ".before"
"""Suffix of the old design's collections once the new design has taken over."""


@dataclass(frozen=True, slots=True)
class Trail:
    """Collections and indexes of both sides, known from the moment a migration begins.

    `names` is the final name of every collection that is built, `replaced` are the old ones the new design has no use for, and
    `helping` collections are there for a while. Of the collections both designs have, the cutover builds the `late_indexes` and
    drops the `indexes_gone`; `indexes_built` were not there, and are built before the cutover.
    """

    names: Mapping[str, str]
    replaced: tuple[str, ...]
    helping: tuple[str, ...]
    late_indexes: Sequence[CreateIndex]
    indexes_gone: Sequence[CreateIndex]
    indexes_built: Sequence[CreateIndex]

    def stored(self) -> bytes:
        """The record as bytes, since names and options of indexes may contain characters that field names may not."""
        document = {
            "names": list(self.names.items()),
            "replaced": self.replaced,
            "helping": self.helping,
            "late_indexes": _documents(self.late_indexes),
            "indexes_gone": _documents(self.indexes_gone),
            "indexes_built": _documents(self.indexes_built),
        }
        return bson.encode(document, codec_options=CODEC)

    @staticmethod
    def of(stored: bytes) -> Trail:
        """Read a stored record."""
        found = bson.decode(stored, codec_options=CODEC)
        return Trail(
            dict(found["names"]),
            tuple(found["replaced"]),
            tuple(found["helping"]),
            _indexes(found["late_indexes"]),
            _indexes(found["indexes_gone"]),
            _indexes(found.get("indexes_built", ())),
        )


def _documents(indexes: Iterable[CreateIndex]) -> list[dict[str, Any]]:
    return [{"collection": each.collection, "keys": each.keys, "options": each.options} for each in indexes]


def _indexes(found: Iterable[Mapping[str, Any]]) -> tuple[CreateIndex, ...]:
    return tuple(
        CreateIndex(each["collection"], tuple((path, way) for path, way in each["keys"]), each["options"])
        for each in found
    )
