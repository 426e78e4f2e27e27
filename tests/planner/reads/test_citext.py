"""PostgreSQL's citext beside PostgreSQL: what takes it for one, what for a text, and what is a gap."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import GapError
from nestling.ir.proposal import Proposal
from nestling.store import Store
from tests.servers import missing

TABLES = """
CREATE TABLE person (id integer PRIMARY KEY, username citext NOT NULL UNIQUE, email citext, name text);
INSERT INTO person VALUES (1, 'User1', 'Mail1@Example.org', 'user1'), (2, 'user2', 'mail2@example.org', 'USER2'),
    (3, 'USER3', NULL, 'USER3'), (4, 'other', 'Mail4@EXAMPLE.org', 'User1'), (5, 'User10', '', NULL);
"""
CONDITIONS = (
    "email LIKE 'mail%'",
    "email LIKE '%EXAMPLE.org'",
    "email NOT LIKE 'mail1%'",
    "email LIKE 'MAIL1@example.ORG'",
    "'user1' LIKE username",
    "'USER1'::text LIKE username",
    "name LIKE username",
    "username LIKE name",
    "username::text LIKE 'User%'",
    "coalesce(email, 'Mail9') LIKE 'mail%'",
    "username ~ '^USER1'",
    "username ~ '^[U]SER1'",
    "username !~ '^USER1'",
    "username::text ~ '^USER'",
    "username = 'USER1'",
    "username::text = 'user1'",
    "username = 'user1'::text",
    "username = 'user1'::citext",
    "username = name",
    "name = username",
    "username = lower(name)",
    "username = email",
    "username IN ('USER1', 'other')",
    "username IN ('USER1', name)",
    "name IN ('USER1', username)",
    "username::text IN ('user1', 'USER3')",
    "username <> ALL (ARRAY['USER1'])",
    "username = ANY (ARRAY['USER1', 'other'])",
    "username = ANY (ARRAY['USER1', 'other']::citext[])",
    "username = ANY (ARRAY['USER1', 'other']::text[])",
    "username = 'USER1'::public.citext",
    "username IN ('user1'::text, 'other'::text)",
    "coalesce(email, username) = 'user3'",
    "coalesce(email, name) = 'user3'",
    "CASE WHEN id < 3 THEN username ELSE 'X' END = 'x'",
    "nullif(username, 'USER1') IS NULL",
    "username BETWEEN 'user1' AND 'USER2'",
    "(SELECT p.username FROM person p WHERE p.id = 1) = 'uSER1'",
    "(SELECT max(p.username) FROM person p) = 'uSER3'",
    "lower(username) = 'user1'",
    "upper(username) = 'user1'",
    "username || '' = 'user1'",
    "starts_with(username, 'USER')",
    "EXISTS (SELECT 1 FROM (SELECT username::text AS u FROM person) x WHERE x.u = 'user1')",
    "EXISTS (SELECT 1 FROM (SELECT username AS u FROM person) x WHERE x.u = 'user1')",
)
LISTS = (("username = ANY(%(names)s)", ["USER1", "x"]), ("username = ANY(%(names)s::text[])", ["USER1", "other"]))
GAPS = ("replace(username, 'USER', 'x') = 'x1'", "strpos(username, 'USER') = 1", "translate(username, 'US', 'x') = 'x'")
Both = tuple[sa.Engine, Proposal, Database[Any]]


@pytest.fixture(scope="module")
def people(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Both]:
    """The table in a database of its own, and loaded."""
    name = f"citext_{uuid.uuid4().hex}"
    with sa.create_engine(postgresql, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool).connect() as server:
        known = server.exec_driver_sql("SELECT 1 FROM pg_available_extensions WHERE name = 'citext'").fetchone()
        if not known:
            missing("PostgreSQL's contrib modules are not installed")
        server.exec_driver_sql(f"CREATE DATABASE {name}")
    url = sa.make_url(postgresql).set(database=name).render_as_string(hide_password=False)
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE EXTENSION citext;" + TABLES)
    proposal = pipeline.design(pipeline.inspect(url), "normalized")
    database = mongo_client[name]
    pipeline.load(proposal, url, database, mode=pipeline.LoadMode.REPLACE)
    yield engine, proposal, database
    mongo_client.drop_database(name)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_rows_are_postgresqls(people: Both, condition: str) -> None:
    """With the condition and with its NOT."""
    engine, proposal, database = people
    store = Store(proposal, database)
    for form in (condition, f"NOT ({condition})"):
        sql = f"SELECT id FROM person WHERE {form} ORDER BY id"
        with engine.connect() as connection:
            theirs = [row[0] for row in connection.exec_driver_sql(sql.replace("%", "%%"))]
        assert [row["id"] for row in store.execute(sql)] == theirs, form


@pytest.mark.parametrize(("condition", "names"), LISTS)
def test_given_lists_are_postgresqls(people: Both, condition: str, names: list[str]) -> None:
    """Beside a list of texts it is text; one that does not say is of citexts."""
    engine, proposal, database = people
    sql = f"SELECT id FROM person WHERE {condition} ORDER BY id"
    with engine.connect() as connection:
        theirs = [row[0] for row in connection.exec_driver_sql(sql, {"names": names})]
    found = Store(proposal, database).execute(sql.replace("%(names)s", ":names"), names=names)
    assert [row["id"] for row in found] == theirs


@pytest.mark.parametrize("condition", GAPS)
def test_what_seeks_whatever_the_case_is_a_gap(people: Both, condition: str) -> None:
    """Not so for the same of a text."""
    store = Store(people[1], people[2])
    with pytest.raises(GapError, match="ignoring case"):
        store.execute(f"SELECT id FROM person WHERE {condition}")
    store.execute(f"SELECT id FROM person WHERE {condition}".replace("username", "username::text"))
