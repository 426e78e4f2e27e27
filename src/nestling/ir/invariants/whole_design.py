"""Homes, relationships and stored names, looked at over the whole design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from nestling.common.errors import Problem, unknown
from nestling.ir.invariants.any_case_indexes import any_case_mistakes
from nestling.ir.invariants.collection_names import name_mistakes
from nestling.ir.invariants.expiring_indexes import expiry_mistakes
from nestling.ir.invariants.parallel_arrays import parallel_mistakes
from nestling.ir.model import Model, Relationship
from nestling.ir.primitives import (
    Form,
    Holder,
    Index,
)
from nestling.ir.storage.layout import Node, NodeKind, Place, Role, StoredCollection
from nestling.ir.storage.names import join, stored_name
from nestling.ir.types import TypeName

_Where = tuple[str | int, ...]


def mistakes_in_layout(
    model: Model,
    indexes: Sequence[Index],
    stores: Sequence[StoredCollection],
    places: Mapping[str, tuple[Place, ...]],
) -> Iterator[Problem]:
    """Homes, relationships said once, stored names that collide, indexes on paths that do not exist."""
    for name, times in Counter(store.name for store in stores).items():
        if times > 1:
            yield Problem(
                what=f"two collections are called `{name}`", path=("collections", name), next_move="rename one"
            )
    for store in stores:
        yield from name_mistakes(store)
    yield from _home_mistakes(model, places)
    said = Counter(_storage_forms(stores))
    for link in model.relationships:
        yield from _said_mistakes(link, said)
    for store in stores:
        yield from _part_mistakes(store)
        for root in store.roots:
            yield from _collisions(root, store)
            for node in root.nodes():
                yield from _scalar_mistakes(model, node, ("collections", store.collection.name))
    yield from _index_mistakes(model, indexes, stores)


def _index_mistakes(model: Model, indexes: Sequence[Index], stores: Sequence[StoredCollection]) -> Iterator[Problem]:
    known = {store.name: frozenset(paths_in(store)) for store in stores}
    for number, index in enumerate(indexes):
        where: _Where = ("indexes", number)
        if index.collection not in known:
            yield unknown("collection", index.collection, known, path=where)
            continue
        if not index.keys:
            what = f"an index of `{index.collection}` has no fields"
            yield Problem(what=what, path=where, next_move="list its fields under `keys`, or remove the index")
            continue
        of_partial = [(clause.name, (*where, "partial", clause.name)) for clause in index.partial]
        for name, at in dict.fromkeys([*((key, where) for key, _ in index.keys), *of_partial]):
            if name not in known[index.collection]:
                yield unknown("field", name, sorted(known[index.collection]), of=index.collection, path=at)
        yield from _keys_twice(index, where)
        roots = next(store.roots for store in stores if store.name == index.collection)
        yield from expiry_mistakes(model, index, roots, where)
        yield from parallel_mistakes(model, index, roots, where)
        if _is_altered_id(index):
            what = f"the server keeps its own index on `_id` of `{index.collection}` and allows no other index on `_id` alone"
            yield Problem(what=what, path=where, next_move="remove the index: `_id` is read in both directions")
        if index.any_case:
            yield from any_case_mistakes(model, index, roots, where)


def _keys_twice(index: Index, where: _Where) -> Iterator[Problem]:
    for key, times in Counter(key for key, _ in index.keys).items():
        if times > 1:
            what = f"`{key}` appears twice in an index of `{index.collection}`"
            yield Problem(what=what, path=(*where, "keys"), next_move="name each field once")


def _is_altered_id(index: Index) -> bool:
    """Whether it is on `_id` alone, but not the one every collection has: ascending and without options."""
    is_plain = not (index.unique or index.partial or index.any_case) and index.expire_after_seconds is None
    return [path for path, _ in index.keys] == ["_id"] and not (index.keys[0][1] == 1 and is_plain)


def _home_mistakes(model: Model, places: Mapping[str, tuple[Place, ...]]) -> Iterator[Problem]:
    for entity in model.entities:
        homes = [p for p in places.get(entity.name, ()) if p.store.role is Role.HOME]
        if not homes:
            what = f"entity `{entity.name}` has no home"
            yield Problem(what=what, path=("collections",), next_move="give it a collection or embed it")
        elif len(homes) > 1 and not (homes[0].copy is not None and all(h.copy == homes[0].copy for h in homes)):
            stores = ", ".join(sorted(join(home.store.name, home.path) for home in homes))
            yield Problem(what=f"entity `{entity.name}` has {len(homes)} homes: {stores}", path=("collections",))


def _storage_forms(stores: Sequence[StoredCollection]) -> Iterator[tuple[str, str]]:
    """(relationship, how) for every place that says how a relationship is stored."""
    for store in stores:
        if store.role is Role.HOME:
            for node in store.nodes():
                if node.kind is not NodeKind.GROUP:
                    yield from _said_by(node)


def _said_by(node: Node) -> Iterator[tuple[str, str]]:
    for reference in node.body.references:
        yield reference.relationship, str(reference.holder)
    for copy in node.body.copies:
        if copy.home:
            yield copy.path[0].relationship, "home copy"
    if node.embedding is not None:
        yield node.embedding.relationship, "embedding"


def _said_mistakes(link: Relationship, said: Mapping[tuple[str, str], int]) -> Iterator[Problem]:
    ways = {how: times for (name, how), times in said.items() if name == link.name}
    if not ways:
        what = f"relationship `{link.name}` is neither embedded nor referenced"
        next_move = f"add `{link.name}: parent-reference` to the references of `{link.child}`"
        yield Problem(what=what, path=("collections",), next_move=next_move)
    references = {str(Holder.PARENT), str(Holder.CHILD)}
    if any(times > 1 for times in ways.values()) or (len(ways) > 1 and not set(ways) <= references):
        yield Problem(
            what=f"relationship `{link.name}` is stored twice: {', '.join(sorted(ways))}", path=("collections",)
        )


def _collisions(root: Node, store: StoredCollection) -> Iterator[Problem]:
    paths = Counter(_own_paths(root))
    if root in store.roots:
        paths.update(name for name, _ in store.collection.constants)
        if store.collection.variant is not None and store.role is Role.HOME:
            paths.update((store.collection.variant.discriminator,))
    for path, times in paths.items():
        parents = {path[:i] for i, c in enumerate(path) if c == "."} - {"_id"}
        if times > 1 or any(parent in paths for parent in parents):
            what = f"two things are stored as `{path}` in `{store.name}`"
            is_of_bucket = root.kind is NodeKind.GROUP and path.startswith("_id.")
            move = (
                "do not group by an attribute named like the bucket's own field"
                if is_of_bucket
                else "rename one under `fields`"
            )
            yield Problem(what=what, path=("collections", store.collection.name), next_move=move)
    for child in root.children:
        if child.form is not Form.INLINE:
            yield from _collisions(child, store)


def _part_mistakes(store: StoredCollection) -> Iterator[Problem]:
    """Only what is stored can be split off."""
    if store.role is Role.PART and store.split is not None:
        for name in store.split.attributes:
            if store.roots[0].path_of(name) is None:
                what = f"`{name}` is stored only in its parent's ids and cannot be split off"
                path = ("collections", store.collection.name, "splits", store.name)
                yield Problem(what=what, path=path, next_move="let the child hold the id as well")


def _scalar_mistakes(model: Model, node: Node, path: _Where) -> Iterator[Problem]:
    """Rows embedded as bare values have room for one attribute, whose NULL cannot be told from json's null."""
    body, embedding = node.body, node.embedding
    if node.form is Form.SCALARS and embedding is not None:
        where: _Where = (*path, "embeddings", embedding.field)
        held = [reference for reference in body.references if reference.holder is Holder.PARENT]
        if len(node.stored) != 1 or body.pairs or body.embeddings or body.copies or body.computed or held:
            stored = ", ".join(field.attribute for field in node.stored) or "nothing"
            what = f"an array of bare values holds one attribute and nothing else, but `{node.entity}` has {stored} to store"
            yield Problem(what=what, path=where, next_move="embed it as an array")
        elif _is_nullable_json(model, node):
            what = f"in an array of bare values, NULL could not be distinguished from a JSON null in `{node.stored[0].attribute}`"
            yield Problem(what=what, path=where, next_move="embed it as an array")


def _is_nullable_json(model: Model, node: Node) -> bool:
    kept = model.entity(node.entity).attribute(node.stored[0].attribute)
    return kept.nullable and kept.type.name is TypeName.JSON


def _own_paths(node: Node) -> Iterator[str]:
    """Paths of the fields of one document, without those of its sub-documents."""
    yield from (field.path for field in node.stored if field.path)
    if node.kind is NodeKind.GROUP:
        yield "page"
        if node.bucket is not None:
            yield from ("bucket_start", "bucket_end", "count", *(summary.field for summary in node.bucket.summary))
            yield from ("_id.page", "_id.bucket_start", *(f"_id.{stored_name(name)}" for name in node.bucket.by))
    else:
        yield from (pairs.field for pairs in node.body.pairs)
        yield from (reference.field for reference in node.body.references if reference.holder is Holder.PARENT)
        for copy in node.body.copies:
            yield from ([f.path for f in copy.attributes] if copy.form is Form.INLINE else [copy.name])
        for computed in node.body.computed:
            yield from (computed.field, *([computed.stamp] if computed.stamp else []))
    for child in node.children:
        if child.form is Form.INLINE:
            yield from _own_paths(child)
        else:
            yield child.field
            if child.embedding is not None and child.embedding.overflow is not None and node.kind is not NodeKind.GROUP:
                yield child.embedding.overflow.flag


def paths_in(store: StoredCollection) -> Iterator[str]:
    """Every dotted path an index of the store may name."""
    yield "_id"
    yield from (name for name, _ in store.collection.constants)
    if store.collection.variant is not None:
        yield store.collection.variant.discriminator
    for root in store.roots:
        yield from _indexable(root, "")


def _indexable(node: Node, prefix: str) -> Iterator[str]:
    at = join(prefix, node.field)
    if at:
        yield at
    for path in _own_paths(node):
        yield join(at, path)
    for pairs in node.body.pairs:
        yield from (join(at, pairs.field, pairs.key), join(at, pairs.field, pairs.value))
    for reference in node.body.references:
        if reference.copied:
            yield from (join(at, reference.field, name) for name in ("id", *(f.path for f in reference.copied)))
    for copy in node.body.copies:
        if copy.form in (Form.OBJECT, Form.ARRAY):
            yield from (join(at, copy.name, field.path) for field in copy.attributes)
    for child in node.children:
        yield from _indexable(child, at)
