"""Children in their parent's document that are only asked for: a condition on their array, and the answers stay the same."""

from __future__ import annotations

import pytest

from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.primitives import Form
from nestling.ir.programs.compiled import CompiledRead, Operation
from nestling.pipeline.converting import default_price
from nestling.planner.reads import ALL_REWRITES, NO_REWRITES, Rewrite, plan_read
from tests.planner.reads.beside_sqlite import Beside, shown
from tests.planner.reads.blog import STATISTICS

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
    for rewrites in (ALL_REWRITES, ALL_REWRITES - {Rewrite.EMBEDDED_EXISTS}, NO_REWRITES):
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
