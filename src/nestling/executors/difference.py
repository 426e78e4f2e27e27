"""Two bags of rows compared row by row, on disk, so that any number of differences fits in memory.

Both sides are written to a temporary SQLite file as (key, row) in canonical bytes, then read back in key order.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import groupby
from operator import itemgetter

import bson

from nestling.executors.batches import batches
from nestling.executors.read import row_decoder
from nestling.ir.codec import CODEC
from nestling.ir.model import Entity
from nestling.ir.rows import Row
from nestling.ir.value_forms.canonical import canonical_encoder
from nestling.ir.values import Policy

BATCH_ROWS = 1_000


class Kind(StrEnum):
    """How a row differs."""

    CHANGED = "changed"  # it is there, but an attribute has another value
    MISSING = "missing"  # it should be there
    EXTRA = "extra"  # it should not
    DUPLICATE = "duplicate"  # it is there, and there again


class Side(IntEnum):
    """Where a row was read."""

    EXPECTED = 0
    FOUND = 1


@dataclass(frozen=True, slots=True)
class RowDifference:
    """One attribute of a changed row, or one row that is missing, extra or repeated.

    `key`: the values of the entity's key, or of all attributes if it has none. For whole rows `attribute` is None, and
    `expected` or `found` is the number of occurrences.
    """

    entity: str
    kind: Kind
    key: Row
    attribute: str | None = None
    expected: object = None
    found: object = None


class RowComparison:
    """The rows of one entity on both sides; `add` them, then read `differences`."""

    def __init__(self, entity: Entity, policy: Policy) -> None:
        """Make room on disk; columns are the entity's attributes in order."""
        self._entity = entity
        self._columns = entity.attribute_names
        self._key = [self._columns.index(name) for name in entity.key] or list(range(len(self._columns)))
        self._encode = canonical_encoder(self._columns, entity, policy)
        self._encode_key = canonical_encoder([self._columns[place] for place in self._key], entity, policy)
        self._encode_one = [canonical_encoder([name], entity, policy) for name in self._columns]
        self._decode = row_decoder(self._columns, entity)
        self._disk = sqlite3.connect("", isolation_level=None)  # a temporary file, gone when closed
        self._disk.execute("PRAGMA journal_mode = OFF")
        self._disk.execute("PRAGMA synchronous = OFF")
        self._disk.execute("CREATE TABLE line (key BLOB, side INTEGER, row BLOB)")

    def close(self) -> None:
        """Free the disk space."""
        self._disk.close()

    def add(self, side: Side, rows: Iterable[Row]) -> None:
        """Add rows of one side, as conceptual values in attribute order."""
        lines = ((self._key_of(row), int(side), self._encode(row)) for row in rows)
        self._disk.execute("BEGIN")
        for batch in batches(lines, BATCH_ROWS):
            self._disk.executemany("INSERT INTO line VALUES (?, ?, ?)", batch)
        self._disk.execute("COMMIT")

    def _key_of(self, row: Row) -> bytes:
        return self._encode_key([row[place] for place in self._key])

    def differences(self) -> Iterator[tuple[RowDifference, ...]]:
        """Yield the differences of each row that differs, in the order of the keys' bytes."""
        query = "SELECT key, side, row, COUNT(*) FROM line GROUP BY key, side, row ORDER BY key, side, row"
        with closing(self._disk.execute(query)) as lines:
            for _, group in groupby(lines, key=itemgetter(0)):
                yield from self._of_key([(Side(side), row, times) for _, side, row, times in group])

    def _of_key(self, lines: Sequence[tuple[Side, bytes, int]]) -> Iterator[tuple[RowDifference, ...]]:
        """Pair the unequal rows with one key; the rest is missing or extra."""
        expected = Counter({row: times for side, row, times in lines if side is Side.EXPECTED})
        found = Counter({row: times for side, row, times in lines if side is Side.FOUND})
        missing, extra = list((expected - found).elements()), list((found - expected).elements())
        for before, after in zip(missing, extra, strict=False):
            yield tuple(self._changes(before, after))
        pairs = min(len(missing), len(extra))
        for row in missing[pairs:]:
            yield (self._whole(Kind.MISSING, row, expected, found),)
        for row in extra[pairs:]:
            yield (self._whole(Kind.DUPLICATE if expected else Kind.EXTRA, row, expected, found),)

    def _changes(self, before: bytes, after: bytes) -> Iterator[RowDifference]:
        expected, found = self._values(before), self._values(after)
        for name, encode, old, new in zip(self._columns, self._encode_one, expected, found, strict=True):
            if encode([old]) != encode([new]):
                yield RowDifference(self._entity.name, Kind.CHANGED, self._key_values(expected), name, old, new)

    def _whole(self, kind: Kind, row: bytes, expected: Counter[bytes], found: Counter[bytes]) -> RowDifference:
        key = self._key_values(self._values(row))
        return RowDifference(self._entity.name, kind, key, None, expected.total(), found.total())

    def _values(self, row: bytes) -> Row:
        return self._decode(bson.decode(row, CODEC))

    def _key_values(self, row: Row) -> Row:
        return tuple(row[place] for place in self._key)
