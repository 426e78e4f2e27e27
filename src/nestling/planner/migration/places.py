"""The places of every entity's home one by one, so that rows can be found by attribute, and in documents that have changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nestling.ir.design import Design
from nestling.ir.migration import HeldIds
from nestling.ir.paths.access_path import FieldPath, Step
from nestling.ir.primitives import Holder
from nestling.ir.storage.layout import Place, Role
from nestling.ir.storage.names import join
from nestling.planner.homes.attribute import attribute_at, is_collection_root, path_to
from nestling.planner.homes.of_copies import attribute_of_copy
from nestling.planner.homes.views import column_fields, place_rows


@dataclass(frozen=True, slots=True)
class PlannedPlace:
    """The steps from a collection's documents to an entity's rows at one place; see `nestling.ir.migration.HomePlace`."""

    entity: str
    collection: str
    step: Step
    paths: Mapping[str, str]
    at_root: bool
    parts: tuple[str, ...]
    is_copy: bool


def planned_places(design: Design) -> tuple[PlannedPlace, ...]:
    """Every place of every entity."""
    return tuple(_planned(design, entity, place) for entity, places in design.places.items() for place in places)


def _planned(design: Design, entity: str, place: Place) -> PlannedPlace:
    columns = design.model.entity(entity).attribute_names
    level = len(place.nodes) - 1
    paths: dict[str, str] = {}
    for name in columns:
        found = attribute_of_copy(design, place, name) if place.copy else attribute_at(design, place, level, name)
        if isinstance(found.value, FieldPath) and not found.joins:
            paths[name] = found.value.path
    splits = place.store.collection.splits if level == 0 and place.copy is None and is_collection_root(place) else ()
    parts = tuple(f"{each.collection}.files" if each.gridfs else each.collection for each in splits if not each.rows)
    at_root = level == 0 and place.copy is None
    step = place_rows(design, place, column_fields(columns))
    return PlannedPlace(entity, place.store.name, step, paths, at_root, parts, place.copy is not None)


def held_ids(design: Design) -> Iterator[HeldIds]:
    """The arrays of ids that alone tell a foreign key."""
    for places in design.places.values():
        for place in places:
            if place.copy is not None or place.store.role is Role.PAGES:
                continue
            for reference in place.node.body.references:
                link = design.model.relationship(reference.relationship)
                if reference.holder is Holder.PARENT and design.only_listed(link):
                    path = join(path_to(place, len(place.nodes) - 1), reference.field)
                    yield HeldIds(place.store.name, link.name, path, "id" if reference.copied else "")
