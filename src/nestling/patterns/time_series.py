"""Time series collection (C3): the server itself groups the events of one series into buckets, if nothing else is needed.

Such a collection takes no part in transactions and keeps no key unique. So it is proposed for events that have no key, have no
parent that must be checked, are only inserted, and have a time that is never NULL. Requires server version 5.0 or later.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Bucketed, Suggestion
from nestling.ir.primitives import BucketWindow, WindowUnit
from nestling.ir.situation import Situation
from nestling.ir.situation.time_series import are_events, not_kept, series_tags, series_times

MOST_EVENTS = 1_000
"""Most events that the server puts into one bucket."""
SPANS = (WindowUnit.HOUR, WindowUnit.DAY, WindowUnit.MONTH)
"""Time span of one bucket for the granularities seconds, minutes and hours."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """For each series that statements ask for, one per granularity."""
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
