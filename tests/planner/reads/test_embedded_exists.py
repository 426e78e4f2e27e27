"""Children in their parent's document that are only asked for: a condition on their array, and the answers stay the same."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Document, Embedding, Form
from nestling.ir.programs.compiled import CompiledRead, Operation
from nestling.ir.proposal import Proposal
from nestling.ir.statistics import EntityStatistics, RelationshipStatistics, Statistics, measured
from nestling.ir.types import Type, TypeName
from nestling.pipeline.converting import default_price
from nestling.planner.reads import ALL, NONE, Rewrite, plan_read
from tests.planner.reads.beside_sqlite import Beside, Rows, loaded, shown

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


@pytest.fixture(scope="module", params=[Form.SCALARS, Form.ARRAY])
def blog(
    request: pytest.FixtureRequest, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Beside]:
    """The blog, its words bare values or documents."""
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    found = loaded(Proposal("test", design(request.param)), ROWS, database, tmp_path_factory.mktemp(request.param))
    yield Beside(found.design, found.database, found.connection, STATISTICS)
    mongo_client.drop_database(database.name)


EXISTING = (
    "SELECT p.id, p.title FROM post p WHERE EXISTS (SELECT 1 FROM word w WHERE w.post_id = p.id AND w.word = 'blue')"
)
JOINED = "SELECT p.id, p.title FROM post p JOIN word w ON w.post_id = p.id WHERE w.word = 'blue'"
FINDS = (
    EXISTING,
    f"{EXISTING} ORDER BY p.year DESC, p.id LIMIT 2 -- total order",
    EXISTING.replace("EXISTS", "NOT EXISTS"),
    EXISTING.replace("'blue')", "'blue' LIMIT 1)"),
    EXISTING.replace("EXISTS", "NOT EXISTS").replace("'blue')", "'blue' ORDER BY w.word LIMIT 1)"),
    f"{EXISTING} AND p.year > 2019 AND NOT EXISTS (SELECT 1 FROM comment c WHERE c.post_id = p.id AND c.stars > 4)",
    "SELECT id FROM post WHERE id IN (SELECT post_id FROM word WHERE word IN ('red', 'green'))",
    "SELECT id FROM post p WHERE EXISTS (SELECT 1 FROM word w WHERE w.post_id = p.id)",
    "SELECT id FROM post p WHERE NOT EXISTS (SELECT 1 FROM comment c WHERE c.post_id = p.id)",
    "SELECT id FROM post p WHERE EXISTS (SELECT 1 FROM word w WHERE w.post_id = p.id AND w.word = p.title)",
    "SELECT id FROM post p WHERE NOT EXISTS (SELECT 1 FROM word w WHERE w.post_id = p.id AND w.word > p.title AND w.word < 's')",
    "SELECT id FROM post p WHERE EXISTS (SELECT 1 FROM word w WHERE w.post_id = p.id AND w.word > 'c' AND w.word <= 'red')",
    "SELECT id FROM post p WHERE EXISTS (SELECT 1 FROM word w WHERE w.post_id = p.id AND (w.word = 'red' OR w.word = 'green'))",
    "SELECT id FROM post p WHERE EXISTS (SELECT 1 FROM word w WHERE w.post_id = p.id AND w.word <> 'a' AND w.word <> 'blue')",
    "SELECT id FROM post p WHERE EXISTS (SELECT 1 FROM comment c WHERE c.post_id = p.id AND c.author = 'Ann' AND c.stars < 5)",
    "SELECT id FROM post p WHERE EXISTS (SELECT 1 FROM comment c WHERE c.post_id = p.id AND c.stars IS NULL)",
    "SELECT id FROM post p WHERE NOT EXISTS (SELECT 1 FROM comment c WHERE c.post_id = p.id AND c.stars + 2000 > p.year)",
)
JOINS = (
    JOINED,
    f"{JOINED} ORDER BY p.year DESC, p.id LIMIT 2 -- total order",
    f"{JOINED} AND p.title = 'sea'",
    "SELECT id FROM post JOIN word v ON v.post_id = id JOIN word w ON w.post_id = id WHERE v.word = 'blue' AND w.word = 'sea'",
    "SELECT DISTINCT p.title FROM post p JOIN comment c ON c.post_id = p.id WHERE c.stars >= 2",
    "SELECT count(*) FROM post p JOIN word w ON w.post_id = p.id WHERE w.word = 'blue' AND p.year < 2021",
)
STAYING = (
    "SELECT p.id FROM post p JOIN comment c ON c.post_id = p.id WHERE c.author = 'Ann'",
    "SELECT p.id, w.word FROM post p JOIN word w ON w.post_id = p.id WHERE w.word = 'blue'",
    "SELECT p.id FROM post p LEFT JOIN word w ON w.post_id = p.id AND w.word = 'blue'",
)


def compiled(blog: Beside, sql: str) -> CompiledRead:
    """The statement as it costs least."""
    plan = plan_read(blog.query(sql), blog.design, statistics=STATISTICS, price=default_price)
    return compiled_read(plan, name="statement", sql=sql)


def assert_equal(blog: Beside, sql: str) -> None:
    """The cheapest plan's answer is SQLite's, and so are those without this rewrite and without any."""
    read = compiled(blog, sql)
    mine = [tuple(map(shown, row, read.columns)) for row in run_read(blog.database, read, {})]
    in_order = "total order" in sql
    assert (mine if in_order else sorted(mine)) == (blog.theirs(sql) if in_order else sorted(blog.theirs(sql)))
    for rewrites in (ALL, ALL - {Rewrite.EMBEDDED_EXISTS}, NONE):
        blog.assert_equal(sql, rewrites=rewrites)


@pytest.mark.in_turn("blog")
@pytest.mark.parametrize("sql", [*FINDS, *JOINS])
def test_nothing_is_unwound(blog: Beside, sql: str) -> None:
    """What one array is asked needs no pipeline that takes its elements out, nor another look at the collection."""
    assert_equal(blog, sql)
    read = compiled(blog, sql)
    assert "$unwind" not in repr(read.pipeline)
    assert "$lookup" not in repr(read.pipeline)


@pytest.mark.parametrize("sql", FINDS)
def test_a_find_asks_it(blog: Beside, sql: str) -> None:
    """Whatever is asked of the elements."""
    assert compiled(blog, sql).operation is Operation.FIND


@pytest.mark.parametrize("sql", STAYING)
def test_each_child_is_a_row(blog: Beside, sql: str) -> None:
    """Where several may fit, or something is shown of them."""
    assert_equal(blog, sql)
    assert "$unwind" in repr(compiled(blog, sql).pipeline)


def test_an_index_finds_the_documents_in_their_order(blog: Beside) -> None:
    """One over the elements and what the parents are ordered by: as many documents are read as are shown."""
    word = "words" if blog.design.places["word"][0].node.form is Form.SCALARS else "words.word"
    blog.database["posts"].create_index([(word, 1), ("year", -1)])
    read = compiled(
        blog,
        "SELECT p.id FROM post p JOIN word w ON w.post_id = p.id WHERE w.word = 'blue' ORDER BY p.year DESC LIMIT 2",
    )
    found = blog.database["posts"].find(read.filter).sort(list(read.sort)).limit(2)
    assert found.explain()["executionStats"]["totalDocsExamined"] == 2
    blog.database["posts"].drop_indexes()
