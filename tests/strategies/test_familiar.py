"""What stays where it is keeps the names and the order of today's design; names that collide stay the new ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Computed, Copy, Document, Embedding, Field, Form, Holder, Reference
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.types import INTEGER, TEXT
from nestling.strategies.placement.names_in_use import with_familiar_names

WRITTEN_BY = Relationship("written", "author", "post", ("id",), ("author_id",), required=True)
NOTES = Relationship("notes", "post", "note", ("id",), ("post_id",), required=True)


def entity(name: str, *attributes: str) -> Entity:
    """An entity of integers that end with `id`, and texts."""
    known = (Attribute(each, INTEGER if each.endswith("id") else TEXT, nullable=False) for each in attributes)
    return Entity(name, tuple(known), ("id",))


MODEL = Model(
    "blog",
    (
        entity("author", "id", "name", "mail"),
        entity("post", "id", "author_id", "title"),
        entity("note", "id", "post_id", "text"),
    ),
    (WRITTEN_BY, NOTES),
)
UP = (Hop("written", up=True),)
PATH_OF_NOTES = (Hop("notes", up=False),)


def copied(called: str, form: Form, /, **paths: str) -> Copy:
    """Attributes of a post's author, and where they are."""
    return Copy(called, UP, tuple(Field(attribute, path) for attribute, path in paths.items()), form, TRANSACTION)


def design(post: Document, *, called: str = "posts") -> tuple[Collection, ...]:
    """Posts as the document says, and their authors."""
    body = replace(post, references=(Reference("written", Holder.CHILD),))
    return (Collection("authors", Document("author"), ("id",)), Collection(called, body, ("id",)))


OWN_NOTE = Document("note", references=(Reference("notes", Holder.CHILD),))
NOTED = Embedding("note", "notes", Form.ARRAY, Document("note"))
PLAIN = Document(
    "post",
    embeddings=(NOTED,),
    copies=(copied("author", Form.OBJECT, name="name", mail="mail"),),
    computed=(Computed("note_count", PATH_OF_NOTES, AggregateKind.COUNT, TRANSACTION),),
)
TODAY = Document(
    "post",
    fields=(Field("title", "head.title"), Field("author_id", "by.id")),
    embeddings=(Embedding("remarks", "notes", Form.ARRAY, Document("note", fields=(Field("text", "t"),))),),
    copies=(copied("by name", Form.INLINE, name="by.name"),),
    computed=(Computed("n_remarks", PATH_OF_NOTES, AggregateKind.COUNT, TRANSACTION),),
)


def test_what_stays_is_called_as_it_is() -> None:
    """Collections, fields, arrays, what is in them, computed values; a copy's new attribute stands beside the one there is."""
    authors, posts = with_familiar_names(design(PLAIN), Design(MODEL, design(TODAY, called="articles")))
    assert (authors.name, posts.name) == ("authors", "articles")
    assert posts.body.fields == TODAY.fields
    assert posts.body.embeddings == TODAY.embeddings
    assert [each.field for each in posts.body.computed] == ["n_remarks"]
    assert posts.body.copies == (copied("by name", Form.INLINE, name="by.name", mail="author_mail"),)


def test_a_sub_document_stays_one() -> None:
    """With its name and those of its fields."""
    today = replace(TODAY, copies=(copied("writer", Form.OBJECT, name="n"),))
    _, posts = with_familiar_names(design(PLAIN), Design(MODEL, design(today)))
    assert posts.body.copies == (copied("writer", Form.OBJECT, name="n", mail="mail"),)


@pytest.mark.parametrize("form", [Form.OBJECT, Form.INLINE])
def test_what_stays_keeps_its_order(form: Form) -> None:
    """The fields of a copy, and everything else a document is made of; what is new comes last."""
    called = "author" if form is Form.OBJECT else "by"
    copy = copied(called, form, name="by.name", mail="by.mail")
    today = replace(
        PLAIN,
        fields=(Field("title", "t"), Field("author_id", "a")),
        copies=(copy,),
        computed=(*PLAIN.computed, Computed("last_note", PATH_OF_NOTES, AggregateKind.MAX, TRANSACTION, "id")),
    )
    proposed = replace(
        today,
        fields=today.fields[::-1],
        copies=(replace(copy, attributes=(Field("id", "by.id"), *copy.attributes[::-1])),),
        computed=today.computed[::-1],
    )
    _, posts = with_familiar_names(design(proposed), Design(MODEL, design(today)))
    wanted = (replace(copy, attributes=(*copy.attributes, Field("id", "by.id"))),)
    assert (posts.body.fields, posts.body.copies, posts.body.computed) == (today.fields, wanted, today.computed)


def test_names_that_would_collide_stay_new() -> None:
    """Today's title is where the new design has its notes: the posts keep all their new names."""
    today = replace(TODAY, fields=(Field("title", "author_mail"),), embeddings=(), computed=())
    found = with_familiar_names(design(PLAIN), Design(MODEL, (*design(today), Collection("notes", OWN_NOTE, ("id",)))))
    assert found == design(PLAIN)


def test_a_new_place_has_the_names_of_its_fields() -> None:
    """Rows that move out of an array into a collection of their own keep what their fields are called."""
    apart = (*design(replace(PLAIN, embeddings=(), computed=())), Collection("note", OWN_NOTE, ("id",)))
    *_, notes = with_familiar_names(apart, Design(MODEL, design(TODAY)))
    assert (notes.name, notes.body.fields) == ("note", (Field("text", "t"),))
