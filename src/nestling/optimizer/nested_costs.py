"""Costs of pairs, nested: of things that exclude each other, the cheapest cost is paid by any, the rest by ever fewer.

`3 a·x + 5 a·y` with x, y exclusive is `3 a·(x + y) + 2 a·y`. Each product then holds a sum, not a single structure, which
makes the linear bound much tighter than one product per pair.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from nestling.ir.design_problem import Group

Member = TypeVar("Member")
_Nested = Iterator[tuple[float, list[Member]]]


def nested(costs: Sequence[tuple[float, Member]]) -> _Nested[Member]:
    """Increments of cost, with the members that pay each; positive and negative costs separately."""
    yield from _increments(sorted((cost, place) for place, (cost, _) in enumerate(costs) if cost > 0), costs)
    yield from _increments(
        sorted(((cost, place) for place, (cost, _) in enumerate(costs) if cost < 0), reverse=True), costs
    )


def _increments(ordered: list[tuple[float, int]], costs: Sequence[tuple[float, Member]]) -> _Nested[Member]:
    before = 0.0
    for position, (cost, _) in enumerate(ordered):
        if cost != before:
            yield cost - before, [costs[place][1] for _, place in ordered[position:]]
        before = cost


def nested_pairs(
    pairs: Mapping[tuple[str, str], float], groups: Sequence[Group]
) -> Iterator[tuple[float, str, list[str]]]:
    """Increments of pair costs: (cost, one structure, exclusive others)."""
    groups_of: dict[str, list[str]] = defaultdict(list)
    for group in groups:
        for name in group.among:
            groups_of[name].append(group.name)
    sides = {pair: list(_sides(pair, groups_of)) for pair in pairs}
    sizes = Counter(side for found in sides.values() for side in found)
    buckets: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for pair, cost in pairs.items():
        one, side = max(sides[pair], key=lambda found: (sizes[found], found))
        buckets[one, side].append((cost, pair[1] if pair[0] == one else pair[0]))
    for (one, _), members in buckets.items():
        for increment, others in nested(members):
            yield increment, one, others


def _sides(pair: tuple[str, str], groups_of: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    """The views of a pair: one structure, and the other one's group (or the other one itself)."""
    for one, other in (pair, pair[::-1]):
        yield from ((one, f"group {group}") for group in groups_of.get(other, ()))
        yield one, f"structure {other}"
