"""Time series collection (C3): the server itself puts the events of one series into buckets, where nothing else is asked of it.

Such a collection takes no part in transactions and keeps no key unique, so it is proposed for events that have no key and no
parent to be checked, are only added, and have a time that is never NULL. Servers have them from version 5.0 on.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Bucketed, Structure
from nestling.ir.model import Entity
from nestling.ir.primitives import Window, WindowUnit
from nestling.ir.situation import Situation, is_only_added_to, rows_per_day
from nestling.ir.types import TypeName
from nestling.ir.workload import Operator
from nestling.patterns.bucket import times_of

MOST_EVENTS = 1_000
"""Events the server puts into one bucket at most."""
SPANS = (WindowUnit.HOUR, WindowUnit.DAY, WindowUnit.MONTH)
"""What one bucket spans at the granularities seconds, minutes and hours."""
_TAGS = (TypeName.INTEGER, TypeName.TEXT, TypeName.UUID, TypeName.BOOLEAN)


def candidates(situation: Situation) -> Iterator[Structure]:
    """For each series statements ask for, one per granularity."""
    for entity in situation.model.entities:
        if not _serves(situation, entity):
            continue
        for meta in _asked_for(situation, entity):
            motives = tuple(
                s.name
                for s in situation.statements_of[entity.name]
                if any(a.entity == entity.name and any(f.attribute == meta for f in a.filters) for a in s.accesses)
            )
            for time in times_of(entity):
                if entity.attribute(time).type.fraction_digits <= 3:
                    for unit in SPANS:
                        part = Bucketed(entity.name, (meta,), Window(time, unit), MOST_EVENTS, native=True)
                        name = f"{entity.name} as a time series by {meta} and {unit} of {time}"
                        yield Structure(name, part, motives)


def _serves(situation: Situation, entity: Entity) -> bool:
    """Whether nothing is asked of the rows that a time series collection cannot do."""
    related = situation.parents[entity.name] or situation.children[entity.name]
    told_apart = entity.key or entity.uniques
    grows = rows_per_day(situation, entity.name) is not None
    return not related and not told_apart and grows and is_only_added_to(situation, entity.name)


def _asked_for(situation: Situation, entity: Entity) -> tuple[str, ...]:
    """The attributes statements compare for equality: what may tell the series apart."""
    found = (
        each.attribute
        for statement in situation.statements_of[entity.name]
        for access in statement.accesses
        if access.entity == entity.name and not access.kind.writes
        for each in access.filters
        if each.operator is Operator.EQUALITY and entity.attribute(each.attribute).type.name in _TAGS
    )
    return tuple(dict.fromkeys(found))
