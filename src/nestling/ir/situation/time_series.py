"""Time series collections: which entities are series of events, and what such a collection cannot store."""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.model import Entity
from nestling.ir.situation.growth import is_only_added_to, rows_per_day
from nestling.ir.situation.situation import Situation
from nestling.ir.types import TIMES, TypeName
from nestling.ir.workload import Access, Operator

_TAGS = (TypeName.INTEGER, TypeName.TEXT, TypeName.UUID, TypeName.BOOLEAN)
MOST_FRACTION_DIGITS = 3
"""The server keeps the time of an event to the millisecond."""


def event_times(entity: Entity) -> tuple[str, ...]:
    """The attributes that say when an event was: dates and times that are never NULL."""
    return tuple(a.name for a in entity.attributes if a.type.name in TIMES and not a.nullable)


def series_times(entity: Entity) -> tuple[str, ...]:
    """The event times that a time series collection can use."""
    digits = MOST_FRACTION_DIGITS
    return tuple(name for name in event_times(entity) if entity.attribute(name).type.fraction_digits <= digits)


def series_tags(situation: Situation, entity: Entity) -> tuple[str, ...]:
    """The attributes that statements compare for equality, which may identify the series."""
    found = (
        each.attribute
        for access in _reads(situation, entity)
        for each in access.filters
        if each.operator is Operator.EQUALITY and entity.attribute(each.attribute).type.name in _TAGS
    )
    return tuple(dict.fromkeys(found))


def are_events(situation: Situation, entity: Entity) -> bool:
    """Whether rows come and never change, so that a time series collection could take them."""
    return rows_per_day(situation, entity.name) is not None and is_only_added_to(situation, entity.name)


def not_kept(situation: Situation, entity: Entity) -> Iterator[str]:
    """What a time series collection cannot provide for an entity, in words: it has no unique index and no transactions."""
    if entity.key:
        yield f"the key ({', '.join(entity.key)})"
    yield from (f"that {', '.join(group)} is unique" for group in entity.uniques)
    yield from (f"the foreign key to `{link.parent}`" for link in situation.parents[entity.name])
    yield from (f"the foreign key of `{link.child}`" for link in situation.children[entity.name])


def ruled_out(situation: Situation) -> Iterator[str]:
    """A note for each entity that is read like a time series but cannot be stored as one."""
    for entity in situation.model.entities:
        kept = tuple(not_kept(situation, entity))
        if kept and are_events(situation, entity) and series_tags(situation, entity) and _by_time(situation, entity):
            lost = f"{', '.join(kept[:-1])} and {kept[-1]}" if len(kept) > 1 else kept[0]
            them = "them" if len(kept) > 1 else "it"
            yield (
                f"`{entity.name}`: no time series collection was considered: it cannot enforce {lost}; if the application can do"
                f" without {them}, remove {them} from the model and design again"
            )


def _by_time(situation: Situation, entity: Entity) -> bool:
    """Whether statements ask for the events of a time, or group them by it."""
    times = set(series_times(entity))
    return any(
        any(each.operator is Operator.RANGE and each.attribute in times for each in access.filters)
        or (access.grouping is not None and any(name in times for name, _ in access.grouping.keys))
        for access in _reads(situation, entity)
    )


def _reads(situation: Situation, entity: Entity) -> Iterator[Access]:
    for statement in situation.statements_of[entity.name]:
        yield from (each for each in statement.accesses if each.entity == entity.name and not each.kind.writes)
