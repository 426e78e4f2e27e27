"""Short field names (G4): attributes are stored under initials, and the design records their meaning.

Names of arrays, sub-documents and computed values do not change: each occurs once in a document and should be readable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import OF_BUCKETS, Collection, Document, Embedding, Field, Form
from nestling.ir.statistics import Statistics
from nestling.strategies.placement.field_names import TakenNames

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")


def shortened(collections: Sequence[Collection], model: Model) -> tuple[Collection, ...]:
    """The collections with short names for the attributes of every document."""
    return tuple(_collection(each, model) for each in collections)


def saved_bytes(long: Design, short: Design, statistics: Statistics) -> float:
    """Bytes of names that all rows, and copies of one row each, no longer store, before compression."""
    return _name_bytes(long, statistics) - _name_bytes(short, statistics)


def _name_bytes(design: Design, statistics: Statistics) -> float:
    size = 0.0
    for entity, (home, *_) in design.places.items():
        named = [(entity, field) for field in home.node.stored if not field.path.startswith("_id")]
        for copy in home.node.body.copies if home.copy is None else ():
            if copy.form is Form.OBJECT:
                named += [(copy.path[-1].target(design.model), field) for field in copy.attributes]
        count = statistics.entity(entity).count
        each = sum(_share_there(source, field, statistics) * len(field.path.encode()) for source, field in named)
        size += each * (count.value if count is not None else 0.0)
    return size


def _share_there(entity: str, field: Field, statistics: Statistics) -> float:
    """The share of rows in which it is not NULL."""
    missing = statistics.entity(entity).attribute(field.attribute).null_share
    return 1.0 - (missing.value if missing is not None else 0.0)


def _collection(collection: Collection, model: Model) -> Collection:
    taken = {"_id", *(name for name, _ in collection.constants)}
    if collection.bucket is not None:
        taken |= {*OF_BUCKETS, "summary", collection.bucket.field}
    if collection.variant is not None:
        taken.add(collection.variant.discriminator)
    return replace(collection, body=_document(collection.body, model, TakenNames(taken), collection.id))


def _document(body: Document, model: Model, names: TakenNames, fixed: Sequence[str] = ()) -> Document:
    """`fixed`: attributes in `_id`, whose names stay. Fields of inline sub-documents share the names of their parent's."""
    names.taken |= set(_field_names(body))
    paired = {name for pairs in body.pairs for name in pairs.attributes}
    entity = model.entity(body.entity)
    kept = tuple(field for field in body.fields if field.attribute in (*fixed, *paired))
    names.taken |= {field.path for field in kept}
    plain = (name for name in entity.attribute_names if name not in (*fixed, *paired))
    fields = tuple(Field(name, names.free(*_short(name))) for name in plain)
    copies = tuple(
        copy
        if copy.form in (Form.INLINE, Form.SCALARS, Form.PATH)
        else replace(copy, attributes=_again(copy.attributes))
        for copy in body.copies
    )
    inside = tuple(_embedded(embedding, model, names) for embedding in body.embeddings)
    return replace(body, fields=(*kept, *fields), copies=copies, embeddings=inside)


def _embedded(embedding: Embedding, model: Model, names: TakenNames) -> Embedding:
    own = names if embedding.form is Form.INLINE else TakenNames()
    return replace(embedding, body=_document(embedding.body, model, own))


def _again(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    names = TakenNames()
    return tuple(Field(field.attribute, names.free(*_short(field.attribute))) for field in fields)


def _field_names(body: Document) -> Iterator[str]:
    """First names of everything in a document that is not an attribute of its own."""
    yield from (pairs.field for pairs in body.pairs)
    yield from (computed.field.split(".")[0] for computed in body.computed)
    yield from (str(computed.stamp).split(".")[0] for computed in body.computed if computed.stamp)
    yield from (reference.field for reference in body.references if reference.field)
    for embedding in body.embeddings:
        yield embedding.field
        if embedding.overflow is not None:
            yield embedding.overflow.flag
        if embedding.form is Form.INLINE:
            yield from _field_names(embedding.body)
    for copy in body.copies:
        yield copy.name
        if copy.form is Form.INLINE:
            yield from (field.path for field in copy.attributes)


def _short(name: str) -> Iterator[str]:
    """Initials of its words, then beginnings of its first word."""
    words = [word.lower() for word in _WORD.findall(name)] or ["f"]
    yield "".join(word[0] for word in words)
    yield from (words[0][: length + 1] for length in range(len(words[0])))
