"""Indexes by which rows are found whatever the case: over unique groups with texts that no index compares as the source does.

The server's collation takes more texts for equal than `citext`, `NOCASE` and `lower()` do: case of all alphabets, accents, and
letters that are others in another form. So such an index is not unique. It finds all rows that may be meant, and an expression
tells which are.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.ir.primitives import CollectionKind
from nestling.ir.statements.expression import Collation
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.ir.types import MAY_BE_ARRAYS, TypeName

if TYPE_CHECKING:
    from nestling.ir.design import Design
    from nestling.ir.model import Entity


@dataclass(frozen=True, slots=True)
class CaseLookup:
    """Attributes an index finds rows by whatever the case; `cased`: those asked for by their lower or upper case alone."""

    attributes: tuple[str, ...]
    cased: frozenset[str] = frozenset()

    def serves(self, equal: Set[str], cased: Set[str]) -> bool:
        """Whether it finds rows by values of these attributes, and by the lower or upper case of those that are `cased`."""
        return cased >= self.cased and equal >= {*self.attributes} - self.cased


def lookups_of(entity: Entity) -> tuple[CaseLookup, ...]:
    """What there are such indexes for where the rows are documents of their own."""
    some = (CaseLookup(each.attributes, frozenset(each.lower)) for each in entity.partial_uniques)
    return tuple(each for each in dict.fromkeys((*map(CaseLookup, entity.uniques), *some)) if _may_have(entity, each))


def case_lookups(design: Design, entity: Entity) -> tuple[CaseLookup, ...]:
    """What there are such indexes for; nothing where the rows are no documents of their own."""
    return lookups_of(entity) if _place(design, entity) is not None else ()


def case_lookup_paths(design: Design) -> Iterator[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    """For each such index: its collection, the entity, the attributes and the paths."""
    for entity in design.model.entities:
        place = _place(design, entity)
        for lookup in case_lookups(design, entity):
            paths = [place.node.path_of(name) for name in lookup.attributes] if place is not None else []
            if place is not None and all(paths) and paths != ["_id"]:
                yield place.store.name, entity.name, lookup.attributes, tuple(filter(None, paths))


def _place(design: Design, entity: Entity) -> Place | None:
    places = design.places.get(entity.name, ())
    if len(places) != 1 or places[0].copy is not None or places[0].node.kind is not NodeKind.ROOT:
        return None
    store = places[0].store
    is_plain = store.role is Role.HOME and store.options.kind is CollectionKind.PLAIN and not store.collection.splits
    return places[0] if is_plain else None


def _may_have(entity: Entity, lookup: CaseLookup) -> bool:
    """Whether texts of it are compared whatever their case, and the index takes no value apart."""
    attributes = [entity.attribute(name) for name in lookup.attributes]
    texts = [each for each in attributes if each.collation is Collation.NOCASE or each.name in lookup.cased]
    plain = all(each.type.name is TypeName.TEXT and not each.type.is_char and not each.also for each in texts)
    return bool(texts) and plain and not any(each.type.name in MAY_BE_ARRAYS for each in attributes)
