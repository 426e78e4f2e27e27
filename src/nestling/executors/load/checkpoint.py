"""How far a load has come, kept in the target database until the load is done.

One document, replaced as a whole after the batches it covers are acknowledged. Its journaled majority write makes everything
written before it durable too, so batches themselves need not wait for the disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from bson import ObjectId
from pymongo import WriteConcern
from pymongo.database import Database

from nestling.common.errors import LoadError, Problem
from nestling.ir.codec import CODEC
from nestling.ir.storage.names import CHECKPOINT_COLLECTION
from nestling.ir.values import Policy, decode, encode

_ID = "load"


@dataclass(frozen=True, slots=True)
class LoadCheckpoint:
    """Progress of a load of these `collections`: finished units (`done`), and the position in `unit`.

    The position is the root key `after` which to continue, or the number of `roots` to build without writing. `rows` (by
    entity) and `documents` (by collection) count what precedes it. `moment`: the load's date of computation; `total`: the
    source's row counts at the beginning.
    """

    fingerprint: str
    moment: datetime
    total: Mapping[str, int]
    collections: tuple[str, ...]
    done: tuple[str, ...] = ()
    unit: str = ""
    after: tuple[object, ...] | None = None
    roots: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    documents: Mapping[str, int] = field(default_factory=dict)

    def after_of(self, unit: str) -> tuple[object, ...] | None:
        """The root key after which a unit continues; None for its beginning."""
        return self.after if unit == self.unit else None

    def roots_of(self, unit: str) -> int:
        """How many root documents of a unit are written that will be built again."""
        return self.roots if unit == self.unit else 0

    def after_unit(self, unit: str, rows: Mapping[str, int], documents: Mapping[str, int]) -> LoadCheckpoint:
        """The checkpoint when a unit is complete."""
        done = (*self.done, unit)
        return replace(self, done=done, unit="", after=None, roots=0, rows=dict(rows), documents=dict(documents))


class Checkpoints:
    """The checkpoint collection of a database."""

    def __init__(self, database: Database[Any]) -> None:
        concern = WriteConcern(w="majority", j=True)
        self._collection = database.get_collection(CHECKPOINT_COLLECTION, codec_options=CODEC, write_concern=concern)

    def save(self, checkpoint: LoadCheckpoint) -> None:
        """Replace the checkpoint; everything written before is durable when this returns."""
        document = {
            "fingerprint": checkpoint.fingerprint,
            "moment": checkpoint.moment,
            "total": _pairs(checkpoint.total),
            "collections": list(checkpoint.collections),
            "done": list(checkpoint.done),
            "unit": checkpoint.unit,
            "after": None if checkpoint.after is None else [stored_key(value) for value in checkpoint.after],
            "roots": checkpoint.roots,
            "rows": _pairs(checkpoint.rows),
            "documents": _pairs(checkpoint.documents),
        }
        self._collection.replace_one({"_id": _ID}, document, upsert=True)

    def read(self) -> LoadCheckpoint | None:
        """The checkpoint of an interrupted load, if there is one."""
        found = self._collection.find_one({"_id": _ID})
        if found is None:
            return None
        after = found["after"]
        return LoadCheckpoint(
            found["fingerprint"],
            found["moment"],
            dict(found["total"]),
            tuple(found["collections"]),
            tuple(found["done"]),
            found["unit"],
            None if after is None else tuple(found_key(value) for value in after),
            found["roots"],
            dict(found["rows"]),
            dict(found["documents"]),
        )

    def resume(self, fingerprint: str, total: Mapping[str, int]) -> LoadCheckpoint | None:
        """The checkpoint to continue from. Raises `LoadError` if design or source have changed."""
        found = self.read()
        if found is None:
            return None
        move = "start over with `--replace`"
        if found.fingerprint != fingerprint:
            raise LoadError(Problem("the interrupted load had another design or other options", next_move=move))
        changed = [name for name in total if found.total.get(name) != total[name]]
        if changed:
            now = ", ".join(
                f"`{name}` had {found.total.get(name, 0):,} rows and has {total[name]:,}" for name in changed
            )
            raise LoadError(Problem(f"the source has changed since the interrupted load: {now}", next_move=move))
        return found

    def remove(self) -> None:
        """The load is done."""
        self._collection.drop()


def _pairs(counts: Mapping[str, int]) -> list[list[object]]:
    """Counts by name as pairs; names may contain characters that field names may not."""
    return [[name, count] for name, count in counts.items()]


def stored_key(value: object) -> object:
    """A key value so that exactly it can be read back: BSON dates would lose microseconds and the zone."""
    if isinstance(value, date):
        return {"moment" if isinstance(value, datetime) else "date": value.isoformat()}
    return encode(value, Policy(long_decimals="text"))


def found_key(value: object) -> object:
    """The original of a `stored_key`."""
    match value:
        case {"moment": str(text)}:
            return datetime.fromisoformat(text)
        case {"date": str(text)}:
            return date.fromisoformat(text)
        case ObjectId():  # of rows whose ids are told from texts
            return value
        case _:
            return decode(value)
