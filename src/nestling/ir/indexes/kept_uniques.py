"""Which partial unique groups an index of a design enforces, and why it does not enforce the others.

Others are enforced by nestling's writes: each searches for an existing row in its transaction, and changes one common document.
So of two simultaneous writes one is retried, and sees the other's row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.layout import NodeKind, Role
from nestling.ir.types import EXACT_NUMBERS, TEXTS, TypeName

if TYPE_CHECKING:
    from nestling.ir.constraints.partial_unique import PartialUnique
    from nestling.ir.design import Design
    from nestling.ir.model import Entity

_TOLD = EXACT_NUMBERS | TEXTS | {TypeName.BOOLEAN}
"""Types whose constants a filter compares as the source does."""


def why_unkept(design: Design, entity: Entity, unique: PartialUnique) -> str:
    """Why no index of the server keeps it, in words; empty where one does."""
    return _why_here(design, entity, unique) or _why_anywhere(entity, unique)


def _why_here(design: Design, entity: Entity, unique: PartialUnique) -> str:
    """Why no index can enforce it where the design stores the rows."""
    places = design.places.get(entity.name, ())
    if len(places) != 1 or places[0].copy is not None:
        return "its rows are stored in several places"
    (place,) = places
    if place.node.kind is not NodeKind.ROOT or place.store.role is not Role.HOME:
        return f"its rows share documents of `{place.store.name}`"
    if any(place.node.path_of(name) is None for name in (*unique.attributes, *unique.columns)):
        return "the documents do not contain all of its attributes"
    return ""


def _why_anywhere(entity: Entity, unique: PartialUnique) -> str:
    """Why no index can enforce it wherever the rows are stored."""
    if unique.lower:
        return "a MongoDB index cannot compare texts by lower()"
    clauses = unique.clauses
    if clauses is None or len({each.name for each in clauses}) < len(clauses):
        return "a MongoDB index cannot have this condition"
    valued = [entity.attribute(each.name) for each in clauses if each.value is not None]
    if any(each.type.name not in _TOLD or each.also for each in valued):
        return "MongoDB compares the values in its condition differently"
    texts = [entity.attribute(name) for name in unique.attributes]
    if any(each.collation is not Collation.BINARY for each in (*valued, *texts)):
        return "its texts are not compared exactly"
    return ""


def may_have_index(entity: Entity, unique: PartialUnique) -> bool:
    """Whether an index enforces it if the rows are documents of a collection of their own."""
    return not _why_anywhere(entity, unique)


def with_values(entity: Entity, group: Iterable[str]) -> tuple[Clause, ...]:
    """The condition of a unique group's index: rows have all of its values, as NULLs are never equal."""
    return tuple(Clause(name, ClauseOperator.PRESENT) for name in group if not entity.always_has(name))


def looked_for(design: Design, entity: Entity) -> tuple[PartialUnique, ...]:
    """The unique groups of some rows that no index keeps: writes look for a row that is there."""
    return tuple(unique for unique in entity.partial_uniques if why_unkept(design, entity, unique))


def unkept_words(design: Design, names: Iterable[str] | None = None) -> Iterator[str]:
    """A sentence for each unique group of some rows that no index keeps, of these entities or of all."""
    for entity in design.model.entities if names is None else map(design.model.entity, names):
        for unique in looked_for(design, entity):
            could = _why_here(design, entity, unique) and may_have_index(entity, unique)
            move = (
                f"; with `{entity.name}` in its own collection, a partial unique index would enforce it"
                if could
                else ""
            )
            why = why_unkept(design, entity, unique)
            yield f"`{entity.name}`: only nestling's writes enforce {unique}, no index does: {why}{move}"
