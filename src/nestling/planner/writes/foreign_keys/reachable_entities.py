"""Which entities a write may reach by its foreign keys, and in which order: whoever refers comes after whom it refers to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from nestling.ir.design import Design
from nestling.ir.model import OnDelete, OnUpdate, Relationship
from nestling.planner.writes.draft.gaps import write_gap
from nestling.planner.writes.places.rows_inside import lives_inside, nested


@dataclass
class _Reached:
    """What may happen to an entity's rows."""

    deleted: bool = False
    attributes: set[str] = field(default_factory=set)


def entities_parents_first(design: Design, entity: str, *, deleted: bool, attributes: Iterable[str] = ()) -> list[str]:
    """The entities a write of these rows may reach, parents first; raises the gap of foreign keys that lead round."""
    reached, before = _reach(design, entity, _Reached(deleted, set(attributes)))
    for name in reached:
        for inner in nested(design, name) & reached.keys() - {name}:
            before.setdefault(inner, set()).add(name)
    try:
        return list(TopologicalSorter({name: sorted(before[name]) for name in sorted(before)}).static_order())
    except CycleError as error:
        raise write_gap(f"a write whose foreign keys lead back to `{error.args[1][0]}`") from None


def changed_attributes(design: Design, entity: str, attributes: Iterable[str]) -> Mapping[str, AbstractSet[str]]:
    """The attributes that new values of these may change, of each entity that the foreign keys reach."""
    reached, _ = _reach(design, entity, _Reached(attributes=set(attributes)))
    return {name: each.attributes for name, each in reached.items()}


def _reach(design: Design, entity: str, own: _Reached) -> tuple[dict[str, _Reached], dict[str, set[str]]]:
    """What may happen to the rows of each entity, and which others come before it."""
    reached = {entity: own}
    before: dict[str, set[str]] = {entity: set()}
    waiting = [entity]
    while waiting:
        parent = waiting.pop()
        for link in design.model.children_of(parent):
            if not _acts(design, link, reached[parent]):
                continue
            known = reached.get(link.child)
            found = _merged(known, link, reached[parent])
            if not link.is_self:
                before.setdefault(link.child, set()).add(parent)
            if known != found:
                reached[link.child] = found
                waiting.append(link.child)
    return reached, before


def _acts(design: Design, link: Relationship, parent: _Reached) -> bool:
    """Whether something may happen to the children."""
    key_changes = bool(parent.attributes & set(link.parent_attributes))
    if not link.enforced:
        return (parent.deleted or key_changes) and lives_inside(design, link)
    by_delete = parent.deleted and link.on_delete is not OnDelete.RESTRICT
    return by_delete or (key_changes and link.on_update is not OnUpdate.RESTRICT)


def _merged(known: _Reached | None, link: Relationship, parent: _Reached) -> _Reached:
    deleted = known is not None and known.deleted
    attributes = set(known.attributes) if known is not None else set()
    if not link.enforced:
        return _Reached(deleted, attributes)
    if parent.deleted:
        match link.on_delete:
            case OnDelete.CASCADE:
                deleted = True
            case OnDelete.SET_NULL | OnDelete.SET_DEFAULT:
                attributes.update(link.let_go)
            case OnDelete.RESTRICT:
                pass
    touched = {
        own
        for theirs, own in zip(link.parent_attributes, link.child_attributes, strict=True)
        if theirs in parent.attributes
    }
    if touched and link.on_update is not OnUpdate.RESTRICT:
        attributes.update(touched if link.on_update is OnUpdate.CASCADE else link.child_attributes)
    return _Reached(deleted, attributes)
