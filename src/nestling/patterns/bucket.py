"""Bucket (C3): events of one series in one document, by time window or by number, with summaries if statements ask for them.

Proposed if statements find an entity's rows by their series (a foreign key, or the key without its time). The costs decide
which window and how many events; a document stays within its bound.

A time range reads only the buckets of a series whose windows overlap it, which an index finds by the series and the beginning
of the window. If no series is given, all buckets are examined, and only the events of those with an overlap are unwound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.candidate import Bucketed, Suggestion, summaries
from nestling.ir.model import Entity
from nestling.ir.primitives import OF_BUCKETS, BucketWindow, WindowUnit
from nestling.ir.situation import Situation, rows_per_day
from nestling.ir.situation.time_series import event_times
from nestling.ir.types import COMPOSITE, TypeName
from nestling.ir.workload import Access, Operator

COUNTS = (50, 200, 1_000)
"""Events in one bucket without a time window."""
SMALLEST = 4.0
"""Least average number of events in a window; with fewer a bucket groups next to nothing."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """For each series of events, one bucket for each window and each count that fits."""
    for entity in situation.model.entities:
        if situation.children[entity.name] or situation.blobs[entity.name] or _is_link(situation, entity):
            continue
        for by in series(situation, entity):
            motives = tuple(_motives(situation, entity.name, by))
            for window, limit in _shapes(situation, entity, by) if motives else ():
                yield _candidate(situation, entity, by, window, limit, motives)


def _is_link(situation: Situation, entity: Entity) -> bool:
    """Whether the entity is a junction without further attributes, which is an array of ids and not a series of events."""
    both = situation.model.link_through(entity.name)
    return both is not None and set(entity.attribute_names) == set(entity.key)


def series(situation: Situation, entity: Entity) -> Iterator[tuple[str, ...]]:
    """Yield the attributes that identify a series: each foreign key, and the key without its time."""
    found = [link.child_attributes for link in situation.parents[entity.name]]
    times = set(event_times(entity))
    rest = tuple(name for name in entity.key if name not in times)
    if rest and len(rest) < len(entity.key):
        found.append(rest)
    yield from (by for by in dict.fromkeys(found) if all(_tells_apart(entity, name) for name in by))


def _tells_apart(entity: Entity, name: str) -> bool:
    """Whether buckets can be formed by the attribute."""
    attribute = entity.attribute(name)
    return not (attribute.nullable or attribute.type.name in COMPOSITE or name in OF_BUCKETS)


def _motives(situation: Situation, entity: str, by: tuple[str, ...]) -> Iterator[str]:
    for statement in situation.reading.workload.statements:
        if not statement.kind.writes and any(
            access.entity == entity and (_finds_series(situation, access, by) or access.grouping is not None)
            for access in statement.accesses
        ):
            yield statement.name


def _finds_series(situation: Situation, access: Access, by: tuple[str, ...]) -> bool:
    """Whether the access selects the rows of one series, by its own conditions or through a join."""
    exact = access.compared(Operator.EQUALITY)
    key = situation.model.entity(access.entity).key
    joined = access.via is not None and situation.model.relationship(access.via).child_attributes == by
    return joined or (set(by) <= exact and not (key and set(key) <= exact))


def _shapes(situation: Situation, entity: Entity, by: tuple[str, ...]) -> Iterator[tuple[BucketWindow | None, int]]:
    """Yield windows that hold at least a few events, and counts, as far as a document has room for them."""
    room = _room(situation, entity.name)
    count = situation.statistics.entity(entity.name).count
    if count is None or room < SMALLEST:
        return
    yield from ((None, limit) for limit in COUNTS if limit <= room)
    per_day = rows_per_day(situation, entity.name)
    owners = _owners(situation, entity.name, by)
    if per_day is not None and owners is not None:
        for attribute in event_times(entity):
            for unit in WindowUnit:
                if per_day / owners * unit.days >= SMALLEST and not (
                    unit in (WindowUnit.MINUTE, WindowUnit.HOUR)
                    and entity.attribute(attribute).type.name is TypeName.DATE
                ):
                    yield BucketWindow(attribute, unit), room


def _room(situation: Situation, entity: str) -> int:
    """Return how many events fit into a document: within size guidance, the required bounds, and a thousand."""
    requirements = situation.requirements
    size = min(requirements.document_bound_bytes / 2, float(situation.thresholds.children_bytes))
    room = int(size / max(situation.row_bytes[entity], 1.0))
    return min(room, COUNTS[-1], requirements.array_bound if requirements.array_bound is not None else room)


def _owners(situation: Situation, entity: str, by: tuple[str, ...]) -> float | None:
    """Return the number of series."""
    known = [situation.statistics.entity(entity).attribute(name).distinct for name in by]
    if any(each is None for each in known):
        parents = [link for link in situation.parents[entity] if link.child_attributes == by]
        counts = [situation.statistics.entity(link.parent).count for link in parents]
        return max((each.value for each in counts if each is not None), default=None)
    total = 1.0
    for each in known:
        total *= max(each.value if each is not None else 1.0, 1.0)
    return total


def _candidate(
    situation: Situation,
    entity: Entity,
    by: tuple[str, ...],
    window: BucketWindow | None,
    limit: int,
    motives: tuple[str, ...],
) -> Suggestion:
    plain = Bucketed(entity.name, by, window, limit)
    asked = [
        item
        for statement in situation.statements_of[entity.name]
        for access in statement.accesses
        if access.grouping is not None and plain.is_coarse(access)
        for item in summaries(access.grouping.aggregates)
    ]
    size = f"one for each {window.unit} of {window.attribute}" if window is not None else f"{limit:,} in each"
    name = f"{entity.name} in buckets by {', '.join(by)}, {size}"
    return Suggestion(name, replace(plain, summary=tuple(dict.fromkeys(asked))), motives)
