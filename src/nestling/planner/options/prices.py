"""Prices of work, asked for often: what a unit of each quantity costs is found once, page reads for a cold cache included."""

from __future__ import annotations

from collections.abc import Callable
from operator import mul

from nestling.ir.situation import Situation
from nestling.ir.work import NAMES, Work
from nestling.ir.work_of import PAGE_BYTES
from nestling.planner.options.sizes import Sizes

Price = Callable[[Work], float]
"""Seconds of work; linear in its quantities."""


class Prices:
    """The same price, faster. `cold_share`: of what is read, the share the cache is not expected to hold (0 to 1).

    A document fetched from there costs a page, and so do as many bytes as a page holds. The share is the same for whatever is
    read: it is an average over the data, and no design changes it.
    """

    def __init__(self, price: Price, cold_share: float = 0.0) -> None:
        cold = {"documents": Work(cold_pages=1.0), "read_bytes": Work(cold_bytes=1.0, cold_pages=1 / PAGE_BYTES)}
        self._units = tuple(
            price(Work(**{name: 1.0})) + cold_share * (price(cold[name]) if name in cold else 0.0) for name in NAMES
        )

    def __call__(self, work: Work) -> float:
        """Seconds of server and client time."""
        return float(sum(map(mul, self._units, work)))


def cold_share(situation: Situation, sizes: Sizes, cache_bytes: float | None) -> float:
    """The share of the workload's data that does not fit the cache; 0 where the cache is not known."""
    if cache_bytes is None:
        return 0.0
    touched = {access.entity for s in situation.reading.workload.statements for access in s.accesses}
    working_set = sum(sizes.rows(name) * sizes.row_bytes(name) for name in touched)
    return max(0.0, 1 - cache_bytes / working_set) if working_set > 0 else 0.0
