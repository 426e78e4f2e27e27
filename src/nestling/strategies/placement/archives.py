"""Archives (C8) in words: what is stored separately, what that saves, and which statements still search both places."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.primitives import Collection
from nestling.ir.situation.situation import Situation


def archives(situation: Situation, collections: tuple[Collection, ...]) -> Iterator[str]:
    """A sentence for each archive, and for each requested archive that cannot be made.

    The price of a requested archive is not part of the search.
    """
    made = [
        (collection.root, split.rows, split.collection)
        for collection in collections
        for split in collection.splits
        if split.rows is not None
    ]
    for entity, _, before in situation.requirements.archive:
        if entity not in {root for root, _, _ in made}:
            yield f"`{entity}`: no archive of rows before {before}: they are embedded in other documents, or in buckets"
    for entity, rows, archive in made:
        yield (
            f"`{entity}`: rows whose `{rows.attribute}` is before {rows.value} are stored in `{archive}`, with the"
            " same indexes; statements not restricted to later rows read both collections; rows do not move by"
            " themselves: make a design with a later date and migrate to it"
        )
