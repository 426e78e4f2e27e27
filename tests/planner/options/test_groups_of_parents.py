"""Groups by a parent's key are as many as the parents that are reached, in both prices."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.ir.reading import Reading
from nestling.ir.statements.algebra import Query
from nestling.pipeline import design, inspect
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work import estimate
from tests.two_prices import two_prices

MODEL = """nestling: 1
dialect: postgresql
model:
  name: blog
  entities:
    author: {{key: author_id, attributes: {{author_id: integer!, name: text!, mail: text!}}, uniques: [mail]}}
    post: {{key: post_id, attributes: {{post_id: integer!, author_id: integer!, title: text!}}}}
    comment: {{key: comment_id, attributes: {{comment_id: integer!, post_id: integer!, body: text!}}}}
  relationships:
    writes: {{parent: author, child: post, attributes: author_id, required: true}}
    has: {{parent: post, child: comment, attributes: post_id, required: true}}
statistics:
  entities: {{author: {{count: 500}}, post: {{count: 20000}}, comment: {{count: 2000000}}}}
  relationships: {{writes: {{mean: 40, maximum: 400}}, has: {{mean: 100, maximum: 6000}}}}
workload:
  n: {{sql: "{sql}", rate: 50/s}}
"""
OF_POSTS = "FROM post p JOIN comment c ON c.post_id = p.post_id WHERE p.author_id = :a GROUP BY"
OF_ALL = "FROM comment c JOIN post p ON p.post_id = c.post_id JOIN author a ON a.author_id = p.author_id"
FORTY = {
    "its key and another column": f"SELECT p.post_id, p.title, count(*) AS n {OF_POSTS} p.post_id, p.title",
    "the key last": f"SELECT p.post_id, p.title, count(*) AS n {OF_POSTS} p.title, p.post_id",
    "an expression of the row": f"SELECT p.post_id, upper(p.title) AS t, count(*) AS n {OF_POSTS} p.post_id, upper(p.title)",
    "what the parent's parent has": (
        f"SELECT p.post_id, a.name, max(c.body) AS b {OF_ALL} WHERE p.author_id = :a GROUP BY p.post_id, p.title, a.name"
    ),
    "a foreign key that is the same": f"SELECT c.post_id, p.title, max(c.body) AS b {OF_POSTS} c.post_id, p.title",
    "rows once": (
        "SELECT DISTINCT p.post_id, p.title FROM post p JOIN comment c ON c.post_id = p.post_id"
        " WHERE p.author_id = :a AND c.body <> 'x'"
    ),
}


def reading(folder: Path, sql: str) -> Reading:
    """The blog, with one statement."""
    path = folder / "model.yaml"
    path.write_text(MODEL.format(sql=sql), encoding="utf-8")
    return inspect(path)


def results(read: Reading, sql: str, strategy: str) -> float:
    """The rows the compiled query is taken to answer with."""
    made = design(read, strategy).design
    query = translate(sql, made.model, "postgresql")
    assert isinstance(query, Query)
    return estimate(plan_read(query, made, statistics=read.statistics), made, read.statistics).results


@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
@pytest.mark.parametrize("asked", FORTY)
def test_an_authors_posts_are_forty_groups(tmp_path: Path, asked: str, strategy: str) -> None:
    """An author has forty posts of a hundred comments: columns that follow from the post's key make no more groups."""
    assert results(reading(tmp_path, FORTY[asked]), FORTY[asked], strategy) == pytest.approx(40, rel=0.1)


def test_columns_that_do_not_follow_make_more_groups(tmp_path: Path) -> None:
    """A post's title tells less than its key, and its comments are more than it."""
    by_comment = f"SELECT p.post_id, c.comment_id, count(*) AS n {OF_POSTS} p.post_id, c.comment_id"
    assert results(reading(tmp_path, by_comment), by_comment, "normalized") == pytest.approx(4000, rel=0.01)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", [None, "normalized", "embedded"])
@pytest.mark.parametrize("asked", list(FORTY)[:5])
def test_both_prices_agree_on_groups_of_parents(tmp_path: Path, asked: str, strategy: str | None) -> None:
    """The search takes into account the groups that the compiled query answers with."""
    read = reading(tmp_path, FORTY[asked])
    for prices in two_prices(read, design(read, strategy) if strategy else design(read)).values():
        assert prices.factor < 1.6


def test_a_unique_key_tells_the_row(tmp_path: Path) -> None:
    """Groups by a unique column and others of its row are as many as there are rows."""
    sql = f"SELECT a.mail, a.name, max(c.body) AS b {OF_ALL} GROUP BY a.mail, a.name"
    assert results(reading(tmp_path, sql), sql, "normalized") == pytest.approx(500, rel=0.01)
