"""Split: attributes that frequent statements neither read nor change are stored in a second document with the same `_id` (F2).

A value that changes often stays: the server rewrites a changed document as a whole, so the rest of the document should be
small.

Huge values go to GridFS whatever the cost, because no document could hold them: the situation's `blobs`.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.ir.candidate import Cold, Suggestion
from nestling.ir.model import Entity
from nestling.ir.quantity_words import first_of
from nestling.ir.situation import Situation
from nestling.ir.workload import StatementKind

RARE = 0.1
"""An attribute is rare if its reads and changes have at most this share of the rate of the most read attribute."""
LEAST_BYTES = 200.0
"""If the rare attributes together are smaller than this, a second document is not worth it."""


def candidates(situation: Situation) -> Iterator[Suggestion]:
    """One for each entity with large attributes that are rarely read."""
    for entity in situation.model.entities:
        read, changed = _read(situation, entity), _changed(situation, entity)
        if not entity.key or not read:
            continue
        rare = max(read.values()) * RARE
        movable = _movable(situation, entity)
        cold = tuple(name for name in movable if read.get(name, 0.0) <= rare and changed.get(name, 0.0) <= rare)
        if cold and _bytes(situation, entity, cold) >= LEAST_BYTES:
            names = first_of(cold, len(cold) if len(cold) <= 3 else 1)
            motives = tuple(_often(situation, entity, cold))
            yield Suggestion(f"{names} of {entity.name} apart", Cold(entity.name, cold), motives)


def _read(situation: Situation, entity: Entity) -> dict[str, float]:
    """Return how often each attribute is read or searched for, per second."""
    found: dict[str, float] = {}
    for statement in situation.statements_of[entity.name]:
        for access in statement.accesses if not statement.kind.writes else ():
            if access.entity == entity.name:
                for name in {*access.attributes, *(each.attribute for each in access.filters)}:
                    found[name] = found.get(name, 0.0) + statement.rate_per_second
    return found


def _changed(situation: Situation, entity: Entity) -> dict[str, float]:
    """Return how often each attribute of existing rows is changed, per second."""
    found: dict[str, float] = {}
    for statement in situation.statements_of[entity.name]:
        for access in statement.accesses:
            if access.entity == entity.name and access.kind is StatementKind.UPDATE:
                for name in access.attributes:
                    found[name] = found.get(name, 0.0) + statement.rate_per_second
    return found


def _movable(situation: Situation, entity: Entity) -> Iterator[str]:
    """Yield attributes that are not used to find, identify, join or sort rows."""
    linked = situation.model.linked_attributes(entity.name)
    fixed = {*entity.unique_attributes, *situation.blobs[entity.name], *linked}
    for statement in situation.statements_of[entity.name]:
        for access in statement.accesses:
            if access.entity == entity.name:
                fixed |= {each.attribute for each in access.filters} | {name for name, _ in access.order}
    return (name for name in entity.attribute_names if name not in fixed)


def _bytes(situation: Situation, entity: Entity, names: tuple[str, ...]) -> float:
    known = situation.statistics.entity(entity.name)
    widths = (known.attribute(name).average_bytes for name in names)
    return sum(width.value for width in widths if width is not None)


def _often(situation: Situation, entity: Entity, cold: tuple[str, ...]) -> Iterator[str]:
    """Yield the statements that read the entity but none of these attributes."""
    for statement in situation.statements_of[entity.name]:
        own = [access for access in statement.accesses if access.entity == entity.name]
        if own and not statement.kind.writes and not any(set(access.attributes) & set(cold) for access in own):
            yield statement.name
