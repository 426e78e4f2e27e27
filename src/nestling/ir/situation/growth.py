"""How fast an entity grows: what is known of it, else what the workload inserts."""

from __future__ import annotations

from nestling.ir.situation.situation import Situation
from nestling.ir.workload import StatementKind

SECONDS_PER_DAY = 86_400.0


def rows_per_day(situation: Situation, entity: str) -> float | None:
    """New rows a day; None where neither the statistics nor an INSERT tell."""
    known = situation.statistics.entity(entity).growth_per_day
    if known is not None and known.value > 0:
        return known.value
    inserted = sum(
        statement.rate_per_second
        for statement in situation.reading.workload.statements
        for access in statement.accesses
        if access.entity == entity and access.kind is StatementKind.INSERT
    )
    return inserted * SECONDS_PER_DAY if inserted else None


def is_only_added_to(situation: Situation, entity: str) -> bool:
    """Whether statements insert rows of the entity and never change or delete one."""
    kinds = {
        access.kind
        for statement in situation.reading.workload.statements
        for access in statement.accesses
        if access.entity == entity and access.kind.writes
    }
    return kinds <= {StatementKind.INSERT}
