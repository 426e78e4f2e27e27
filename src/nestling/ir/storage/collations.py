"""How the server compares the texts of a design: by an operation's collation, and by an index's.

An index serves only operations with its own collation. An index on texts that the source compares regardless of case and
accents has such a collation. Collections have none: queries with values that nestling has read compare exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nestling.ir.design import Design
from nestling.ir.model import Attribute, AttributeName, Entity, Model, Relationship
from nestling.ir.primitives import CollectionKind, Holder
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.layout import NodeKind, Role, StoredCollection
from nestling.ir.storage.names import is_within
from nestling.ir.storage.stored_equality import equal_as_stored
from nestling.ir.storage.stored_names import stored_names
from nestling.ir.types import NEVER_TEXT, TEXTS

_OPTIONS = {
    Collation.UNICODE_CI: {"locale": "en", "strength": 1},
}

BESIDE_EXACT = "beside texts that the statement, or a key on its way, compares exactly"
"""Ends the gap of a text compared regardless of case and accents: one collation holds for a whole command."""
BY_EXPRESSION = frozenset({Collation.NOCASE, Collation.RTRIM})
"""Collations that the server lacks: such texts are compared by an expression, which only `case_lookups` can serve."""


def collation_option(collation: Collation) -> dict[str, object] | None:
    """The server's `collation` option of an index or a whole read; None if texts are compared exactly.

    Primary strength ignores case and accents. Trailing blanks count, unlike in MySQL's older collations.
    """
    return dict(_OPTIONS[collation]) if collation in _OPTIONS else None


def is_collated(texts: Iterable[Attribute]) -> bool:
    """Whether there are texts among the attributes, and all of them use a collation."""
    return {each.collation for each in texts if each.type.name in TEXTS} == {Collation.UNICODE_CI}


def begins_collated(attributes: Iterable[Attribute]) -> bool:
    """Whether a non-unique index on these attributes has a collation; such an index holds no values, and covers no read."""
    return is_collated([each for each in attributes if each.type.name in TEXTS][:1])


def by_expression(attribute: Attribute) -> bool:
    """Whether its texts are compared by an expression, which no index serves."""
    return attribute.collation in BY_EXPRESSION and attribute.type.name not in NEVER_TEXT


def attributes_sought(entity: Entity, names: Iterable[str]) -> frozenset[str]:
    """The attributes by which an index may find or sort rows."""
    return frozenset(name for name in names if not by_expression(entity.attribute(name)))


def attributes_linked(model: Model, link: Relationship) -> tuple[Attribute, ...]:
    """The parent's key and the child's foreign key."""
    parent, child = model.entity(link.parent), model.entity(link.child)
    return (*map(parent.attribute, link.parent_attributes), *map(child.attribute, link.child_attributes))


def goes_by_collation(model: Model, link: Relationship) -> bool:
    """Whether the source compares texts of the foreign key by a collation rather than exactly."""
    return any(
        each.type.name in TEXTS and each.collation is not Collation.BINARY for each in attributes_linked(model, link)
    )


def linked_by_expression(model: Model, link: Relationship) -> bool:
    """Whether a foreign key and its target are compared by an expression, so that no index, copy or embedding can follow it."""
    parent, child = model.entity(link.parent), model.entity(link.child)
    pairs = zip(map(parent.attribute, link.parent_attributes), map(child.attribute, link.child_attributes), strict=True)
    return any(
        by_expression(one) or by_expression(other) or not equal_as_stored(one, other, strict=model.strict_types)
        for one, other in pairs
    )


def index_collation(design: Design, store: StoredCollection, paths: Iterable[str], *, unique: bool) -> Collation:
    """The collation of an index: of its first text, so that it serves comparisons; of all its texts where they are unique."""
    found = [design.model.entity(name).attribute(attribute) for name, attribute in _at(design, store, paths)]
    return Collation.UNICODE_CI if (is_collated if unique else begins_collated)(found) else Collation.BINARY


def is_followed(design: Design, store: StoredCollection, paths: Iterable[str]) -> bool:
    """Whether documents are found by these paths with values of other documents, to maintain what these hold."""
    found, followed = [*_at(design, store, paths)], _followed(design)
    return bool(found) and all(each in followed for each in found)


def identity_is_collated(design: Design, store: StoredCollection) -> bool:
    """Whether the source compares the texts in `_id` otherwise than the server's index on it does."""
    is_plain = store.options.kind is not CollectionKind.TIME_SERIES and store.role is not Role.PAGES
    rows = all(root.kind is NodeKind.ROOT for root in store.roots)
    return is_plain and rows and index_collation(design, store, ("_id",), unique=True) is Collation.UNICODE_CI


def followed_links(stores: Iterable[StoredCollection]) -> frozenset[str]:
    """The relationships over which copies, computed values, ids in arrays, orphans and overflow pages are kept."""
    found: set[str] = set()
    for node in (node for store in stores for node in store.nodes()):
        paths = (*(copy.path for copy in node.body.copies), *(each.path for each in node.body.computed))
        found.update(hop.relationship for path in paths for hop in path)
        found.update(each.relationship for each in node.body.references if each.holder is Holder.PARENT)
        if node.embedding is not None and (node.embedding.overflow is not None or node.embedding.orphans is not None):
            found.add(node.embedding.relationship)
    return frozenset(found)


def _followed(design: Design) -> frozenset[AttributeName]:
    """The attributes by which derived values and buckets are found."""
    nodes = [node for store in design.stores for node in store.nodes()]
    found = {(node.entity, name) for node in nodes if node.bucket is not None for name in node.bucket.by}
    for link in map(design.model.relationship, followed_links(design.stores)):
        found.update((link.parent, name) for name in link.parent_attributes)
        found.update((link.child, name) for name in link.child_attributes)
    return frozenset(found)


# --- what lies where -------------------------------------------------------------------------------------------------


def _at(design: Design, store: StoredCollection, paths: Iterable[str]) -> Iterator[AttributeName]:
    """The attributes at the paths, or in the documents there."""
    stored = [*stored_names(design.model, store)]
    for path in paths:
        yield from (found for at, found in stored if is_within(at, path))
