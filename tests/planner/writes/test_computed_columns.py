"""Columns the database computes of the row's others: every write computes them too, beside PostgreSQL, MariaDB and SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from nestling.executors.write import run_write
from nestling.ir.constraints.defaults import ComputedAttribute
from nestling.ir.programs.program import CompiledWrite
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import beside

TABLES = """
CREATE TABLE product (id integer PRIMARY KEY, price numeric(10,2) NOT NULL, tax numeric(5,3) NOT NULL DEFAULT 0.190,
    gross numeric(14,5) GENERATED ALWAYS AS (price * (1 + tax)) STORED, name text,
    shown text GENERATED ALWAYS AS (upper(name) || '!') STORED);
CREATE TABLE line (id integer PRIMARY KEY, product integer REFERENCES product, n integer,
    twice integer GENERATED ALWAYS AS (n * 2) STORED);
INSERT INTO product VALUES (1, 100, 0.07, DEFAULT, 'saw', DEFAULT), (2, 3.33, 0, DEFAULT, NULL, DEFAULT);
INSERT INTO line VALUES (1, 1, 4, DEFAULT), (2, 2, NULL, DEFAULT);
"""
WRITES = (
    "UPDATE product SET price = 10 WHERE id = 1",
    "UPDATE product SET price = price * 2, tax = 0.5",
    "UPDATE product SET name = 'nail' WHERE id = 2",
    "UPDATE product SET name = NULL, gross = DEFAULT WHERE id = 2",
    "INSERT INTO product (id, price) VALUES (3, 7.77)",
    "INSERT INTO product (id, price, gross, name) VALUES (4, 1, DEFAULT, 'a'), (5, 2.5, DEFAULT, NULL)",
    "INSERT INTO product (id, price, tax, name) SELECT id + 10, price, 0.25, name FROM product WHERE id < 3",
    "INSERT INTO product (id, price) VALUES (1, 9.99) ON CONFLICT (id) DO UPDATE SET price = excluded.price",
    "UPDATE line SET n = p.id FROM product p WHERE p.id = line.product",
    "INSERT INTO line (id, product, n) VALUES (9, 1, 5)",
)


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_writes_compute_what_postgresql_does(
    postgresql: str, mongo_client: MongoClient[dict[str, Any]], strategy: str
) -> None:
    """A new row has the value and a change of what it is computed of changes it, also in what is returned."""
    with beside(postgresql, mongo_client, TABLES, strategy) as found:
        for sql in WRITES:
            found.theirs(sql)
            write = pipeline.convert(found.proposal, sql, dialect="postgresql")
            assert isinstance(write, CompiledWrite), write
            run_write(found.database, write)
            report = pipeline.verify(found.proposal, found.url, found.database)
            assert report.equal, (sql, report.differences)
        store = Store(found.proposal, found.database)
        (row,) = store.execute("UPDATE product SET price = 20, tax = :tax WHERE id = 3 RETURNING gross", tax=0.5)
        assert row["gross"] == 30
        (row,) = store.execute(
            "INSERT INTO product (id, price, name) VALUES (:id, :price, 'x') RETURNING gross, shown", id=20, price=100
        )
        assert (row["gross"], row["shown"]) == (119, "X!")
        for sql in ("UPDATE product SET gross = 1", "INSERT INTO product (id, price, gross) VALUES (30, 1, 1)"):
            with pytest.raises(WorkloadError, match="`gross` is computed by the database"):
                pipeline.convert(found.proposal, sql, dialect="postgresql")


def test_what_cannot_be_computed_is_a_gap(tmp_path: Path) -> None:
    """Only where a statement changes what it is computed of."""
    ddl = """CREATE TABLE t (id serial PRIMARY KEY, a text, c int,
      b tsvector GENERATED ALWAYS AS (to_tsvector('simple', a)) STORED);
    CREATE TABLE u (id serial PRIMARY KEY, twice int GENERATED ALWAYS AS (id * 2) STORED);
    CREATE TABLE v (id int PRIMARY KEY, t int REFERENCES t ON DELETE SET NULL,
      more int GENERATED ALWAYS AS (t + 1) STORED);"""
    (tmp_path / "schema.sql").write_text(ddl)
    reading = pipeline.inspect(str(tmp_path / "schema.sql"), dialect="postgresql")
    assert isinstance(reading.model.entity("t").attribute("b").default, ComputedAttribute)
    proposal = pipeline.design(reading, "normalized")
    for sql, what in (
        ("UPDATE t SET a = 'x'", "`b`, which the database computes as"),
        ("INSERT INTO t (a) VALUES ('x')", "`b`, which the database computes as"),
        ("DELETE FROM t", "`more` of `v` is computed from what the foreign key"),
        ("INSERT INTO u DEFAULT VALUES", "from a value generated for each row"),
    ):
        assert what in str(pipeline.convert(proposal, sql, dialect="postgresql")), sql
    assert isinstance(pipeline.convert(proposal, "UPDATE t SET c = 1", dialect="postgresql"), CompiledWrite)


both = both_of(
    """
CREATE TABLE product (id int PRIMARY KEY, price decimal(10,2), gross decimal(14,4) AS (price * 1.19) STORED,
  `double price` decimal(12,2) AS (price * 2) VIRTUAL, at datetime DEFAULT '2024-01-01' ON UPDATE CURRENT_TIMESTAMP);
INSERT INTO product (id, price) VALUES (1, 10), (2, NULL)
""",
    "normalized",
)


@pytest.mark.thorough
def test_writes_compute_what_mariadb_does(both: Both) -> None:
    """Stored and virtual columns; from left to right the last value counts."""
    for sql in (
        "UPDATE product SET price = 20, at = '2024-01-02' WHERE id = 1",
        "UPDATE product SET price = price + 1, price = price * 2, at = '2024-01-02'",
        "INSERT INTO product (id, price) VALUES (3, 7)",
        "INSERT INTO product (id, price) VALUES (3, 8) ON DUPLICATE KEY UPDATE price = VALUES(price), at = '2024-01-03'",
    ):
        assert both.written(sql) == (True, True), sql
        both.assert_equal()


def test_on_update_current_timestamp_is_noted(both: Both, tmp_path: Path) -> None:
    """By a database and its DDL alike: an UPDATE that is converted leaves the time as it is."""
    told = "`product.at` is ON UPDATE CURRENT_TIMESTAMP, which is not carried over: let each statement write the time"
    assert told in pipeline.inspect(both.address).notes
    ddl = "CREATE TABLE product (id int PRIMARY KEY, at datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)"
    (tmp_path / "schema.sql").write_text(ddl)
    assert told in pipeline.inspect(str(tmp_path / "schema.sql"), dialect="mysql").notes


def test_writes_compute_what_sqlite_does(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """The expression is read from the table's DDL."""
    script = """CREATE TABLE t (id integer PRIMARY KEY, n integer, twice integer AS (n * 2),
        said text GENERATED ALWAYS AS (n || '!') STORED)"""
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.executescript(f"{script}; INSERT INTO t (id, n) VALUES (1, 4)")
        proposal = pipeline.design(pipeline.inspect(str(tmp_path / "t.db")), "normalized")
        pipeline.load(proposal, str(tmp_path / "t.db"), database)
        for sql in ("UPDATE t SET n = n + 1", "INSERT INTO t (id, n) VALUES (2, 7)"):
            connection.execute(sql)
            write = pipeline.convert(proposal, sql, dialect="sqlite")
            assert isinstance(write, CompiledWrite), write
            run_write(database, write)
        connection.commit()
        assert pipeline.verify(proposal, str(tmp_path / "t.db"), database).equal
