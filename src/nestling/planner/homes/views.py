"""Home views: the access path that yields every row of an entity, all attributes, from wherever its home is.

An entity's places are united: its collection or embeddings, then overflow pages, orphans, archives. Where copies are the home,
they are united first and each distinct row counts once: copies that disagree show as two rows, never as a silent choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nestling.common.errors import DesignError, Problem
from nestling.ir.design import Design
from nestling.ir.paths.access_path import (
    AccessPath,
    ClientFile,
    FilterDocuments,
    GroupDocuments,
    ProjectDocuments,
    Step,
    Union,
    column_field,
)
from nestling.ir.storage.layout import Place
from nestling.ir.types import TypeName
from nestling.planner.homes.attribute import attribute_at, file_split
from nestling.planner.homes.of_copies import attribute_of_copy, copied_row_exists
from nestling.planner.homes.place import documents_at, with_joins


def home_views(design: Design) -> dict[str, AccessPath]:
    """The home view of every entity, in model order."""
    return {entity.name: home_view(design, entity.name) for entity in design.model.entities}


def home_view(design: Design, entity: str) -> AccessPath:
    """The steps that yield all rows of `entity`, each with all attributes; NULL is missing.

    Raises `DesignError` naming the place if an attribute cannot be read there (which no valid design should cause).
    """
    columns = design.model.entity(entity).attribute_names
    places = design.places.get(entity, ())
    if not places:
        raise DesignError(Problem(what=f"entity `{entity}` has no home", path=("collections",)))
    names = column_fields(columns)
    copies = [place_rows(design, place, names) for place in places if place.copy is not None]
    branches = [place_rows(design, place, names) for place in places if place.copy is None]
    if copies:
        branches.insert(0, GroupDocuments(_union(copies), tuple(names.values())))
    return AccessPath(_with_files(design, _union(branches), places[0], names), columns)


def _union(sources: list[Step]) -> Step:
    return sources[0] if len(sources) == 1 else Union(tuple(sources))


def column_fields(columns: Sequence[str]) -> dict[str, str]:
    """By attribute, the field of its column."""
    return {name: column_field(position) for position, name in enumerate(columns)}


def place_rows(design: Design, place: Place, names: Mapping[str, str]) -> Step:
    """The rows that live at one place, the attributes under the names given; files stay pointers."""
    step = documents_at(place)
    if place.copy is not None:
        exists = copied_row_exists(design, place)
        step = FilterDocuments(step, exists) if exists is not None else step
        found = {name: attribute_of_copy(design, place, name) for name in names}
    else:
        found = {name: attribute_at(design, place, len(place.nodes) - 1, name) for name in names}
    return ProjectDocuments(
        with_joins(step, found.values()), tuple((names[name], item.value) for name, item in found.items())
    )


def _with_files(design: Design, step: Step, place: Place, names: Mapping[str, str]) -> Step:
    """Let the client fetch what the entity's collection keeps in GridFS."""
    for name, field in names.items():
        split = file_split(place, name)
        if split is not None:
            is_text = design.model.entity(place.node.entity).attribute(name).type.name is not TypeName.BYTES
            step = ClientFile(step, field, split.collection, is_text)
    return step
