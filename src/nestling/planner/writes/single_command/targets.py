"""Rows that plain comparisons find: their documents, and which elements of an array in these they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.paths.write_path import (
    ElementFilter,
    FieldMatch,
)
from nestling.ir.storage.layout import Node, NodeKind, Place, Role
from nestling.ir.storage.names import join
from nestling.planner.writes.places.address import present, whole_identity
from nestling.planner.writes.places.placing import is_plain_array
from nestling.planner.writes.single_command.plain_conditions import PlainCondition

_ELEMENT = "element"


@dataclass(frozen=True, slots=True)
class RowTarget:
    """Where a command finds the rows: their documents, or elements of an array in them (`array`, and what tells these: none of
    them is left out when nothing does).
    """

    place: Place
    where: tuple[FieldMatch, ...]
    array: str = ""
    element: tuple[FieldMatch, ...] = ()

    @property
    def node(self) -> Node:
        """The node of the rows."""
        return self.place.node

    @property
    def prefix(self) -> str:
        """The path of a row in its document."""
        return f"{self.array}.$[{_ELEMENT if self.element else ''}]" if self.array else ""

    @property
    def filters(self) -> tuple[ElementFilter, ...]:
        """The array filters for the elements in the path."""
        return (ElementFilter(_ELEMENT, self.element),) if self.element else ()


def give_whole_key(entity: Entity, conditions: Sequence[PlainCondition]) -> bool:
    """Whether the conditions say the whole key."""
    equal = {each.attribute for each in conditions if each.is_equality}
    return bool(entity.key) and equal >= set(entity.key)


def targets_of(design: Design, entity: Entity, conditions: Sequence[PlainCondition]) -> list[RowTarget] | None:
    """A target for each place of the entity; None where there is a place that comparisons do not reach."""
    places = design.places[entity.name]
    if len(places) > 1 and not give_whole_key(entity, conditions):
        return None
    found = [_target(entity, place, conditions) for place in places]
    known = [target for target in found if target is not None]
    return known if len(known) == len(found) else None


def _target(entity: Entity, place: Place, conditions: Sequence[PlainCondition]) -> RowTarget | None:
    if place.node.kind is NodeKind.ROOT and place.store.role in (Role.HOME, Role.ORPHANS):
        matches = _root_matches(place, conditions)
        return None if matches is None else RowTarget(place, (*present(place), *matches))
    return _element_target(entity, place, conditions) if is_plain_array(place) else None


def _element_target(entity: Entity, place: Place, conditions: Sequence[PlainCondition]) -> RowTarget | None:
    """One element, told by its parent's key and one attribute of its own."""
    above, own = _apart(place, conditions)
    outside, inside = _root_matches(place, above), _matches(place.node, own)
    if outside is None or inside is None or len(own) != 1 or not give_whole_key(entity, conditions):
        return None
    within = tuple(FieldMatch(join(place.path, each.path), each.value, each.test) for each in inside)
    return RowTarget(place, (*present(place), *outside, *within), place.path, inside)


def siblings(design: Design, entity: Entity, conditions: Sequence[PlainCondition]) -> RowTarget | None:
    """Elements of the array of one parent, identified by its key, whatever the other conditions; None if stored otherwise."""
    (place, *others) = design.places[entity.name]
    if others or not is_plain_array(place):
        return None
    parent = design.model.entity(place.nodes[0].entity)
    above, own = _apart(place, conditions)
    outside, inside = _root_matches(place, above), _matches(place.node, own)
    if outside is None or inside is None or not give_whole_key(parent, above):
        return None
    return RowTarget(place, (*present(place), *outside), place.path, inside)


def _apart(place: Place, conditions: Sequence[PlainCondition]) -> tuple[list[PlainCondition], list[PlainCondition]]:
    """What is asked of the row above, by its own names, and of the row itself."""
    sources = {each.attribute: each.source for each in place.node.implied}
    above = [
        PlainCondition(sources[each.attribute], each.value, each.test)
        for each in conditions
        if each.attribute in sources
    ]
    return above, [each for each in conditions if each.attribute not in sources]


def _root_matches(place: Place, conditions: Sequence[PlainCondition]) -> tuple[FieldMatch, ...] | None:
    """What is asked of a document; of a compound `_id` as a whole where all of it is."""
    equal = {each.attribute: each.value for each in conditions if each.is_equality}
    identity = whole_identity(place, equal)
    if identity is None:
        return _matches(place.nodes[0], conditions)
    rest = _matches(place.nodes[0], [each for each in conditions if each.attribute not in place.store.id])
    return None if rest is None else (identity, *rest)


def _matches(node: Node, conditions: Iterable[PlainCondition]) -> tuple[FieldMatch, ...] | None:
    found: list[FieldMatch] = []
    for each in conditions:
        path = node.path_of(each.attribute)
        if path is None:
            return None
        found += each.matches(path)
    return tuple(found)
