"""Rows that come into an array, in one command: it also asks that no element has their key, and that the row above is there.

Only where the command finds nothing to change is it asked which of the two was the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.model import Entity, Relationship
from nestling.ir.paths.write_path import FieldMatch, Test, WriteStep
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.layout import Place, Role
from nestling.ir.storage.names import join
from nestling.planner.writes.constraints import refuse_no_parent, refuse_same
from nestling.planner.writes.draft.cells import Cells
from nestling.planner.writes.places.address import is_found_by_values, known_values
from nestling.planner.writes.places.placing import is_plain_array


@dataclass(frozen=True, slots=True)
class Guard:
    """`unless`: what no element may have, if that tells the key. `otherwise`: what is refused where the command met no document.

    `key` (() when it is asked for apart) and `link` are what need not be looked at any more.
    """

    unless: tuple[FieldMatch, ...]
    otherwise: tuple[WriteStep, ...]
    key: tuple[str, ...]
    link: Relationship


def guard(design: Design, row: Cells) -> Guard | None:
    """The guard of a row whose home is one array of its parent's documents; None where one command does not tell."""
    places = [place for place in design.places[row.entity.name] if place.store.role is not Role.ORPHANS]
    place = places[0] if len(places) == 1 and places[0].copy is None else None
    if place is None or not is_plain_array(place):
        return None
    embedding = place.node.embedding
    assert embedding is not None
    link = design.model.relationship(embedding.relationship)
    known = known_values(place, 1, row.of(row.entity.attribute_names))
    if link.is_self or not is_found_by_values(place, known):
        return None
    unless = _unless(place, row, link)
    key = row.entity.key if unless else ()
    refused = (
        *refuse_same(design, row, [key] if key else []),
        *(refuse_no_parent(design, row, link) if link.enforced else ()),
    )
    return Guard(unless, refused, key, link)


def _unless(place: Place, row: Cells, link: Relationship) -> tuple[FieldMatch, ...]:
    """What tells that an element has the row's key, where that is the parent's and one attribute more."""
    implied = {each.attribute for each in place.node.implied}
    own = [name for name in row.entity.key if name not in implied]
    stored = place.node.path_of(own[0]) if len(own) == 1 else None
    if stored is None or not set(link.child_attributes) <= set(row.entity.key) or not _is_exact(row.entity):
        return ()
    return (FieldMatch(join(place.path, stored), row[own[0]], Test.NOT_EQUAL),)


def _is_exact(entity: Entity) -> bool:
    """Whether the server's comparison of keys is the source's."""
    key = [entity.attribute(name) for name in entity.key]
    return all(each.collation is Collation.BINARY and not each.also for each in key)
