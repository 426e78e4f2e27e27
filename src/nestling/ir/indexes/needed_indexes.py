"""The indexes that any design needs: for its keys, references and side collections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.indexes.case_lookups import case_lookup_paths
from nestling.ir.indexes.embedded_uniques import Kept, kept_inside, kept_where
from nestling.ir.indexes.kept_uniques import why_unkept, with_values
from nestling.ir.indexes.planned_index import PlannedIndex
from nestling.ir.model import Entity, Relationship
from nestling.ir.primitives import BUCKET_START, PAGE, Form, Holder
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import followed_links, identity_is_collated
from nestling.ir.storage.layout import Node, NodeKind, Role, StoredCollection
from nestling.ir.storage.names import join
from nestling.ir.types import MAY_BE_ARRAYS

NOTHING_BESIDE_ID = "_id.ci"  # beside the whole `_id`, a part of it tells nothing more


def needed_indexes(design: Design) -> Iterator[PlannedIndex]:
    """Yield the indexes that the design needs for keys, unique groups, references, pages, buckets and orphans."""
    holders, followed = _holders_of_ids(design), followed_links(design.stores)
    for store in design.stores:
        if identity_is_collated(design, store):
            yield identity_index(store)
        for root in store.roots:
            if store.role in (Role.HOME, Role.ARCHIVE, Role.PART) and root.kind is NodeKind.ROOT:
                yield from _unique(design, store, root)
                yield from _unique_among_some(design, store, root)
            if root.kind is NodeKind.GROUP:
                yield _group(store, root)
            if store.role in (Role.HOME, Role.ARCHIVE):
                yield from _references(design, store, root, "", holders, followed)
        yield from _orphans(design, store)
    yield from _unique_inside(design)
    for collection, entity, group, paths in case_lookup_paths(design):
        reason = f"finds `{entity}` by {', '.join(group)}, ignoring case"
        keys = tuple((path, 1) for path in paths)
        yield PlannedIndex(collection, keys, (reason,), collation=Collation.UNICODE_CI, about=frozenset((entity,)))


def identity_index(store: StoredCollection) -> PlannedIndex:
    """The server's own index on `_id`; it compares texts exactly, and no other collation is possible on `_id` alone."""
    about = frozenset(root.entity for root in store.roots)
    reasons = ("`_id`, compared as in the source",)
    return PlannedIndex(store.name, (("_id", 1), (NOTHING_BESIDE_ID, 1)), reasons, unique=True, about=about)


def _unique(design: Design, store: StoredCollection, root: Node) -> Iterator[PlannedIndex]:
    """The key, if `_id` is something else, and the other unique groups."""
    entity = design.model.entity(root.entity)
    own = {field.attribute for field in root.stored if field.path.partition(".")[0] == "_id"}
    for group in entity.unique_groups:
        paths = [root.path_of(name) for name in group]
        known = [path for path in paths if path]
        if set(group) == own or len(known) < len(paths) or not _comparable(entity, group, store):
            continue
        optional = sorted(path for name, path in zip(group, known, strict=True) if not entity.always_has(name))
        partial = [Clause(path, ClauseOperator.PRESENT) for path in optional]
        if root.presence is not None and store.collection.variant is not None and store.collection.variant.members:
            partial.append(Clause(root.presence.path, ClauseOperator.EQUAL, root.presence.value))
        reason = f"{'key' if group == entity.key else 'unique'} of `{entity.name}`: {', '.join(group)}"
        yield PlannedIndex(
            store.name,
            tuple((path, 1) for path in known),
            (reason,),
            True,
            tuple(sorted(partial, key=lambda each: each.name)),
            about=frozenset((entity.name,)),
        )


def _unique_among_some(design: Design, store: StoredCollection, root: Node) -> Iterator[PlannedIndex]:
    """The unique groups of some rows, whose condition the server can have of the documents in an index."""
    entity = design.model.entity(root.entity)
    for unique in entity.partial_uniques:
        paths = {
            name: path for name in (*unique.attributes, *unique.columns) if (path := root.path_of(name)) is not None
        }
        is_here = paths.keys() >= {*unique.attributes, *unique.columns}
        if not is_here or why_unkept(design, entity, unique) or not _comparable(entity, unique.attributes, store):
            continue
        clauses = (*with_values(entity, unique.attributes), *(unique.clauses or ()))
        partial = {replace(each, name=paths[each.name]) for each in clauses}
        if root.presence is not None and store.collection.variant is not None and store.collection.variant.members:
            partial.add(Clause(root.presence.path, ClauseOperator.EQUAL, root.presence.value))
        yield PlannedIndex(
            store.name,
            tuple((paths[name], 1) for name in unique.attributes),
            (f"unique of some `{entity.name}`: {unique}",),
            True,
            tuple(sorted(partial, key=str)),
            about=frozenset((entity.name,)),
        )


def _unique_inside(design: Design) -> Iterator[PlannedIndex]:
    """The keys and unique groups of rows inside other documents, as far as an index keeps them."""
    for entity in design.model.entities:
        for place in design.places[entity.name]:
            for group in entity.unique_groups:
                if kept_inside(entity, group, place) is Kept.NOWHERE:
                    continue
                keys = tuple((place.path_of(name) or "", 1) for name in group)
                reason = f"{'key' if group == entity.key else 'unique'} of `{entity.name}`: {', '.join(group)}"
                partial, about = kept_where(place, group), frozenset((entity.name,))
                yield PlannedIndex(place.store.name, keys, (reason,), True, partial, about=about)


def _comparable(entity: Entity, group: Iterable[str], store: StoredCollection) -> bool:
    """Whether equal values are equal to an index: it looks into arrays, and a GridFS pointer is no value."""
    files = {attribute for split in store.collection.splits if split.gridfs for attribute in split.attributes}
    return not any(entity.attribute(name).type.name in MAY_BE_ARRAYS or name in files for name in group)


def _group(store: StoredCollection, root: Node) -> PlannedIndex:
    """Pages and buckets are found by their owner, in order."""
    paths = [field.path for field in root.stored]
    if root.bucket is not None and root.bucket.window is not None:
        paths.append(BUCKET_START)
    reason = f"finds the {'buckets' if root.bucket is not None else 'pages'} of `{root.entity}` in order"
    along = {store.embedding.relationship} if store.embedding is not None else set()
    keys = tuple((path, 1) for path in (*paths, PAGE))
    return PlannedIndex(store.name, keys, (reason,), about=frozenset({root.entity, *along}))


def _orphans(design: Design, store: StoredCollection) -> Iterator[PlannedIndex]:
    if store.role is Role.ORPHANS and store.embedding is not None:
        link = design.model.relationship(store.embedding.relationship)
        reason = f"finds `{link.child}` without `{link.parent}` by its foreign key"
        yield from _lookup(store, store.roots[0], "", link, reason)


def _references(
    design: Design, store: StoredCollection, node: Node, prefix: str, holders: _Held, followed: frozenset[str]
) -> Iterator[PlannedIndex]:
    """Foreign keys wherever they are stored, and ids of children if nothing else determines the relationship.

    `followed`: the relationships that copies and computed values follow. Another one at the beginning of a compound `_id` is
    found by a range of `_id`s.
    """
    at = join(prefix, node.field)
    for reference in node.body.references:
        link = design.model.relationship(reference.relationship)
        if reference.holder is Holder.CHILD:
            if link.name in followed or not _begins_id(store, node, link.child_attributes):
                yield from _lookup(store, node, at, link, f"finds `{link.child}` by `{link.parent}` ({link.name})")
        elif holders(link):
            path = join(at, reference.field, "id" if reference.copied else "")
            reason = f"finds the `{link.parent}` of a `{link.child}` ({link.name})"
            yield PlannedIndex(store.name, ((path, 1),), (reason,), about=_ends(link))
    for child in node.children:
        yield from _references(design, store, child, at, holders, followed)


def _begins_id(store: StoredCollection, node: Node, attributes: tuple[str, ...]) -> bool:
    """Whether attributes are the first parts of a collection's compound `_id`."""
    is_root = node in store.roots and node.kind is NodeKind.ROOT
    return is_root and len(store.id) > 1 and set(store.id[: len(attributes)]) == set(attributes)


def _lookup(store: StoredCollection, node: Node, at: str, link: Relationship, reason: str) -> Iterator[PlannedIndex]:
    # The element of an array of bare values has no name of its own: its path is the array's.
    paths = [_path(node, at, name) for name in link.child_attributes]
    if all(paths) and paths != ["_id"]:
        keys = tuple((path, 1) for path in paths if path)
        yield PlannedIndex(store.name, keys, (reason,), about=_ends(link), in_any_order=True)


def _ends(link: Relationship) -> frozenset[str]:
    return frozenset((link.name, link.parent, link.child))


def _path(node: Node, at: str, attribute: str) -> str | None:
    path = node.path_of(attribute)
    return at if path == "" and node.form is Form.SCALARS else join(at, path) if path else None


_Held = Callable[[Relationship], bool]


def _holders_of_ids(design: Design) -> _Held:
    """Whether only the parent's array of ids determines a relationship."""
    listed = {name for places in design.places.values() for place in places for name in place.node.listed}
    return lambda link: link.name in listed
