"""Modes with their prices: what every way to answer a step is made with."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.options import Mode
from nestling.ir.situation import Situation
from nestling.ir.work import Work
from nestling.planner.options.documents import Documents, Extra
from nestling.planner.options.places import Places
from nestling.planner.options.prices import Price
from nestling.planner.options.sizes import Sizes

NOTHING = Extra()


@dataclass(frozen=True, slots=True)
class Modes:
    """A situation with its candidates, their sizes, and what work costs."""

    situation: Situation
    places: Places
    sizes: Sizes
    documents: Documents
    price: Price

    def mode(
        self, text: str, needs: tuple[str, ...], cost: Work, extra: Extra = NOTHING, without: tuple[str, ...] = ()
    ) -> Mode:
        """A mode with its prices."""
        loads = ((extra.load, self.price(extra.per_byte)),) if extra.load else ()
        return Mode(text, needs, self.price(cost), without=without, loads=loads)
