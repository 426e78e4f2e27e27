"""A sample of a stream whose length nobody knows: every row with the same chance, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


def reservoir(items: Iterable[Item], size: int, chance: Random) -> list[Item]:
    """At most `size` of the items, none twice, in random order."""
    kept: list[Item] = []
    for number, item in enumerate(items):
        if number < size:
            kept.append(item)
        elif (place := int(chance.random() * (number + 1))) < size:
            kept[place] = item
    chance.shuffle(kept)
    return kept
