"""The documents of a store: its node trees turned into trees of fields, in the forms of docs/document-forms.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nestling.emitters.attributes import COUNT, DATE, FLAG, aggregate, values_of
from nestling.emitters.content import (
    Array,
    Content,
    ContentField,
    Either,
    FixedContent,
    InlineRow,
    Object,
    ValueContent,
    nested,
)
from nestling.emitters.identity import identity, in_gridfs
from nestling.emitters.related import computed_fields, copy_fields, parent_held
from nestling.ir.design import Design
from nestling.ir.model import Entity
from nestling.ir.primitives import BUCKET_START, PAGE, Bucket, Copy, Form, Holder, Pairs, Reference, Summary
from nestling.ir.rows import AggregateKind
from nestling.ir.storage.layout import Node, NodeKind, Role, StoredCollection
from nestling.ir.storage.names import stored_name


def documents(design: Design, store: StoredCollection) -> tuple[Object, ...]:
    """The kinds of documents of a store: one, or one per member of a variant collection."""
    deriving = _Documents(design, store)
    return tuple(deriving.document(root) for root in store.roots)


@dataclass(frozen=True, slots=True)
class _Documents:
    """Derives the fields; holds what every step needs."""

    design: Design
    store: StoredCollection

    def document(self, root: Node) -> Object:
        fields = [*identity(self.design, self.store, root), *self._constants(root)]
        if root.kind is NodeKind.GROUP:
            fields += self._group(root)
        else:
            fields += [field for field in self._row(root) if field.name.partition(".")[0] != "_id"]
        rows = () if root.kind is NodeKind.GROUP else rows_of(self.design, root)
        return Object(nested(fields), rows, inline=tuple(self._inline(root)))

    def _inline(self, root: Node) -> Iterator[InlineRow]:
        """The subtypes that the discriminator of these documents distinguishes."""
        if self.store.role in (Role.HOME, Role.ARCHIVE):
            for child in root.children:
                if child.form is Form.INLINE and child.presence is not None:
                    yield InlineRow(child.presence.path, child.presence.value, tuple(self._row(child)))

    def _constants(self, root: Node) -> Iterator[ContentField]:
        collection, home = self.store.collection, self.store.role in (Role.HOME, Role.ARCHIVE)
        for name, value in collection.constants:
            yield ContentField(name, FixedContent((value,)), home, remark="constant")
        variant = collection.variant
        if variant is None or not home:
            return
        if variant.members and (root.body != collection.body or not variant.subtypes):
            value = root.presence.value if root.presence is not None else ""
            yield ContentField(variant.discriminator, FixedContent((value,)), required=True, remark="discriminator")
            return
        own = (variant.value,) if variant.value is not None else ()
        one = FixedContent(tuple(dict.fromkeys((*own, *(value for _, value in variant.subtypes)))))
        content = Either((one, Array(one, 1, len(one.values))))
        remark = "discriminator: the subtypes whose fields are here"
        yield ContentField(variant.discriminator, content, bool(own), remark=remark)

    # --- rows --------------------------------------------------------------------------------------------------------

    def _row(self, node: Node) -> Iterator[ContentField]:
        entity, body = self.design.model.entity(node.entity), node.body
        yield from self._attributes(node)
        for pairs in body.pairs:
            yield _pairs(entity, pairs)
        for reference in body.references:
            if reference.holder is Holder.PARENT:
                yield parent_held(self.design, reference)
        for copy in body.copies:
            for field in copy_fields(self.design, copy):
                sure = field.required and not self._is_of_missing_parent(copy)
                yield replace(field, required=sure, derived=not copy.home)
        for computed in body.computed:
            yield from computed_fields(self.design, computed)
        for child in node.children:
            yield from self._child(child)

    def _is_of_missing_parent(self, copy: Copy) -> bool:
        """Whether an orphan lacks the parent to copy from, until it is refused or adopted."""
        embedding = self.store.embedding if self.store.role is Role.ORPHANS else None
        return embedding is not None and copy.path[0].relationship == embedding.relationship

    def _attributes(self, node: Node) -> Iterator[ContentField]:
        entity = self.design.model.entity(node.entity)
        references = foreign_keys(self.design, node)
        large = self._gridfs_attributes(node)
        for stored in node.stored:
            content, remark = self._content(node, entity, stored.attribute, large.get(stored.attribute))
            source = f"{entity.name}.{stored.attribute}"
            required, reference = entity.always_has(stored.attribute), references.get(stored.attribute)
            remark = remark or self._refers(reference)
            yield ContentField(stored.path, content, required, source, remark, reference)

    def _refers(self, reference: Reference | None) -> str:
        if reference is None:
            return ""
        return f"refers to `{self.design.model.relationship(reference.relationship).parent}` ({reference.relationship})"

    def _content(self, node: Node, entity: Entity, attribute: str, files: str | None) -> tuple[Content, str]:
        if files is None:
            return values_of(entity, attribute), ""
        return in_gridfs(
            self.design, self.store, node, entity.attribute(attribute)
        ), f"the bytes are in GridFS `{files}`"

    def _gridfs_attributes(self, node: Node) -> dict[str, str]:
        if node.kind is not NodeKind.ROOT or self.store.role not in (Role.HOME, Role.ARCHIVE):
            return {}
        if node.entity != self.store.collection.root:
            return {}
        splits = self.store.collection.splits
        return {attribute: split.collection for split in splits if split.gridfs for attribute in split.attributes}

    # --- what is embedded ----------------------------------------------------------------------------------------------

    def _child(self, child: Node) -> Iterator[ContentField]:
        embedding = child.embedding
        if child.form is Form.INLINE:
            told = f"of a `{child.entity}`" + (
                f": `{child.presence.path}` is {child.presence.value}" if child.presence else ""
            )
            for field in self._row(child):
                yield replace(field, required=False, remark="; ".join(filter(None, (told, field.remark))))
            return
        if child.form is Form.OBJECT:
            yield ContentField(child.field, self._object(child))
            return
        yield self._array(child)
        if embedding is not None and embedding.overflow is not None:
            remark = f"whether more `{child.entity}` are in `{embedding.overflow.collection}`"
            yield ContentField(embedding.overflow.flag, FLAG, required=True, remark=remark, derived=True)

    def _object(self, node: Node) -> Object:
        return Object(nested(self._row(node)), rows_of(self.design, node))

    def _array(self, node: Node) -> ContentField:
        embedding = node.embedding
        if node.form is Form.SCALARS:
            (field,) = self._attributes(node)
            items = Array(field.content, maximum=_bound(node), holes=not field.required)
            return ContentField(node.field, items, required=True, source=field.source, reference=field.reference)
        if embedding is not None and embedding.slots is not None:
            count = embedding.slots.count
            remark = f"{count} places by `{embedding.slots.attribute}`, empty ones are null"
            return ContentField(
                node.field, Array(self._object(node), count, count, holes=True), required=True, remark=remark
            )
        remark = f"at most {bound:,}" if (bound := _bound(node)) is not None else ""
        return ContentField(node.field, Array(self._object(node), maximum=bound), required=True, remark=remark)

    # --- headers over rows -----------------------------------------------------------------------------------------------

    def _group(self, node: Node) -> Iterator[ContentField]:
        entity = self.design.model.entity(node.entity)
        for stored in node.stored:
            source = f"{entity.name}.{stored.attribute}"
            required, values = entity.always_has(stored.attribute), values_of(entity, stored.attribute)
            yield ContentField(
                stored.path, values, required, source, reference=foreign_keys(self.design, node).get(stored.attribute)
            )
        if node.bucket is not None:
            yield from self._bucket(entity, node.bucket)
        yield ContentField(PAGE, COUNT, required=True, remark="number of this page")
        for child in node.children:
            array = self._array(child)
            if node.bucket is not None and isinstance(array.content, Array):
                limited = replace(array.content, maximum=node.bucket.limit)
                array = replace(array, content=limited, remark=f"at most {node.bucket.limit:,}")
            yield array

    def _bucket(self, entity: Entity, bucket: Bucket) -> Iterator[ContentField]:
        if bucket.window is not None:
            yield ContentField(BUCKET_START, DATE, remark=f"the {bucket.window.unit} of `{bucket.window.attribute}`")
            yield ContentField("bucket_end", DATE, remark="the first instant after it")
        yield ContentField("count", COUNT, required=True, remark="events in this bucket", derived=True)
        for summary in bucket.summary:
            yield _summary(entity, summary)


def rows_of(design: Design, node: Node) -> tuple[str, ...]:
    """The entities with rows directly in a node's document: its own, inline subtypes, copies that are a home."""
    inline = [name for child in node.children if child.form is Form.INLINE for name in rows_of(design, child)]
    scalars = [child.entity for child in node.children if child.form is Form.SCALARS]
    copied = [copy.path[-1].target(design.model) for copy in node.body.copies if copy.home]
    return tuple(dict.fromkeys((node.entity, *inline, *scalars, *copied)))


def foreign_keys(design: Design, node: Node) -> dict[str, Reference]:
    """Attribute to the reference it belongs to, for relationships held by this node's rows."""
    bodies = [child.body for child in node.children] if node.kind is NodeKind.GROUP else [node.body]
    return {
        attribute: reference
        for body in bodies
        for reference in body.references
        if reference.holder is Holder.CHILD
        for attribute in design.model.relationship(reference.relationship).child_attributes
    }


def _bound(node: Node) -> int | None:
    embedding = node.embedding
    return embedding.overflow.bound if embedding is not None and embedding.overflow is not None else None


def _pairs(entity: Entity, pairs: Pairs) -> ContentField:
    """Attributes of one type share an alternative, so that a value's type is checked against its name."""
    groups: dict[ValueContent, list[str]] = {}
    for attribute in pairs.attributes:
        groups.setdefault(values_of(entity, attribute), []).append(stored_name(attribute))
    kinds = tuple(
        Object(
            (
                ContentField(pairs.key, FixedContent(tuple(names)), required=True),
                ContentField(pairs.value, value, required=True),
            ),
            exact=True,
        )
        for value, names in groups.items()
    )
    items = kinds[0] if len(kinds) == 1 else Either(kinds)
    remark = f"of `{entity.name}`: {', '.join(pairs.attributes)}"
    return ContentField(pairs.field, Array(items, maximum=len(pairs.attributes)), required=True, remark=remark)


def _summary(entity: Entity, summary: Summary) -> ContentField:
    remark = f"{summary.function} of {summary.attribute or 'events'} in this bucket"
    content = aggregate(entity, summary.function, summary.attribute)
    return ContentField(summary.field, content, summary.function is AggregateKind.COUNT, remark=remark, derived=True)
