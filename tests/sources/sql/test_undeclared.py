"""What `unload` declares again, and what it does not and says so, as the type map has it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pymongo.database import Database

from nestling.common.errors import SourceError
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.proposal import Proposal
from nestling.ir.text import write_proposal
from nestling.ir.types import INTEGER
from nestling.pipeline import design, generate, inspect, load, read_proposal, unload
from nestling.sources.sql.undeclared import left_out_everywhere
from scripts.pages.type_map import COLUMNS

UNKNOWN = "non-unique indexes, triggers and permissions are not created here: the design does not record the source's"
WIDTHS = "integers are declared as bigint: the design does not record how wide the source's are"


def test_digits_and_plain_indexes_are_not_declared(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Decimals of SQLite are NUMERIC without their digits; plain indexes and views are gone, and that is said."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript("""
            CREATE TABLE t (id INTEGER PRIMARY KEY, cost decimal(5,2), hours decimal(5,2), word TEXT UNIQUE, rank INTEGER);
            CREATE INDEX t_rank ON t (rank);
            CREATE VIEW ranked AS SELECT id, rank FROM t;
            INSERT INTO t VALUES (1, 1.5, 2, 'a', 3);
        """)
    source, target = f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "b.db"
    reading = inspect(source)
    proposal = design(reading, "normalized")
    load(proposal, source, database)
    notes = unload(proposal, f"sqlite:///{target}", database).notes
    assert notes == ("`ranked` is not a view here: create it yourself", UNKNOWN)
    with closing(sqlite3.connect(target)) as connection:
        columns = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA table_info(t)")}
        assert (columns["cost"], columns["hours"]) == ("NUMERIC", "NUMERIC")
        assert [name for _, name, *_ in connection.execute("PRAGMA index_list(t)")] == ["sqlite_autoindex_t_1"]


@pytest.mark.thorough
def test_checks_that_are_left_out_are_named(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """Also by a design that was written to a file."""
    with psycopg.connect(postgresql_urls[0]) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute(
            "CREATE TABLE t (id integer PRIMARY KEY, code text CHECK (code = upper(code)), n integer CHECK (n > 0))"
        )
        connection.execute("INSERT INTO t VALUES (1, 'A', 1)")
    (tmp_path / "design.yaml").write_text(write_proposal(design(inspect(postgresql_urls[0]), "normalized")))
    proposal = read_proposal(tmp_path / "design.yaml")
    load(proposal, postgresql_urls[0], database)
    said = "of `t` (t_code_check) is not in the design: a table created here lacks it until you add it"
    assert unload(proposal, postgresql_urls[1], database).notes[-1] == f"CHECK ((code = upper(code))) {said}"


def test_types_of_postgresql_come_back_or_are_named(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """Every type of the type map is read back from the copy as it was, or a note says as what its column is declared."""
    columns = ", ".join(f"c{number} {column.declared}" for number, column in enumerate(COLUMNS["postgresql"]))
    values = ", ".join(column.literal for column in COLUMNS["postgresql"])
    with psycopg.connect(postgresql_urls[0]) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute("CREATE TYPE mood AS ENUM ('glad', 'sad')")
        connection.execute(f"CREATE TABLE t (id integer PRIMARY KEY, {columns}); INSERT INTO t VALUES (1, {values})")
    reading = inspect(postgresql_urls[0])
    proposal = design(reading, "normalized")
    load(proposal, postgresql_urls[0], database)
    enums, note, widths, bits, _ = unload(proposal, postgresql_urls[1], database).notes
    assert widths == WIDTHS
    assert (
        bits
        == "bits are declared as bit varying: the design does not record whether the source's are of a fixed length"
    )
    before, after = reading.model.entity("t"), inspect(postgresql_urls[1]).model.entity("t")
    other = {each.name for each in before.attributes if after.attribute(each.name).type != each.type}
    (mood,) = [each for each in before.attributes if each.type.values]
    assert after.attribute(mood.name).type == mood.type
    assert f"`t_{mood.name}` of `{mood.name}`" in enums
    assert note.startswith("`t`: declared with a different type than in the source: ")
    assert {each.name for each in before.attributes if f"`{each.name}` (" in note} == other
    assert {str(before.attribute(name).type) for name in other} == {"time as timetz", "geometry"}


ENUMS = """
CREATE TYPE state AS ENUM ('new', 'it''s done', 'gone');
CREATE TABLE t_state (id int PRIMARY KEY);
CREATE TABLE t (id int PRIMARY KEY, state state NOT NULL DEFAULT 'it''s done', before state, opens time NOT NULL, closes time(3));
CREATE INDEX ON t (state);
INSERT INTO t VALUES (1, 'new', NULL, '24:00', NULL), (2, 'gone', 'new', '07:30:15.25', '00:00');
"""


@pytest.mark.thorough
def test_enums_and_times_are_types_again(postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]) -> None:
    """An enum sorts by its labels, refuses others and has its default; equal labels are one type; a time is a time."""
    with psycopg.connect(postgresql_urls[0]) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute(ENUMS)
    proposal = design(inspect(postgresql_urls[0]), "normalized")
    load(proposal, postgresql_urls[0], database)
    notes = unload(proposal, postgresql_urls[1], database).notes
    assert any("`t_state_2` of `state`, `t_state_2` of `before`" in note for note in notes)
    assert not any("another type" in note for note in notes)
    with psycopg.connect(postgresql_urls[1]) as connection:
        connection.execute("INSERT INTO t (id, opens) VALUES (3, '08:00')")
        sorted_by_state = connection.execute("SELECT id FROM t ORDER BY state").fetchall()
        assert sorted_by_state == [(1,), (3,), (2,)]
        assert connection.execute("SELECT opens - interval '1 hour' FROM t WHERE id = 3").fetchone() == (time(7),)
        with pytest.raises(psycopg.DataError):
            connection.execute("UPDATE t SET state = 'other'")


CONDITIONS = """
CREATE TYPE st AS ENUM ('open', 'shut', 'cancelled');
CREATE TABLE a (
  id int PRIMARY KEY, status st NOT NULL DEFAULT 'open', was st, code text, at date,
  CONSTRAINT told CHECK (status <> 'cancelled' OR at IS NOT NULL), CONSTRAINT moved CHECK (status <> was),
  CONSTRAINT unlike CHECK (was <> 'open'));
CREATE UNIQUE INDEX one_open ON a (code) WHERE status = 'open';
INSERT INTO a VALUES (1, 'open', NULL, 'x', NULL), (2, 'cancelled', 'shut', 'x', '2024-01-01');
"""


def _loaded_conditions(url: str, database: Database[dict[str, Any]]) -> Proposal:
    with psycopg.connect(url) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute(CONDITIONS)
    proposal = design(inspect(url), "normalized")
    load(proposal, url, database)
    return proposal


@pytest.mark.thorough
def test_conditions_of_enums_are_declared_again(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """CHECKs of several columns, of one, and of an index: the copy refuses what the source refuses."""
    proposal = _loaded_conditions(postgresql_urls[0], database)
    assert not any("is not declared" in note for note in unload(proposal, postgresql_urls[1], database).notes)
    again, there = (inspect(url).model.entity("a") for url in postgresql_urls)
    assert again.checks == there.checks
    assert again.partial_uniques == there.partial_uniques
    breaking = (
        "UPDATE a SET status = 'cancelled' WHERE id = 1",
        "UPDATE a SET status = 'shut' WHERE id = 2",
        "UPDATE a SET was = 'open' WHERE id = 2",
        "INSERT INTO a VALUES (3, 'open', NULL, 'x', NULL)",
    )
    for url in postgresql_urls:
        with psycopg.connect(url, autocommit=True) as connection:
            for sql in breaking:
                with pytest.raises(psycopg.IntegrityError):
                    connection.execute(sql)


def test_what_a_server_says_of_a_condition_names_it(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """An error at the end says of which table and CHECK it is, and nothing of the unload stays."""
    proposal = _loaded_conditions(postgresql_urls[0], database)
    with psycopg.connect(postgresql_urls[1]) as connection:
        connection.execute("""
            CREATE FUNCTION no() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
              IF current_query() LIKE '%ADD CONSTRAINT "told"%' THEN RAISE 'not here'; END IF; END $$;
            CREATE EVENT TRIGGER no ON ddl_command_start EXECUTE FUNCTION no()""")
    with pytest.raises(SourceError) as refused:
        unload(proposal, postgresql_urls[1], database)
    said = "table a, CHECK told (status <> 'cancelled' OR at IS NOT NULL): not here"
    assert said in str(refused.value)
    assert inspect(postgresql_urls[1]).model.entities == ()


MIXED = """
nestling: 1
model:
  name: m
  entities:
    t:
      key: [id]
      attributes: {id: integer!, a: "enum('x', 'y')", b: "enum('x', 'y')", c: "enum('x', 'y')", d: text}
      checks: [{name: one, condition: a <> d}, {name: two, condition: b <> 'z'}]
"""


@pytest.mark.thorough
def test_a_column_stays_text_where_a_check_compares_it_with_one(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """An enum beside a text, or beside what is no label, as a model that is written by hand may have it."""
    path = tmp_path / "model.yaml"
    path.write_text(MIXED)
    reading = inspect(path)
    proposal = design(reading, "normalized")
    load(proposal, generate(reading, tmp_path / "made.db"), database)
    notes = unload(proposal, postgresql_urls[1], database).notes
    assert any(note.endswith("here they are `t_c` of `c`") for note in notes)
    found = inspect(postgresql_urls[1]).model.entity("t").checks
    assert {str(check) for check in found} == {"CHECK one (a <> d)", "CHECK two (b <> 'z')"}


@pytest.mark.thorough
def test_texts_that_are_no_exact_times_stay(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """`7:30` is not what PostgreSQL's `time` gives back: the column stays text, and the note says so."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TIME, b TIME); INSERT INTO t VALUES (1, '7:30', '07:30:00');"
        )
    source = f"sqlite:///{tmp_path / 'a.db'}"
    proposal = design(inspect(source), "normalized")
    load(proposal, source, database)
    notes = unload(proposal, postgresql_urls[1], database).notes
    assert any("`a` (time) as text" in note and "`b`" not in note for note in notes)
    with psycopg.connect(postgresql_urls[1]) as connection:
        assert connection.execute("SELECT a, b FROM t").fetchone() == ("7:30", time(7, 30))


@pytest.mark.thorough
def test_what_no_foreign_key_says_becomes_none(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """A join of the workload makes a relationship, and no foreign key in the copy: a row that is referred to can go there too."""
    with psycopg.connect(postgresql_urls[0]) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute("CREATE TABLE u (id int PRIMARY KEY); CREATE TABLE log (id int PRIMARY KEY, actor int)")
        connection.execute("INSERT INTO u VALUES (1), (2); INSERT INTO log VALUES (1, 1), (2, 2)")
    workload = tmp_path / "w.sql"
    workload.write_text(
        "-- name: q, rate: 1/s\nSELECT l.id, u.id FROM log l LEFT JOIN u ON u.id = l.actor WHERE l.id = :id"
    )
    proposal = design(inspect(postgresql_urls[0], workload=workload), "normalized")
    load(proposal, postgresql_urls[0], database)
    copies = (postgresql_urls[1], f"sqlite:///{tmp_path / 'copy.db'}")
    for copy in copies:
        assert any("`u_log` is not a foreign key here" in note for note in unload(proposal, copy, database).notes)
    with psycopg.connect(copies[0]) as connection:
        assert connection.execute("DELETE FROM u WHERE id = 1").rowcount == 1
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        assert connection.execute("PRAGMA foreign_key_list(log)").fetchall() == []


GENERATED = """
CREATE EXTENSION IF NOT EXISTS citext;
CREATE TYPE pair AS (a int, b int);
CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, twice int GENERATED ALWAYS AS (a * 2) STORED, low text DEFAULT lower('X'),
  mail citext UNIQUE, p pair, rates real[], tags varchar(5)[], net cidr[]);
INSERT INTO t (id, a, mail, p, rates, tags, net) VALUES (1, 2, 'Ann@x', '(1,2)', '{1.1}', '{ab}', '{10.0.0.0/8}');
"""


def test_what_postgresql_does_not_declare_is_named(
    postgresql_urls: tuple[str, str], database: Database[dict[str, Any]]
) -> None:
    """Computed columns are no defaults; types of extensions and of the database's own are texts there."""
    with psycopg.connect(postgresql_urls[0]) as connection:
        connection.execute('DROP SCHEMA torture, "odd schema" CASCADE; SET search_path TO public')
        connection.execute(GENERATED)
    proposal = design(inspect(postgresql_urls[0]), "normalized")
    load(proposal, postgresql_urls[0], database)
    assert unload(proposal, postgresql_urls[1], database).notes == (
        "`t`: the source computes `twice`; here an INSERT or UPDATE has to give the value",
        "`t`: the default of `low` is not declared; every INSERT has to give a value",
        "`t`: texts of `mail` are compared exactly here, unlike in the source",
        "`t`: declared with a different type than in the source: `p` (text as pair) as text, `tags` (array(text(5))) as text[]",
        WIDTHS,
        UNKNOWN,
    )


@pytest.mark.thorough
def test_texts_longer_than_declared_widen_their_columns(
    postgresql_urls: tuple[str, str], tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """SQLite does not look at lengths: PostgreSQL's columns have those that all rows keep, and no text is cut."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript("""
            CREATE TABLE t (id INTEGER PRIMARY KEY, a VARCHAR(3), b VARCHAR(3) UNIQUE, c VARCHAR(3), d VARCHAR(0));
            INSERT INTO t VALUES (1, 'abc', 'abc', 'abc', ''), (2, 'ab ', 'abc  ', 'abcdef', 'x');
        """)
    source = f"sqlite:///{tmp_path / 'a.db'}"
    proposal = design(inspect(source), "normalized")
    load(proposal, source, database)
    told = "`b` (text(3)) as text, `c` (text(3)) as text, `d` (text(0)) as text"
    assert unload(proposal, postgresql_urls[1], database).notes == (
        f"`t`: declared with a different type than in the source: {told}",
        WIDTHS,
        UNKNOWN,
    )
    with psycopg.connect(postgresql_urls[1]) as copy:
        assert copy.execute("SELECT a, b, c, d FROM t ORDER BY id").fetchall() == [
            ("abc", "abc", "abc", ""), ("ab ", "abc  ", "abcdef", "x"),
        ]  # fmt: skip
    assert str(inspect(postgresql_urls[1]).model.entity("t").attribute("a").type) == "text(3)"


@pytest.mark.parametrize(
    ("links", "said"),
    [
        (1, "`a` is not a foreign key here: the source does not enforce it either"),
        (2, "`a`, `b` are not foreign keys here: the source does not enforce them either"),
    ],
)
def test_references_nobody_enforces_are_named(links: int, said: str) -> None:
    """One or several."""
    columns = tuple(Attribute(name, INTEGER, False) for name in ("id", "a", "b"))
    entities = tuple(Entity(name, columns, ("id",)) for name in ("p", "c"))
    loose = tuple(Relationship(name, "p", "c", ("id",), (name,), enforced=False) for name in "ab"[:links])
    made = left_out_everywhere(Model("m", entities, loose), "sqlite", made=frozenset({"p", "c"}), views=())
    assert next(iter(made)) == said
