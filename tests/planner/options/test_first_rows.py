"""The first rows of a blog with their counts: the search and the compiled plan agree on them, and the indexes chosen are used."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form, Index
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.rows import Hop
from tests.two_prices import two_prices

SCHEMA = """
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE post (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (id), slug TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL, body TEXT, at TIMESTAMP NOT NULL, views INTEGER NOT NULL);
CREATE TABLE comment (id INTEGER PRIMARY KEY, post_id INTEGER NOT NULL REFERENCES post (id), body TEXT NOT NULL);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE post_tag (post_id INTEGER NOT NULL REFERENCES post (id), tag_id INTEGER NOT NULL REFERENCES tag (id),
  PRIMARY KEY (post_id, tag_id));
"""
FRONT = (
    "SELECT p.slug, p.title, p.at, a.name, COUNT(c.id) AS n FROM post p JOIN author a ON a.id = p.author_id"
    " LEFT JOIN comment c ON c.post_id = p.id GROUP BY p.id, p.slug, p.title, p.at, a.name ORDER BY p.at DESC LIMIT 20"
)
BY_TAG = (
    "SELECT p.slug, p.title FROM post p JOIN post_tag x ON x.post_id = p.id JOIN tag t ON t.id = x.tag_id"
    " WHERE t.name = :tag ORDER BY p.at DESC LIMIT 20"
)
WORKLOAD = f"""
-- name: front, rate: 100/s
{FRONT};
-- name: by_tag, rate: 50/s
-- params: {{"tag": "t3"}}
{BY_TAG};
-- name: view, rate: 300/s
-- params: {{"slug": "s17"}}
UPDATE post SET views = views + 1 WHERE slug = :slug;
-- name: add_comment, rate: 5/s
-- params: {{"id": 900001, "post": 17, "body": "y"}}
INSERT INTO comment (id, post_id, body) VALUES (:id, :post, :body);
"""


@dataclass(frozen=True)
class Blog:
    """A SQLite file, what is read of it, and the design chosen for it."""

    path: Path
    workload: Path
    reading: Reading
    chosen: Proposal

    def rows(self, sql: str, **values: object) -> list[tuple[object, ...]]:
        """What SQLite answers."""
        with closing(sqlite3.connect(self.path)) as connection, connection:
            return connection.execute(sql, values).fetchall()


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    """Posts of which some have no comments; no two of the same moment, so that the order says which are first."""
    folder, draw = tmp_path_factory.mktemp("blog"), random.Random(1)
    with closing(sqlite3.connect(folder / "blog.db")) as connection, connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO author VALUES (?, ?)", [(n, f"A{n}") for n in range(1, 51)])
        connection.executemany("INSERT INTO tag VALUES (?, ?)", [(n, f"t{n}") for n in range(1, 101)])
        comments, tags = list[tuple[object, ...]](), list[tuple[int, int]]()
        for post in range(1, 3001):
            moment = f"2024-{post % 12 + 1:02}-{post % 28 + 1:02} {post % 24:02}:{post // 60:02}:{post % 60:02}"
            row = (post, draw.randrange(1, 51), f"s{post}", f"T {post}", "b" * 400, moment, 0)
            connection.execute("INSERT INTO post VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            comments += [(None, post, "c" * 80) for _ in range(draw.randrange(0, 12))]
            tags += [(post, tag) for tag in draw.sample(range(1, 101), 3)]
        connection.executemany("INSERT INTO comment VALUES (?, ?, ?)", comments)
        connection.executemany("INSERT INTO post_tag VALUES (?, ?)", tags)
    workload = folder / "blog.sql"
    workload.write_text(WORKLOAD)
    reading = pipeline.inspect(f"sqlite:///{folder}/blog.db", workload=workload)
    return Blog(folder / "blog.db", workload, reading, pipeline.design(reading))


def by_junction(blog: Blog) -> Proposal:
    """A normalized design whose post_tags have copies of their tag and their post, with an index over both."""
    design = pipeline.design(blog.reading, "normalized").design
    tag = Copy("tag", (Hop("tag_post_tag", up=True),), (Field("name", "name"),), Form.OBJECT, TRANSACTION)
    fields = tuple(Field(name, name) for name in ("slug", "title", "at"))
    post = Copy("post", (Hop("post_post_tag", up=True),), fields, Form.OBJECT, TRANSACTION)
    collections = tuple(
        replace(each, body=replace(each.body, copies=(tag, post))) if each.root == "post_tag" else each
        for each in design.collections
    )
    index = Index("post_tag", (("tag.name", 1), ("post.at", -1)))
    return Proposal("test", replace(design, collections=collections, indexes=(*design.indexes, index)))


def uses(database: Database[dict[str, Any]], collection: str, *keys: str) -> int:
    """How often the index over these fields was used."""
    for index in database[collection].aggregate([{"$indexStats": {}}]):
        if tuple(index["key"]) == keys:
            return int(index["accesses"]["ops"])
    raise AssertionError(keys)


@pytest.mark.thorough
def test_the_search_assumes_the_plan(blog: Blog) -> None:
    """The first few rows are limited before anything is counted, wherever the comments lie."""
    designs = (blog.chosen, pipeline.design(blog.reading, "normalized"), pipeline.design(blog.reading, "embedded"))
    for proposal in designs:
        assert two_prices(blog.reading, proposal)["front"].factor < 2, proposal.strategy
    for proposal in designs[:2]:
        prices = two_prices(blog.reading, proposal)
        assert not {name: found for name, found in prices.items() if found.factor > 2}, proposal.strategy


def test_the_front_page_is_read_by_the_index_chosen(blog: Blog, database: Database[dict[str, Any]]) -> None:
    """In its order, and no more than is shown; the rows are SQLite's."""
    pipeline.load(blog.chosen, f"sqlite:///{blog.path}", database, check=False)
    store, before = Store(blog.chosen, database, workload=blog.workload), uses(database, "post", "at")
    front = [tuple(row.values()) for row in store.run("front")]
    assert [(slug, name, n) for slug, _, _, name, n in front] == [
        (slug, name, n) for slug, _, _, name, n in blog.rows(FRONT)
    ]
    assert uses(database, "post", "at") == before + 1
    assert [tuple(row.values()) for row in store.run("by_tag", tag="t3")] == blog.rows(BY_TAG, tag="t3")


@pytest.mark.thorough
def test_joins_begin_at_the_rows_that_hold_the_order(blog: Blog, database: Database[dict[str, Any]]) -> None:
    """Neither at the tag, which is one, nor at the posts, which are ordered by: at what has copies of both, by their index."""
    made = by_junction(blog)
    pipeline.load(made, f"sqlite:///{blog.path}", database, check=False)
    store, before = Store(made, database, workload=blog.workload), uses(database, "post_tag", "tag.name", "post.at")
    assert [tuple(row.values()) for row in store.run("by_tag", tag="t3")] == blog.rows(BY_TAG, tag="t3")
    assert uses(database, "post_tag", "tag.name", "post.at") == before + 1
