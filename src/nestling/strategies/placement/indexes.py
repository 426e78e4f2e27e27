"""Indexes on keys, references and the equality filters of statements (D1), none of which is a prefix of another (D4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from nestling.ir.candidate import Candidate, Indexed, IndexedAcross, IndexedAnyCase, Part
from nestling.ir.indexes.embedded_uniques import Kept, is_found_by_kept, is_told_by_parent, kept_inside, kept_where
from nestling.ir.indexes.indexable import can_index, is_array, leads
from nestling.ir.indexes.unchecked_keys import unchecked_words
from nestling.ir.invariants.parallel_arrays import parallel_mistakes
from nestling.ir.model import Entity, Model, Relationship
from nestling.ir.outline import CHILD_HOLDS, Outline
from nestling.ir.primitives import Collection, Holder, Index
from nestling.ir.situation.situation import Situation
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.storage.collations import attributes_sought, followed_links, linked_by_expression
from nestling.ir.storage.layout import Place, Role, StoredCollection, places_of, stores_of
from nestling.ir.storage.names import join
from nestling.ir.workload import Access, Statement, StatementKind
from nestling.strategies.placement.expiry import expiry
from nestling.strategies.placement.pairs import of_pairs
from nestling.strategies.placement.trees import of_trees

MOST_INDEXES = 63
"""MongoDB takes 64 indexes a collection, `_id` among them."""
MOST_KEYS = 32
"""MongoDB takes 32 keys an index."""


@dataclass(frozen=True, slots=True)
class Indexes:
    """The indexes, and a sentence for each rule of the source they cannot keep."""

    indexes: tuple[Index, ...]
    notes: tuple[str, ...]


def indexes(situation: Situation, outline: Outline, collections: tuple[Collection, ...]) -> Indexes:
    """Indexes for every collection, in collection order: unique groups, references, then filters."""
    stores = stores_of(situation.model, collections)
    places = places_of(situation.model, stores)
    followed = followed_links(stores)
    wanted: list[Index] = []
    notes: list[str] = []
    for entity in situation.model.entities:
        place = next(place for place in places[entity.name] if place.store.role is Role.HOME)
        if place.copy is not None:
            continue
        wanted.extend(expiry(situation, outline, entity, place, notes))
        wanted.extend(_unique(situation.model, entity, place, notes))
        wanted.extend(_of_buckets(outline, entity, place))
        wanted.extend(of_trees(situation, outline, entity, place))
        if outline.indexes is None:
            wanted.extend(_references(situation, outline, entity, place, followed))
            wanted.extend(_filters(situation, entity, place))
        else:
            wanted.extend(of_pairs(place))
            wanted.extend(chosen_indexes(outline.indexes, situation.model, entity, place, _joined(situation, entity)))
            wanted.extend(_keys_inside(situation, outline, entity, place))
    ids = {collection.name: collection.id for collection in collections} if outline.indexes is None else {}
    possible = [*_possible(situation.model, stores, wanted)]
    kept = [
        index
        for collection in collections
        for index in _bounded(collection.name, _without_prefixes(possible, collection.name, ids), notes)
    ]
    return Indexes((*kept, *_of_archives(collections, kept)), tuple(notes))


def _possible(model: Model, stores: Iterable[StoredCollection], wanted: Iterable[Index]) -> Iterator[Index]:
    """The indexes that are possible: not on parallel arrays, as with a reference to an array next to the rows' own array."""
    roots = {store.name: store.roots for store in stores}
    return (each for each in wanted if not any(parallel_mistakes(model, each, roots.get(each.collection, ()), ())))


def _of_archives(collections: tuple[Collection, ...], kept: list[Index]) -> Iterator[Index]:
    """Old rows are found as the others are."""
    for collection in collections:
        for split in collection.splits:
            if split.rows is not None:
                yield from (
                    replace(each, collection=split.collection) for each in kept if each.collection == collection.name
                )


def _index(
    place: Place, entity: Entity, attributes: tuple[str, ...], *, serves: tuple[str, ...] = (), found_by: bool = False
) -> Index | None:
    """An index on attributes of an entity's rows; None if one of them cannot be indexed.

    `found_by`: it only has to find rows, so one attribute may be an array that is indexed by its elements.
    """
    split = {name for each in place.store.collection.splits for name in each.attributes}
    paths = [place.path_of(name) for name in attributes]
    if not can_index(entity, attributes, by_elements=found_by):
        return None
    if None in paths or not paths or len(paths) > MOST_KEYS or (len(place.nodes) == 1 and split & set(attributes)):
        return None
    return Index(place.store.name, tuple((path, 1) for path in dict.fromkeys(filter(None, paths))), serves=serves)


def _unique(model: Model, entity: Entity, place: Place, notes: list[str]) -> Iterator[Index]:
    """Keys and unique groups that `_id` does not already say; enforced where MongoDB's idea of unique is SQL's."""
    for group in entity.unique_groups:
        at_root = len(place.nodes) == 1
        if at_root and set(group) == set(place.store.collection.id):
            continue
        index = _index(place, entity, group)
        if index is None:
            notes.append(
                f"`{entity.name}`: the uniqueness of {', '.join(group)} cannot be enforced: no index can hold it"
            )
        elif at_root:
            yield _enforcing(index, entity, place, group)
        else:
            kept = kept_inside(entity, group, place)
            if _is_noted(model, entity, group, place):
                notes.append(unchecked_words(model, entity.name, group, (place,)))
            if kept is not Kept.NOWHERE:
                yield _enforcing_inside(index, group, place)
            elif group != entity.key:
                yield index


def _is_noted(model: Model, entity: Entity, group: tuple[str, ...], place: Place) -> bool:
    """Whether a note on a group's uniqueness is worthwhile; for a key only if two writers could both insert it."""
    kept = kept_inside(entity, group, place)
    is_kept = kept is Kept.BETWEEN or is_told_by_parent(model, group, place)
    return kept is not Kept.WHOLLY and not (group == entity.key and is_kept)


def _enforcing(index: Index, entity: Entity, place: Place, group: tuple[str, ...]) -> Index:
    """The index of a unique group over the documents that have all of it: SQL takes two missing values for different."""
    optional = [name for name in group if entity.attribute(name).nullable and name not in entity.key]
    paths = sorted(filter(None, (place.path_of(name) for name in optional)))
    return replace(index, unique=True, partial=tuple(Clause(path, ClauseOperator.PRESENT) for path in paths))


def _enforcing_inside(index: Index, group: tuple[str, ...], place: Place) -> Index:
    """The index of a unique group of rows inside others, over the documents that hold such rows."""
    return replace(index, unique=True, partial=kept_where(place, group))


def _as_kept(
    index: Index, model: Model, entity: Entity, place: Place, links: Iterable[Relationship] | None = None
) -> Index:
    """The index, or the unique one on the same fields where that finds the rows as well.

    `links`: the relationships that statements join along; all of the entity's where that is not known.
    """
    joined = model.children_of(entity.name) if links is None else tuple(links)
    for group in entity.unique_groups:
        paths = tuple((place.path_of(name) or "", 1) for name in group)
        if index.keys == paths and not index.partial and is_found_by_kept(entity, group, place, joined, model):
            return _enforcing_inside(index, group, place)
    return index


def _of_buckets(outline: Outline, entity: Entity, place: Place) -> Iterator[Index]:
    """The indexes that find the bucket for an event, and an event by its key."""
    part, bucket = outline.buckets.get(entity.name), place.store.collection.bucket
    if part is not None and part.native and part.window is not None:
        series = _index(place, entity, (*part.by, part.window.attribute))
        yield from () if series is None else (series,)
    if part is None or bucket is None:
        return
    by = _index(place, entity, bucket.by)
    if by is not None:
        yield replace(by, keys=(*by.keys, ("bucket_start", 1))) if bucket.window is not None else by
    key = _index(place, entity, part.keyed_by(entity.key))
    yield from () if key is None else (key,)


def _references(
    situation: Situation, outline: Outline, entity: Entity, place: Place, followed: frozenset[str]
) -> Iterator[Index]:
    for link in situation.parents[entity.name]:
        if link.name not in followed and linked_by_expression(situation.model, link):
            continue
        if outline.homes.get(entity.name) != link.name and Holder.CHILD in outline.held.get(link.name, CHILD_HOLDS):
            served = tuple(s.name for s in situation.reading.workload.statements if _walks(s, link.name))
            if (index := _index(place, entity, link.child_attributes, serves=served)) is not None:
                yield index
    for link in situation.children[entity.name]:
        if Holder.PARENT in outline.held.get(link.name, CHILD_HOLDS):
            field = next(r.field for r in place.node.body.references if r.relationship == link.name)
            served = tuple(s.name for s in situation.reading.workload.statements if _walks(s, link.name))
            yield Index(place.store.name, ((join(place.path, field), 1),), serves=served)
        elif link.name in outline.mirrored.values():
            field = next(c.name for c in place.node.body.copies if c.path[0].relationship == link.name)
            yield Index(place.store.name, ((join(place.path, field), 1),))
    yield from _keys_inside(situation, outline, entity, place)


def _keys_inside(situation: Situation, outline: Outline, entity: Entity, place: Place) -> Iterator[Index]:
    """The key of embedded rows, where rows elsewhere refer to it, or new rows are looked up by it to keep it unique."""
    if len(place.nodes) == 1 or not entity.key:
        return
    if _is_pointed_at(situation, outline, entity.name) or _is_looked_up(situation, outline, entity):
        index = _index(place, entity, entity.key)
        yield from (
            () if index is None else (_as_kept(index, situation.model, entity, place, _joined(situation, entity)),)
        )


def _joined(situation: Situation, entity: Entity) -> tuple[Relationship, ...] | None:
    """The relationships with its children that statements join along; None without statements."""
    statements = [each for each in situation.reading.workload.statements if each.accesses]
    links = situation.model.children_of(entity.name)
    walked = tuple(link for link in links if any(_walks(each, link.name) for each in statements))
    return walked if statements else None


def _is_looked_up(situation: Situation, outline: Outline, entity: Entity) -> bool:
    """Whether inserted keys could exist in any document, because they do not contain the key of the enclosing row."""
    home = outline.homes.get(entity.name)
    if home is None or set(situation.model.relationship(home).child_attributes) <= set(entity.key):
        return False
    statements = situation.reading.workload.statements
    return any(a.entity == entity.name and a.kind is StatementKind.INSERT for s in statements for a in s.accesses)


def indexed_rows(part: Part) -> str | None:
    """The entity that an index covers; None for other parts."""
    match part:
        case Indexed(entity) | IndexedAcross(entity) | IndexedAnyCase(entity):
            return entity
        case _:
            return None


def chosen_indexes(
    chosen: tuple[Candidate, ...],
    model: Model,
    entity: Entity,
    place: Place,
    links: Iterable[Relationship] | None = None,
) -> Iterator[Index]:
    """The indexes that were chosen, each with the statements it was proposed for; `links` as of `_as_kept`."""
    for candidate in chosen:
        part = candidate.part
        if isinstance(part, Indexed) and part.entity == entity.name:
            names = tuple(name for name, _ in part.keys)
            index = _index(place, entity, names, serves=candidate.motives, found_by=True)
            few = _index(place, entity, tuple(each.name for each in part.rows)) if part.rows else index
            if index is not None and few is not None:
                directions = {place.path_of(name): direction for name, direction in part.keys}
                told = place.node.presence
                only = [replace(each, name=place.path_of(each.name) or "") for each in part.rows]
                if told is not None:  # only documents of the type (D5)
                    only.append(Clause(told.path, ClauseOperator.EQUAL, told.value))
                keys = tuple((path, directions.get(path, 1)) for path, _ in index.keys)
                yield _as_kept(replace(index, keys=keys, partial=tuple(only)), model, entity, place, links)
        elif isinstance(part, IndexedAcross) and part.entity == entity.name:
            paths = [
                place.path_of_parents(model.relationship(each.along), each.attribute)
                if each.along
                else place.path_of(each.attribute)
                for each in part.keys
            ]
            keys = tuple(
                (path, each.direction) for path, each in zip(paths, part.keys, strict=True) if path is not None
            )
            if len(keys) == len(part.keys):
                yield Index(place.store.name, keys, serves=candidate.motives)
        elif isinstance(part, IndexedAnyCase) and part.entity == entity.name and len(place.nodes) == 1:
            index = _index(place, entity, part.attributes, serves=candidate.motives)
            yield from () if index is None else (replace(index, any_case=True),)


def _walks(statement: Statement, link: str) -> bool:
    return any(access.via == link for access in statement.accesses)


def _is_pointed_at(situation: Situation, outline: Outline, entity: str) -> bool:
    """Whether rows elsewhere hold this entity's key."""
    links = situation.children[entity]
    return any(outline.homes.get(link.child) != link.name for link in links)


def _filters(situation: Situation, entity: Entity, place: Place) -> Iterator[Index]:
    """Equality filters of statements; a filter on the whole key, or a key of many, is served already."""
    found: dict[tuple[str, ...], list[str]] = {}
    for statement in situation.reading.workload.statements:
        for access in statement.accesses:
            if access.entity == entity.name and (group := _exact(situation, access, entity)):
                found.setdefault(group, []).append(statement.name)
    for group, served in found.items():
        if (index := _index(place, entity, group, serves=tuple(dict.fromkeys(served)), found_by=True)) is not None:
            at_root = len(place.nodes) == 1
            if at_root and group in entity.other_uniques:
                yield _enforcing(index, entity, place, group)
            else:
                yield index if at_root else _as_kept(index, situation.model, entity, place, _joined(situation, entity))


def _exact(situation: Situation, access: Access, entity: Entity) -> tuple[str, ...]:
    """Attributes that an access compares for equality, foreign keys first, so that one index serves both."""
    compared = [each.attribute for each in access.filters if each.attribute in entity and leads(entity, each)]
    arrays = [name for name in compared if is_array(entity, name)]
    names = attributes_sought(
        entity, (name for name in compared if name not in arrays[1:])
    )  # one index holds the elements of one array
    if group := next((group for group in entity.unique_groups if set(group) <= names), ()):
        return group
    links = situation.parents[entity.name]
    first = [a for link in links if set(link.child_attributes) <= names for a in link.child_attributes]
    return tuple(dict.fromkeys((*first, *(name for name in entity.attribute_names if name in names))))


def _without_prefixes(wanted: list[Index], collection: str, ids: Mapping[str, tuple[str, ...]]) -> list[Index]:
    """Indexes of one collection without those that another one (or `_id`) replaces; the replacement serves their statements."""
    merged: dict[tuple[object, ...], Index] = {}
    for index in wanted:
        if index.collection == collection:
            same = index.of, index.keys
            other = merged.get(same, index)
            serves = tuple(dict.fromkeys((*other.serves, *index.serves)))
            merged[same] = replace(other, unique=other.unique or index.unique, serves=serves)
    kept: list[Index] = []
    for index in sorted(merged.values(), key=lambda each: (not each.unique, -len(each.keys))):
        at = next((n for n, other in enumerate(kept) if _covers(other, index)), None)
        if at is not None:
            serves = tuple(dict.fromkeys((*kept[at].serves, *index.serves)))
            kept[at] = replace(kept[at], serves=serves)
        elif index.keys[0][0] != "_id" and not _is_whole_id(index, ids.get(collection, ())):
            kept.append(index)
    order = list(merged)
    return sorted(kept, key=lambda each: order.index((each.of, each.keys)))


def _covers(other: Index, index: Index) -> bool:
    """Whether `other` can replace `index`: it begins with its keys, or is unique and a beginning of it.

    An index that removes rows cannot be replaced.
    """
    shorter, longer = sorted((other.keys, index.keys), key=len)
    if longer[: len(shorter)] != shorter:
        return False
    if index.expire_after_seconds is not None or other.of != index.of:
        return False
    return not index.unique and (len(other.keys) >= len(index.keys) or other.unique)


def _is_whole_id(index: Index, key: tuple[str, ...]) -> bool:
    """Whether the index names all parts of a composite `_id`, which the server indexes as one value."""
    parts = [path for path, _ in index.keys if path.startswith("_id.") and path.count(".") == 1]
    return len(key) > 1 and len(parts) == len(key)


def _bounded(collection: str, found: list[Index], notes: list[str]) -> list[Index]:
    """At most as many indexes as the server allows: unique ones first, then those that serve most statements."""
    if len(found) <= MOST_INDEXES:
        return found
    notes.append(f"`{collection}`: {len(found) - MOST_INDEXES} of {len(found)} indexes left out; MongoDB takes 64")
    ranked = sorted(found, key=lambda each: (not each.unique, -len(each.serves)))[:MOST_INDEXES]
    return [index for index in found if index in ranked]
