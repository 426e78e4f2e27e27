"""Numbers that look random and are functions of other numbers: permutations and hashes, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from random import Random

_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Permutation:
    """The numbers from 0 to `size` - 1 in another order."""

    size: int
    factor: int
    offset: int

    def __call__(self, number: int) -> int:
        """The number that takes the place of `number`."""
        return (number * self.factor + self.offset) % self.size


def permutation(size: int, *names: object) -> Permutation:
    """The permutation of that name."""
    chance = Random(" ".join(map(str, names)))  # noqa: S311 - not secret
    if size < 2:
        return Permutation(max(size, 1), 1, 0)
    factor = chance.randrange(size // 4 + 1, size)
    while gcd(factor, size) != 1:
        factor = factor % size + 1
    return Permutation(size, factor, chance.randrange(size))


def scattered(number: int, salt: int) -> int:
    """64 bits that depend on every bit of both."""
    mixed = (number * 0x9E3779B97F4A7C15 + salt) & _WORD
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _WORD
    return mixed ^ (mixed >> 31)


def salt(*names: object) -> int:
    """The number a name stands for."""
    return Random(" ".join(map(str, names))).getrandbits(64)  # noqa: S311 - not secret
