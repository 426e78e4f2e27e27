"""Archives that are asked for (C8), in words: how much lies apart, what it saves, and what still looks in both places."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.primitives import Collection
from nestling.ir.situation.situation import Situation


def archives(situation: Situation, collections: tuple[Collection, ...]) -> Iterator[str]:
    """A sentence for each archive asked for; its price is no part of the search, as the application asks for it."""
    made = {
        collection.root: split.collection
        for collection in collections
        for split in collection.splits
        if split.rows is not None
    }
    for entity, attribute, before in situation.requirements.archive:
        if entity not in made:
            yield f"`{entity}`: no archive of rows before {before}: they are in documents of others, or in buckets"
            continue
        touching = sorted({each.name for each in situation.statements_of[entity]})
        read = f"{', '.join(touching[:3])}{f' and {len(touching) - 3} more' if len(touching) > 3 else ''}"
        yield (
            f"`{entity}`: rows whose `{attribute}` is before {before} lie in `{made[entity]}`, with the same indexes, so that"
            f" what is read often stays small in the cache; {read or 'what reads them'} look in both collections; rows do not"
            " move by themselves: make a design with a later date and migrate to it"
        )
