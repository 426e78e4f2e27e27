"""Time series collection (C3): the server itself puts the events of one series into buckets, where nothing else is asked of it.

Such a collection takes no part in transactions and keeps no key unique, so it is proposed for events that have no key and no
parent to be checked, are only added, and have a time that is never NULL. Servers have them from version 5.0 on.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Bucketed, Suggestion
from nestling.ir.primitives import BucketWindow, WindowUnit
from nestling.ir.situation import Situation
from nestling.ir.situation.time_series import are_events, not_kept, series_tags, series_times

MOST_EVENTS = 1_000
"""Events the server puts into one bucket at most."""
SPANS = (WindowUnit.HOUR, WindowUnit.DAY, WindowUnit.MONTH)
"""What one bucket spans at the granularities seconds, minutes and hours."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """For each series statements ask for, one per granularity."""
    for entity in situation.model.entities:
        if any(not_kept(situation, entity)) or not are_events(situation, entity):
            continue
        for meta in series_tags(situation, entity):
            motives = tuple(
                s.name
                for s in situation.statements_of[entity.name]
                if any(a.entity == entity.name and any(f.attribute == meta for f in a.filters) for a in s.accesses)
            )
            for time in series_times(entity):
                for unit in SPANS:
                    part = Bucketed(entity.name, (meta,), BucketWindow(time, unit), MOST_EVENTS, native=True)
                    name = f"{entity.name} as a time series by {meta} and {unit} of {time}"
                    yield Suggestion(name, part, motives)
