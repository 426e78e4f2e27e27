"""A design as the structures it is made of, so that it can be priced by the same options as any other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from nestling.ir.candidate import (
    Absorbed,
    AcrossKey,
    Aggregate,
    Archived,
    Bucketed,
    Candidate,
    Cold,
    CopiedAttribute,
    FirstChildren,
    Indexed,
    IndexedAcross,
    IndexedAnyCase,
    Lineage,
    Mirror,
    Nested,
    Own,
    Paired,
    Part,
)
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Form, Index
from nestling.ir.statements.clause import imply
from nestling.ir.storage.layout import Node, Place, Role, StoredCollection
from nestling.ir.storage.names import join
from nestling.planner.migration.same_paths import same_paths

_Index: TypeAlias = Indexed | IndexedAcross | IndexedAnyCase
PATTERN = "in place"
"""What the design that is there has, whoever would propose it."""


@dataclass(frozen=True, slots=True)
class InPlace:
    """All candidates, those of today's design among them, and which these are."""

    candidates: tuple[Candidate, ...]
    chosen: frozenset[str]


def with_in_place(design: Design, proposed: Sequence[Candidate]) -> InPlace:
    """What is proposed with what the design has; the same structure is one, whoever names it, in the form it has there."""
    known = {_comparable(candidate.part): candidate for candidate in proposed}
    chosen: list[Candidate] = []
    for part in parts_of(design):
        found = known.setdefault(_comparable(part), Candidate(f"{_text(part, design.model)} (today)", (PATTERN,), part))
        if isinstance(part, Nested) and isinstance(found.part, Nested):
            found = replace(found, part=replace(found.part, bare=part.bare))
        chosen.append(found)
    every = {candidate.id: candidate for candidate in (*proposed, *chosen)}
    return InPlace(tuple(every.values()), frozenset(candidate.id for candidate in chosen))


def _comparable(part: Part) -> Part:
    """A part without what two names of one structure may differ in: how many rows an overflowing array keeps, its form."""
    if not isinstance(part, Nested):
        return part
    return replace(part, overflow=part.overflow if part.overflow is None else 0, bare=None)


def parts_of(design: Design) -> Iterator[Part]:
    """The structures of a design: homes first, then copies, computed values and indexes."""
    homes = {name: next(p for p in places if p.store.role is Role.HOME) for name, places in design.places.items()}
    for name, home in homes.items():
        yield _home(name, home)
    for home in homes.values():
        yield from _derived_parts(home)
        yield from _lineages(home, design)
        yield from _paired(home, design)
    for collection in design.collections:
        for split in collection.splits:
            if split.rows is not None:
                yield Archived(collection.root, split.rows)
            elif not split.gridfs:
                yield Cold(collection.root, split.attributes)
    for index in design.indexes:
        found = _of_rows(design, index) or _of_first_keys(design.store(index.collection), index)
        known = _inside(found, unique=index.unique) if found is not None and homes[found.entity].nodes[1:] else found
        if known is not None:
            yield known


def _inside(found: _Index, *, unique: bool) -> _Index | None:
    """An index over rows inside documents; None if no structure stands for it, as it asks something else of the documents.

    One that keeps the rows unique counts as one over all of them: it leaves out documents without such rows.
    """
    if not isinstance(found, Indexed):
        return found
    if not found.works_inside:
        return None
    return replace(found, rows=()) if unique else found


def with_other_indexes(design: Design, today: Design) -> tuple[Design, tuple[Index, ...]]:
    """The design with those of today's indexes that it lacks, such as one on a discriminator, where their fields mean the same;
    and those that no structure stands for and whose fields are no longer there.

    Today's index takes the place of one that differs in more conditions only, such as that its documents are of a subtype.
    """
    design = replace(design, indexes=_as_today(design, today))
    missing = [index for index in today.indexes if not any(_begins(each, index) for each in design.indexes)]
    stay = [index for index in missing if same_paths(today, design, index.collection, _paths(index))]
    lost = tuple(index for index in missing if index not in stay and _of_rows(today, index) is None)
    return replace(design, indexes=(*design.indexes, *stay)), lost


def _as_today(design: Design, today: Design) -> tuple[Index, ...]:
    """The design's indexes, with today's in place of those that differ only in a condition on the kind of documents."""
    found: dict[Index, list[str]] = {}
    for index in design.indexes:
        store = design.store(index.collection)
        kinds = {each for each in index.partial if _attribute(store, each.name) is None}
        wider = (
            each for each in today.indexes if _is_of_more(each, index) and {*index.partial} - {*each.partial} <= kinds
        )
        own = next((each for each in wider if same_paths(today, design, each.collection, _paths(each))), index)
        found.setdefault(replace(own, serves=()), []).extend(index.serves)
    return tuple(replace(index, serves=tuple(dict.fromkeys(names))) for index, names in found.items())


def _is_of_more(index: Index, other: Index) -> bool:
    """Whether an index is as the other, but of all its documents and more."""
    alike = replace(index, serves=(), partial=()) == replace(other, serves=(), partial=())
    return alike and imply(other.partial, index.partial) and not imply(index.partial, other.partial)


def _begins(index: Index, other: Index) -> bool:
    """Whether an index has the other's fields, at least to begin with, and is of the same documents."""
    return index.begins_with(other) and (not other.partial or index.keys == other.keys)


def _paths(index: Index) -> tuple[str, ...]:
    return (*(path for path, _ in index.keys), *(each.name for each in index.partial))


def _of_rows(design: Design, index: Index) -> _Index | None:
    """The structure an index is, where one is made of the same attributes."""
    if index.any_case:
        return _indexed_any_case(design.store(index.collection), index)
    return indexed(design.store(index.collection), index) or indexed_across(design, index)


def _indexed_any_case(store: StoredCollection, index: Index) -> IndexedAnyCase | None:
    """An index whatever the case, as a structure; its directions are nothing to it."""
    found = indexed(store, index)
    return IndexedAnyCase(found.entity, tuple(name for name, _ in found.keys)) if found is not None else None


def _of_first_keys(store: StoredCollection, index: Index) -> Indexed | None:
    """The structure an index is by its first keys, where later ones are of another entity, such as the `_id` of the documents."""
    if index.any_case:
        return None
    shorter = (replace(index, keys=index.keys[:count]) for count in range(len(index.keys) - 1, 0, -1))
    return next((found for each in shorter if (found := indexed(store, each)) is not None), None)


def _home(entity: str, home: Place) -> Part:
    bucket = home.store.collection.bucket
    if bucket is not None:
        return Bucketed(entity, bucket.by, bucket.window, bucket.limit)
    embeddings = [node.embedding for node in reversed(home.nodes) if node.embedding is not None]
    if not embeddings:
        return Own(entity)
    first = embeddings[0]
    overflow = first.overflow.bound if first.overflow is not None else None
    links, form = tuple(each.relationship for each in embeddings), first.form
    return Nested(entity, links, overflow, inline=form is Form.INLINE, bare=form is Form.SCALARS)


def _derived_parts(home: Place) -> Iterator[Part]:
    entity = home.node.entity
    for copy in home.node.body.copies:
        attributes = tuple(field.attribute for field in copy.attributes)
        if copy.form in (Form.OBJECT, Form.INLINE) and not copy.closure and copy.limit is None:
            yield from (CopiedAttribute(entity, copy.path, name, copy.freshness) for name in attributes)
        elif len(copy.path) == 1 and not copy.path[0].up and not copy.closure:
            yield FirstChildren(copy.path[0].relationship, attributes, copy.order, copy.limit, copy.freshness)
    for computed in home.node.body.computed:
        if len(computed.path) == 1 and not computed.path[0].up:
            link = computed.path[0].relationship
            yield Aggregate(link, computed.function, computed.attribute, computed.freshness, computed.step)


def _lineages(home: Place, design: Design) -> Iterator[Lineage]:
    """What the rows of a tree keep of those above them."""
    for copy in home.node.body.copies:
        if copy.closure and copy.path[0].up and copy.form in (Form.ARRAY, Form.SCALARS) and copy.limit is None:
            keys = {
                join(home.path, copy.name, field.path if copy.form is Form.ARRAY else "") for field in copy.attributes
            }
            indexed = any(
                i.collection == home.store.name and len(i.keys) == 1 and i.keys[0][0] in keys for i in design.indexes
            )
            attributes = tuple(field.attribute for field in copy.attributes)
            yield Lineage(copy.path[0].relationship, attributes, copy.freshness, indexed)


def _paired(home: Place, design: Design) -> Iterator[Paired]:
    """The lists of names and values that an index finds rows by."""
    for pairs in home.node.body.pairs if len(home.nodes) == 1 else ():
        keys = [join(pairs.field, pairs.key), join(pairs.field, pairs.value)]
        if any(i.collection == home.store.name and [path for path, _ in i.keys] == keys for i in design.indexes):
            yield Paired(home.node.entity, pairs.attributes)


def indexed(store: StoredCollection, index: Index) -> Indexed | None:
    """An index whose keys and conditions are all of one entity."""
    found = [_attribute(store, path) for path, _ in index.keys]
    only = [_attribute(store, each.name) for each in index.partial]
    entities = {each[0] for each in (*found, *only) if each is not None}
    if len(entities) != 1 or None in (*found, *only):
        return None
    named = tuple((each[1], way) for each, (_, way) in zip(found, index.keys, strict=True) if each is not None)
    rows = tuple(replace(one, name=each[1]) for each, one in zip(only, index.partial, strict=True) if each is not None)
    return Indexed(entities.pop(), named, rows)


def indexed_across(design: Design, index: Index) -> IndexedAcross | None:
    """An index whose keys are rows' own and those of parents each has."""
    places = (place for each in design.places.values() for place in each if place.store.name == index.collection)
    for place in places if not index.partial else ():
        entity = design.model.entity(place.node.entity)
        known = {place.path_of(name): AcrossKey(name, 1) for name in entity.attribute_names}
        for link in design.model.parents_of(entity.name):
            for name in design.model.entity(link.parent).attribute_names:
                known.setdefault(place.path_of_parents(link, name), AcrossKey(name, 1, link.name))
        found = [(known.get(path), direction) for path, direction in index.keys]
        keys = tuple(replace(key, direction=direction) for key, direction in found if key is not None)
        whole = IndexedAcross(entity.name, keys)
        if len(keys) == len(found) and whole.links:
            return whole
    return None


def _attribute(store: StoredCollection, path: str) -> tuple[str, str] | None:
    """The entity and attribute stored at a path."""
    return next((found for root in store.roots if (found := _below(root, "", path)) is not None), None)


def _below(node: Node, prefix: str, path: str) -> tuple[str, str] | None:
    at = join(prefix, node.field)
    for field in node.stored:
        if join(at, field.path) == path:
            return node.entity, field.attribute
    return next((found for child in node.children if (found := _below(child, at, path)) is not None), None)


def _text(part: Part, model: Model) -> str:  # noqa: C901 - one case for each
    match part:
        case Own(entity):
            return f"{entity} in a collection of its own"
        case Nested(entity, links):
            return f"{entity} embedded by {', '.join(links)}"
        case Bucketed(entity, by):
            return f"{entity} in buckets by {', '.join(by)}"
        case Indexed(entity, keys, rows):
            where = f" where {' and '.join(map(str, rows))}" if rows else ""
            shown = ", ".join(name if direction > 0 else f"-{name}" for name, direction in keys)
            return f"index of {entity} on {shown}{where}"
        case IndexedAcross():
            return part.text(model)
        case IndexedAnyCase():
            return part.text
        case CopiedAttribute(holder, path, attribute):
            return f"{attribute} by {', '.join(hop.relationship for hop in path)} in {holder}"
        case Lineage(relationship, attributes):
            return f"{', '.join(attributes)} of rows above by {relationship}"
        case Archived(entity, rows):
            return f"{entity} rows with {rows.attribute} before {rows.value} apart"
        case Cold(entity, attributes):
            return f"{', '.join(attributes)} of {entity} apart"
        case Paired(entity, attributes):
            return f"{', '.join(attributes)} of {entity} as a list of names and values"
        case FirstChildren(relationship):
            return f"rows copied by {relationship}"
        case Aggregate(relationship, function, attribute):
            return f"{function} of {attribute or 'rows'} by {relationship}"
        case Absorbed(entity, relationship):
            return f"{entity} in the documents of its children by {relationship}"
        case Mirror(link, side):
            return f"ids of {link} kept by the parent of {side}"
        case _:
            assert_never(part)
