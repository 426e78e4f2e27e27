"""Tables of a target that are there before `unload`: they are filled as they are, or refused before anything changes."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.errors import Problem, SourceError
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.statements.sql_dialects import MYSQL
from nestling.ir.types import INTEGER, TEXT, Type
from nestling.pipeline import design, inspect, load, unload, verify
from nestling.sources.sql import SqlSink, open_sink
from nestling.sources.sql.address import parse_address
from nestling.sources.sql.connection import connect
from nestling.sources.sql.engines import engine_of

SCHEMAS = {
    "sqlite": """
CREATE TABLE account (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, plan TEXT CHECK (plan IN ('free', 'team')),
  length INT AS (length(name)) STORED);
CREATE TABLE aaa_note (id INTEGER PRIMARY KEY, account_id INT NOT NULL REFERENCES account(id),
  reply_to INT REFERENCES aaa_note(id), body TEXT);
CREATE INDEX note_body ON aaa_note (body);
""",
    "postgresql": """
CREATE TYPE plan AS ENUM ('free', 'team');
CREATE TABLE account (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(40) NOT NULL, plan plan,
  length int GENERATED ALWAYS AS (length(name)) STORED);
CREATE TABLE aaa_note (id serial PRIMARY KEY, account_id int NOT NULL REFERENCES account(id),
  reply_to int REFERENCES aaa_note(id), body text);
CREATE INDEX note_body ON aaa_note (body);
""",
    "mariadb": """
CREATE TABLE account (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL, plan ENUM('free', 'team'),
  length INT AS (CHAR_LENGTH(name)) STORED, seen TIMESTAMP NULL) CHARACTER SET utf8mb4;
CREATE TABLE aaa_note (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, account_id INT UNSIGNED NOT NULL,
  reply_to INT UNSIGNED, body TEXT, FOREIGN KEY (account_id) REFERENCES account(id),
  FOREIGN KEY (reply_to) REFERENCES aaa_note(id), INDEX note_body (body(10))) CHARACTER SET utf8mb4;
""",
}
"""A child before its parent in the order of names, and rows that refer to later ones."""
ROWS = """
INSERT INTO account (id, name, plan) VALUES (1, 'Ada', 'team'), (2, 'Bob', NULL);
INSERT INTO aaa_note (id, account_id, reply_to, body) VALUES (3, 2, NULL, 'first'), (2, 1, 3, 'second'), (1, 1, 3, 'naïve 😀');
"""
OWN = {
    "sqlite": "CREATE TRIGGER t AFTER INSERT ON account BEGIN INSERT INTO history VALUES (new.id); END;",
    "postgresql": """
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO history VALUES (new.id) ; RETURN new ; END $$;
CREATE TRIGGER t AFTER INSERT ON account FOR EACH ROW EXECUTE FUNCTION f();
""",
    "mariadb": "CREATE TRIGGER t AFTER INSERT ON account FOR EACH ROW INSERT INTO history VALUES (new.id);",
}
"""What the design knows nothing of."""
EXTRA = """
CREATE TABLE history (id INT);
ALTER TABLE account ADD COLUMN remark VARCHAR(50);
ALTER TABLE aaa_note ADD COLUMN stars INT NOT NULL DEFAULT 5;
"""


@dataclass(frozen=True)
class Server:
    """A kind of database, one with rows, and an empty one."""

    kind: str
    source: str
    target: str

    def run(self, url: str, sql: str) -> list[Any]:
        """Execute statements, and commit; the rows of the last."""
        if self.kind == "sqlite":
            with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
                if ";" in sql:
                    connection.executescript(sql)
                    return []
                found = connection.execute(sql).fetchall()
                connection.commit()
                return found
        connection = connect(parse_address(url), read_only=False)
        with closing(connection):
            cursor = connection.cursor()
            for statement in filter(None, map(str.strip, re.split(r";\n|;\Z", sql))):
                cursor.execute(statement)
            found = list(cursor.fetchall()) if cursor.description else []
            connection.commit()
            return found

    def schema(self) -> list[str]:
        """All that the target is declared as."""
        if self.kind == "sqlite":
            return [
                repr(row) for row in self.run(self.target, "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2")
            ]
        if self.kind == "mariadb":
            names = [name for (name,) in self.run(self.target, "SHOW TABLES")]
            shown = [self.run(self.target, f"SHOW CREATE TABLE `{name}`")[0][1] for name in names]
            triggers = self.run(self.target, "SELECT trigger_name, action_statement FROM information_schema.triggers")
            return [*(re.sub(" AUTO_INCREMENT=[0-9]+", "", each) for each in shown), repr(triggers)]
        columns = (
            "SELECT attrelid, attname, atttypid, atttypmod, attnotnull FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid "
            "WHERE attnum > 0 AND relnamespace = 'public'::regnamespace ORDER BY 1, 2"
        )
        kinds = (
            "SELECT oid, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
            columns,
            "SELECT oid, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1",
            "SELECT tgrelid, tgname FROM pg_trigger ORDER BY 1, 2",
        )
        return [repr(self.run(self.target, kind)) for kind in kinds]

    def counts(self, *tables: str) -> list[int]:
        """How many rows tables of the target have."""
        return [self.run(self.target, f"SELECT count(*) FROM {table}")[0][0] for table in tables]


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Server:
    """Two empty databases of each kind."""
    kind = request.param
    urls = [f"sqlite:///{tmp_path / name}" for name in ("source.db", "target.db")]
    if kind != "sqlite":
        urls = list(request.getfixturevalue(f"{kind}_urls"))
    made = Server(kind, urls[0], urls[1])
    if kind == "postgresql":
        made.run(made.source, 'DROP SCHEMA torture, "odd schema" CASCADE')
    if kind == "mariadb":
        names = [name for (name,) in made.run(made.source, "SHOW TABLES")]
        views = "SELECT table_name FROM information_schema.views WHERE table_schema = DATABASE()"
        seen = {name for (name,) in made.run(made.source, views)}
        drops = [f"DROP {'VIEW' if name in seen else 'TABLE'} `{name}`" for name in names]
        made.run(made.source, ";\n".join(("SET foreign_key_checks = 0", *drops)))
    return made


@pytest.mark.thorough
def test_the_tables_of_the_application_are_filled_as_they_are(
    server: Server, database: Database[dict[str, Any]]
) -> None:
    """Types, columns, indexes and triggers stay; a missing table is made; the rows are verified, and numbers go on."""
    told = " OVERRIDING SYSTEM VALUE" if server.kind == "postgresql" else ""
    server.run(server.source, SCHEMAS[server.kind] + ROWS.replace("plan) VALUES", f"plan){told} VALUES"))
    server.run(
        server.source, "CREATE TABLE zed (id INT PRIMARY KEY, word VARCHAR(9));\nINSERT INTO zed VALUES (1, 'x');\n"
    )
    proposal = design(inspect(server.source), "normalized")
    load(proposal, server.source, database)
    server.run(server.target, SCHEMAS[server.kind] + EXTRA + OWN[server.kind])
    before = server.schema()
    notes = unload(proposal, server.target, database).notes
    accounts = server.run(server.target, "SELECT id, name, plan, length, remark FROM account ORDER BY id")
    assert [tuple(row) for row in accounts] == [(1, "Ada", "team", 3, None), (2, "Bob", None, 3, None)]
    assert server.counts("aaa_note", "zed", "history") == [3, 1, 2]
    assert [tuple(row) for row in server.run(server.target, "SELECT DISTINCT stars FROM aaa_note")] == [(5,)]
    assert verify(proposal, server.target, database).equal
    assert notes[0] == "`aaa_note`, `account` already existed and are filled as they are"
    assert notes[1] == "`account`: the target computes `length`; the rows' own values are not written"
    assert not any(note.startswith(("`account`: declared", "`aaa_note`: declared")) for note in notes)
    server.run(server.target, "DROP TABLE zed;\n")
    assert server.schema() == before
    server.run(
        server.target, "INSERT INTO account (name) VALUES ('Eve');\nINSERT INTO aaa_note (account_id) VALUES (3);\n"
    )
    assert server.run(server.target, "SELECT max(id) FROM aaa_note")[0][0] == 4


PARENT = Entity("parent", (Attribute("id", INTEGER, nullable=False), Attribute("name", TEXT)), ("id",))
CHILD = Entity("child", (Attribute("id", INTEGER, nullable=False), Attribute("parent_id", INTEGER)), ("id",))
OTHER = Entity("other", (Attribute("id", INTEGER, nullable=False),), ("id",))
MODEL = Model("m", (CHILD, OTHER, PARENT), (Relationship("has", "parent", "child", ("id",), ("parent_id",)),))


def written(server: Server, model: Model, **rows: Sequence[tuple[object, ...]]) -> tuple[str, ...]:
    """Write rows as `unload` does; what the sink notes."""
    sink = open_sink(server.target)
    try:
        sink.begin(model)
        for entity in model.entities:
            sink.write(entity, rows.get(entity.name, ()))
        return sink.finish()
    finally:
        sink.close()


def test_columns_nobody_fills_are_refused_first(server: Server) -> None:
    """All of them at once, and what the table lacks; nothing is made."""
    server.run(
        server.target,
        "CREATE TABLE parent (id INT PRIMARY KEY, code INT NOT NULL, fine INT, ok INT NOT NULL DEFAULT 1)",
    )
    before = server.schema()
    with pytest.raises(SourceError) as refused:
        written(server, MODEL, other=[(1,)])
    told = [each.what for each in refused.value.problems]
    assert told == ["it has no column for `name`", "`code` must have a value, but the design has none for it"]
    assert all(
        each.where.startswith("table parent of ") and "drop the table" in each.next_move
        for each in refused.value.problems
    )
    assert server.schema() == before


def test_rows_that_are_there_are_refused(server: Server) -> None:
    """Nothing is written beside them."""
    server.run(
        server.target, "CREATE TABLE parent (id INT PRIMARY KEY, name TEXT);\nINSERT INTO parent VALUES (1, 'x');\n"
    )
    before = server.schema()
    with pytest.raises(SourceError, match="already holds rows in `parent`"):
        written(server, MODEL, other=[(1,)])
    assert (server.schema(), server.counts("parent")) == (before, [1])


@pytest.mark.thorough
def test_a_foreign_key_that_rows_break_is_an_error(server: Server) -> None:
    """Of a table that was there: what was written goes, what was made goes, what was there stays."""
    server.run(
        server.target,
        "CREATE TABLE parent (id INT PRIMARY KEY, name VARCHAR(20));\n"
        "CREATE TABLE child (id INT PRIMARY KEY, parent_id INT, FOREIGN KEY (parent_id) REFERENCES parent(id));\n",
    )
    before = server.schema()
    with pytest.raises(SourceError, match="parent_id") as refused:
        written(server, MODEL, child=[(1, 7), (2, 8), (3, None)], parent=[(7, "x")], other=[(1,)])
    (problem,) = refused.value.problems
    assert "child" in problem.where
    assert "8" in problem.what or "id = 2" in problem.where
    assert "fix these rows" in problem.next_move
    assert (server.schema(), server.counts("parent", "child")) == (before, [0, 0])
    written(server, MODEL, child=[(1, 7), (3, None)], parent=[(7, "x")], other=[(1,)])
    assert server.counts("parent", "child", "other") == [1, 2, 1]


LOSES = {
    "sqlite": "CREATE TRIGGER t BEFORE INSERT ON parent WHEN new.id = 2 BEGIN SELECT raise(ignore); END;",
    "postgresql": "CREATE RULE r AS ON INSERT TO parent WHERE new.id = 2 DO INSTEAD NOTHING;\n",
}


@pytest.mark.parametrize("server", [*LOSES], indirect=True)
def test_rows_that_a_trigger_takes_away_are_told(server: Server) -> None:
    """Nothing is kept then: what came would be taken for all there is. MariaDB has no trigger that takes a row away."""
    server.run(server.target, "CREATE TABLE parent (id INT PRIMARY KEY, name VARCHAR(20));\n" + LOSES[server.kind])
    with pytest.raises(SourceError, match=r"holds 1 row after 2(.|\n)*disable its triggers and rules"):
        written(server, MODEL, child=[(1, 2)], parent=[(1, "x"), (2, "y")])
    assert server.counts("parent") == [0]


def test_a_file_that_was_not_there_is_not_left(tmp_path: Path) -> None:
    """Where nothing is kept."""
    for there in (False, True):
        path = tmp_path / f"{there}.db"
        if there:
            path.touch()
        sink = open_sink(f"sqlite:///{path}")
        sink.begin(MODEL)
        sink.close()
        assert path.exists() is there


def test_a_table_made_refers_to_one_that_was_there(server: Server) -> None:
    """Its foreign key is declared where the types allow it, else it is a note."""
    server.run(server.target, "CREATE TABLE parent (id SMALLINT PRIMARY KEY, name VARCHAR(20))")
    notes = written(server, MODEL, child=[(1, 7)], parent=[(7, "x")])
    assert any("foreign key `has` is not declared" in note for note in notes) == (server.kind == "mariadb")
    assert server.counts("parent", "child") == [1, 1]


def test_a_value_the_column_does_not_hold(server: Server) -> None:
    """Row, column and what to do; the tables are as they were."""
    server.run(
        server.target, "CREATE TABLE parent (id SMALLINT PRIMARY KEY, name VARCHAR(3) CHECK (length(name) <= 3))"
    )
    before = server.schema()
    with pytest.raises(SourceError, match="table parent, the row id = 2") as refused:
        written(server, MODEL, parent=[(1, "abc"), (2, "abcd")], other=[(1,)])
    (problem,) = refused.value.problems
    assert "target" in problem.next_move
    assert (server.schema(), server.counts("parent")) == (before, [0])


NOCASE = {
    "sqlite": "CREATE TABLE parent (id INT PRIMARY KEY, code INT UNIQUE, name TEXT COLLATE NOCASE UNIQUE)",
    "postgresql": "CREATE EXTENSION citext;\nCREATE TABLE parent (id INT PRIMARY KEY, code INT UNIQUE, name citext UNIQUE)",
    "mariadb": "CREATE TABLE parent (id INT PRIMARY KEY, code INT UNIQUE, name VARCHAR(20) UNIQUE) COLLATE utf8mb4_unicode_ci",
}


def test_texts_the_target_takes_for_one(server: Server) -> None:
    """A stricter collation: both rows are named by their keys, and what to do."""
    server.run(server.target, NOCASE[server.kind])
    with pytest.raises(SourceError) as refused:
        written(server, MODEL, parent=[(1, "tea"), (2, "coffee"), (3, "Tea")])
    (problem,) = refused.value.problems
    assert problem.where == "table parent, the rows id = 1 and id = 3"
    same = "two rows are duplicates under the UNIQUE of `name`: name = 'Tea' and name = 'tea'; the server says: "
    assert problem.what.startswith(same)
    assert problem.next_move.startswith("change one of the two rows")
    assert ("utf8mb4_bin" in problem.next_move) == (server.kind == "mariadb")
    assert server.counts("parent") == [0]


def test_any_failure_leaves_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when it comes after the commit that foreign keys of MySQL are added behind."""
    server.run(server.target, "CREATE TABLE parent (id INT PRIMARY KEY, name VARCHAR(20))")
    before = server.schema()
    engine = engine_of(MYSQL if server.kind == "mariadb" else server.kind)
    finished = engine.finished

    def fails(sink: SqlSink, model: Model) -> tuple[str, ...]:
        if server.kind == "mariadb":
            finished(sink, model)
        raise SourceError(Problem("the server is gone"))

    monkeypatch.setattr(engine, "finished", fails)
    with pytest.raises(SourceError, match="the server is gone"):
        written(server, MODEL, child=[(1, 7)], parent=[(7, "x")], other=[(1,)])
    assert (server.schema(), server.counts("parent")) == (before, [0])


@pytest.fixture
def latin1(mariadb_urls: tuple[str, str]) -> Server:
    """A MariaDB database whose tables are latin1 unless they say otherwise."""
    made = Server("mariadb", *mariadb_urls)
    made.run(made.target, f"ALTER DATABASE `{parse_address(made.target).url.database}` CHARACTER SET latin1")
    return made


def test_a_database_of_latin1(latin1: Server) -> None:
    """Every column made takes every text; one that was there is named with what to do."""
    json = Attribute("data", Type.parse("json"))
    entity = Entity("doc", (Attribute("id", INTEGER, nullable=False), json, Attribute("word", TEXT)), ("id",))
    rows = [(1, {"a": "naïve 😀 漢"}, "漢")]
    written(latin1, Model("m", (entity,)), doc=rows)
    assert latin1.run(latin1.target, "SELECT word FROM doc")[0][0] == "漢"
    latin1.run(
        latin1.target, "DROP TABLE doc;\nCREATE TABLE doc (id INT PRIMARY KEY, data LONGTEXT, word VARCHAR(9));\n"
    )
    with pytest.raises(SourceError, match="table doc, the row id = 1: `data` is ") as refused:
        written(latin1, Model("m", (entity,)), doc=rows)
    assert "a type and character set that can hold it" in str(refused.value)


def test_an_engine_without_transactions_is_refused(mariadb_urls: tuple[str, str]) -> None:
    """What fails in MyISAM could not be taken back."""
    made = Server("mariadb", *mariadb_urls)
    made.run(made.target, "CREATE TABLE parent (id INT PRIMARY KEY, name TEXT) ENGINE=MyISAM")
    with pytest.raises(SourceError, match="its engine MyISAM has no transactions"):
        written(made, MODEL)


def test_a_parent_that_is_made(tmp_path: Path) -> None:
    """SQLite takes a foreign key to a table that is not there: it is looked at as any other."""
    made = Server("sqlite", "", f"sqlite:///{tmp_path / 'a.db'}")
    made.run(made.target, "CREATE TABLE Child (ID INT PRIMARY KEY, Parent_ID INT REFERENCES parent)")
    with pytest.raises(SourceError, match="the rows id = 2"):
        written(made, MODEL, child=[(1, 7), (2, 8)], parent=[(7, "x")])
    assert made.counts("child") == [0]
    written(made, MODEL, child=[(1, 7)], parent=[(7, "x")])
    assert made.counts("child", "parent") == [1, 1]
