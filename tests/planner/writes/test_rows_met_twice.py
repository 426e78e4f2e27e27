"""PostgreSQL's ON CONFLICT DO UPDATE refuses rows of one INSERT that meet each other, and so does what it becomes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from nestling import Store
from nestling.common.errors import ConstraintError, GapError
from tests.planner.reads.beside_postgresql import EVERY_LETTER, Beside, beside_of

TABLES = """
CREATE TABLE team (id integer PRIMARY KEY);
CREATE TABLE tally (name varchar(9) PRIMARY KEY, n integer NOT NULL);
CREATE TABLE person (
  id integer PRIMARY KEY, email varchar(9), team_id integer NOT NULL REFERENCES team (id), gone boolean, n integer,
  UNIQUE (team_id, email));
CREATE UNIQUE INDEX live ON person (email) WHERE NOT gone;
CREATE TABLE member (id serial PRIMARY KEY, email text, tenant_id integer NOT NULL, name text NOT NULL, nick text, gone boolean);
CREATE UNIQUE INDEX one_email ON member (tenant_id, lower(email));
CREATE UNIQUE INDEX one_nick ON member (lower(nick)) WHERE NOT gone;
INSERT INTO team VALUES (1), (2);
INSERT INTO person VALUES (1, 'a', 1, false, 0), (2, 'b', 1, true, 0);
"""
_INTO = "INSERT INTO person (id, email, team_id, gone, n) VALUES"
_BY_ID = "ON CONFLICT (id) DO UPDATE SET id = excluded.id, n = person.n + excluded.n"
_BY_BOTH = "ON CONFLICT (email, team_id) DO UPDATE SET n = person.n + excluded.n"
_LIVE = "ON CONFLICT (email) WHERE NOT gone DO UPDATE SET n = excluded.n"
_MEMBER = "INSERT INTO member (email, tenant_id, name) VALUES"
_BY_LOWER = "ON CONFLICT (tenant_id, (lower(email::text))) DO UPDATE SET name = excluded.name, email = excluded.email"
_NICK = "INSERT INTO member (nick, tenant_id, name, gone) VALUES"
_BY_NICK = "ON CONFLICT (lower(nick)) WHERE NOT gone DO UPDATE SET name = member.name || excluded.name"
_COUNT = "INSERT INTO tally VALUES (:a, 1), (:b, 1), ('z', 1) ON CONFLICT (name) DO UPDATE SET n = tally.n + 1"
DONE: tuple[tuple[str, Mapping[str, object]], ...] = (
    (f"{_INTO} (1, 'a', 1, false, 5), (3, 'c', 1, false, 5) {_BY_ID}", {}),
    (f"{_INTO} (:a, 'x', 1, true, 5), (:b, 'y', 1, true, 5) {_BY_ID}", {"a": 3, "b": 4}),
    (
        f"{_INTO} (1, 'a', 1, false, 7), (5, 'a', 2, true, 7), (6, NULL, 1, true, 7), (7, NULL, 1, true, 7) {_BY_BOTH}",
        {},
    ),
    (f"{_INTO} (8, 'z', 2, true, 7), (9, 'z', 1, false, 7) {_LIVE}", {}),
    (_COUNT, {"a": "x", "b": "y"}),
    (_COUNT, {"a": "w", "b": "y"}),
    (f"{_INTO} (20, 'q', 1, true, 5), (20, 'r', 1, true, 5) ON CONFLICT (id) DO NOTHING", {}),
    (f"{_MEMBER} ('Zoë@x', 1, 'a'), ('zoë@x', 2, 'b'), (NULL, 1, 'c') {_BY_LOWER}", {}),
    (
        f"{_MEMBER} (:email, 1, 'd'), ('other', 1, 'e'), (NULL, 1, 'f') {_BY_LOWER} RETURNING id, name",
        {"email": "ZOË@X"},
    ),
    (f"{_MEMBER} ('zoË@x', 2, 'g'), ('new', 2, 'h') ON CONFLICT (lower(email), tenant_id) DO NOTHING", {}),
    (f"{_MEMBER} ('NEW', 2, 'i') ON CONFLICT (lower(email), tenant_id) WHERE name <> 'x' DO NOTHING", {}),
    (f"{_NICK} ('Al', 1, 'a', false), ('al', 1, 'b', true), ('bo', 1, 'c', NULL) {_BY_NICK}", {}),
    (f"{_NICK} ('AL', 1, 'd', false), ('aL', 1, 'e', true), ('BO', 1, 'f', false) {_BY_NICK}", {}),
)
REFUSED: tuple[tuple[str, Mapping[str, object]], ...] = (
    (f"{_INTO} (1, 'a', 1, false, 5), (1, 'c', 1, false, 5) {_BY_ID}", {}),
    (f"{_INTO} (30, 'j', 1, false, 5), (:b, 'k', 1, false, 5) {_BY_ID}", {"b": 30}),
    (f"{_INTO} (31, 'm', 1, true, 5), (32, 'n', 1, true, 5), (33, 'm', 1, true, 5) {_BY_BOTH}", {}),
    (_COUNT, {"a": "x", "b": "x"}),
    (_COUNT, {"a": "x", "b": "z"}),
    (f"{_INTO} (34, 'o', 1, false, 5), (35, 'o', 2, false, 5) {_LIVE}", {}),
    (f"{_MEMBER} ('q', 1, 'j'), (:email, 1, 'k') {_BY_LOWER}", {"email": "Q"}),
    (f"{_NICK} ('É', 1, 'd', false), ('é', 1, 'e', false) {_BY_NICK}", {}),
)
READS = ("SELECT * FROM person ORDER BY id", "SELECT * FROM tally ORDER BY name", "SELECT * FROM member ORDER BY id")


served = beside_of(TABLES, "normalized", "embedded", made=EVERY_LETTER)


@pytest.mark.one_in(2)
def test_beside_postgresql(served: Beside) -> None:
    """The same rows, and the same refusals, of which nothing stays."""
    store = Store(served.proposal, served.database)
    for sql, values in DONE:
        served.theirs(sql, values)
        store.execute(sql, **values)
        for read in READS:
            assert [tuple(row.values()) for row in store.execute(read)] == served.theirs(read), sql
    for sql, values in REFUSED:
        with pytest.raises(Exception, match="affect row a second time"):
            served.theirs(sql, values)
        with pytest.raises(ConstraintError, match="two rows of the INSERT have the same"):
            store.execute(sql, **values)
        for read in READS:
            assert [tuple(row.values()) for row in store.execute(read)] == served.theirs(read), sql
    with pytest.raises(GapError, match="that changes `id`"):
        store.execute(f"{_INTO} (1, 'a', 1, false, 5), (2, 'c', 1, false, 5) ON CONFLICT (id) DO UPDATE SET id = 9")
