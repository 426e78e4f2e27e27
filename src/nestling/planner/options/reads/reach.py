"""The ways to the one document that holds a row whose key is known: by its `_id`, by an index, or by reading everything."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nestling.ir.situation import Situation
from nestling.ir.storage.collations import attributes_sought, linked_by_expression
from nestling.planner.options.structures.places import Home, Places


@dataclass(frozen=True, slots=True)
class DocumentAccess:
    """How the document is found: the structures that takes, and whether all documents are read for it."""

    text: str
    needs: tuple[str, ...]
    reads_all: bool = False


def ways_to_one(places: Places, home: Home, known: Collection[str]) -> Iterator[DocumentAccess]:
    """The ways to the document of a home that holds the row with known values of these attributes, its key among them."""
    entity = places.situation.model.entity(home.entity)
    key, known = entity.key, attributes_sought(entity, known)
    if is_at_hand(places, home, set(known)) or (home.bucket is not None and key and set(key) <= set(known)):
        yield DocumentAccess("by key", (home.id,))
        return
    for name, index in places.indexes[home.entity] if home.bucket is None else ():
        if index.keys[0][0] in known and entity.is_superkey({name for name, _ in index.keys} & set(known)):
            yield DocumentAccess(f"by {name}", (home.id, name))
    yield DocumentAccess("searched", (home.id,), reads_all=True)


def is_at_hand(places: Places, home: Home, exact: Collection[str]) -> bool:
    """Whether an index that is there anyway finds the one document: its `_id`, a unique one, or the `_id` of the root.

    Embedded rows have one on their key where others refer to them, or where new ones are looked up to keep it unique.
    """
    situation = places.situation
    entity = situation.model.entity(home.entity)
    if home.bucket is not None:
        return False
    exact = attributes_sought(entity, exact)
    groups = entity.unique_groups if home.own or _has_indexed_key(places, home) else entity.uniques
    if any(group and set(group) <= set(exact) for group in groups):
        return True
    return bool(home.links) and _root_is_known(situation, home, exact)


def _has_indexed_key(places: Places, home: Home) -> bool:
    """Whether the key of embedded rows has an index of its own."""
    entity = places.situation.model.entity(home.entity)
    looked_up = entity.name in places.inserted and not set(home.links[0].child_attributes) <= set(entity.key)
    return looked_up or bool(places.situation.children[entity.name])


def _root_is_known(situation: Situation, home: Home, exact: Collection[str]) -> bool:
    """Whether the values tell the key of the row that the documents are, by the foreign keys on the way up."""
    known = set(exact)
    if any(linked_by_expression(situation.model, link) for link in home.links):
        return False
    for link in home.links:
        pairs = zip(link.child_attributes, link.parent_attributes, strict=True)
        known = {theirs for own, theirs in pairs if own in known}
    key = situation.model.entity(home.root).key
    return bool(key) and set(key) <= known
