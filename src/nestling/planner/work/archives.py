"""What is known of the rows in an archive, and of the others: their number, and the distribution of the values between them."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.distribution import below, split_at
from nestling.ir.primitives import Before
from nestling.ir.statistics import Quantity, Statistics, value_of
from nestling.ir.storage.layout import Role, StoredCollection

UNKNOWN_SHARE = 0.5
"""The share of rows taken to be old where it is not known how their values lie."""


def share_before(entity: str, rows: Before, statistics: Statistics) -> float:
    """The share of an entity's rows whose attribute is before a value; NULL never is."""
    known = statistics.entity(entity).attribute(rows.attribute)
    found = below(known.values, rows.value) if known.values is not None else None
    return UNKNOWN_SHARE if found is None else found * (1 - value_of(known.null_share, 0.0))


def as_parted(store: StoredCollection, statistics: Statistics) -> Statistics:
    """The statistics of the root rows a store holds, where its collection has an archive."""
    is_old = store.role is Role.ARCHIVE
    splits = (store.split,) if is_old else store.collection.splits if store.role is Role.HOME else ()
    for split in splits:
        if split is not None and split.rows is not None:
            statistics = part_of(store.collection.root, split.rows, statistics, old=is_old)
    return statistics


def part_of(entity: str, rows: Before, statistics: Statistics, *, old: bool) -> Statistics:
    """The statistics as if an entity had but the rows before a value, or but the others."""
    known = statistics.entity(entity)
    attribute = known.attribute(rows.attribute)
    share, missing = share_before(entity, rows, statistics), value_of(attribute.null_share, 0.0)
    part = share if old else 1 - share
    early, late = split_at(attribute.values, rows.value) if attribute.values is not None else (None, None)
    nulls = Quantity(0.0 if old or part <= 0 else min(missing / part, 1.0))
    told = replace(attribute, null_share=nulls, values=early if old else late)
    count = replace(known.count, value=known.count.value * part) if known.count is not None else None
    numbers = replace(
        known,
        count=count,
        attributes=(
            *((name, each) for name, each in known.attributes if name != rows.attribute),
            (rows.attribute, told),
        ),
    )
    others = tuple((name, each) for name, each in statistics.entities if name != entity)
    return replace(statistics, entities=(*others, (entity, numbers)))
