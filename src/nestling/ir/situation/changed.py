"""The entities whose rows a write affects: its own, and those that foreign keys delete or change with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from nestling.ir.model import Model, OnDelete, OnUpdate, Relationship
from nestling.ir.workload import StatementKind

if TYPE_CHECKING:
    from nestling.ir.situation.situation import Situation


def changed_entities(situation: Situation) -> frozenset[str]:
    """The entities with rows that a statement of the workload inserts, changes or deletes."""
    return frozenset().union(
        *(
            _reached(situation.model, access.entity, access.kind is StatementKind.DELETE, access.attributes)
            for statement in situation.reading.workload.statements
            for access in statement.accesses
            if access.kind.writes
        )
    )


def taking_along(model: Model, entity: str) -> tuple[str, ...]:
    """The other entities whose deleted rows delete or change rows of this one."""
    names = (other.name for other in model.entities if other.name != entity)
    return tuple(name for name in names if entity in _reached(model, name, deleted=True))


def looked_for(model: Model, entity: str, deleted: bool, attributes: Iterable[str] = ()) -> Iterator[Relationship]:
    """The foreign keys by which children are searched when a row is removed, or gets other values of the attributes.

    The change may be refused because of these children, or they change too, and their own children are searched as well.
    """
    for name, gone, changed in _steps(model, entity, deleted, attributes):
        for link in model.children_of(name):
            if link.enforced and not link.is_self and (gone or changed & set(link.parent_attributes)):
                yield link


def _reached(model: Model, entity: str, deleted: bool, attributes: Iterable[str] = ()) -> frozenset[str]:
    """The entities whose rows change when a row is removed, or has other values of the attributes."""
    return frozenset(name for name, _, _ in _steps(model, entity, deleted, attributes))


def _steps(
    model: Model, entity: str, deleted: bool, attributes: Iterable[str]
) -> tuple[tuple[str, bool, frozenset[str]], ...]:
    """The row itself and its dependants: the entity, whether rows are deleted, and which attributes change."""
    start = (entity, deleted, frozenset(attributes))
    found, waiting = {start: None}, [start]
    while waiting:
        parent, deleted, changed = waiting.pop()
        for link, removes in going_along(model, parent, deleted, changed):
            step = (link.child, removes, frozenset(link.child_attributes))
            if step not in found:
                found[step] = None
                waiting.append(step)
    return tuple(found)


def going_along(
    model: Model, entity: str, deleted: bool, attributes: frozenset[str]
) -> Iterator[tuple[Relationship, bool]]:
    """The foreign keys by which children go along with a row that is removed, or has other values of the attributes; whether
    that removes them too.
    """
    for link in model.children_of(entity):
        removes = deleted and link.on_delete is OnDelete.CASCADE
        lets_go = deleted and link.on_delete in (OnDelete.SET_NULL, OnDelete.SET_DEFAULT)
        follows = bool(attributes & set(link.parent_attributes)) and link.on_update is not OnUpdate.RESTRICT
        if link.enforced and (removes or lets_go or follows):
            yield link, removes
