"""ON CONFLICT ON CONSTRAINT: constraints by their names, from DDL, from PostgreSQL itself and from a model file."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from nestling import Store, pipeline
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.text import read_reading, write_reading
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE shelf (id integer PRIMARY KEY, code varchar(10) CONSTRAINT shelf_code_once UNIQUE, room integer, place integer,
    label varchar(20) UNIQUE, n integer, CONSTRAINT one_place UNIQUE (room, place));
CREATE TABLE tag (name varchar(10), n integer, CONSTRAINT tag_name PRIMARY KEY (name));
INSERT INTO shelf VALUES (1, 'a', 1, 1, 'x', 0), (2, 'b', 1, 2, 'y', 0);
INSERT INTO tag VALUES ('old', 1);
"""
WRITES = (
    "INSERT INTO shelf VALUES (1, 'c', 7, 7, 'z', 5) ON CONFLICT ON CONSTRAINT shelf_pkey DO UPDATE SET n = excluded.n + shelf.n",
    "INSERT INTO shelf VALUES (3, 'b', 7, 7, 'z', 6) ON CONFLICT ON CONSTRAINT shelf_code_once DO UPDATE SET n = 6",
    "INSERT INTO shelf VALUES (3, 'c', 1, 2, 'z', 7) ON CONFLICT ON CONSTRAINT one_place DO UPDATE SET label = 'seven'",
    "INSERT INTO shelf VALUES (3, 'c', 7, 7, 'x', 7) ON CONFLICT ON CONSTRAINT shelf_label_key DO NOTHING",
    "INSERT INTO shelf VALUES (4, 'd', 8, 8, 'w', 7) ON CONFLICT ON CONSTRAINT shelf_label_key DO NOTHING",
    "INSERT INTO tag VALUES ('old', 2) ON CONFLICT ON CONSTRAINT \"tag_name\" DO UPDATE SET n = tag.n + excluded.n",
    "INSERT INTO tag VALUES ('new', 2) ON CONFLICT ON CONSTRAINT TAG_NAME DO UPDATE SET n = 0",
)
UNKNOWN = ("shelf_code_key", "tag_pkey", "one_places")


shelves = beside_of(TABLES, scope="module")
"""The tables in PostgreSQL, and loaded."""


@pytest.mark.thorough
def test_writes_do_what_postgresqls_do(shelves: Beside) -> None:
    """By names that are given and by those PostgreSQL makes; the tables are the same afterwards."""
    store = Store(shelves.proposal, shelves.database)
    with shelves.engine.begin() as connection:
        for sql in WRITES:
            connection.exec_driver_sql(sql)
            store.execute(sql)
    report = pipeline.verify(shelves.proposal, shelves.url, shelves.database)
    assert report.equal, "\n".join(map(str, report.differences))
    assert shelves.ours("SELECT id, n, label FROM shelf ORDER BY id") == [(1, 5, "x"), (2, 6, "seven"), (4, 7, "w")]


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_name_nobody_has_is_a_gap(shelves: Beside, name: str) -> None:
    """Also the usual name of a constraint that has another, which PostgreSQL does not know either."""
    table = name.partition("_")[0].replace("one", "shelf")
    sql = f"INSERT INTO {table} VALUES ('1') ON CONFLICT ON CONSTRAINT {name} DO NOTHING"
    found = pipeline.convert(
        shelves.proposal, sql.replace("('1')", "(1, 'a', 1, 1, 'x', 0)" if table == "shelf" else "('a', 1)")
    )
    assert isinstance(found, NotCompiled)
    assert f"ON CONSTRAINT `{name}`" in found.gap.what
    with shelves.engine.connect() as connection, pytest.raises(sa.exc.ProgrammingError, match="does not exist"):
        connection.exec_driver_sql(found.sql)


def test_ddl_and_model_files_keep_the_names(shelves: Beside, tmp_path: Path) -> None:
    """The same names as the database says, written and read again."""
    (tmp_path / "schema.sql").write_text(TABLES.partition("INSERT")[0])
    reading = pipeline.inspect(tmp_path / "schema.sql", dialect="postgresql")
    wanted = {"shelf_code_once": ("code",), "one_place": ("room", "place"), "tag_name": ("name",)}
    again = read_reading(write_reading(reading), "model.yaml")
    for model in (shelves.reading.model, reading.model, again.model):
        assert dict(named for entity in model.entities for named in entity.constraint_names) == wanted
    made = pipeline.design(again, "normalized")
    assert all(isinstance(pipeline.convert(made, sql, dialect="postgresql"), CompiledWrite) for sql in WRITES)


def test_dumps_keep_the_names(tmp_path: Path) -> None:
    """`ALTER TABLE … ADD CONSTRAINT` of pg_dump."""
    script = "CREATE TABLE a (id integer, b integer); ALTER TABLE ONLY a ADD CONSTRAINT a_pkey PRIMARY KEY (id);"
    (tmp_path / "dump.sql").write_text(f"{script} ALTER TABLE ONLY a ADD CONSTRAINT b_once UNIQUE (b);")
    (entity,) = pipeline.inspect(tmp_path / "dump.sql", dialect="postgresql").model.entities
    assert (entity.key, entity.constraint_names) == (("id",), (("b_once", ("b",)),))
