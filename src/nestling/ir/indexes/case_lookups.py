"""Indexes by which rows are found whatever the case of A to Z: over unique groups with such texts, which no index keeps exactly.

The server's collation takes more texts for equal than `citext` and `NOCASE` do: case of all alphabets, and some letters that are
others in another form. So such an index is not unique. It finds all rows that may be meant, and an expression tells which are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nestling.ir.indexes.kept_uniques import looked_for
from nestling.ir.primitives import CollectionKind
from nestling.ir.statements.expression import Collation
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.ir.types import MAY_BE_ARRAYS, TypeName

if TYPE_CHECKING:
    from nestling.ir.design import Design
    from nestling.ir.model import Entity


def case_lookups(design: Design, entity: Entity) -> tuple[tuple[str, ...], ...]:
    """The groups of attributes over which there is such an index; none where the rows are no documents of their own."""
    if _place(design, entity) is None:
        return ()
    groups = (*entity.uniques, *(each.attributes for each in looked_for(design, entity) if not each.lower))
    return tuple(group for group in dict.fromkeys(groups) if is_of_any_case(entity, group))


def case_lookup_paths(design: Design) -> Iterator[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    """For each such index: its collection, the entity, the group and the paths."""
    for entity in design.model.entities:
        place = _place(design, entity)
        for group in case_lookups(design, entity):
            paths = [place.node.path_of(name) for name in group] if place is not None else []
            if place is not None and all(paths) and paths != ["_id"]:
                yield place.store.name, entity.name, group, tuple(filter(None, paths))


def _place(design: Design, entity: Entity) -> Place | None:
    places = design.places.get(entity.name, ())
    if len(places) != 1 or places[0].copy is not None or places[0].node.kind is not NodeKind.ROOT:
        return None
    store = places[0].store
    is_plain = store.role is Role.HOME and store.options.kind is CollectionKind.PLAIN and not store.collection.splits
    return places[0] if is_plain else None


def is_of_any_case(entity: Entity, group: tuple[str, ...]) -> bool:
    """Whether texts of the group are compared whatever their case, and the index takes no value apart."""
    attributes = [entity.attribute(name) for name in group]
    texts = [each for each in attributes if each.collation is Collation.NOCASE]
    plain = all(each.type.name is TypeName.TEXT and not each.also for each in texts)
    return bool(texts) and plain and not any(each.type.name in MAY_BE_ARRAYS for each in attributes)
