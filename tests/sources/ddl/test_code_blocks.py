"""PostgreSQL's DO blocks, by which generated migrations declare what may be there already."""

from __future__ import annotations

import pytest

from nestling.ir.types import Type
from tests.sources.ddl.ddl_texts import read

TABLES = 'CREATE TABLE "users" ("id" int PRIMARY KEY); CREATE TABLE posts (id int PRIMARY KEY, user_id int NOT NULL);\n'


def block(body: str) -> str:
    """A block of code after two tables."""
    return f"{TABLES}DO $$ {body} $$;"


def test_types_and_keys_are_declared():
    """As generated: whatever fails because it is there already is there."""
    role = "BEGIN CREATE TYPE role AS ENUM ('a;b', 'c'); EXCEPTION WHEN duplicate_object THEN null; END"
    key = """BEGIN
        ALTER TABLE "posts" ADD CONSTRAINT "fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade;
        EXCEPTION WHEN duplicate_object THEN null; WHEN others THEN CREATE TABLE lost (id int); END"""
    found = read(f"DO $x$ {role} $x$; CREATE TABLE t (id int PRIMARY KEY, role role);{block(key)}", "postgresql")
    assert not found.gaps
    assert not found.notes
    assert found.model.entity("t").attribute("role").type == Type.parse("enum('a;b', 'c')")
    (link,) = found.model.relationships
    assert (link.parent, link.child, link.child_attributes) == ("users", "posts", ("user_id",))
    assert not any(each.name == "lost" for each in found.model.entities)


def test_declarations_stand_behind_conditions():
    """Variables and conditions are passed over, and an error has the line it stands in."""
    found = read(
        block("""DECLARE n int; m int := 2; BEGIN
        IF NOT EXISTS (SELECT 1 FROM pg_class) THEN ALTER TABLE posts ADD COLUMN views int; ELSE ALTER TABLE posts ADD z nonsense;
        END IF; RAISE NOTICE 'done'; END"""),
        "postgresql",
    )
    assert found.model.entity("posts").attribute_names == ("id", "user_id", "views", "z")
    assert not found.notes
    (gap,) = found.gaps
    assert "nonsense" in str(gap)
    assert "line 3" in str(gap) or ":3" in str(gap)


@pytest.mark.parametrize(
    ("body", "note"),
    [
        ("BEGIN EXECUTE 'ALTER TABLE posts ADD a int'; END", "left out: its effects are not read"),
        ("BEGIN FOR n IN 1..3 LOOP PERFORM f(n); END LOOP; END", "left out: its effects are not read"),
        ("BEGIN ALTER TABLE posts DROP COLUMN user_id; END", "left out: its effects are not read"),
        ("BEGIN ALTER TABLE posts ADD b int; UPDATE posts SET b = 1; END", "read only for its declarations"),
    ],
)
def test_what_else_it_does_is_said(body, note):
    """Nothing is left out silently."""
    found = read(block(body), "postgresql")
    assert found.notes == (f"the DO block in line 2 is {note}",)
    assert ("b" in found.model.entity("posts").attribute_names) is ("read only" in note)
    assert found.model.entity("posts").attribute("user_id")


def test_a_block_of_a_quoted_text_is_left_out():
    """Its quotes are doubled: it is not read."""
    (note,) = read(f"{TABLES}DO LANGUAGE plpgsql 'BEGIN ALTER TABLE posts ADD a int; END'", "postgresql").notes
    assert note == "the DO block in line 2 is left out: its effects are not read"
