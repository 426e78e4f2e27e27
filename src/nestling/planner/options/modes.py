"""Modes: the ways to answer a step, each with its price."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from nestling.ir.design_problem import Mode
from nestling.ir.paths.work import Work
from nestling.ir.situation import Situation
from nestling.planner.options.sizes.document_sizes import DocumentSizes, Extra
from nestling.planner.options.sizes.prices import Price
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.structures.places import Places
from nestling.planner.work.cold_reads import HELD, ColdShares, from_disk

NOTHING_EXTRA = Extra()


@dataclass(frozen=True, slots=True)
class Modes:
    """A situation with its candidates, their sizes, and the cost of work."""

    situation: Situation
    places: Places
    sizes: Sizes
    documents: DocumentSizes
    price: Price
    cold: ColdShares = HELD

    @property
    def warm(self) -> Modes:
        """The modes if the cache holds everything."""
        return replace(self, cold=HELD) if self.cold.shares else self

    def mode(
        self,
        text: str,
        needs: tuple[str, ...],
        cost: Work,
        extra: Extra = NOTHING_EXTRA,
        without: tuple[str, ...] = (),
        reads: tuple[str, ...] = (),
    ) -> Mode:
        """A mode with its prices; `reads`: entities whose rows are read in addition to those whose homes it needs."""
        share = self._cold(needs, reads) if self.cold.shares else 0.0
        loads = tuple((name, self._price(work, share)) for name, work in extra.loads)
        return Mode(text, needs, self._price(cost, share), without=without, loads=loads)

    def price_of(self, work: Work, *entities: str) -> float:
        """Seconds of work on rows of these entities, including reads from disk."""
        return self._price(work, self.cold.of(entities))

    def _cold(self, needs: Collection[str], reads: Collection[str]) -> float:
        """The share of documents read from disk, over these entities and those whose homes are needed."""
        return self.cold.of([*reads, *(name for each in needs for name in self.places.held.get(each, ()))])

    def _price(self, work: Work, cold: float) -> float:
        return self.price(work + from_disk(work, cold) if cold else work)
