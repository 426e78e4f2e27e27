"""The indexes of a design: those it names with those it needs in any case, as few as do for all; and what no index can do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.indexes.case_lookups import case_lookup_paths
from nestling.ir.indexes.embedded_uniques import Kept, kept_inside, kept_where
from nestling.ir.indexes.kept_uniques import why_unkept
from nestling.ir.model import Entity, Relationship
from nestling.ir.primitives import BUCKET_START, PAGE, CollectionKind, Form, Holder, Index
from nestling.ir.programs.command import CreateIndex
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.clause import ClauseOperator
from nestling.ir.statements.expression import Collation
from nestling.ir.storage.array_paths import array_paths
from nestling.ir.storage.collations import identity_is_collated, index_collation, is_followed
from nestling.ir.storage.layout import StoredCollection
from nestling.ir.storage.names import is_within, join

KEYS_PER_INDEX = 32
INDEXES_PER_COLLECTION = 63  # the server's 64 without the one on `_id`


def planned_indexes(design: Design) -> tuple[PlannedIndex, ...]:
    """Every index to create, by collection in design order; those the server cannot have are in `index_gaps`."""
    return _planned(design)[0]


def named_indexes(design: Design) -> tuple[PlannedIndex, ...]:
    """What the design names, and nothing besides: all that is there where it describes a live database.

    Only an `_id` of texts has its index as the source compares it, which is the server's own there.
    """
    found: list[PlannedIndex] = []
    for store in design.stores:
        own = [_named(index) for index in design.indexes if index.collection == store.name]
        own += [identity_index(store)] if identity_is_collated(design, store) else []
        merged = _merged(next(_compared(design, index)) for index in own)
        found += [index for number, index in enumerate(merged) if _gap(design, store, index, number) is None]
    return tuple(found)


def built_besides(design: Design) -> tuple[PlannedIndex, ...]:
    """Those the design does not name: they keep keys unique, and references and upkeep quick."""
    return tuple(index for index in planned_indexes(design) if not index.named)


def index_gaps(design: Design) -> tuple[Gap, ...]:
    """What keys and references a server cannot index or check."""
    return _planned(design)[1]


def _planned(design: Design) -> tuple[tuple[PlannedIndex, ...], tuple[Gap, ...]]:
    wanted: dict[str, list[PlannedIndex]] = {store.name: [] for store in design.stores}
    for index in (*map(_named, design.indexes), *needed_indexes(design)):
        wanted[index.collection] += _compared(design, index)
    kept: list[PlannedIndex] = []
    gaps: list[Gap] = []
    for store in design.stores:
        found = _without_covered(_merged(wanted[store.name]))
        for number, index in enumerate(found):
            gap = _gap(design, store, index, number)
            gaps.extend([gap] if gap else [])
            kept.extend([] if gap else [index])
    return tuple(kept), (*gaps, *_unchecked_keys(design))


def _compared(design: Design, index: PlannedIndex) -> Iterator[PlannedIndex]:
    """The index as the source compares its texts, and to the letter besides where values as they are lead to documents."""
    if index.collation is not Collation.BINARY:
        yield index
        return
    store, paths = design.store(index.collection), [path for path, _ in index.keys]
    collation = index_collation(design, store, paths, unique=index.unique)
    yield replace(index, collation=collation, sparse=_is_sparse(design, store, index))
    if collation is not Collation.BINARY and paths[0] != "_id" and is_followed(design, store, paths):
        reasons = tuple(f"{reason}, to the letter" for reason in index.reasons)
        yield replace(index, unique=False, reasons=reasons, named=False)


def _is_sparse(design: Design, store: StoredCollection, index: PlannedIndex) -> bool:
    """Whether it is unique over elements of an array, which all have its fields: `$elemMatch` finds no other partial index."""
    present = {each.name for each in index.partial if each.comparison is ClauseOperator.PRESENT}
    paths = {path for path, _ in index.keys}
    return (
        index.unique
        and len(index.partial) == len(present)
        and present == paths
        and _leads_into_array(design, store, index)
    )


def _named(index: Index) -> PlannedIndex:
    reasons = tuple(f"serves {name}" for name in index.serves) or ("named by the design",)
    expires = index.expire_after_seconds
    return PlannedIndex(index.collection, index.keys, reasons, index.unique, index.partial, expires, named=True)


def _gap(design: Design, store: StoredCollection, index: PlannedIndex, number: int) -> Gap | None:
    """Why the server cannot have an index, None when it can."""
    on = ", ".join(path for path, _ in index.keys)
    if store.options.kind is CollectionKind.TIME_SERIES and index.unique:
        return Gap(GapKind.NOTYET, f"a time series collection cannot have a unique index ({on})", store.name)
    if store.options.kind is CollectionKind.TIME_SERIES and index.expire_after_seconds is not None:
        return Gap(GapKind.NOTYET, f"a time series collection expires as a whole, not by an index ({on})", store.name)
    if store.options.kind is CollectionKind.TIME_SERIES and _leads_into_array(design, store, index):
        return Gap(GapKind.NOTYET, f"a time series collection has no index over arrays ({on})", store.name)
    if len(index.keys) > KEYS_PER_INDEX:
        return Gap(
            GapKind.NEVER, f"an index has at most {KEYS_PER_INDEX} fields, not {len(index.keys)} ({on})", store.name
        )
    if number >= INDEXES_PER_COLLECTION:
        return Gap(
            GapKind.NEVER, f"a collection has at most {INDEXES_PER_COLLECTION + 1} indexes; left out: {on}", store.name
        )
    return None


def _leads_into_array(design: Design, store: StoredCollection, index: PlannedIndex) -> bool:
    """Whether a field of the index may be in an array, but for those that tell the series apart."""
    arrays = tuple(path for path in array_paths(store, design.model) if path != store.options.meta)
    return any(is_within(path, array) for path, _ in index.keys for array in arrays)


def _unchecked_keys(design: Design) -> Iterator[Gap]:
    """Keys of rows inside arrays: an index compares documents, not the elements of one."""
    for name, places in design.places.items():
        entity = design.model.entity(name)
        if (entity.key or entity.uniques) and any(place.node.form.to_many for place in places if place.copy is None):
            place = next(place for place in places if place.node.form.to_many)
            groups = dict.fromkeys(group for group in (entity.key, *entity.uniques) if group)
            is_between = all(kept_inside(entity, group, place) is not Kept.NOWHERE for group in groups)
            within = " within one document" if is_between else ""
            what = f"the server does not check that keys of `{name}` are unique{within}: its rows lie in an array"
            yield Gap(GapKind.NEVER, what, join(place.store.name, place.path))


_OPERATORS = {
    ClauseOperator.LESS: "$lt",
    ClauseOperator.LESS_OR_EQUAL: "$lte",
    ClauseOperator.GREATER: "$gt",
    ClauseOperator.GREATER_OR_EQUAL: "$gte",
}


def _filter(partial: Iterable[Clause]) -> dict[str, object]:
    """A filter expression as every server version takes it: equality, `$exists: true` and the four comparisons."""
    found: dict[str, object] = {}
    for each in partial:
        if each.comparison in (ClauseOperator.EQUAL, ClauseOperator.NULL):
            found[each.name] = each.value
            continue
        operator = _OPERATORS.get(each.comparison, "$exists")
        told = found.setdefault(each.name, {})
        if isinstance(told, dict):
            told[operator] = True if each.comparison is ClauseOperator.PRESENT else each.value
    return found


def _told(one: Clause) -> tuple[object, ...]:
    """What an index is named by: a path and its value alone where it is equal, or None where it exists."""
    plain = one.comparison in (ClauseOperator.EQUAL, ClauseOperator.PRESENT)
    return (one.name, one.value) if plain else (one.name, str(one.comparison), one.value)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]


# --- what a design needs in any case -----------------------------------------------------------------------------------


def _derived(design: Design) -> Iterator[PlannedIndex]:
    holders, followed = _holders_of_ids(design), followed_links(design.stores)
    for store in design.stores:
        if identity_is_collated(design, store):
            yield _identity(store)
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
        reason = f"finds `{entity}` by {', '.join(group)}, whatever the case"
        keys = tuple((path, 1) for path in paths)
        yield PlannedIndex(collection, keys, (reason,), collation=Collation.NOCASE, about=frozenset((entity,)))


def _identity(store: StoredCollection) -> PlannedIndex:
    """The server's own index on `_id` compares texts to the letter, and lets none of another collation be on `_id` alone."""
    about = frozenset(root.entity for root in store.roots)
    reasons = ("`_id` as the source compares it",)
    return PlannedIndex(store.name, (("_id", 1), (NOWHERE, 1)), reasons, unique=True, about=about)


def _unique(design: Design, store: StoredCollection, root: Node) -> Iterator[PlannedIndex]:
    """The key, when `_id` is another one, and the other unique groups."""
    entity = design.model.entity(root.entity)
    own = {field.attribute for field in root.stored if field.path.partition(".")[0] == "_id"}
    for group in dict.fromkeys((entity.key, *entity.uniques)):
        paths = [root.path_of(name) for name in group]
        known = [path for path in paths if path]
        if not group or set(group) == own or len(known) < len(paths) or not _comparable(entity, group, store):
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
        if why_unkept(design, entity, unique) or not _comparable(entity, unique.attributes, store):
            continue
        optional = [name for name in unique.attributes if not entity.always_has(name)]
        clauses = (*(Clause(name, ClauseOperator.PRESENT) for name in optional), *(unique.clauses or ()))
        paths = {name: root.path_of(name) or "" for name in (*unique.attributes, *unique.columns)}
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
            for group in dict.fromkeys((entity.key, *entity.uniques)):
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
    """Pages and buckets are found by what they belong to, in order."""
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
        reason = f"finds `{link.child}` without `{link.parent}` by what it refers to"
        yield from _lookup(store, store.roots[0], "", link, reason)


def _references(
    design: Design, store: StoredCollection, node: Node, prefix: str, holders: _Held, followed: frozenset[str]
) -> Iterator[PlannedIndex]:
    """Foreign keys wherever they are stored, and ids of children where nothing else tells the relationship.

    `followed`: the relationships that copies and computed values follow. Of another one that the first parts of a compound `_id`
    tell, a range of `_id`s is asked for.
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
    return is_root and len(store.id) > 1 and store.id[: len(attributes)] == attributes


def _lookup(store: StoredCollection, node: Node, at: str, link: Relationship, reason: str) -> Iterator[PlannedIndex]:
    # The element of an array of bare values has no name of its own: its path is the array's.
    paths = [_path(node, at, name) for name in link.child_attributes]
    if all(paths) and paths != ["_id"]:
        yield PlannedIndex(store.name, tuple((path, 1) for path in paths if path), (reason,), about=_ends(link))


def _ends(link: Relationship) -> frozenset[str]:
    return frozenset((link.name, link.parent, link.child))


def _path(node: Node, at: str, attribute: str) -> str | None:
    path = node.path_of(attribute)
    return at if path == "" and node.form is Form.SCALARS else join(at, path) if path else None


_Held = Callable[[Relationship], bool]


def _holders_of_ids(design: Design) -> _Held:
    """Whether only the parent's array of ids tells a relationship."""
    listed = {name for places in design.places.values() for place in places for name in place.node.listed}
    return lambda link: link.name in listed


# --- one index instead of several ----------------------------------------------------------------------------------------


def _merged(indexes: Iterable[PlannedIndex]) -> list[PlannedIndex]:
    """Indexes that differ in nothing but why they are there become one."""
    merged: dict[PlannedIndex, list[PlannedIndex]] = {}
    for index in indexes:
        merged.setdefault(replace(index, reasons=(), named=False, about=frozenset()), []).append(index)
    return [_for_all(index, alike) for index, alike in merged.items()]


def _for_all(index: PlannedIndex, served: Iterable[PlannedIndex]) -> PlannedIndex:
    """The index, there for all that several are there for."""
    served = tuple(served)
    reasons = tuple(dict.fromkeys(reason for each in served for reason in each.reasons))
    about = frozenset(name for each in served for name in each.about)
    return replace(index, reasons=reasons, named=any(each.named for each in served), about=about)


def _without_covered(indexes: list[PlannedIndex]) -> list[PlannedIndex]:
    """Leave out plain indexes whose fields another one begins with; it takes over what they are there for."""
    serving = {index.name: [index] for index in indexes}
    kept = []
    for index in indexes:
        covering = [other for other in indexes if other is not index and _covers(other, index)]
        if covering:
            serving[max(covering, key=lambda other: len(other.keys)).name].append(index)
        else:
            kept.append(index)
    return [_for_all(index, serving[index.name]) for index in kept]


def _covers(other: PlannedIndex, index: PlannedIndex) -> bool:
    if index.unique or index.partial or index.expire_after_seconds is not None or other.partial:
        return False
    if other.collation is not index.collation:
        return False
    begins = other.keys[: len(index.keys)] == index.keys
    return begins and (len(other.keys) > len(index.keys) or other.unique or other.expire_after_seconds is not None)
