"""Prices of work. The price of one unit of each quantity is computed once."""

from __future__ import annotations

from collections.abc import Callable
from operator import mul

from nestling.ir.paths.work import NAMES, Work

Price = Callable[[Work], float]
"""Seconds of work; linear in its quantities."""


class UnitPrices:
    """A price that is computed once for each unit of work, and is then faster."""

    def __init__(self, price: Price) -> None:
        self._units = tuple(price(Work(**{name: 1.0})) for name in NAMES)

    def __call__(self, work: Work) -> float:
        """Seconds of server and client time."""
        return float(sum(map(mul, self._units, work)))
