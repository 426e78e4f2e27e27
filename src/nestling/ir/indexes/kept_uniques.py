"""Which unique groups of some rows a partial index of a design keeps, and why it does not keep the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.expression import Collation
from nestling.ir.storage.layout import NodeKind, Role
from nestling.ir.types import EXACT_NUMBERS, TEXTS, TypeName

if TYPE_CHECKING:
    from nestling.ir.constraints.partial_unique import PartialUnique
    from nestling.ir.design import Design
    from nestling.ir.model import Entity

_TOLD = EXACT_NUMBERS | TEXTS | {TypeName.BOOLEAN}
"""Types of which a constant in a filter is compared as the source compares it."""


def why_unkept(design: Design, entity: Entity, unique: PartialUnique) -> str:
    """Why no index of the server keeps it, in words; empty where one does."""
    places = design.places.get(entity.name, ())
    if len(places) != 1 or places[0].copy is not None:
        return "its rows lie in several places"
    (place,) = places
    if place.node.kind is not NodeKind.ROOT or place.store.role is not Role.HOME:
        return f"its rows share documents of `{place.store.name}`"
    if any(place.node.path_of(name) is None for name in (*unique.attributes, *unique.columns)):
        return "the documents do not hold all of its attributes"
    clauses = unique.clauses
    if clauses is None or len({each.name for each in clauses}) < len(clauses):
        return "an index of the server cannot have this condition"
    valued = [entity.attribute(each.name) for each in clauses if each.value is not None]
    if any(each.type.name not in _TOLD or each.also for each in valued):
        return "the server compares the values of its condition in another way"
    texts = [entity.attribute(name) for name in unique.attributes]
    if any(each.collation is not Collation.BINARY for each in (*valued, *texts)):
        return "texts of it are not compared to the letter"
    return ""


def partial_unique_gaps(design: Design) -> Iterator[Gap]:
    """The unique groups of some rows that no index keeps."""
    for entity in design.model.entities:
        for unique in entity.partial_uniques:
            if why := why_unkept(design, entity, unique):
                yield Gap(
                    GapKind.NEVER,
                    f"{unique} is kept by no index: {why}; the application has to enforce it",
                    entity.name,
                )
