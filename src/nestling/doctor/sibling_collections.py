"""Collections whose names differ only in digits, such as one for each month: what is advised for one is advised for all."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from nestling.ir.facts import CollectionFacts, PathFacts

Name = TypeVar("Name", str, int)
_DIGITS = re.compile(r"\d+")
Siblings = Mapping[tuple[str, str], Sequence[CollectionFacts]]
"""By database and stem, such as `events_#`, the collections with such names."""


def stem(collection: CollectionFacts) -> str:
    """The name with `#` for its digits."""
    return _DIGITS.sub("#", collection.name)


def siblings(collections: Iterable[CollectionFacts]) -> Siblings:
    """The collections by database and stem."""
    found: dict[tuple[str, str], list[CollectionFacts]] = defaultdict(list)
    for each in collections:
        found[each.database, stem(each)].append(each)
    return found


def in_all(path: PathFacts, collection: CollectionFacts, among: Siblings) -> PathFacts:
    """The path with the types, texts and forms that it has in the collection and in all its siblings."""
    others = [each.path(*path.steps) for each in among[collection.database, stem(collection)]]
    paths = [each for each in others if each is not None]
    return replace(
        path,
        types=_sums(each.types for each in paths),
        forms=_sums(each.forms for each in paths),
        subtypes=_sums(each.subtypes for each in paths),
        empty=sum(each.empty for each in paths),
        dateless=sum(each.dateless for each in paths),
    )


def _sums(found: Iterable[Iterable[tuple[Name, int]]]) -> tuple[tuple[Name, int], ...]:
    total = Counter[Name]()
    for each in found:
        total.update(dict(each))
    return tuple(total.most_common())
