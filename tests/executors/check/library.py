"""A small library with something kept in every way, to be known by heart: authors, books, loans."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.freshness import SNAPSHOT, TRANSACTION, Freshness
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import (
    Collection,
    Computed,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Index,
    Order,
    Reference,
)
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.types import FLOAT, INTEGER, TEXT
from tests.generators.worlds import Row, World

MODEL = Model(
    "library",
    (
        Entity("author", (Attribute("id", INTEGER, nullable=False), Attribute("name", TEXT, nullable=False)), ("id",)),
        Entity(
            "book",
            (
                Attribute("id", INTEGER, nullable=False),
                Attribute("author_id", INTEGER, nullable=False),
                Attribute("title", TEXT, nullable=False),
                Attribute("price", FLOAT),
            ),
            ("id",),
        ),
        Entity(
            "loan",
            (
                Attribute("book_id", INTEGER, nullable=False),
                Attribute("number", INTEGER, nullable=False),
                Attribute("author_id", INTEGER, nullable=False),
            ),
            ("book_id", "number"),
        ),
    ),
    (
        Relationship("written", "author", "book", ("id",), ("author_id",), required=True),
        Relationship("lent", "book", "loan", ("id",), ("book_id",), required=True),
        Relationship("signed", "author", "loan", ("id",), ("author_id",), required=True),
    ),
)
AUTHORS, BOOKS, LOANS = 20, 400, 3


def library(*, freshness: Freshness = TRANSACTION, indexed: bool = False) -> Design:
    """Authors with their newest books, a number and a sum; books with their author's name; loans inside, with one, too."""
    up, books = (Hop("written", up=True),), (Hop("written", up=False),)
    loan = Document(
        "loan",
        references=(Reference("signed", Holder.CHILD),),
        copies=(Copy("by", (Hop("signed", up=True),), (Field("name", "by"),), Form.INLINE, TRANSACTION),),
    )
    newest = Copy(
        "newest", books, (Field("title", "title"),), Form.ARRAY, TRANSACTION, (Order("id", descending=True),), 3
    )
    collections = (
        Collection(
            "authors",
            Document(
                "author",
                copies=(newest,),
                computed=(
                    Computed("books", books, AggregateKind.COUNT, TRANSACTION),
                    Computed("worth", books, AggregateKind.SUM, TRANSACTION, "price"),
                ),
            ),
            ("id",),
        ),
        Collection(
            "books",
            Document(
                "book",
                embeddings=(Embedding("loans", "lent", Form.ARRAY, loan),),
                references=(Reference("written", Holder.CHILD),),
                copies=(
                    Copy("author", up, (Field("name", "author.name"),), Form.INLINE, freshness),
                    Copy("first", up, (Field("name", "author_then"),), Form.INLINE, SNAPSHOT),
                ),
            ),
            ("id",),
        ),
    )
    return Design(MODEL, collections, (Index("books", (("author_id", 1),)),) if indexed else ())


def rows() -> World:
    """Author n is called `author n`, wrote every twentieth book; each book is lent to three."""
    authors: list[Row] = [(n, f"author {n}") for n in range(AUTHORS)]
    books: list[Row] = [(n, n % AUTHORS, f"book {n}", n / 7) for n in range(BOOKS)]
    loans: list[Row] = [(n, k, (n + k) % AUTHORS) for n in range(BOOKS) for k in range(LOANS)]
    return World(MODEL, {"author": authors, "book": books, "loan": loans}, frozenset())
