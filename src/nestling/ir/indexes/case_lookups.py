"""Indexes by which rows are found whatever the case: those a design names, and those over unique groups with texts that no index
compares as the source does.

The server's collation takes more texts for equal than `citext`, `NOCASE` and `lower()` do: case of all alphabets, accents, and
letters that are others in another form. So such an index is not unique. It finds all rows that may be meant, and an expression
tells which are.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.ir.primitives import CollectionKind
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import POSTGRESQL
from nestling.ir.storage.layout import NodeKind, Place, Role
from nestling.ir.types import MAY_BE_ARRAYS, TypeName
from nestling.ir.workload import Operator

if TYPE_CHECKING:
    from nestling.ir.design import Design
    from nestling.ir.model import Attribute, Entity
    from nestling.ir.workload import Access


@dataclass(frozen=True, slots=True)
class CaseLookup:
    """Attributes by which an index finds rows regardless of case; `cased`: those compared only in lower or upper case."""

    attributes: tuple[str, ...]
    cased: frozenset[str] = frozenset()

    def serves(self, equal: Set[str], cased: Set[str]) -> bool:
        """Whether it finds rows by values of these attributes, and by the lower or upper case of `cased` ones."""
        return cased >= self.cased and equal >= {*self.attributes} - self.cased


def lookups_of(entity: Entity) -> tuple[CaseLookup, ...]:
    """The lookups for which such indexes exist if the rows are documents of their own."""
    some = (CaseLookup(each.attributes, frozenset(each.lower)) for each in entity.partial_uniques)
    return tuple(
        each for each in dict.fromkeys((*map(CaseLookup, entity.other_uniques), *some)) if _may_have(entity, each)
    )


def case_lookups(design: Design, entity: Entity) -> tuple[CaseLookup, ...]:
    """The lookups for which such indexes exist; none if the rows are not documents of their own."""
    place = _place(design, entity)
    return () if place is None else tuple(dict.fromkeys((*lookups_of(entity), *_named(design, entity, place))))


def _named(design: Design, entity: Entity, place: Place) -> Iterator[CaseLookup]:
    """The lookups of the design's own indexes: each finds rows by its first text, and the others narrow the search."""
    texts = {place.node.path_of(each.name): each for each in entity.attributes if is_found_in_any_case(each)}
    for index in design.indexes:
        text = texts.get(index.keys[0][0]) if index.any_case and index.collection == place.store.name else None
        if text is not None:
            yield lookup_by(text)


def lookup_by(text: Attribute) -> CaseLookup:
    """The lookup of an index that begins with a text: its lower or upper case, or equality if that ignores case anyway."""
    return CaseLookup((text.name,), frozenset({text.name} if text.collation is Collation.BINARY else ()))


def texts_asked(entity: Entity, access: Access, dialect: str) -> tuple[str, ...]:
    """The texts that an access compares in a way that needs a case-insensitive index.

    Of the functions for the case of a text, this applies only to PostgreSQL's.
    """
    kinds = {Collation.BINARY: Operator.CASED if dialect == POSTGRESQL else None, Collation.NOCASE: Operator.EQUALITY}
    asked = dict.fromkeys((each.attribute, each.operator) for each in access.filters)
    found = ((entity.attribute(name), operator) for name, operator in asked)
    return tuple(at.name for at, kind in found if is_found_in_any_case(at) and kinds[at.collation] is kind)


def is_found_in_any_case(attribute: Attribute) -> bool:
    """Whether only a case-insensitive index may find rows by the text."""
    is_text = attribute.type.name is TypeName.TEXT and not attribute.type.is_char and not attribute.also
    return is_text and attribute.collation in (Collation.BINARY, Collation.NOCASE)


def case_lookup_paths(design: Design) -> Iterator[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    """For each one over a unique group: its collection, the entity, the attributes and the paths."""
    for entity in design.model.entities:
        place = _place(design, entity)
        if place is None:
            continue
        for lookup in lookups_of(entity):
            paths = [place.node.path_of(name) for name in lookup.attributes]
            if all(paths) and paths != ["_id"]:
                yield place.store.name, entity.name, lookup.attributes, tuple(filter(None, paths))


def _place(design: Design, entity: Entity) -> Place | None:
    places = design.places.get(entity.name, ())
    if len(places) != 1 or places[0].copy is not None or places[0].node.kind is not NodeKind.ROOT:
        return None
    store = places[0].store
    is_plain = store.role is Role.HOME and store.options.kind is CollectionKind.PLAIN and not store.collection.splits
    return places[0] if is_plain else None


def _may_have(entity: Entity, lookup: CaseLookup) -> bool:
    """Whether texts of it are compared regardless of case, and the index holds arrays as a whole."""
    attributes = [entity.attribute(name) for name in lookup.attributes]
    texts = [each for each in attributes if each.collation is Collation.NOCASE or each.name in lookup.cased]
    plain = all(map(is_found_in_any_case, texts))
    return bool(texts) and plain and not any(each.type.name in MAY_BE_ARRAYS for each in attributes)
