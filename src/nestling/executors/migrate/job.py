"""The description of a migration, derived from the two designs before the database is queried."""

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
    """What happens to the indexes of a database."""

    built: Sequence[CreateIndex]
    """The new design's indexes that the database lacks, and the indexes carried over."""

    late: Sequence[CreateIndex]
    """The indexes that wait for the cutover: they would remove documents (TTL), or have the name of one to be dropped."""

    gone: Sequence[CreateIndex]
    """Existing ones of kept collections that only the old design has; the cutover drops them."""

    seen: Sequence[CreateIndex]
    """Existing ones of rebuilt collections."""

    carried: Sequence[CreateIndex]
    """The indexes of `seen` that no design knows and that are built on the successor of their collection."""

    going: Sequence[CreateIndex]
    """The indexes dropped because the new design lacks them, including `gone`."""

    lost: Sequence[CreateIndex]
    """The indexes without a replacement that somebody may need."""


@dataclass(frozen=True, slots=True)
class Searches:
    """Queries for values in documents that a migration would change or lose: stages for each collection."""

    nulls: Mapping[str, Stages]
    """Nulls where the old design has no value."""

    empty_objects: Mapping[str, Stages]
    missing_arrays: Mapping[str, Stages]
    """Arrays that documents lack, and that are written empty."""

    unknown: Mapping[str, Stages]
    """Unknown fields in rebuilt collections, to which the following apply too."""

    array_orders: Mapping[str, Stages]
    """Arrays whose order does not follow from their elements' values."""

    field_orders: Mapping[str, Stages]
    """Sub-documents that get another order of their fields."""

    id_orders: Mapping[str, Stages]
    """Compound `_id`s that get another order of their fields, in the new collections."""

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
    """A migration; collections have their names from before the cutover."""

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
    """The collections that the new design keeps unchanged."""

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
    """The entities with a unique group that only the new design's model has."""

    days: tuple[AttributeName, ...]
    """The attributes that are days by the new design's model, and moments by the old one's: documents store both alike."""

    rules: Mapping[str, NewRules]
    """By collection, for those that stay."""

    unfenced: frozenset[str]
    """Old collections that take no validator and no other name (time series)."""

    keeps_images: bool
    """Whether the server keeps documents as they were before changes."""

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
        """The data needed to undo the migration, before an index is built."""
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
