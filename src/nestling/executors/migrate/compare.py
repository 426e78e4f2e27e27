"""Whether both designs hold the same rows, while writes go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database

from nestling.executors.canonical import canonical_encoder
from nestling.executors.fingerprint import fingerprint, partition
from nestling.executors.migrate.observed import RowChange
from nestling.executors.read import decode_raw, read_raw, row_decoder
from nestling.ir.command import Aggregation
from nestling.ir.migration import Row
from nestling.ir.model import Entity, Model
from nestling.ir.values import Policy


@dataclass(frozen=True, slots=True)
class Compared:
    """Rows the old design has by entity, and the rows in which the new one differs, as they are in either."""

    rows: Mapping[str, int]
    differing: tuple[RowChange, ...]

    @property
    def equal(self) -> bool:
        """Whether no row differs."""
        return not self.differing


@dataclass(frozen=True, slots=True)
class Sides:
    """The home views of both designs by entity, over the entities that move."""

    database: Database[Any]
    model: Model
    old: Mapping[str, Aggregation]
    new: Mapping[str, Aggregation]
    policy: Policy

    def compare(self, entities: Sequence[str] | None = None) -> Compared:
        """Read every row of these entities (all that move) on both sides."""
        rows: dict[str, int] = {}
        found: list[RowChange] = []
        for name in self.new if entities is None else entities:
            entity = self.model.entity(name)
            old = fingerprint(read_raw(self.database, self.old[name]))
            new = fingerprint(read_raw(self.database, self.new[name]))
            rows[name] = old.rows
            if differing := old.differing(new):
                found += self._differing(entity, differing)
        return Compared(rows, tuple(found))

    def _differing(self, entity: Entity, partitions: frozenset[int]) -> Iterator[RowChange]:
        """The rows of these partitions that one side has and the other has not."""
        encode = canonical_encoder(entity.attribute_names, entity, self.policy)
        held: list[Counter[bytes]] = []
        rows: dict[bytes, Row] = {}
        for query in (self.old[entity.name], self.new[entity.name]):
            decode, bag = row_decoder(entity.attribute_names, entity), Counter[bytes]()
            for raw in read_raw(self.database, query):
                if partition(raw) in partitions:
                    row = decode(decode_raw(raw, query))
                    canonical = encode(row)
                    rows[canonical] = row
                    bag[canonical] += 1
            held.append(bag)
        old, new = held
        for canonical in [*(old - new), *(new - old)]:
            yield RowChange(entity.name, rows[canonical], None)
