"""Whether two columns hold the same in most rows, and in more of them than chance would have it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nestling.executors.facts.row_hashes import HashedCell

LEAST_EQUAL_SHARE = 0.8
"""Rows that must be equal for one column to be made of the other, though some went stale …"""
BEYOND_CHANCE = 0.7
"""… and how much of what chance leaves open must be equal (Cohen's kappa): what is nearly always 0 agrees by chance."""
FIRST_LOOK = 500
"""Rows looked at first: most columns have nothing to do with each other, and these tell."""
HOPELESS = 0.3
"""The share of equal rows among them below which nobody looks further."""
LEAST_ROWS = 20

Pair = tuple[HashedCell, HashedCell]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of `checked` rows that have a value in one of two columns, `equal` hold the same in both; so many `different` values."""

    checked: int = 0
    equal: int = 0
    different: int = 0
    kappa: float = 0.0

    def is_beyond_chance(self, least_different: int) -> bool:
        """Whether most rows agree, in this many different values at least, and chance does not explain it."""
        is_mostly = self.checked >= LEAST_ROWS and self.equal >= LEAST_EQUAL_SHARE * self.checked
        return is_mostly and self.different >= least_different and self.kappa >= BEYOND_CHANCE


def agreement(mine: Sequence[HashedCell], theirs: Sequence[HashedCell], rows: Sequence[tuple[int, int]]) -> Agreement:
    """How far two columns agree in these rows; an empty `Agreement` if a first look shows that they do not."""
    drawn = random.Random(0).sample(range(len(rows)), min(FIRST_LOOK, len(rows)))  # noqa: S311 - rows may go stale in a rhythm
    first = _given([(mine[one], theirs[other]) for one, other in map(rows.__getitem__, drawn)])
    if len(first) >= LEAST_ROWS and sum(one == other for one, other in first) < HOPELESS * len(first):
        return Agreement()
    given = _given([(mine[one], theirs[other]) for one, other in rows])
    if not given:
        return Agreement()
    equal = [one for one, other in given if one == other]
    by_chance = _by_chance(given)
    kappa = (len(equal) / len(given) - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0
    return Agreement(len(given), len(equal), len(set(equal)), kappa)


def _given(pairs: Sequence[Pair]) -> list[Pair]:
    """The rows with something to compare, without those in which both values are missing."""
    return [pair for pair in pairs if pair[0] is not None or pair[1] is not None]


def _by_chance(pairs: Sequence[Pair]) -> float:
    """The share of rows that would agree if one column's values were shuffled."""
    mine, theirs = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    return sum(times * theirs[value] for value, times in mine.items()) / len(pairs) ** 2
