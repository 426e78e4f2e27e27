"""What each database's catalogue says of defaults, collations, actions of foreign keys, checks, and views."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Mapping
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database
from sqlalchemy import create_engine, make_url

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError, PermissionDenied
from nestling.ir.constraints.defaults import ConstantDefault, Default, Generated, OtherDefault
from nestling.ir.model import OnUpdate
from nestling.ir.reading import Reading
from nestling.ir.statements.operators import Collation
from nestling.sources.checks import not_made
from nestling.sources.ddl import read_ddl
from nestling.sources.sql import open_database
from tests.servers import missing

_TABLES = """
CREATE TABLE p (id {key}, name varchar(20) {nocase} DEFAULT 'it''s', plain varchar(20) {binary} DEFAULT '',
  n decimal(8,2) DEFAULT 0.50, at timestamp {null} DEFAULT CURRENT_TIMESTAMP, i int DEFAULT -1,
  made varchar(9) DEFAULT (lower('X')), CONSTRAINT apart CHECK (name <> plain));
CREATE TABLE c (p_id int, CONSTRAINT k FOREIGN KEY (p_id) REFERENCES p (id) ON UPDATE CASCADE ON DELETE SET NULL);
CREATE VIEW v AS SELECT p.id, p.name AS title FROM p WHERE p.i < 0;
"""

_UNSAID = """
CREATE TABLE u (a varchar(9), b varchar(9) GENERATED ALWAYS AS (upper(a)) STORED);
CREATE UNIQUE INDEX u_some ON u (a) WHERE b IS NOT NULL;
CREATE UNIQUE INDEX u_made ON u (lower(a));
"""
_TRIGGER = "trigger `t` is left out: its work is left to the application"
_SAID = {
    "`u.b` is computed by the database: it is stored as a plain attribute that statements recompute",
    "a unique index of `u` covers some rows only: it makes no attribute unique, the application has to enforce it",
    "a unique index of `u` is over an expression: it makes no attribute unique, the application has to enforce it",
}


def check(reading: Reading, collation: Collation, *, exact: bool) -> None:
    """All of it is there."""
    model, entity = reading.model, reading.model.entity("p")
    assert [note for note in reading.notes if "CHECK" in note and "of `p` (apart) is left out" in note] != []
    found: Mapping[str, Default | None] = {a.name: a.default for a in entity.attributes}
    assert isinstance(found["made"], OtherDefault)
    assert {name: default for name, default in found.items() if name != "made"} == {
        "id": Generated.SEQUENCE if exact else Generated.NUMBER, "name": ConstantDefault("it's"), "plain": ConstantDefault(""),
        "n": ConstantDefault(Decimal("0.50") if exact else 0.5), "at": Generated.TIMESTAMP, "i": ConstantDefault(-1),
    }  # fmt: skip
    assert entity.attribute("name").collation is collation
    assert entity.attribute("plain").collation is Collation.BINARY
    assert entity.attribute("i").collation is Collation.BINARY
    (link,) = model.relationships
    assert (link.on_update, link.enforced) == (OnUpdate.CASCADE, True)
    (view,) = model.views
    assert view.name == "v"
    assert "title" in view.sql


def test_the_catalog_is_read_in_sqlite(tmp_path: Path) -> None:
    """By pragmas, and by the CREATE statements where these say nothing."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(_TABLES.format(key="INTEGER PRIMARY KEY", nocase="COLLATE NOCASE", binary="", null=""))
        connection.execute("INSERT INTO p (n) VALUES (1.25)")
    connection.close()
    check(open_database(f"sqlite:///{path}").reading(), Collation.NOCASE, exact=False)


def test_sqlite_tells_what_a_model_does_not_say(tmp_path: Path) -> None:
    """Generated columns, and unique indexes over some rows or an expression, are notes as those of a DDL file."""
    path = tmp_path / "u.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"{_UNSAID}; CREATE TRIGGER t AFTER INSERT ON u BEGIN SELECT 1; END")
    reading = open_database(f"sqlite:///{path}").reading()
    assert set(reading.notes) >= _SAID | {_TRIGGER}
    assert reading.model.entity("u").uniques == ()


def test_postgresql_tells_what_a_model_does_not_say(postgresql_urls: tuple[str, str]) -> None:
    """The same."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1]) as connection:
        connection.execute(_UNSAID + "CREATE MATERIALIZED VIEW m AS SELECT a FROM u")
        connection.execute("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
        connection.execute("CREATE TRIGGER t BEFORE INSERT ON u FOR EACH ROW EXECUTE FUNCTION f()")
    reading = open_database(postgresql_urls[1]).reading()
    assert set(reading.notes) >= _SAID | {_TRIGGER, "materialized view `m` is left out: its data is in its tables"}
    assert reading.model.entity("u").uniques == ()


def test_orders_of_languages_are_told(postgresql_urls: tuple[str, str]) -> None:
    """Texts that PostgreSQL orders as a language does are a note, those it orders by code point are none."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1]) as connection:
        if not connection.execute("SELECT 1 FROM pg_collation WHERE collname = 'en-x-icu'").fetchone():
            pytest.skip("this PostgreSQL knows no collations of ICU")
        connection.execute('CREATE TABLE t (a text COLLATE "en-x-icu", b text COLLATE "C", n integer)')
    reading = open_database(postgresql_urls[1]).reading()
    said = "texts of 1 column are ordered by the collation `en-x-icu`: on MongoDB upper case sorts before lower case"
    assert [note for note in reading.notes if "ordered by the collation" in note] == [said]
    assert not [note for note in reading.notes if "by the collation `C`" in note]


@pytest.mark.thorough
def test_a_locale_that_knows_no_case_is_told(postgresql_urls: tuple[str, str]) -> None:
    """Of C, which the tests' server has; a database of another locale has no such note."""
    psycopg = pytest.importorskip("psycopg")
    url = make_url(postgresql_urls[1])
    other = f"{url.database}_utf8"
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_collation WHERE collname = 'C.utf8'").fetchone():
            missing("this system has no locale C.utf8")
        connection.execute("CREATE TABLE t (a text)")
        connection.execute(f"CREATE DATABASE {other} TEMPLATE template0 LC_CTYPE 'C.utf8'")
    there = url.set(database=other).render_as_string(hide_password=False)
    with psycopg.connect(there) as connection:
        connection.execute("CREATE TABLE t (a text)")
    here, elsewhere = (open_database(each).reading().notes for each in (postgresql_urls[1], there))
    assert [note for note in here if note.startswith("the database's locale `C` handles case for A to Z only")]
    assert not [note for note in elsewhere if "locale" in note]


def test_letters_of_another_case_are_told(postgresql_urls: tuple[str, str]) -> None:
    """Of a language's collation, of ICU's, and of C, which columns name."""
    psycopg = pytest.importorskip("psycopg")
    names = ("C", "und-x-icu", "tr-x-icu", "C.utf8")
    with psycopg.connect(postgresql_urls[1], autocommit=True) as connection:
        found = connection.execute(
            "SELECT collname FROM pg_collation WHERE collname = ANY (%s)", ([*names],)
        ).fetchall()
        if len(found) < len(names):
            missing("this system has not all of the collations " + ", ".join(names))
        connection.execute(
            "CREATE TABLE t (" + ", ".join(f'c{at} text COLLATE "{each}"' for at, each in enumerate(names)) + ")"
        )
    told = {
        note.split("`")[1]: note for note in open_database(postgresql_urls[1]).reading().notes if "of columns" in note
    }
    assert "`C` of columns handles case for A to Z only" in told["C"]
    assert "a different upper or lower case for `ß`, `İ`," in told["und-x-icu"]
    assert "a different upper or lower case for `I`, `i`," in told["tr-x-icu"]
    assert "C.utf8" not in told


@pytest.mark.thorough
def test_a_time_zone_other_than_utc_is_a_gap(postgresql_urls: tuple[str, str]) -> None:
    """Of the database; UTC by whatever name is none."""
    psycopg = pytest.importorskip("psycopg")
    for zone, told in (("Etc/UTC", False), ("Europe/Berlin", True), ("UTC", False)):
        with psycopg.connect(postgresql_urls[1]) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS t (at timestamptz)")
            name = make_url(postgresql_urls[1]).database
            connection.execute(f"ALTER DATABASE {name} SET timezone = '{zone}'")
        gaps = open_database(postgresql_urls[1]).reading().gaps
        assert [f"in the time zone `{zone}`" in gap.what and f"AT TIME ZONE '{zone}'" in gap.what for gap in gaps] == [
            True
        ] * told


def test_mariadbs_time_zone_is_a_gap(mariadb_urls: tuple[str, str]) -> None:
    """The server's, as long as it is not UTC."""
    pymysql = pytest.importorskip("pymysql")
    url = make_url(mariadb_urls[1])
    connection = pymysql.connect(
        host=url.host, port=url.port, user=url.username, password=str(url.password), database=url.database
    )
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE t (id int PRIMARY KEY, at timestamp)")
        cursor.execute("SELECT @@global.time_zone")
        before = cursor.fetchone()[0]
        try:
            cursor.execute("SET GLOBAL time_zone = '+02:00'")
            gaps = open_database(mariadb_urls[1]).reading().gaps
        finally:
            cursor.execute("SET GLOBAL time_zone = %s", (before,))
    connection.close()
    assert ["in the time zone `+02:00`" in gap.what for gap in gaps] == [True]


def test_citext_is_compared_without_case(postgresql_urls: tuple[str, str]) -> None:
    """PostgreSQL's citext is a text whose case does not count, and a gap says how far."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1]) as connection:
        if not connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'citext'").fetchone():
            missing("PostgreSQL's contrib modules are not installed")
        connection.execute("CREATE EXTENSION citext; CREATE TABLE t (email citext UNIQUE, plain text)")
    reading = open_database(postgresql_urls[1]).reading()
    assert [each.collation for each in reading.model.entity("t").attributes] == [Collation.NOCASE, Collation.BINARY]
    (gap,) = reading.gaps
    assert gap.where == "t.email"
    assert "comparisons ignore the case of A to Z; the case of other letters" in gap.what


def test_arrays_of_citext_are_lists(postgresql_urls: tuple[str, str]) -> None:
    """As arrays of texts are, for who compares answers; an array of any type that an extension adds."""
    psycopg = pytest.importorskip("psycopg")
    from nestling.sources.sql.postgresql.loaders import register_loaders

    with psycopg.connect(postgresql_urls[1]) as connection:
        if not connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'citext'").fetchone():
            missing("PostgreSQL's contrib modules are not installed")
        connection.execute("CREATE EXTENSION citext")
        register_loaders(connection)
        found = connection.execute(
            "SELECT array_agg(each::citext) FROM unnest(ARRAY['urgent', 'Late']) each"
        ).fetchone()
    assert found == (["urgent", "Late"],)


def test_the_catalog_is_read_in_postgresql(postgresql_urls: tuple[str, str]) -> None:
    """By the server's catalogue."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1]) as connection:
        connection.execute(_TABLES.format(key="serial PRIMARY KEY", nocase="", binary='COLLATE "C"', null=""))
    check(open_database(postgresql_urls[1]).reading(), Collation.BINARY, exact=True)


def test_the_catalog_is_read_in_mariadb(mariadb_urls: tuple[str, str]) -> None:
    """By the information schema."""
    pymysql = pytest.importorskip("pymysql")
    url = make_url(mariadb_urls[1])
    key = "int AUTO_INCREMENT PRIMARY KEY"
    script = _TABLES.format(key=key, nocase="", binary="COLLATE utf8mb4_bin", null="NULL")
    connection = pymysql.connect(
        host=url.host,
        port=url.port,
        user=url.username,
        password=str(url.password),
        database=url.database,
        autocommit=True,
    )
    with connection.cursor() as cursor:
        for statement in script.split(";\n"):
            if statement.strip():
                cursor.execute(statement)
        cursor.execute("CREATE TRIGGER t BEFORE INSERT ON p FOR EACH ROW SET NEW.n = NEW.n")
    connection.close()
    reading = open_database(mariadb_urls[1]).reading()
    check(reading, Collation.UNICODE_CI, exact=True)
    assert _TRIGGER in reading.notes


@pytest.mark.thorough
def test_tables_that_may_not_be_read(postgresql_urls: tuple[str, str]) -> None:
    """Are named, all at once, with what the user needs."""
    psycopg = pytest.importorskip("psycopg")
    reader = f"reader_{uuid.uuid4().hex}"
    with psycopg.connect(postgresql_urls[1]) as connection:
        tables = "CREATE TABLE hidden (a int); CREATE TABLE seen (a int); CREATE SCHEMA s; CREATE TABLE s.too (a int)"
        connection.execute(f"{tables}; CREATE ROLE {reader} LOGIN PASSWORD 'reads'; GRANT SELECT ON seen TO {reader}")
    url = make_url(postgresql_urls[1]).set(username=reader, password="reads")
    try:
        with pytest.raises(PermissionDenied, match=r"denied for tables `hidden`, `s.too`(.|\n)*grant the user SELECT"):
            open_database(url.render_as_string(hide_password=False)).reading()
    finally:
        with psycopg.connect(postgresql_urls[1]) as connection:
            connection.execute(f"DROP OWNED BY {reader}; DROP ROLE {reader}")


def test_row_level_security_hides_nothing(postgresql_urls: tuple[str, str]) -> None:
    """A user from whom a policy would hide rows is refused; who reads them all is told of it."""
    psycopg = pytest.importorskip("psycopg")
    tenant = f"tenant_{uuid.uuid4().hex}"
    with psycopg.connect(postgresql_urls[1]) as connection:
        connection.execute("CREATE TABLE paid (a integer PRIMARY KEY); INSERT INTO paid SELECT generate_series(1, 9)")
        connection.execute("ALTER TABLE paid ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON paid USING (a > 5)")
        connection.execute(f"CREATE ROLE {tenant} LOGIN PASSWORD 'reads'; GRANT SELECT ON paid TO {tenant}")
    said = "row-level security of `paid` is left out"
    assert [note for note in open_database(postgresql_urls[1]).reading().notes if note.startswith(said)]
    url = make_url(postgresql_urls[1]).set(username=tenant, password="reads").render_as_string(hide_password=False)
    try:
        with pytest.raises(PermissionDenied, match=r"row-level security(.|\n)*BYPASSRLS"):
            open_database(url).reading()
    finally:
        with psycopg.connect(postgresql_urls[1]) as connection:
            connection.execute(f"DROP OWNED BY {tenant}; DROP ROLE {tenant}")


@pytest.mark.thorough
def test_keys_checked_at_the_end_are_told(postgresql_urls: tuple[str, str]) -> None:
    """A foreign key that may be broken until the transaction ends, as Django makes them, is told; others are not."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1]) as connection:
        connection.execute(
            "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY, a_id int REFERENCES a,"
            " other int REFERENCES a DEFERRABLE INITIALLY DEFERRED, third int REFERENCES a DEFERRABLE)"
        )
    notes = [note for note in open_database(postgresql_urls[1]).reading().notes if "INITIALLY DEFERRED" in note]
    assert len(notes) == 1
    assert notes[0].startswith("1 foreign key of `b` is checked when a transaction ends")


def test_exclusion_constraints_are_told(postgresql_urls: tuple[str, str]) -> None:
    """What MongoDB has no counterpart of is named with its operators, once for a partitioned table; `unload` names it again."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql_urls[1]) as connection:
        connection.execute(
            "CREATE TABLE booking (id int PRIMARY KEY, during daterange NOT NULL, EXCLUDE USING gist (during WITH &&));"
            "CREATE SCHEMA s; CREATE TABLE s.slot (at int, CONSTRAINT once EXCLUDE (at WITH =))"
        )
    left = "is left out: the application has to enforce it"
    told = [
        f"EXCLUDE USING gist (during WITH &&) of `booking` (booking_during_excl) {left}",
        f"EXCLUDE USING btree (at WITH =) of `s.slot` (once) {left}",
    ]
    notes = open_database(postgresql_urls[1]).reading().notes
    assert [note for note in notes if note.startswith("EXCLUDE")] == told
    assert [each.startswith("EXCLUDE") and "not in the design" in each for each in not_made(told)] == [True, True]


def test_unique_checked_at_the_end_is_told(postgresql_urls: tuple[str, str], database: Database[Any]) -> None:
    """The note says what is different; two statements do what one does in PostgreSQL; `unload` says that it is gone."""
    psycopg = pytest.importorskip("psycopg")
    ddl = (
        "CREATE TABLE item (id int PRIMARY KEY, list int, pos int, UNIQUE (pos, list) DEFERRABLE INITIALLY DEFERRED);"
        "CREATE TABLE part (id int UNIQUE DEFERRABLE) PARTITION BY LIST (id); CREATE TABLE part_1 PARTITION OF part DEFAULT;"
    )
    with psycopg.connect(postgresql_urls[1]) as connection:
        connection.execute(f"{ddl} INSERT INTO item VALUES (1, 1, 1), (2, 1, 2), (3, 1, 3)")
    proposal = pipeline.design(pipeline.inspect(postgresql_urls[1]), "normalized")
    told = [note for note in proposal.notes if "DEFERRABLE" in note]
    assert [each.partition(": ")[0] for each in told] == [
        "UNIQUE (pos, list) of `item` is DEFERRABLE",
        "UNIQUE (id) of `part` is DEFERRABLE",
    ]
    assert told == [note for note in read_ddl(ddl, "m", dialect="postgresql").notes if "DEFERRABLE" in note]
    assert next(not_made(told)) == "UNIQUE (pos, list) of `item` is not DEFERRABLE in a table created here"
    pipeline.load(proposal, postgresql_urls[1], database)
    store = Store(proposal, database)
    with pytest.raises(ConstraintError, match=r"a row with the same `item.pos`, `item.list` already exists"):
        store.execute("UPDATE item SET pos = 4 - pos WHERE list = 1")
    assert store.execute("UPDATE item SET pos = -pos WHERE list = 1").affected == 3
    assert store.execute("UPDATE item SET pos = 4 + pos WHERE list = 1").affected == 3
    assert [row["pos"] for row in store.execute("SELECT pos FROM item ORDER BY id")] == [3, 2, 1]


def test_keys_that_sqlite_checks_at_the_end_are_told(tmp_path: Path) -> None:
    """Its pragmas do not say so; the statement of the table does."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("CREATE TABLE a (id INTEGER PRIMARY KEY)")
        connection.execute(
            "CREATE TABLE b (A_id INT REFERENCES a, c INT, FOREIGN KEY (c) REFERENCES a DEFERRABLE INITIALLY DEFERRED)"
        )
    notes = [note for note in open_database(f"sqlite:///{tmp_path / 'a.db'}").reading().notes if "DEFERRED" in note]
    assert [note.partition(" is checked")[0] for note in notes] == ["1 foreign key of `b`"]


def test_inherited_tables_are_a_gap(postgresql_urls: tuple[str, str]) -> None:
    """A table that inherits is told as of a DDL file, with the schemas of both; a partition is not."""
    psycopg = pytest.importorskip("psycopg")
    ddl = (
        "CREATE SCHEMA s; CREATE TABLE p (a int); CREATE TABLE s.c (b int) INHERITS (p);"
        " CREATE TABLE q (a int) PARTITION BY LIST (a); CREATE TABLE q1 PARTITION OF q DEFAULT;"
    )
    with psycopg.connect(postgresql_urls[1]) as connection:
        connection.execute(ddl)
    (found,) = open_database(postgresql_urls[1]).reading().gaps
    live = [found.what]
    assert found.where == "s.c"
    assert live == [gap.what for gap in read_ddl(ddl, "m", dialect="postgresql").gaps]
    assert live[0].startswith("`s.c` inherits from `p`: in the source its rows are also rows of `p`, here they are not")


ODD_POSTGRESQL = """
CREATE SCHEMA other; CREATE TYPE other.two AS (x int, y int); CREATE SEQUENCE numbers;
CREATE TABLE "A b" ("C d" int PRIMARY KEY, gone int, e other.two); ALTER TABLE "A b" DROP COLUMN gone;
CREATE TABLE other.p (id int, at date) PARTITION BY RANGE (at);
CREATE TABLE other.p1 PARTITION OF other.p FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE empty (); CREATE VIEW seen AS SELECT 1 AS one; CREATE MATERIALIZED VIEW kept AS SELECT 2 AS two;
CREATE INDEX at ON other.p (at);
"""
ODD_MARIADB = """
CREATE TABLE `A b` (`C d` int PRIMARY KEY, e geometry); CREATE SEQUENCE numbers; CREATE VIEW seen AS SELECT 1 AS one;
CREATE TABLE old (id int PRIMARY KEY, v int) WITH SYSTEM VERSIONING;
"""


@pytest.mark.parametrize(("urls", "script"), [("postgresql_urls", ODD_POSTGRESQL), ("mariadb_urls", ODD_MARIADB)])
def test_names_alone_are_those_of_the_whole(urls: str, script: str, request: pytest.FixtureRequest) -> None:
    """Rows are read by the tables and columns that inspecting finds."""
    _, url = request.getfixturevalue(urls)
    driver = "postgresql+psycopg" if "postgresql" in urls else "mysql+pymysql"
    engine = create_engine(make_url(url).set(drivername=driver))
    with engine.begin() as connection:
        for statement in filter(str.strip, script.split(";")):
            connection.exec_driver_sql(statement)
    engine.dispose()
    names = open_database(url).names
    assert len(names.tables) == 2
    assert names == open_database(url).catalog.names
