"""Unknown names, and primitives that make no sense where they stand: what can be checked before anything is laid out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from nestling.common.errors import Problem, unknown
from nestling.ir.freshness import Level
from nestling.ir.invariants.field_names import field_name_mistakes
from nestling.ir.model import Cardinality, Entity, Model, named_twice
from nestling.ir.primitives import (
    Bucket,
    Collection,
    CollectionKind,
    Computed,
    Copy,
    Document,
    Embedding,
    Form,
    Holder,
    Reference,
    Split,
    Variant,
)
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.storage.names import is_within
from nestling.ir.types import FILES, MAY_BE_ARRAYS, TIMES, TypeName
from nestling.ir.value_forms.written_values import bound_mistake

_Where = tuple[str | int, ...]

_FILES = FILES | {TypeName.GEOMETRY}
_CAPPED_BYTES = (4_096, 1 << 50)
"""The least that MongoDB's manual promises a capped collection, and the most that the server takes."""


def mistakes_in_names(model: Model, collections: Sequence[Collection]) -> Iterator[Problem]:
    """Unknown entities, relationships and attributes, and primitives that make no sense where they stand."""
    if not collections and model.entities:
        yield Problem(what="the design has no collections", path=("collections",))
    for collection in collections:
        path: _Where = ("collections", collection.name)
        if not model.has_entity(collection.root):
            yield unknown("entity", collection.root, (e.name for e in model.entities), path=(*path, "root"))
            continue
        yield from field_name_mistakes(model, collection, path)
        yield from _collection_mistakes(model, collection, path)
        yield from _document_mistakes(model, collection.body, path, collection)
        for member in collection.variant.members if collection.variant else ():
            where: _Where = (*path, "variant", "members", member.body.entity)
            if not model.has_entity(member.body.entity):
                yield unknown("entity", member.body.entity, (e.name for e in model.entities), path=where)
            else:
                yield from _document_mistakes(model, member.body, where, None)
                if not model.entity(member.body.entity).key:
                    yield Problem(what=f"`{member.body.entity}` has no key to identify its documents", path=where)


def _collection_mistakes(model: Model, collection: Collection, path: _Where) -> Iterator[Problem]:
    entity = model.entity(collection.root)
    yield from _attribute_mistakes(entity, collection.id, (*path, "id"))
    if collection.id and set(collection.id) not in ({*entity.key}, *map(set, entity.uniques)):
        what = f"{', '.join(collection.id)} is not a key of `{entity.name}`"
        yield Problem(what=what, path=(*path, "id"), next_move=f"use its key: {', '.join(entity.key) or 'it has none'}")
    paired = {name for pairs in collection.body.pairs for name in pairs.attributes}
    for name in (name for name in collection.id if name in paired and name not in entity.key):
        yield Problem(what=f"`{name}` is in `_id` and cannot be in a list of pairs", path=(*path, "id"))
    yield from _said_twice((*path, "splits"), (split.collection for split in collection.splits))
    for split in collection.splits:
        yield from _split_mistakes(entity, collection, split, (*path, "splits", split.collection))
        if split.gridfs:
            yield from _file_mistakes(model, entity, split, (*path, "splits", split.collection))
    if collection.bucket is not None:
        yield from _bucket_mistakes(entity, collection, collection.bucket, (*path, "bucket"))
    if collection.variant is not None:
        yield from _variant_mistakes(collection, collection.variant, (*path, "variant"))
    yield from _option_mistakes(entity, collection, path)


def _split_mistakes(entity: Entity, collection: Collection, split: Split, path: _Where) -> Iterator[Problem]:
    yield from _attribute_mistakes(entity, split.attributes, (*path, "attributes"))
    if split.rows is not None:
        yield from _unknown_attributes(entity, (split.rows.attribute,), path)
        if split.rows.attribute in entity:
            kind = entity.attribute(split.rows.attribute).type
            yield from filter(None, [bound_mistake(kind, split.rows.value, (*path, "rows", "before"))])
    if bool(split.attributes) == bool(split.rows):
        yield Problem(what="a split must name either attributes or rows", path=path)
    if split.attributes and not entity.key:
        yield Problem(what=f"`{entity.name}` has no key to look up split attributes by", path=path)
    if paired := set(split.attributes) & {name for pairs in collection.body.pairs for name in pairs.attributes}:
        yield Problem(what=f"{', '.join(sorted(paired))} cannot be both split off and in a list of pairs", path=path)
    if set(split.attributes) & {*collection.id, *entity.key}:
        yield Problem(what="the key cannot be split off", path=path)


def _file_mistakes(model: Model, entity: Entity, split: Split, path: _Where) -> Iterator[Problem]:
    """A document only points to a file: what others refer to, or rows are joined by, cannot be in one."""
    links = (link.child_attributes for link in model.parents_of(entity.name))
    referring = {name for group in (*entity.uniques, *links) for name in group}
    for name in split.attributes:
        if name in referring:
            yield Problem(what=f"`{name}` is (part of) a unique or foreign key and cannot be a file", path=path)
        elif name in entity and entity.attribute(name).type.name not in _FILES:
            what = f"`{name}` is {entity.attribute(name).type}; a file holds bytes or text"
            yield Problem(what=what, path=path, next_move="split it off without `gridfs`")


def _bucket_mistakes(entity: Entity, collection: Collection, bucket: Bucket, path: _Where) -> Iterator[Problem]:
    yield from _attribute_mistakes(entity, bucket.by, (*path, "by"))
    for name in bucket.by:
        if name in entity and entity.attribute(name).type.name in MAY_BE_ARRAYS:
            yield Problem(
                what=f"`{name}` is {entity.attribute(name).type}, which cannot be grouped by", path=(*path, "by")
            )
    yield from _unknown_attributes(entity, (s.attribute for s in bucket.summary if s.attribute), (*path, "summary"))
    for summary in bucket.summary:
        if summary.attribute is None and summary.function is not AggregateKind.COUNT:
            what = f"{summary.function} needs an attribute of `{entity.name}`"
            yield Problem(what=what, path=(*path, "summary", summary.field))
    if bucket.window is not None:
        yield from _window_mistakes(entity, bucket.window.attribute, (*path, "window"))
    if bucket.limit < 1:
        yield Problem(what="a bucket must hold at least one event", path=(*path, "limit"))
    for reference in collection.body.references:
        if reference.holder is Holder.PARENT:
            what = f"`{reference.relationship}`: an event in a bucket cannot hold its children's ids"
            yield Problem(what=what, path=path, next_move="store the parent's id in the child")
    if collection.id or collection.variant or collection.splits:
        yield Problem(what="a bucket collection cannot have an id, variant or splits of its own", path=path)


def _window_mistakes(entity: Entity, attribute: str, path: _Where) -> Iterator[Problem]:
    if attribute not in entity:
        yield entity.no_attribute(attribute, path)
    elif entity.attribute(attribute).type.name not in TIMES:
        what = f"`{attribute}` is {entity.attribute(attribute).type}, not a date or timestamp"
        yield Problem(what=what, path=path)


def _variant_mistakes(collection: Collection, variant: Variant, path: _Where) -> Iterator[Problem]:
    if variant.members and not variant.value:
        yield Problem(what="the root needs a discriminator value when there are members", path=(*path, "value"))
    seen = {variant.value}
    for value, where in (
        *((member.value, ("members", member.body.entity, "value")) for member in variant.members),
        *((value, ("subtypes", name)) for name, value in variant.subtypes),
    ):
        if value in seen:
            what = f"`{value}` is the value of two kinds of documents in `{collection.name}` and identifies neither"
            yield Problem(what=what, path=(*path, *where), next_move="give each a value of its own")
        seen.add(value)
    for name, _ in variant.subtypes:
        if not any(e.relationship == name and e.form is Form.INLINE for e in collection.body.embeddings):
            yield Problem(what=f"subtype `{name}` is not embedded inline", path=(*path, "subtypes", name))


def _option_mistakes(entity: Entity, collection: Collection, path: _Where) -> Iterator[Problem]:
    options = collection.options
    if options.kind is CollectionKind.TIME_SERIES:
        time = entity.attribute(options.time) if options.time and options.time in entity else None
        if time is None:
            yield entity.no_attribute(options.time or "", (*path, "options", "time"))
        elif time.type.name not in TIMES or time.type.fraction_digits > 3 or time.nullable:
            what = f"`{time.name}` ({time.type}{', nullable' if time.nullable else ''}) cannot be the time of a time series"
            yield Problem(what=what, path=(*path, "options", "time"), next_move="use a NOT NULL date or timestamp")
        if options.meta is not None and options.meta not in entity:
            yield entity.no_attribute(options.meta, (*path, "options", "meta"))
        elif options.meta is not None and options.meta == options.time:
            what = f"`{options.meta}` is the time of the time series, and cannot also be its meta field"
            yield Problem(what=what, path=(*path, "options", "meta"))
        for name in filter(None, (options.time, options.meta)):
            if _is_inside(collection.body, name):
                what = f"`{name}` is stored inside another field; a time series needs it as a top-level field"
                yield Problem(what=what, path=(*path, "options"), next_move="store it as a top-level field")
        if collection.body.embeddings or collection.bucket or collection.variant or collection.splits or collection.id:
            what = "a time series collection holds plain events and cannot have an id, embeddings, a bucket, a variant or splits"
            yield Problem(what=what, path=(*path, "options"))
    if options.kind is CollectionKind.CAPPED:
        yield from _capped_mistakes(options.size_bytes, (*path, "options", "size_bytes"))


def _capped_mistakes(size: int | None, path: _Where) -> Iterator[Problem]:
    if size is None:
        yield Problem(what="a capped collection needs a size", path=path)
    elif not _CAPPED_BYTES[0] <= size <= _CAPPED_BYTES[1]:
        least, most = _CAPPED_BYTES
        what = f"the size of a capped collection must be {least:,} to {most:,} bytes, not {size:,}"
        yield Problem(
            what=what, path=path, next_move="make it large enough for all rows: when full, it drops the oldest"
        )


def _is_inside(body: Document, attribute: str) -> bool:
    """Whether a document keeps an attribute in a sub-document or a list of pairs."""
    nested = any(field.attribute == attribute and "." in field.path for field in body.fields)
    return nested or any(attribute in pairs.attributes for pairs in body.pairs)


def _document_mistakes(model: Model, body: Document, path: _Where, collection: Collection | None) -> Iterator[Problem]:
    entity = model.entity(body.entity)
    yield from _said_twice((*path, "fields"), (field.attribute for field in body.fields))
    yield from _said_twice((*path, "embeddings"), (embedding.field for embedding in body.embeddings))
    yield from _said_twice((*path, "copies"), (copy.name for copy in body.copies))
    yield from _unknown_attributes(entity, (field.attribute for field in body.fields), (*path, "fields"))
    for pairs in body.pairs:
        yield from _attribute_mistakes(entity, pairs.attributes, (*path, "pairs", pairs.field, "attributes"))
        if pairs.key == pairs.value:
            what = f"`{pairs.value}` is both the key and the value field of a list of pairs"
            yield Problem(what=what, path=(*path, "pairs", pairs.field), next_move="rename one")
        if not pairs.attributes:
            yield Problem(what="a list of pairs must name its attributes", path=(*path, "pairs", pairs.field))
        if set(pairs.attributes) & set(entity.key):
            yield Problem(what="key attributes cannot be stored as pairs", path=(*path, "pairs", pairs.field))
        for name in sorted({field.attribute for field in body.fields} & set(pairs.attributes)):
            what = f"`{name}` is stored both as a pair and as a field"
            yield Problem(
                what=what, path=(*path, "fields", name), next_move="remove it from `fields` or from the pairs"
            )
    for reference in body.references:
        yield from _reference_mistakes(
            model, body, reference, (*path, "references", reference.relationship), collection
        )
    for copy in body.copies:
        yield from _copy_mistakes(model, body, copy, (*path, "copies", copy.name))
    for computed in body.computed:
        yield from _computed_mistakes(model, body, computed, (*path, "computed", computed.field))
    for embedding in body.embeddings:
        yield from _embedding_mistakes(model, body, embedding, (*path, "embeddings", embedding.field), collection)


def _reference_mistakes(
    model: Model, body: Document, reference: Reference, path: _Where, collection: Collection | None
) -> Iterator[Problem]:
    if not model.has_relationship(reference.relationship):
        yield unknown("relationship", reference.relationship, (r.name for r in model.relationships), path=path)
        return
    link = model.relationship(reference.relationship)
    side = link.parent if reference.holder is Holder.PARENT else link.child
    if side != body.entity:
        what = f"`{link.name}` as {reference.holder} belongs in `{side}`, not in `{body.entity}`"
        yield Problem(what=what, path=path)
        return
    if reference.holder is Holder.PARENT:
        child = model.entity(link.child)
        yield from _unknown_attributes(child, (field.attribute for field in reference.copied), path)
        yield from _stored_twice([field.path for field in reference.copied], (*path, "copies"), beside=["id"])
        if not child.key:
            what = f"`{child.name}` has no key, so `{link.parent}` cannot hold its ids"
            yield Problem(what=what, path=path, next_move="store the parent's id in the child")
        if collection is None:
            what = f"`{body.entity}` is embedded; only a root document can hold its children's ids"
            yield Problem(what=what, path=path, next_move="store the parent's id in the child")


def _path_mistakes(model: Model, start: str, hops: Sequence[Hop], path: _Where) -> Iterator[Problem]:
    at = start
    if not hops:
        yield Problem(what="the path has no relationship", path=path)
    for hop in hops:
        if not model.has_relationship(hop.relationship):
            yield unknown("relationship", hop.relationship, (r.name for r in model.relationships), path=path)
            return
        if hop.start(model) != at:
            yield Problem(what=f"`{hop.relationship}` does not start at `{at}`", path=path)
            return
        at = hop.target(model)


def _copy_mistakes(model: Model, body: Document, copy: Copy, path: _Where) -> Iterator[Problem]:
    problems = tuple(_path_mistakes(model, body.entity, copy.path, (*path, "of")))
    yield from problems
    if problems:
        return
    source = model.entity(copy.path[-1].target(model))
    yield from _unknown_attributes(source, (field.attribute for field in copy.attributes), (*path, "attributes"))
    yield from _unknown_attributes(source, (order.attribute for order in copy.order), (*path, "order"))
    yield from _stored_twice([field.path for field in copy.attributes], (*path, "attributes"))
    to_one = all(hop.to_one(model) for hop in copy.path)
    if not copy.attributes:
        yield Problem(what="a copy must name its attributes", path=(*path, "attributes"))
    if copy.closure and (len(copy.path) != 1 or not model.relationship(copy.path[0].relationship).is_self):
        yield Problem(what="a closure must follow exactly one relationship of an entity to itself", path=(*path, "of"))
    if not copy.closure and not to_one and not copy.form.to_many and copy.limit != 1:
        what = f"`{source.name}` may have many rows here, but the copy is {copy.form}"
        yield Problem(what=what, path=(*path, "as"), next_move="make it an array, or give `limit: 1`")
    if copy.form in (Form.SCALARS, Form.PATH) and len(copy.attributes) != 1:
        yield Problem(what=f"a copy as {copy.form} must hold exactly one attribute", path=(*path, "attributes"))
    if (copy.closure and not copy.form.to_many) or (copy.form is Form.PATH and not copy.closure):
        yield Problem(
            what="ancestors must be stored as array, scalars or path; only ancestors can be a path", path=(*path, "as")
        )
    if copy.limit is not None and (copy.limit < 1 or not copy.order):
        yield Problem(what="a limit must be at least 1 and needs an order", path=(*path, "limit"))
    if copy.freshness.level is Level.SAME_DOCUMENT and not copy.home:
        what = "same-document freshness needs the source in the same document"
        yield Problem(what=what, path=(*path, "freshness"), next_move="use `transaction` or weaker")
    yield from _home_copy_mistakes(model, copy, source, path)


def _home_copy_mistakes(model: Model, copy: Copy, source: Entity, path: _Where) -> Iterator[Problem]:
    if not copy.home:
        if copy.orphans is not None:
            yield Problem(what="only a copy with `home` can have orphans", path=(*path, "orphans"))
        return
    missing = set(source.attribute_names) - {field.attribute for field in copy.attributes}
    missing -= set(model.relationship(copy.path[0].relationship).parent_attributes)
    if len(copy.path) != 1 or not copy.path[0].up or copy.form not in (Form.INLINE, Form.OBJECT) or copy.order:
        yield Problem(what="a copy can only be the home of its direct parent, inline or as an object", path=path)
    if missing:
        what = f"the home of `{source.name}` would lose {', '.join(sorted(missing))}"
        yield Problem(what=what, path=(*path, "attributes"), next_move="copy every attribute")
    told = [f.attribute for f in copy.attributes if _always_there(source, f.attribute)]
    if copy.form is Form.INLINE and not told and not model.is_total(model.relationship(copy.path[0].relationship)):
        what = f"nothing would show whether a document holds a row of `{source.name}`"
        yield Problem(what=what, path=path, next_move="copy its key or a NOT NULL attribute too, or make it an object")
    if copy.orphans is None:
        what = f"rows of `{source.name}` that nothing refers to would not be stored anywhere"
        yield Problem(what=what, path=(*path, "orphans"), next_move="name a collection for them: `orphans: …`")


def _always_there(entity: Entity, name: str) -> bool:
    """Whether a field that holds the attribute is there for every row."""
    if name not in entity:
        return False
    return name in entity.key or not entity.attribute(name).nullable


def _computed_mistakes(model: Model, body: Document, computed: Computed, path: _Where) -> Iterator[Problem]:
    problems = tuple(_path_mistakes(model, body.entity, computed.path, (*path, "of")))
    yield from problems
    if problems:
        return
    source = model.entity(computed.path[-1].target(model))
    if computed.attribute is None and computed.function is not AggregateKind.COUNT:
        yield Problem(what=f"{computed.function} needs an attribute of `{source.name}`", path=path)
    if computed.attribute is not None:
        yield from _unknown_attributes(source, (computed.attribute,), path)
    if computed.step < 1 or (computed.step > 1 and computed.function not in (AggregateKind.COUNT, AggregateKind.SUM)):
        yield Problem(what="`step` must be at least 1, and above 1 only for count or sum", path=(*path, "step"))


def _embedding_mistakes(
    model: Model, body: Document, embedding: Embedding, path: _Where, collection: Collection | None
) -> Iterator[Problem]:
    if not model.has_relationship(embedding.relationship):
        yield unknown("relationship", embedding.relationship, (r.name for r in model.relationships), path=path)
        return
    link = model.relationship(embedding.relationship)
    if link.parent != body.entity or embedding.body.entity != link.child:
        what = f"`{link.name}` runs from `{link.parent}` to `{link.child}`; it cannot embed "
        yield Problem(what=f"{what}`{embedding.body.entity}` in `{body.entity}`", path=path)
        return
    child = model.entity(link.child)
    if not embedding.form.to_many and link.cardinality is not Cardinality.ONE_TO_ONE:
        what = f"`{link.parent}` may have many `{link.child}`; embed them as an array"
        yield Problem(what=what, path=(*path, "as"))
    subtypes = dict(collection.variant.subtypes) if collection is not None and collection.variant else {}
    if (embedding.form is Form.INLINE) and link.name not in subtypes:
        what = f"inline `{link.child}` needs a discriminator that shows whether it exists"
        yield Problem(what=what, path=path, next_move="list it under the collection's `variant: subtypes`")
    if embedding.form is Form.PATH:
        yield Problem(what="rows cannot be embedded as a path", path=(*path, "as"))
    if not model.is_total(link) and embedding.orphans is None:
        what = f"a `{link.child}` may have no `{link.parent}` and would not be stored anywhere"
        yield Problem(
            what=what, path=path, next_move="name a collection for such rows: `orphans: …`, or use a reference"
        )
    yield from _unknown_attributes(child, (order.attribute for order in embedding.order), (*path, "order"))
    plain_array = embedding.form.to_many and embedding.slots is None
    if embedding.overflow is not None and not (embedding.overflow.bound >= 1 and plain_array):
        yield Problem(what="an overflow needs a plain array and a bound of at least 1", path=(*path, "overflow"))
    if embedding.slots is not None:
        yield from _slot_mistakes(child, embedding, path)
    yield from _document_mistakes(model, embedding.body, path, None)


def _slot_mistakes(child: Entity, embedding: Embedding, path: _Where) -> Iterator[Problem]:
    slots = embedding.slots
    assert slots is not None
    if slots.attribute not in child:
        yield child.no_attribute(slots.attribute, (*path, "slots"))
    elif (
        child.attribute(slots.attribute).nullable or child.attribute(slots.attribute).type.name is not TypeName.INTEGER
    ):
        yield Problem(what=f"slots need a NOT NULL integer, not `{slots.attribute}`", path=(*path, "slots"))
    if any(slots.attribute in pairs.attributes for pairs in embedding.body.pairs):
        what = f"`{slots.attribute}` is the position in an array with slots and cannot be in a list of pairs"
        yield Problem(what=what, path=(*path, "slots"))
    if slots.count < 1 or embedding.form is not Form.ARRAY:
        yield Problem(what="slots need an array with at least one slot", path=(*path, "slots"))


def _said_twice(path: _Where, names: Iterator[str]) -> Iterator[Problem]:
    """Two entries of one name, which no file could tell apart."""
    for name, times in Counter(names).items():
        if times > 1:
            yield Problem(what=f"`{name}` appears twice", path=(*path, name), next_move="rename or remove one")


def _stored_twice(names: Sequence[str], path: _Where, *, beside: Sequence[str] = ()) -> Iterator[Problem]:
    """Two attributes copied under one name, or one inside the other; `beside` is what stands there already."""
    for name, times in Counter([*names, *beside]).items():
        if times > 1 or any(other != name and is_within(name, other) for other in (*names, *beside)):
            yield Problem(what=f"two things are stored under `{name}`", path=path, next_move="rename one")


def _attribute_mistakes(entity: Entity, names: Sequence[str], path: _Where) -> Iterator[Problem]:
    """A list of attributes, each of them once."""
    yield from _unknown_attributes(entity, names, path)
    yield from named_twice(names, path)


def _unknown_attributes(entity: Entity, names: Iterator[str] | Sequence[str], path: _Where) -> Iterator[Problem]:
    for name in names:
        if name not in entity:
            yield entity.no_attribute(name, path)
