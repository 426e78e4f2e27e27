"""Names and orders of fields a database in use has already: what stays where it is keeps them.

So no application has to change for a word, and no document is written again because its fields come in another order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nestling.common.errors import DesignError
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Copy, Document, Embedding, Field, Form
from nestling.ir.storage.field_order import in_order_of
from nestling.ir.storage.layout import nested_documents
from nestling.ir.storage.names import stored_name


def with_familiar_names(collections: tuple[Collection, ...], today: Design) -> tuple[Collection, ...]:
    """The collections with today's names for what they have of today's, in today's order, one after the other where no two names
    collide.
    """
    known = _Known.of(today)
    found = list(collections)
    for place, each in enumerate(collections):
        renamed = [*found[:place], _collection(each, known, today.model), *found[place + 1 :]]
        try:
            Design(today.model, tuple(renamed))
        except DesignError:
            continue
        found = renamed
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Known:
    """Today's collections and documents by entity, and embeddings by relationship."""

    collections: Mapping[str, Collection]
    documents: Mapping[str, Document]
    embeddings: Mapping[str, Embedding]

    @staticmethod
    def of(today: Design) -> _Known:
        collections = {each.root: each for each in today.collections}
        documents = [body for each in today.collections for body in nested_documents(each.body)]
        embeddings = {each.relationship: each for body in documents for each in body.embeddings}
        return _Known(collections, {body.entity: body for body in reversed(documents)}, embeddings)


def _collection(collection: Collection, known: _Known, model: Model) -> Collection:
    there = known.collections.get(collection.root)
    body = _document(collection.body, known, model, collection.id)
    if there is None:
        return replace(collection, body=body)
    links = [{link for link, _ in each.variant.subtypes} if each.variant else None for each in (there, collection)]
    variant = there.variant if links[0] == links[1] else collection.variant
    return replace(collection, name=there.name, body=body, variant=variant)


def _document(body: Document, known: _Known, model: Model, key: Sequence[str] = ()) -> Document:
    there = known.documents.get(body.entity)
    embeddings = tuple(_embedding(each, known, model) for each in body.embeddings)
    if there is None:
        return replace(body, embeddings=embeddings)
    paired = {name for each in body.pairs for name in each.attributes}
    fields = {each.attribute: each for each in (*body.fields, *there.fields)}
    ids = {(each.relationship, each.holder): each.field for each in there.references}
    counted = {(each.path, each.function, each.attribute): each.field for each in there.computed}
    listed = {frozenset(each.attributes): each for each in there.pairs}
    renamed = replace(
        body,
        fields=tuple(each for each in fields.values() if each.attribute not in {*key, *paired}),
        pairs=tuple(listed.get(frozenset(each.attributes), each) for each in body.pairs),
        embeddings=embeddings,
        references=tuple(
            replace(each, field=ids.get((each.relationship, each.holder), each.field)) for each in body.references
        ),
        copies=tuple(
            _copy(each, [one for one in there.copies if one.path == each.path], model) for each in body.copies
        ),
        computed=tuple(
            replace(each, field=counted.get((each.path, each.function, each.attribute), each.field))
            for each in body.computed
        ),
    )
    return in_order_of(renamed, there)


def _embedding(embedding: Embedding, known: _Known, model: Model) -> Embedding:
    there = known.embeddings.get(embedding.relationship)
    field = there.field if there is not None and there.form is not Form.INLINE else embedding.field
    return replace(embedding, field=field, body=_document(embedding.body, known, model))


def _copy(copy: Copy, there: Sequence[Copy], model: Model) -> Copy:
    """With the names of today's copies along the same path, which may be fields of the document or one sub-document."""
    alike = [each for each in there if each.closure is copy.closure and each.is_to_one(model) is copy.is_to_one(model)]
    forms = {each.form for each in alike}
    if len(forms) != 1 or copy.home or any(each.home for each in alike):
        return copy
    (form,) = forms
    paths = {field.attribute: field.path for each in alike for field in each.attributes}
    if form is Form.INLINE and copy.form is Form.OBJECT:
        own = {each.attribute: stored_name(f"{copy.name}_{each.attribute}") for each in copy.attributes}
    elif form is copy.form and len(alike) == 1:
        own = {each.attribute: each.path for each in copy.attributes}
    else:
        return copy
    fields = tuple(Field(each.attribute, paths.get(each.attribute, own[each.attribute])) for each in copy.attributes)
    return replace(copy, name=alike[0].name, attributes=fields, form=form)
