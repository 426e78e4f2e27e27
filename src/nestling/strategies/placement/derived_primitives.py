"""The structures of an outline other than homes and references, as primitives: copies, computed values, buckets, overflow."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.candidate import Aggregate, Bucketed, CopiedAttribute, FirstChildren, Lineage
from nestling.ir.freshness import TRANSACTION, Freshness
from nestling.ir.model import Model
from nestling.ir.outline import Outline
from nestling.ir.primitives import (
    Bucket,
    CollectionKind,
    Computed,
    Copy,
    Field,
    Form,
    Options,
    Overflow,
    Summary,
    WindowUnit,
)
from nestling.ir.rows import Hop, up
from nestling.ir.storage.names import collection_name, stored_name
from nestling.strategies.placement.field_names import TakenNames, ids_name

GRANULARITY = {WindowUnit.HOUR: "seconds", WindowUnit.DAY: "minutes", WindowUnit.MONTH: "hours"}
"""Names in server version 6 for buckets of an hour, a day and 30 days."""


def copies(model: Model, outline: Outline, entity: str, names: TakenNames) -> tuple[Copy, ...]:
    """The copies in an entity's documents: attributes of one parent together, and the first few children."""
    return (
        *_whole_parents(model, outline, entity, names),
        *_of_parents(model, outline, entity, names),
        *_of_children(model, outline, entity, names),
        *_of_trees(model, outline, entity, names),
    )


def _of_trees(model: Model, outline: Outline, entity: str, names: TakenNames) -> tuple[Copy, ...]:
    """The rows above each row of a tree: an array of their keys, or of sub-documents with more attributes."""
    found = []
    for part in outline.kept:
        if isinstance(part, Lineage) and model.relationship(part.relationship).child == entity:
            what = "ancestor_ids" if len(part.attributes) == 1 else "ancestors"
            found.append(part.copy(model, names.free(what, stored_name(f"{what}_by_{part.relationship}"))))
    return tuple(found)


def _of_parents(model: Model, outline: Outline, entity: str, names: TakenNames) -> tuple[Copy, ...]:
    """One copy for each parent and freshness: attributes that must be fresher than others are in a separate field.

    The freshest has the parent's name, the others say what they are: `product`, `product_async`.
    """
    together: dict[tuple[tuple[Hop, ...], Freshness], list[CopiedAttribute]] = {}
    for part in outline.kept:
        if isinstance(part, CopiedAttribute) and part.holder == entity:
            together.setdefault((part.path, part.freshness), []).append(part)
    found: list[Copy] = []
    for (path, freshness), parts in sorted(together.items(), key=lambda each: each[0][1].weakness):
        link = model.relationship(path[-1].relationship)
        role = link.parent_role or link.parent
        is_first = not any(copy.path == path for copy in found)
        own = (role, link.parent) if is_first else (f"{role}_{freshness.level}",)
        name = names.free(*(stored_name(text) for text in (*own, f"{link.parent}_of_{link.name}")))
        fields = tuple(field for part in parts for field in part.copy(name).attributes)
        found.append(replace(parts[0].copy(name), attributes=fields))
    return tuple(found)


def _whole_parents(model: Model, outline: Outline, entity: str, names: TakenNames) -> tuple[Copy, ...]:
    """The copies that are the home of a parent: everything but the key that its children refer to."""
    found = []
    for parent, name in outline.absorbed.items():
        link = model.relationship(name)
        if link.child == entity:
            attributes = [each for each in model.entity(parent).attribute_names if each not in link.parent_attributes]
            fields = tuple(Field(each, stored_name(each)) for each in attributes)
            field, apart = names.free(stored_name(link.parent_role or parent)), f"{collection_name(parent)}_alone"
            found.append(Copy(field, (up(link),), fields, Form.OBJECT, TRANSACTION, home=True, orphans=apart))
    return tuple(found)


def _of_children(model: Model, outline: Outline, entity: str, names: TakenNames) -> tuple[Copy, ...]:
    found = []
    for part in outline.kept:
        link = model.relationship(part.relationship) if isinstance(part, FirstChildren) else None
        if isinstance(part, FirstChildren) and link is not None and link.parent == entity:
            role = link.child_role or link.child
            newest = bool(part.order) and part.order[0].descending
            words = ("all",) if part.limit is None else ("recent", "top") if newest else ("first",)
            bare = part.is_bare(model)
            name = ids_name(names, role, many=True) if bare else _first_free(names, words, role)
            found.append(part.copy(model, name))
    return tuple(found)


def _first_free(names: TakenNames, words: tuple[str, ...], role: str) -> str:
    return names.free(*(stored_name(f"{word}_{role}") for word in words))


def computed(model: Model, outline: Outline, entity: str, names: TakenNames) -> tuple[Computed, ...]:
    """The aggregates kept in an entity's documents."""
    found = []
    for part in outline.kept:
        link = model.relationship(part.relationship) if isinstance(part, Aggregate) else None
        if isinstance(part, Aggregate) and link is not None and link.parent == entity:
            role = link.child_role or link.child
            of = f"{role}_{part.attribute}" if part.attribute else role
            name = names.free(stored_name(f"{of}_{part.function}"), stored_name(f"{of}_{part.function}_by_{link.name}"))
            found.append(part.computed(model, name))
    return tuple(found)


def bucket_of(part: Bucketed | None) -> Bucket | None:
    """The bucket an entity's rows go to."""
    if part is None or part.native:
        return None
    summary = tuple(
        Summary(f"summary.{function}_{stored_name(attribute)}", function, attribute)
        for function, attribute in part.summary
    )
    return Bucket(part.by, "events", part.limit, part.window, summary)


def options_of(part: Bucketed | None) -> Options:
    """The kind of collection for an entity's rows: a time series if the server makes the buckets."""
    if part is None or not part.native or part.window is None:
        return Options()
    meta = part.by[0] if part.by else None
    return Options(CollectionKind.TIME_SERIES, part.window.attribute, meta, GRANULARITY[part.window.unit])


def overflow_flag(names: TakenNames, field: str, overflow: Overflow | None) -> Overflow | None:
    """The overflow with a flag of its own name, if a document has several arrays that may overflow."""
    return None if overflow is None else replace(overflow, flag=names.free("has_overflow", f"{field}_overflow"))
