"""The first few rows in an order are found by an index in that order, whatever is computed beside each of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling.pipeline import design, inspect

FORUM = """
CREATE TABLE forum (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE thread (
  id INTEGER PRIMARY KEY, forum_id INTEGER NOT NULL REFERENCES forum, title TEXT NOT NULL, created TIMESTAMP NOT NULL);
CREATE TABLE post (id INTEGER PRIMARY KEY, thread_id INTEGER NOT NULL REFERENCES thread, body TEXT NOT NULL);
"""
PAGE = """
-- name: forum_page, rate: 100/s
-- params: {"f": 2}
SELECT t.id, t.title{beside} FROM thread t WHERE t.forum_id = :f ORDER BY t.created DESC LIMIT 20;
-- name: reply, rate: 20/s
INSERT INTO post (id, thread_id, body) VALUES (:id, :t, :b);
"""
BESIDE = {
    "a count": ", (SELECT count(*) FROM post p WHERE p.thread_id = t.id) AS replies",
    "a test": ", EXISTS (SELECT 1 FROM post p WHERE p.thread_id = t.id) AS has_replies",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("beside", BESIDE)
def test_the_newest_of_a_parent(tmp_path: Path, beside: str) -> None:
    """Twenty threads of a forum of thousands: the index has the forum, then the order."""
    path = tmp_path / "forum.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(FORUM)
        connection.executemany("INSERT INTO forum VALUES (?, ?)", [(n, f"forum {n}") for n in range(3)])
        threads = [(n, n % 3, f"thread {n}", f"2024-01-{n % 28 + 1:02} 10:00:00") for n in range(6000)]
        connection.executemany("INSERT INTO thread VALUES (?, ?, ?, ?)", threads)
        connection.executemany("INSERT INTO post VALUES (?, ?, 'body')", [(n, n % 6000) for n in range(9000)])
    (tmp_path / "workload.sql").write_text(PAGE.replace("{beside}", BESIDE[beside]), encoding="utf-8")
    proposal = design(inspect(f"sqlite:///{path}", workload=tmp_path / "workload.sql"))
    keys = [index.keys for index in proposal.design.indexes if index.collection == "thread"]
    assert (("forum_id", 1), ("created", -1)) in keys
