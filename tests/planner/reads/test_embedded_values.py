"""One value of children in their parent's document: made of their array, and the answers stay the same."""

from __future__ import annotations

import pytest

from nestling.planner.reads import ALL_REWRITES, Rewrite, plan_read
from nestling.planner.work import estimate
from tests.planner.reads.beside_sqlite import Beside
from tests.planner.reads.blog import STATISTICS

ASKED = "FROM comment c WHERE c.post_id = p.id"
MADE = (
    "count(*)",
    "count(c.author)",
    "count(DISTINCT c.author)",
    "max(c.stars)",
    "min(c.author)",
    "max(c.author COLLATE NOCASE)",
    "sum(c.stars)",
    "sum(c.no)",
    "sum(DISTINCT c.stars)",
    "total(c.stars)",
    "total(c.no)",
    "avg(c.stars)",
    "avg(c.no) + 1",
    "avg(DISTINCT c.stars)",
    "max(c.stars) - min(c.stars)",
    "coalesce(sum(c.stars), 0)",
    "sum(c.stars * c.no)",
    "sum(c.stars * p.year)",
    "sum(c.stars) FILTER (WHERE c.no > 1)",
    "count(*) FILTER (WHERE c.author = 'Ann')",
    "group_concat(c.no)",
    "group_concat(c.author, '+')",
    "count(*) > 1",
)


@pytest.mark.in_turn("blog")
@pytest.mark.parametrize("asked", ["", " AND c.stars > 1", " AND c.no < p.year AND c.author = 'Ann'", " AND c.no > 7"])
@pytest.mark.parametrize("made", MADE)
def test_an_aggregate_is_made_of_the_array(blog: Beside, made: str, asked: str) -> None:
    """Of all its elements, of some, of none."""
    sql = f"SELECT p.id, (SELECT {made} {ASKED}{asked}) AS n FROM post p"
    blog.assert_equal(sql)
    assert "$lookup" not in repr(blog.compiled(sql).pipeline)
    if not asked:
        blog.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.EMBEDDED_VALUE})
    assert estimate(plan_read(blog.query(sql), blog.design, statistics=STATISTICS), blog.design, STATISTICS)


FIRST = (
    f"SELECT p.id, (SELECT c.author {ASKED} ORDER BY c.stars DESC, c.no LIMIT 1) AS n FROM post p",
    f"SELECT p.id, (SELECT c.author {ASKED} ORDER BY c.stars, c.no LIMIT 1) AS n FROM post p",
    f"SELECT p.id, (SELECT c.author {ASKED} ORDER BY c.stars NULLS LAST, c.no DESC LIMIT 1) AS n FROM post p",
    f"SELECT p.id, (SELECT coalesce(c.author, '-') {ASKED} AND c.stars > 2 ORDER BY c.author, c.no LIMIT 1) AS n FROM post p",
    f"SELECT p.id, (SELECT c.stars {ASKED} AND c.no = 1) AS n FROM post p",
    f"SELECT p.id FROM post p WHERE (SELECT c.stars {ASKED} ORDER BY c.no DESC LIMIT 1) > 2",
    f"SELECT p.id, (SELECT c.author || p.title {ASKED} ORDER BY c.no LIMIT 1) AS n FROM post p ORDER BY n, p.id -- total order",
)


@pytest.mark.parametrize("sql", FIRST)
def test_the_first_is_taken_of_the_array(blog: Beside, sql: str) -> None:
    """By any order, NULLs where they belong in it."""
    blog.assert_equal(sql)
    blog.assert_equal(sql, rewrites=ALL_REWRITES - {Rewrite.EMBEDDED_VALUE})
    assert "$lookup" not in repr(blog.compiled(sql).pipeline)
    assert estimate(plan_read(blog.query(sql), blog.design, statistics=STATISTICS), blog.design, STATISTICS)


WORDS = "FROM word w WHERE w.post_id = p.id"
OF_BARE_VALUES = (
    f"SELECT p.title, (SELECT count(*) {WORDS}) AS n FROM post p",
    f"SELECT p.id, (SELECT count(*) {WORDS} AND w.word < p.title) + 1 AS n FROM post p WHERE p.year > 2019",
    f"SELECT sum(n) FROM (SELECT (SELECT count(*) {WORDS}) AS n FROM post p) x",
    f"SELECT p.id FROM post p WHERE 2 <= (SELECT count(*) {WORDS} AND w.word IN ('sea', 'blue'))",
    f"SELECT p.id, (SELECT max(w.word) {WORDS}) AS n FROM post p",
    f"SELECT p.id, (SELECT group_concat(w.word, '') {WORDS} AND w.word > 'c') AS n FROM post p WHERE p.id <> 4",
    f"SELECT p.id, (SELECT w.word {WORDS} ORDER BY w.word DESC LIMIT 1) AS n FROM post p",
    f"SELECT p.id, (SELECT max(w.post_id) {WORDS}) AS n FROM post p",
)


@pytest.mark.parametrize("sql", OF_BARE_VALUES)
def test_bare_values_are_elements_too(blog: Beside, sql: str) -> None:
    """Whatever the array holds."""
    blog.assert_equal(sql)
    assert "$lookup" not in repr(blog.compiled(sql).pipeline)


OTHERS = (
    "SELECT p.id, (SELECT count(*) FROM word w) AS n FROM post p",
    "SELECT p.id, (SELECT count(*) FROM comment c WHERE c.post_id = p.id GROUP BY c.author ORDER BY 1 LIMIT 1) AS n FROM post p",
    "SELECT p.id, (SELECT count(*) FROM word w WHERE w.post_id <> p.id) AS n FROM post p",
    f"SELECT p.id, (SELECT c.author {ASKED} ORDER BY c.no LIMIT 1 OFFSET 1) AS n FROM post p",
    f"SELECT p.id, (SELECT max((SELECT count(*) FROM word w WHERE w.post_id = c.no)) {ASKED}) AS n FROM post p",
)


@pytest.mark.parametrize("sql", OTHERS)
def test_what_is_no_value_of_the_elements_is_looked_up(blog: Beside, sql: str) -> None:
    """Other rows, groups, another than the first."""
    blog.assert_equal(sql)
    assert "$lookup" in repr(blog.compiled(sql).pipeline)
