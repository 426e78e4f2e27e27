"""Home views: the access path that yields every row of an entity, all attributes, from wherever its home is.

An entity's places are united: its collection or embeddings, then overflow pages, orphans, archives. Where copies are the home,
they are united first and each distinct row counts once: copies that disagree show as two rows, never as a silent choice.
"""

from __future__ import annotations

from nestling.common.errors import DesignError, Problem
from nestling.ir.access_path import (
    AccessPath,
    ClientFile,
    Expression,
    Filter,
    Group,
    Project,
    Step,
    Union,
    column_field,
)
from nestling.ir.design import Design
from nestling.ir.layout import Place
from nestling.ir.types import TypeName
from nestling.planner.attribute import Found, attribute_at, is_collection_root
from nestling.planner.copied import copied_attribute, copied_row_exists
from nestling.planner.place import documents_at, with_joins


def home_views(design: Design) -> dict[str, AccessPath]:
    """The home view of every entity, in model order."""
    return {entity.name: home_view(design, entity.name) for entity in design.model.entities}


def home_view(design: Design, entity: str) -> AccessPath:
    """The steps that yield all rows of `entity`, each with all attributes; NULL is missing.

    Raises `DesignError` naming the place when an attribute cannot be told there (no valid design should come to that).
    """
    columns = design.model.entity(entity).attribute_names
    places = design.places.get(entity, ())
    if not places:
        raise DesignError(Problem(what=f"entity `{entity}` has no home", path=("collections",)))
    copies = [place_rows(design, place, columns) for place in places if place.copy is not None]
    branches = [place_rows(design, place, columns) for place in places if place.copy is None]
    if copies:
        names = tuple(column_field(position) for position in range(len(columns)))
        branches.insert(0, Group(_union(copies), names))
    return AccessPath(_with_files(design, _union(branches), places[0], columns), columns)


def _union(sources: list[Step]) -> Step:
    return sources[0] if len(sources) == 1 else Union(tuple(sources))


def place_rows(design: Design, place: Place, columns: tuple[str, ...]) -> Step:
    """The rows that live at one place; files stay pointers."""
    step = documents_at(place)
    if place.copy is not None:
        exists = copied_row_exists(design, place)
        step = Filter(step, exists) if exists is not None else step
        found = [copied_attribute(design, place, attribute) for attribute in columns]
    else:
        found = [attribute_at(design, place, len(place.nodes) - 1, attribute) for attribute in columns]
    return Project(with_joins(step, found), _fields(found))


def _fields(found: list[Found]) -> tuple[tuple[str, Expression], ...]:
    return tuple((column_field(position), item.value) for position, item in enumerate(found))


def _with_files(design: Design, step: Step, place: Place, columns: tuple[str, ...]) -> Step:
    """Let the client fetch what the entity's collection keeps in GridFS."""
    if place.copy is None and len(place.nodes) == 1 and is_collection_root(place):
        for split in place.store.collection.splits:
            for attribute in split.attributes if split.gridfs else ():
                is_text = design.model.entity(place.node.entity).attribute(attribute).type.name is not TypeName.BYTES
                step = ClientFile(step, column_field(columns.index(attribute)), split.collection, is_text)
    return step
