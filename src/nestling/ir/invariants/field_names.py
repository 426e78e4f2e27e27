"""What MongoDB takes for the name of a field, and which names a document has for itself."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from nestling.common.errors import Problem
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Copy, Document, Embedding, Form, Holder

_Where = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """A name or dotted path a design gives, and where it says so. `beside_id`: it stands in a document with an `_id`; `is_one`:
    it cannot be a path.
    """

    path: str
    where: _Where
    beside_id: bool = False
    is_one: bool = False


def field_name_mistakes(model: Model, collection: Collection, where: _Where) -> Iterator[Problem]:
    """Fields that no document could have."""
    for said in _of_collection(model, collection, where):
        if why := _why_not(said):
            what = f"no field can be called `{said.path}`: {why}"
            yield Problem(what=what, path=said.where, next_move="call it otherwise")


def _why_not(said: _Said) -> str:
    parts = said.path.split(".")
    if not said.path:
        return "the name is empty"
    if not all(parts):
        return "it starts or ends with a dot, or has two in a row"
    if any(part.startswith("$") for part in parts):
        return "MongoDB treats names that start with `$` as operators"
    if "\0" in said.path:
        return "it contains NUL"
    if said.is_one and len(parts) > 1:
        return "it must be a single name without dots"
    return "the `_id` holds only the attributes under `id`" if said.beside_id and parts[0] == "_id" else ""


def _of_collection(model: Model, collection: Collection, where: _Where) -> Iterator[_Said]:
    for name, _ in collection.constants:
        yield _Said(name, (*where, "constants", name), beside_id=True)
    if collection.bucket is None:
        yield from _of_root(model, collection.body, where, collection.id)
    else:
        bucket, at = collection.bucket, (*where, "bucket")
        yield _Said(bucket.field, (*at, "field"), beside_id=True)
        yield from (_Said(each.field, (*at, "summary", each.field), beside_id=True) for each in bucket.summary)
        yield from _of_document(model, collection.body, where, bucket.by, beside_id=False)
    if collection.variant is not None:
        at = (*where, "variant")
        yield _Said(collection.variant.discriminator, (*at, "discriminator"), beside_id=True)
        for member in collection.variant.members:
            name = member.body.entity
            if model.has_entity(name):
                yield from _of_root(model, member.body, (*at, "members", name), model.entity(name).key)


def _of_root(model: Model, body: Document, where: _Where, key: Sequence[str]) -> Iterator[_Said]:
    """What documents with an `_id` hold; where those of their attributes are that are in it follows from that."""
    apart = {field.attribute for field in body.fields} - {*key}
    return _of_document(model, body, where, apart, beside_id=True)


def _of_document(
    model: Model, body: Document, where: _Where, apart: Container[str], *, beside_id: bool
) -> Iterator[_Said]:
    """What is stored of one row; `apart` are the attributes that stand beside an `_id`, `beside_id` whether the rest does."""
    for field in body.fields:
        yield _Said(field.path, (*where, "fields", field.attribute), field.attribute in apart)
    for pairs in body.pairs:
        at = (*where, "pairs", pairs.field)
        yield _Said(pairs.field, at, beside_id)
        yield from (
            _Said(name, (*at, word), is_one=True) for word, name in (("key", pairs.key), ("value", pairs.value))
        )
    for reference in body.references:
        if reference.holder is Holder.PARENT:
            at = (*where, "references", reference.relationship)
            yield _Said(reference.field, (*at, "child-reference"), beside_id)
            yield from (_Said(field.path, (*at, "copies")) for field in reference.copied)
    for copy in body.copies:
        yield from _of_copy(copy, (*where, "copies", copy.name), beside_id=beside_id)
    for computed in body.computed:
        at = (*where, "computed", computed.field)
        yield _Said(computed.field, at, beside_id)
        if computed.stamp is not None:
            yield _Said(computed.stamp, (*at, "stamp"), beside_id)
    for embedding in body.embeddings:
        yield from _of_embedding(model, embedding, (*where, "embeddings", embedding.field), beside_id=beside_id)


def _of_copy(copy: Copy, where: _Where, *, beside_id: bool) -> Iterator[_Said]:
    """Of one inline only the fields of its attributes, of bare values and of a path none of theirs."""
    if copy.form is not Form.INLINE:
        yield _Said(copy.name, where, beside_id)
    if copy.form not in (Form.SCALARS, Form.PATH):
        is_beside = beside_id and copy.form is Form.INLINE
        yield from (_Said(field.path, (*where, "attributes"), is_beside) for field in copy.attributes)


def _of_embedding(model: Model, embedding: Embedding, where: _Where, *, beside_id: bool) -> Iterator[_Said]:
    """The rows of one with orphans are, without a parent, documents with an `_id` too."""
    is_inline = embedding.form is Form.INLINE
    if not is_inline:
        yield _Said(embedding.field, where, beside_id)
    if embedding.overflow is not None:
        yield _Said(embedding.overflow.flag, (*where, "overflow", "flag"), beside_id)
    if not model.has_entity(embedding.body.entity):
        return
    if embedding.orphans is not None:
        yield from _of_root(model, embedding.body, where, model.entity(embedding.body.entity).key)
    else:
        apart = {field.attribute for field in embedding.body.fields} if beside_id and is_inline else ()
        yield from _of_document(model, embedding.body, where, apart, beside_id=beside_id and is_inline)
