"""What an overflow collection costs: reads and writes that must also look in its pages.

Readers unite both places. A write puts the elements of its parent into order and into pages again.
"""

from __future__ import annotations

from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.situation import Situation
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.options.structures.places import Home

BRANCH_STAGES = 3
"""Stages of the branch that reads the pages."""


def pages_too(sizes: Sizes, home: Home, parents: float) -> Work:
    """The pages of so many parents, of whom few have any."""
    assert home.overflow is not None
    size = home.overflow * sizes.row_bytes(home.entity)
    found = min(max(sizes.children(home.links[0]) / home.overflow - 1, 0.0), 1.0)
    return work_of.lookup(parents, found, size, stages=BRANCH_STAGES)


def paged_again(situation: Situation, sizes: Sizes, home: Home) -> Work:
    """One element more or less: all of its parent are read twice and put back one by one, in a transaction. Those that stay are
    put back by one request, and those that leave by another.
    """
    assert home.overflow is not None
    size = sizes.row_bytes(home.entity)
    beside = siblings(situation, sizes, home)
    read = (
        work_of.request(work_of.light(BRANCH_STAGES))
        + work_of.fetch_by_index(1, beside * size)
        + pages_too(sizes, home, 1)
    )
    put = work_of.update(1, min(beside, home.overflow) * size / 2, grows=True)
    return 2 * read + beside * put + 5 * work_of.request() + work_of.transaction()


def siblings(situation: Situation, sizes: Sizes, home: Home) -> float:
    """Elements the parent of an element has: parents with many are met more often, so the 95th percentile where it is known."""
    link = home.links[0]
    known = situation.statistics.relationship(link.name).p95
    return max(known.value if known is not None else 0.0, sizes.children(link), 1.0)
