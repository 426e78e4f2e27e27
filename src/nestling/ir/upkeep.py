"""Upkeep: everything a design keeps that follows from something else, and what must happen to it when that changes.

One derivation (`planner/upkeep/triggers.py`) says when it must happen, for all who need it: writes keep copies right, the cost
stage prices that, sync applies it to other people's writes, check compares with what is implied, repair writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from nestling.ir.freshness import Freshness
from nestling.ir.primitives import Computed, Copy, Reference
from nestling.ir.rows import RowPath
from nestling.ir.storage.layout import Place

Derived: TypeAlias = Copy | Computed | Reference
"""A reference is derived where the parent holds ids: from the children's foreign keys (where these are stored at all)."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A change that makes a derived thing differ: rows of `entity` come or go (`rows`), or one of `attributes` changes.

    `back` leads from the changed row to the rows whose documents hold the derived thing; empty: the row itself.
    """

    entity: str
    rows: bool
    attributes: frozenset[str]
    back: RowPath


@dataclass(frozen=True, slots=True)
class Upkeep:
    """One derived thing in the documents of one place: its id, the holder's place, the primitive, what triggers it."""

    id: str  # collection and dotted path: `orders.customer`; of a variant's member `people(teacher).boss`
    place: Place
    what: Derived
    freshness: Freshness
    triggers: tuple[Trigger, ...]

    @property
    def holder(self) -> str:
        """The entity whose documents hold it."""
        return self.place.node.entity
