"""Buckets: how full they are, and the ways to find, group and add events in them.

A bucketed collection always has two indexes besides `_id`: one finds the bucket an event goes to, one the events by their key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nestling.ir.candidate import Bucketed
from nestling.ir.paths import work_of
from nestling.ir.paths.work import NO_WORK, Work
from nestling.ir.situation import Situation, rows_per_day
from nestling.ir.storage.collations import attributes_sought
from nestling.ir.workload import Access, Operator
from nestling.planner.known.bucket_fill import events_in_bucket, windows_of_series
from nestling.planner.options.sizes.sizes import Sizes
from nestling.planner.work.stream import Condition

HEADER_BYTES = 120.0
"""A bucket's `_id`, window, page and number of events."""
SUMMARY_BYTES = 24.0
"""One value of a summary with its name."""
KEY_STAGES = 5.0
"""Stages of the pipeline that looks for an event with the same key."""
WINDOW_STAGES = 3.0
"""Stages that ask where buckets begin, and for a time of their events, before these are taken out and after."""
PAGE_STAGES = 3.0
"""Stages of the pipeline that finds the number of the next bucket."""


def owners(sizes: Sizes, bucket: Bucketed) -> float:
    """How many series there are."""
    found = 1.0
    for name in bucket.by:
        found *= sizes.distinct(bucket.entity, name)
    return min(found, sizes.rows(bucket.entity))


def filled(situation: Situation, sizes: Sizes, bucket: Bucketed) -> float:
    """Rows in one bucket on average."""
    return events_in_bucket(
        sizes.rows(bucket.entity),
        owners(sizes, bucket),
        limit=bucket.limit,
        window_days=bucket.window.unit.days if bucket.window is not None else None,
        rows_per_day=rows_per_day(situation, bucket.entity),
    )


def windows_met(situation: Situation, sizes: Sizes, bucket: Bucketed, access: Access) -> float:
    """The share of a series' buckets whose windows meet what an access asks of the time of events; 1 where that is nothing."""
    if bucket.native or bucket.window is None:
        return 1.0
    is_one_type = not situation.model.entity(access.entity).attribute(bucket.window.attribute).is_of_several_types
    asked = [each for each in access.filters if each.attribute == bucket.window.attribute and is_one_type]
    one = 1 / windows_of_series(
        sizes.rows(bucket.entity),
        owners(sizes, bucket),
        window_days=bucket.window.unit.days,
        rows_per_day=rows_per_day(situation, bucket.entity),
    )
    ranges = (sizes.share(access, each) + one for each in asked if each.operator is Operator.RANGE)
    moments = (one for each in asked if each.operator is Operator.EQUALITY)
    return min((*ranges, *moments, 1.0))


def in_windows(conditions: Sequence[Condition], bucket: Bucketed, met: float) -> tuple[Condition, ...]:
    """The conditions as they apply to events of the buckets whose windows meet the condition on their time."""
    if bucket.window is None:
        return tuple(conditions)
    times = bucket.window.attribute
    return tuple(replace(each, share=min(each.share / met, 1.0)) if each.path == times else each for each in conditions)


def bucket_bytes(sizes: Sizes, bucket: Bucketed, events: float) -> float:
    """Bytes of a bucket with so many events."""
    each = sizes.row_bytes(bucket.entity) - (
        sizes.bytes_of(bucket.entity, bucket.by) - sizes.bytes_of(bucket.entity, ())
    )
    return HEADER_BYTES + SUMMARY_BYTES * len(bucket.summary) + events * max(each, 1.0)


@dataclass(frozen=True, slots=True)
class FoundBuckets:
    """Buckets an index finds: a word for the way, their number, the entries walked over, and the attributes it was asked for."""

    text: str
    documents: float
    keys: float
    served: frozenset[str]


def found_buckets(situation: Situation, sizes: Sizes, bucket: Bucketed, access: Access) -> Iterator[FoundBuckets]:
    """The ways the two indexes find the buckets of an access."""
    each = filled(situation, sizes, bucket)
    conditions = {each.attribute: each for each in access.filters}
    equal = (name for name, condition in conditions.items() if condition.operator is Operator.EQUALITY)
    exact = attributes_sought(situation.model.entity(access.entity), equal)
    key = indexed(situation, bucket)
    if situation.model.entity(bucket.entity).key and set(key) <= exact:
        yield FoundBuckets("by key", 1.0, 1.0, frozenset(key))
        return
    if not set(bucket.by) <= exact:
        return
    rows = sizes.rows(bucket.entity)
    for name in bucket.by:
        rows *= sizes.share(access, conditions[name])
    met = windows_met(situation, sizes, bucket, access)
    documents = max(met * rows / each, 1.0)
    yield FoundBuckets("by series and window" if met < 1 else "by series", documents, documents, frozenset(bucket.by))
    ranged = (
        conditions.get(key[len(bucket.by)])
        if key[: len(bucket.by)] == bucket.by and len(key) > len(bucket.by)
        else None
    )
    if ranged is not None and ranged.operator is Operator.RANGE and met == 1:
        rows *= sizes.share(access, ranged)
        documents = min(rows / each + 1, documents)
        yield FoundBuckets("by series and key", documents, rows, frozenset((*bucket.by, ranged.attribute)))


def indexed(situation: Situation, bucket: Bucketed) -> tuple[str, ...]:
    """The attributes of the index that finds events: their key, or in a time series the series and the time."""
    if bucket.native and bucket.window is not None:
        return (*bucket.by, bucket.window.attribute)
    return bucket.keyed_by(situation.model.entity(bucket.entity).key)


def grouped_work(situation: Situation, sizes: Sizes, bucket: Bucketed, access: Access) -> Work:
    """Groups summed up from the buckets' summaries, no event looked at."""
    each = filled(situation, sizes, bucket)
    rows = sizes.rows(bucket.entity)
    for condition in access.filters:
        rows *= sizes.share(access, condition)
    documents, size = max(rows / each, 1.0), bucket_bytes(sizes, bucket, each)
    read = work_of.fetch_by_index(documents, size) if access.filters else work_of.scan(documents, size)
    return read + work_of.group(documents, documents)


def pushed(situation: Situation, sizes: Sizes, bucket: Bucketed) -> Work:
    """The work of one more event: found by its key, pushed to a half full bucket, sometimes to a new one, its summary updated."""
    each = filled(situation, sizes, bucket)
    half = bucket_bytes(sizes, bucket, each / 2)
    if bucket.native:  # one request; the server adds the event to its bucket
        return work_of.insert(1, sizes.row_bytes(bucket.entity), 1 / each) + work_of.update(1, half)
    is_checked = bool(situation.model.entity(bucket.entity).key)
    checked = work_of.request(KEY_STAGES) + work_of.fetch_by_index(0, half) if is_checked else NO_WORK
    added = work_of.fetch_by_index(1, half) + work_of.update(1, half, index_entries_changed=0.5, grows=True)
    opened = (work_of.request(PAGE_STAGES) + work_of.request() + work_of.insert(1, half, 2)) * (1 / each)
    return checked + added + opened + summed(sizes, bucket, each)


def summed(sizes: Sizes, bucket: Bucketed, each: float) -> Work:
    """The work of computing the summary of one bucket again, together with the change."""
    if not bucket.summary:
        return NO_WORK
    half = bucket_bytes(sizes, bucket, each / 2)
    read = work_of.request(work_of.light(2)) + work_of.fetch_by_index(1, half) + work_of.unwind(each / 2)
    return read + work_of.request() + work_of.fetch_by_index(1, half) + work_of.update(1, half) + work_of.transaction()
