"""Archive (C8): rows before a point in time are stored in another collection, so that reads of later rows touch few documents.

Proposed if statements ask for rows from a time on, and most rows are older, according to the statement's text or sample values.
Such a statement reads one collection once the values of its parameters are known. An application that runs the pipeline as
printed also queries the archive in vain, which needs an index there. All other statements search both collections. Rows do not
move by themselves: a migration to a later time moves them, which is part of the price of a new row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nestling.ir.candidate import Archived, Suggestion
from nestling.ir.distribution import below
from nestling.ir.model import Entity
from nestling.ir.primitives import Before
from nestling.ir.situation import Situation
from nestling.ir.situation.time_series import event_times
from nestling.ir.workload import Operator, Statement

LEAST_OLD = 0.5
"""If the archive had a smaller share of the rows than this, reads would hardly become cheaper."""
MOST_BOUNDS = 3
"""Most points in time proposed for one attribute. Those used by the most frequent reads come first."""

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?")


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each entity and point in time from which statements ask for rows."""
    for entity in situation.model.entities:
        if (
            not entity.key
            or any(link.is_self for link in situation.children[entity.name])
            or _is_asked(situation, entity)
        ):
            continue
        for name in event_times(entity):
            if name not in entity.key:
                yield from _of(situation, entity, name)


def _of(situation: Situation, entity: Entity, attribute: str) -> Iterator[Suggestion]:
    known = situation.statistics.entity(entity.name).attribute(attribute).values
    rates: dict[str, float] = {}
    motives: dict[str, list[str]] = {}
    for statement in situation.statements_of[entity.name]:
        if not statement.kind.writes and _is_ranged(statement, entity.name, attribute):
            for value in _times(statement):
                rates[value] = rates.get(value, 0.0) + statement.rate_per_second
                motives.setdefault(value, []).append(statement.name)
    for value in sorted(rates, key=lambda each: -rates[each])[:MOST_BOUNDS]:
        old = below(known, value) if known is not None else None
        if old is not None and LEAST_OLD <= old < 1:
            part = Archived(entity.name, Before(attribute, value))
            text = f"{entity.name} rows with {attribute} before {value} apart"
            yield Suggestion(text, part, tuple(motives[value]))


def _is_asked(situation: Situation, entity: Entity) -> bool:
    """Whether the application itself requires an archive."""
    return any(archived == entity.name for archived, _, _ in situation.requirements.archive)


def _is_ranged(statement: Statement, entity: str, attribute: str) -> bool:
    """Whether a statement selects rows by a range of the attribute."""
    return any(
        access.entity == entity and each.attribute == attribute and each.operator is Operator.RANGE
        for access in statement.accesses
        for each in access.filters
    )


def _times(statement: Statement) -> dict[str, None]:
    """Return the points in time in a statement's text or samples."""
    given = " ".join(str(value) for _, value in statement.samples)
    return dict.fromkeys(_TIME.findall(f"{statement.sql} {given}"))
