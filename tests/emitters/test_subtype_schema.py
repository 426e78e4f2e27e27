"""Validators of subtypes beside their supertype's fields: the discriminator decides what is there, asked of the server."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import WriteError

from nestling.emitters.jsonschema import validator
from nestling.emitters.samples import sample_documents
from nestling.executors.errors.invalid import why_refused
from nestling.executors.migrate.broken_rules import broken_words
from nestling.ir.constraints.allowed import Allowed
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Cardinality, Hierarchy, Model
from nestling.ir.primitives import Collection, Document, Embedding, Field, Form, Variant
from nestling.ir.types import INTEGER
from tests.emitters.designs import attribute, entity, link, optional

Documents = Database[dict[str, Any]]

COLOURS = "enum('red', 'blue')"
MODEL = Model(
    "market",
    (
        entity("product", attribute("title")),
        entity("book", attribute("isbn"), optional("pages", INTEGER)),
        entity("shoe", Attribute("size", INTEGER, False, allowed=Allowed(minimum=15)), attribute("colour", COLOURS)),
        entity("note", optional("words")),
        entity("chapter", attribute("book_id", INTEGER), attribute("name")),
    ),
    (
        *(link("product", name, ("id",), cardinality=Cardinality.ONE_TO_ONE) for name in ("book", "shoe", "note")),
        link("book", "chapter", ("book_id",)),
    ),
    hierarchies=(Hierarchy("kinds", "product", ("product_book", "product_shoe", "product_note")),),
)
CHAPTERS = Embedding("chapters", "book_chapter", Form.ARRAY, Document("chapter"))
SIZES = (Field("size", "fit.size"), Field("colour", "fit.colour"))


def design(value: str | None = None) -> Design:
    """Books with chapters, shoes whose fields are in a sub-document, and notes that may have nothing of their own."""
    bodies = (Document("book", embeddings=(CHAPTERS,)), Document("shoe", fields=SIZES), Document("note"))
    inside = tuple(Embedding(body.entity, f"product_{body.entity}", Form.INLINE, body) for body in bodies)
    subtypes = tuple((f"product_{body.entity}", body.entity) for body in bodies)
    variant = Variant("type", value, subtypes=subtypes)
    return Design(MODEL, (Collection("product", Document("product", embeddings=inside), ("id",), variant=variant),))


BOOK: dict[str, Any] = {"isbn": "1", "chapters": [{"id": 1, "name": "a"}]}
SHOE: dict[str, Any] = {"fit": {"size": 40, "colour": "red"}}
RIGHT: list[dict[str, Any]] = [
    {},
    {"type": "book", **BOOK},
    {"type": "book", **BOOK, "pages": 3, "chapters": []},
    {"type": "shoe", **SHOE},
    {"type": "note"},
    {"type": "note", "words": "a"},
    {"type": ["book", "shoe"], **BOOK, **SHOE},
    {"type": ["shoe", "book", "note"], **BOOK, **SHOE, "words": "a"},
    {"fit": {"more": 1}, "more": 1},
]
WRONG: list[dict[str, Any]] = [
    {"type": "book"},
    {"type": "book", "isbn": "1"},
    {"type": "book", "chapters": []},
    {"type": "book", **BOOK, **SHOE},
    {"type": "book", **BOOK, "fit": {"colour": "red"}},
    {"type": "book", **BOOK, "words": "a"},
    {"type": "shoe", "fit": {"size": 40}},
    {"type": "shoe", "fit": {"size": 14, "colour": "red"}},
    {"type": "shoe", "fit": {"size": 40, "colour": "green"}},
    {"type": ["book", "shoe"], **BOOK},
    {"type": ["note"], "words": "a", "pages": 1},
    {**BOOK},
    {"pages": 1},
    {"words": "a"},
    {"fit": {"colour": "red"}},
]
FOREIGN: list[dict[str, Any]] = [
    {"words": "a"},
    {"type": None, "isbn": "1", "pages": None},
    {"type": "book", "isbn": "1"},
    {"type": "book", "isbn": "1", "fit": {"colour": "red"}},
]


@pytest.mark.parametrize("document", RIGHT, ids=str)
def test_what_its_subtypes_have_is_taken(document: dict[str, Any], database: Documents) -> None:
    """Any set of subtypes, each with all that its rows always have, and nothing where there is none."""
    made = design()
    for foreign in (False, True):
        database.drop_collection("product")
        products = database.create_collection("product", validator=validator(made, made.stores[0], foreign=foreign))
        products.insert_one({"_id": 1, "title": "t", **document})


@pytest.mark.parametrize("document", WRONG, ids=str)
def test_what_they_lack_or_have_not_is_refused(document: dict[str, Any], database: Documents) -> None:
    """A field of a subtype that is not told, one that a told subtype lacks, and a value it does not allow."""
    made = design()
    products = database.create_collection("product", validator=validator(made, made.stores[0]))
    with pytest.raises(WriteError):
        products.insert_one({"_id": 1, "title": "t", **document})


def test_the_supertype_may_have_a_value_of_its_own(database: Documents) -> None:
    """A product that is no more than that says so, and others list what else they are."""
    made = design("product")
    products = database.create_collection("product", validator=validator(made, made.stores[0]))
    products.insert_many(sample_documents(made, made.stores[0]))
    products.insert_many(
        [
            {"title": "t", "type": "product", "_id": 2},
            {"title": "t", "type": ["product", "book"], "_id": 3, **BOOK},
        ]
    )
    for wrong in ({"type": "product", **BOOK}, {"type": ["product", "book"]}, {"type": ["product"], "words": "a"}):
        with pytest.raises(WriteError):
            products.insert_one({"title": "t", "_id": 4, **wrong})


@pytest.mark.parametrize("document", FOREIGN, ids=str)
def test_documents_of_other_applications_may_keep_more(document: dict[str, Any], database: Documents) -> None:
    """What a subtype always has is asked of them, too; a field of another one is only told of (`unknown_fields`)."""
    made = design()
    products = database.create_collection("product", validator=validator(made, made.stores[0], foreign=True))
    products.insert_one({"_id": 1, "title": "t", **document})
    with pytest.raises(WriteError):
        products.insert_one({"_id": 2, "title": "t", "type": "book"})


def test_a_refusal_names_the_rule(database: Documents) -> None:
    """What a kind needs and what only it has, of a write that is refused and of a document that is there."""
    made = design()
    rules: dict[str, Any] = validator(made, made.stores[0])
    products, document = database.create_collection("product", validator=rules), {"_id": 1, "title": "t", **BOOK}
    with pytest.raises(WriteError) as refused:
        products.insert_one(document)
    rule = 'type "book" needs isbn, chapters; isbn, pages, chapters only with type "book"'
    assert why_refused(refused.value.details or {}).endswith(f": the document breaks: {rule}")
    products.insert_one(document, bypass_document_validation=True)
    assert broken_words(products, document, rules) == f": the document breaks: {rule}"
