"""A blog whose words and comments lie in their posts."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Document, Embedding, Form
from nestling.ir.statistics import EntityStatistics, RelationshipStatistics, Statistics, measured
from nestling.ir.types import Type, TypeName
from tests.planner.reads.beside_sqlite import Rows

INTEGER, TEXT = Type(TypeName.INTEGER), Type(TypeName.TEXT)


def whole(name: str, kind: Type) -> Attribute:
    """An attribute that every row has."""
    return Attribute(name, kind, nullable=False)


MODEL = Model(
    "blog",
    (
        Entity("post", (whole("id", INTEGER), whole("title", TEXT), Attribute("year", INTEGER)), ("id",)),
        Entity("word", (whole("post_id", INTEGER), whole("word", TEXT)), ("post_id", "word")),
        Entity(
            "comment",
            (
                whole("post_id", INTEGER),
                whole("no", INTEGER),
                Attribute("author", TEXT),
                Attribute("stars", INTEGER),
            ),
            ("post_id", "no"),
        ),
    ),
    (
        Relationship("post_words", "post", "word", ("id",), ("post_id",), required=True),
        Relationship("post_comments", "post", "comment", ("id",), ("post_id",), required=True),
    ),
)
ROWS: Rows = {
    "post": [(1, "sea", 2020), (2, "hill", 2021), (3, "bee", None), (4, "sea", 2019), (5, "ant", 2021)],
    "word": [(1, "blue"), (1, "sea"), (2, "blue"), (2, "green"), (4, "blue"), (4, "red"), (4, "sea")],
    "comment": [
        (1, 1, "Ann", 5),
        (1, 2, "Ann", None),
        (2, 1, None, 3),
        (2, 2, "Bo", 1),
        (4, 1, "Bo", 4),
        (5, 1, "Ann", 2),
    ],
}
STATISTICS = Statistics(
    (("post", EntityStatistics(measured(5000))), ("word", EntityStatistics(measured(15000)))),
    (("post_words", RelationshipStatistics(mean=measured(3.0))),),
)


def design(form: Form) -> Design:
    """Words and comments in their posts, the words in that form."""
    embeddings = (
        Embedding("words", "post_words", form, Document("word")),
        Embedding("comments", "post_comments", Form.ARRAY, Document("comment")),
    )
    return Design(MODEL, (Collection("posts", Document("post", embeddings=embeddings), ("id",)),))
