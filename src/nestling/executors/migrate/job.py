"""What a migration is about, all of it derived from the two designs before the database is asked anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nestling.executors.migrate.compare import HomeViews
from nestling.executors.migrate.homes import SCRATCH, Homes
from nestling.executors.migrate.server_side import ServerSide
from nestling.executors.migrate.undo_record import Trail
from nestling.executors.migrate.unit import Target
from nestling.ir.command import Command, CreateIndex
from nestling.ir.drift import CompiledCheck
from nestling.ir.values import Policy


@dataclass(frozen=True, slots=True)
class Job:
    """`designs` tells the two designs apart from others, `old_design` and `new_design` each of them. Collections are
    named as they are before the cutover.

    `old` are all the old design's collections, `kept` those of them the new design takes as they are, `names` the final name of
    every collection that is built. Of collections kept, `indexes` are those that the database has no index for yet.
    `late_indexes` would remove documents (TTL) or have the name of one that goes, so they wait for the cutover.
    `indexes_gone` are those of collections kept that only the old design has, as the database has
    them. `indexes_seen` are those the database has of other collections; `carried` of them are built on what takes their place,
    `indexes_going` go as the designs say (with `indexes_gone`), `indexes_lost` may be missed. `options_lost` are options of such
    collections, in words. `validators` are what
    documents of the old design must satisfy, `nulls` the stages that find what is null where it has nothing,
    `missing_arrays` those that find arrays which documents lack, and which are empty then. `unknown`
    are those that find what else documents hold, of the collections that are not kept, `reordered` those that find arrays whose
    order would be lost, of the same collections. `field_orders` are those that find sub-documents of these which get another
    order of their fields, `id_orders` those that find such an `_id` in what is built. `copies` are the fields of these (path, its
    check) that follow from others and are kept so by writes, `lagging` those that are kept so in the background.
    `unfenced` are old collections that take no validator and no other name (time series). `keeps_images`: the server is to keep
    documents as they were before changes.
    """

    designs: str
    old_design: str
    new_design: str
    homes: Homes
    targets: Sequence[Target]
    on_server: Sequence[ServerSide]
    sides: HomeViews
    old: tuple[str, ...]
    kept: frozenset[str]
    names: Mapping[str, str]
    commands: Sequence[Command]
    indexes: Sequence[CreateIndex]
    late_indexes: Sequence[CreateIndex]
    indexes_gone: Sequence[CreateIndex]
    indexes_seen: Sequence[CreateIndex]
    carried: Sequence[CreateIndex]
    indexes_going: Sequence[CreateIndex]
    indexes_lost: Sequence[CreateIndex]
    options_lost: Sequence[str]
    validators: Mapping[str, Mapping[str, Any]]
    nulls: Mapping[str, Sequence[Mapping[str, Any]]]
    missing_arrays: Mapping[str, Sequence[Mapping[str, Any]]]
    unknown: Mapping[str, Sequence[Mapping[str, Any]]]
    reordered: Mapping[str, Sequence[Mapping[str, Any]]]
    field_orders: Mapping[str, Sequence[Mapping[str, Any]]]
    id_orders: Mapping[str, Sequence[Mapping[str, Any]]]
    copies: Sequence[tuple[str, CompiledCheck]]
    lagging: Sequence[tuple[str, CompiledCheck]]
    unfenced: frozenset[str]
    keeps_images: bool
    policy: Policy

    @property
    def replaced(self) -> tuple[str, ...]:
        """The old collections the new design has no use for."""
        return tuple(name for name in self.old if name not in self.kept)

    @property
    def helping(self) -> tuple[str, ...]:
        """Collections that are there for a while only."""
        return (*dict.fromkeys(each.collection for side in self.on_server for each in side.gathered), SCRATCH)

    @property
    def trail(self) -> Trail:
        """What taking it back needs, before an index is built."""
        late = tuple(index for index in self.late_indexes if index.collection in self.kept)
        return Trail(self.names, self.replaced, self.helping, late, self.indexes_gone, ())

    @property
    def indexes_beside(self) -> tuple[CreateIndex, ...]:
        """The indexes that are built on collections in use."""
        return tuple(index for index in self.indexes if index.collection in self.kept)
