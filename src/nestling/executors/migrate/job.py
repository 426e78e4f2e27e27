"""What a migration is about, all of it derived from the two designs before the database is asked anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from nestling.executors.migrate.compare import HomeViews
from nestling.executors.migrate.homes import SCRATCH, Homes
from nestling.executors.migrate.server_side import ServerSide
from nestling.executors.migrate.undo_record import Trail
from nestling.executors.migrate.unit import MigrationUnit
from nestling.ir.drift import CompiledCheck
from nestling.ir.model import AttributeName
from nestling.ir.programs.command import Command, CreateIndex
from nestling.ir.values import Policy

Stages: TypeAlias = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class IndexMoves:
    """What is done about the indexes of a database."""

    built: Sequence[CreateIndex]
    """Those of the new design that the database has none for yet, and those carried over."""

    late: Sequence[CreateIndex]
    """Those that wait for the cutover: they would remove documents (TTL) or have the name of one that goes."""

    gone: Sequence[CreateIndex]
    """Those of collections kept that only the old design has, as the database has them; the cutover drops them."""

    seen: Sequence[CreateIndex]
    """Those the database has of collections that are built anew."""

    carried: Sequence[CreateIndex]
    """Those of `seen` that no design knows and that are built on what takes the place of their collection."""

    going: Sequence[CreateIndex]
    """Those that go because the new design does not have them, `gone` among them."""

    lost: Sequence[CreateIndex]
    """Those that nothing replaces, and that somebody may miss."""


@dataclass(frozen=True, slots=True)
class Searches:
    """What finds values in documents that would not come through a migration as they are: stages for each collection."""

    nulls: Mapping[str, Stages]
    """What is null where the old design has nothing."""

    empty_objects: Mapping[str, Stages]
    missing_arrays: Mapping[str, Stages]
    """Arrays that documents lack, and that are written empty."""

    unknown: Mapping[str, Stages]
    """Fields the designs do not know, of collections that are built anew, as all that follow."""

    array_orders: Mapping[str, Stages]
    """Arrays whose order no values of their elements tell."""

    field_orders: Mapping[str, Stages]
    """Sub-documents that get another order of their fields."""

    id_orders: Mapping[str, Stages]
    """The same of an `_id`, in what is built."""

    copies: Sequence[tuple[str, CompiledCheck]]
    """Fields that follow from others and are kept so by writes: the path, and its check."""

    lagging: Sequence[tuple[str, CompiledCheck]]
    """Fields that follow from others and are kept so in the background."""


@dataclass(frozen=True, slots=True)
class NewRules:
    """The validator of a collection that stays, by the old design, and by the new one, which is another."""

    old: Mapping[str, Any]
    new: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """Collections are named as they are before the cutover."""

    designs: str
    """The digest of both designs and of the policy."""

    old_design: str
    new_design: str
    """The digests each collection notes of the design it was written by."""

    homes: Homes
    targets: Sequence[MigrationUnit]
    on_server: Sequence[ServerSide]
    sides: HomeViews

    old: tuple[str, ...]
    """All collections of the old design."""

    kept: frozenset[str]
    """Those of them that the new design takes as they are."""

    names: Mapping[str, str]
    """The final name of every collection that is built."""

    commands: Sequence[Command]
    indexes: IndexMoves
    searches: Searches

    options_lost: Sequence[str]
    """Options of collections that the new ones cannot have, in words."""

    validators: Mapping[str, Mapping[str, Any]]
    """What documents of the old design must satisfy."""

    newly_unique: tuple[str, ...]
    """The entities of which something is unique by the new design's model, and not by the old one's."""

    days: tuple[AttributeName, ...]
    """The attributes that are days by the new design's model, and moments by the old one's: documents store both alike."""

    rules: Mapping[str, NewRules]
    """By collection, of those that stay."""

    unfenced: frozenset[str]
    """Old collections that take no validator and no other name (time series)."""

    keeps_images: bool
    """Whether the server is to keep documents as they were before changes."""

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
        late = tuple(index for index in self.indexes.late if index.collection in self.kept)
        return Trail(self.names, self.replaced, self.helping, late, self.indexes.gone, ())

    @property
    def uniques(self) -> tuple[CreateIndex, ...]:
        """The unique indexes of collections that are built."""
        return tuple(
            each for each in self.indexes.built if each.collection not in self.kept and each.options.get("unique")
        )

    @property
    def indexes_beside(self) -> tuple[CreateIndex, ...]:
        """The indexes that are built on collections in use."""
        return tuple(index for index in self.indexes.built if index.collection in self.kept)
