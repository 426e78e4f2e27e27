"""Whether both designs hold the same rows, while writes go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database

from nestling.executors.fingerprint import fingerprint, partition
from nestling.executors.migrate.changed_rows import ChangedRow
from nestling.executors.migrate.distinct_values import mark, once
from nestling.executors.migrate.homes import Homes
from nestling.executors.read import decode_raw, read_raw
from nestling.ir.migration import DifferingRow
from nestling.ir.model import Entity, Model
from nestling.ir.programs.command import Aggregation
from nestling.ir.rows import Row
from nestling.ir.storage.stored_forms import stored_values, with_stored
from nestling.ir.types import TEXTS
from nestling.ir.value_forms.canonical import canonical_encoder, stored_bytes
from nestling.ir.values import Policy

MOST_KEYS_NAMED = 3
"""Rows that differ, of each entity."""


@dataclass(frozen=True, slots=True)
class HomeDifferences:
    """The old design's row counts by entity, and the rows in which the new one differs, as in either design."""

    rows: Mapping[str, int]
    differing: tuple[ChangedRow, ...]

    @property
    def equal(self) -> bool:
        """Whether no row differs."""
        return not self.differing


@dataclass(frozen=True, slots=True)
class HomeViews:
    """The home views of both designs by entity, over the entities that move."""

    database: Database[Any]
    model: Model
    old: Homes
    new: Homes
    entities: tuple[str, ...]
    policy: Policy

    def compare(self, entities: Sequence[str] | None = None) -> HomeDifferences:
        """Read every row of these entities (all that move) on both sides."""
        rows: dict[str, int] = {}
        found: list[ChangedRow] = []
        for name in self.entities if entities is None else entities:
            entity = self.model.entity(name)
            old = fingerprint(read_raw(self.database, self.old.homes[name]))
            new = fingerprint(read_raw(self.database, self.new.homes[name]))
            rows[name] = old.rows
            if differing := old.differing(new):
                found += self._differing(entity, differing)
        return HomeDifferences(rows, tuple(found))

    def _differing(self, entity: Entity, partitions: frozenset[int]) -> Iterator[ChangedRow]:
        """The rows of these partitions that only one side has."""
        decode = self.old.decoder(entity.name)

        def read(query: Aggregation) -> Iterator[Row]:
            raw_rows = (raw for raw in read_raw(self.database, query) if partition(raw) in partitions)
            return (decode(decode_raw(raw, query, self.database.codec_options)) for raw in raw_rows)

        homes = self.old.homes[entity.name], self.new.homes[entity.name]
        return self._unlike(entity, read(homes[0]), read(homes[1]))

    def _unlike(self, entity: Entity, old: Iterable[Row], new: Iterable[Row]) -> Iterator[ChangedRow]:
        """The rows that only one side has."""
        whole = with_stored(entity)
        encode = canonical_encoder(whole.attribute_names, whole, self.policy)
        rows: dict[bytes, Row] = {}
        bags = Counter[bytes](), Counter[bytes]()
        for bag, found in zip(bags, (old, new), strict=True):
            for row in found:
                canonical = encode(row)
                rows[canonical] = row
                bag[canonical] += 1
        for canonical in [*(bags[0] - bags[1]), *(bags[1] - bags[0])]:
            yield ChangedRow(entity.name, rows[canonical], None)

    def again(self, differing: Sequence[ChangedRow]) -> tuple[ChangedRow, ...]:
        """Compare rows that differed again, by their keys (or all values if they have none), and return those that still do."""
        found: list[ChangedRow] = []
        for name in dict.fromkeys(change.entity for change in differing):
            entity = self.model.entity(name)
            places = [entity.attribute_names.index(each) for each in entity.identity]
            keys = once(tuple(each.row[place] for place in places) for each in differing if each.entity == name)
            found += self._unlike(entity, _having(self.old, entity, keys), _having(self.new, entity, keys))
        return tuple(found)

    def told(self, differing: Sequence[ChangedRow]) -> Iterator[DifferingRow]:
        """A few of the rows that differ of each entity, as people read them."""
        for name in dict.fromkeys(change.entity for change in differing):
            entity = self.model.entity(name)
            key = entity.identity
            places = [entity.attribute_names.index(each) for each in key]
            keys = once(tuple(each.row[place] for place in places) for each in differing if each.entity == name)[
                :MOST_KEYS_NAMED
            ]
            both = [[*_having(homes, entity, keys)] for homes in (self.old, self.new)]
            for values in keys:
                old, new = ([row for row in rows if [row[place] for place in places] == [*values]] for rows in both)
                unlike = self._unlike_attributes(entity, old[0], new[0]) if len(old) == len(new) == 1 else ()
                named = dict(zip(key, values, strict=True))
                yield DifferingRow(name, named, len(old), len(new), unlike, _refers_by_texts(self.model, entity))

    def _unlike_attributes(self, entity: Entity, old: Row, new: Row) -> tuple[str, ...]:
        encoders = {name: canonical_encoder([name], entity, self.policy) for name in entity.attribute_names}
        forms = stored_values(old[-1]), stored_values(new[-1])

        def both_forms(name: str, value: object, told: Mapping[str, object]) -> tuple[bytes, bytes]:
            return encoders[name]([value]), stored_bytes({name: told[name]} if name in told else {})

        pairs = zip(entity.attribute_names, old, new, strict=False)
        return tuple(
            name
            for name, before, after in pairs
            if both_forms(name, before, forms[0]) != both_forms(name, after, forms[1])
        )


def _refers_by_texts(model: Model, entity: Entity) -> bool:
    """Whether the entity's references include texts."""
    names = {name for link in model.relationships if link.child == entity.name for name in link.child_attributes}
    return any(entity.attribute(name).type.name in TEXTS for name in names)


def _having(homes: Homes, entity: Entity, keys: Sequence[tuple[object, ...]]) -> Iterator[Row]:
    """The rows with these keys (or all values if they have none)."""
    attributes, asked = entity.identity, frozenset(map(mark, keys))
    places = [entity.attribute_names.index(name) for name in attributes]
    rows = homes.whole(entity.name, attributes, keys)
    return (row for row in rows if mark(tuple(row[place] for place in places)) in asked)
