"""Which parent each child has, so that fan-outs are distributed as the statistics say.

Parents are ranked by how many children they have; a parent of `n` children has `n` slots, and each child takes one. Slots are
runs of ranks with the same fan-out, so that finding the parent of a slot needs no memory that grows with the rows.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, log

from nestling.ir.statistics import RelationshipStatistics, value_of

MOST_RUNS = 400
"""Runs between two known quantiles: fan-outs that differ by less than that share of their range are taken as one."""
HALVINGS = 60


@dataclass(frozen=True, slots=True)
class RankRun:
    """Ranks from `rank` on that have `children` each; their slots begin at `slot`."""

    rank: int
    slot: int
    children: int


@dataclass(frozen=True, slots=True)
class ParentSlots:
    """The slots of all parents, in the order of their ranks."""

    parents: int
    size: int
    runs: tuple[RankRun, ...]
    _starts: tuple[int, ...] = field(repr=False)

    def owner(self, slot: int) -> tuple[int, int, int]:
        """The rank of the parent a slot belongs to, which of its children that is (from 0), and of how many."""
        run = self.runs[bisect_right(self._starts, slot) - 1]
        parents, place = divmod(slot - run.slot, run.children)
        return run.rank + parents, place, run.children


def slots(known: RelationshipStatistics, parents: int, children: int, *, most: int | None = None) -> ParentSlots:
    """At least `children` slots, and few more; no parent has more than `most` where all of them together have enough then."""
    if not parents or not children:
        return ParentSlots(parents, 0, (), ())
    points = [(rank, min(value, most or value)) for rank, value in _points(known, parents, children, most)]
    low, high = -40.0, 40.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _total(_bent(points, 2.0**middle)) >= children else (low, middle)
    counted = _bent(points, 2.0**low)
    while (missing := children - _total(counted)) > 0:
        more = ceil(missing / parents)
        counted = [(ranks, _raised(each, more, most)) for ranks, each in counted]
        if most is not None and parents * most < children:
            break
    return _made(parents, counted)


def _raised(children: int, more: int, most: int | None) -> int:
    return children + more if most is None else max(children, min(children + more, most))


def _points(known: RelationshipStatistics, parents: int, children: int, most: int | None) -> list[tuple[int, float]]:
    """How many ranks do not exceed which fan-out; of a mean alone, as of waiting times."""
    mean = value_of(known.mean, children / parents)
    shares = {0.5: known.p50, 0.95: known.p95, 0.99: known.p99, 0.999: known.p999, 1.0: known.maximum}
    if most == 1:
        return [(0, 0.0), (parents, 1.0)]
    if all(quantity is None for quantity in shares.values()):
        last = max(ceil(mean), round(mean * log(parents + 1)))
        waiting = {ceil(s * parents): round(-mean * log(1 - s)) for s in (0.5, 0.95, 0.99)}
        return sorted({0: 0.0, **waiting, parents: last}.items())  # of few parents several of these are one rank
    points = {0: 0.0}
    for share, quantity in shares.items():
        if quantity is not None:
            points[ceil(share * parents)] = max(quantity.value, *points.values(), 0.0)
    points.setdefault(parents, max(points.values()))
    return sorted(points.items())


def _bent(points: list[tuple[int, float]], bend: float) -> list[tuple[int, int]]:
    """How many ranks have which fan-out when it rises between the points as a power: late when `bend` is large."""
    found: list[tuple[int, int]] = []
    for (start, low), (end, high) in pairwise(points):
        ranks, least, most = end - start, round(low), round(high)
        step = max(1, (most - least) // MOST_RUNS)
        done = 0
        for value in range(least, most, step):
            share = min(1.0, (value + step - 0.5 - least) / (most - least)) ** (1 / bend)
            upto = min(ranks - 1, max(done, round(share * ranks)))
            found.append((upto - done, value))
            done = upto
        found.append((ranks - done, most))
    return [(ranks, value) for ranks, value in found if ranks > 0]


def _total(counted: list[tuple[int, int]]) -> int:
    return sum(ranks * value for ranks, value in counted)


def _made(parents: int, counted: list[tuple[int, int]]) -> ParentSlots:
    runs: list[RankRun] = []
    rank = slot = 0
    for ranks, value in counted:
        if value:
            runs.append(RankRun(rank, slot, value))
        rank, slot = rank + ranks, slot + ranks * value
    return ParentSlots(parents, slot, tuple(runs), tuple(run.slot for run in runs))
