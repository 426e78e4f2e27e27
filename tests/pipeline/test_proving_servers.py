"""Proving beside PostgreSQL and MariaDB: values of every kind, parameters of every style, orders of languages, the clock."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from nestling.common.server import Server
from nestling.ir.proof import Proof
from nestling.pipeline import inspect
from nestling.pipeline.proving import measured_server, prove_source
from tests.pipeline.test_proving import TINY

BRIEFLY = replace(TINY, source_answers=3, open_seconds=0.0)
ON_POSTGRESQL = """
CREATE TYPE size AS ENUM ('small', 'big', 'Large');
CREATE TABLE kind (code char(4) PRIMARY KEY, name varchar(20) NOT NULL);
CREATE TABLE part (
  id integer PRIMARY KEY, code char(4) NOT NULL REFERENCES kind, price numeric(8, 2), weight real, rate float8, mark uuid,
  made date, noted timestamp, seen timestamptz, fine boolean, tags text[], form jsonb, size size, at time, raw bytea
);
INSERT INTO kind VALUES ('a', 'A%'), ('b', 'b'), ('cd', 'Ünï');
INSERT INTO part SELECT n, (ARRAY['a', 'b', 'cd'])[1 + n % 3], n * 1.25, n * 0.1, n / 7.0,
  ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, DATE '2024-02-28' + n,
  TIMESTAMP '2024-01-31 10:00:00.123' + n * interval '1 hour', TIMESTAMPTZ '2024-01-31 10:00:00.123456Z' + n * interval '1 day',
  n % 2 = 0, ARRAY['x', 'y' || n], jsonb_build_object('b', n, 'a', ARRAY[1, NULL]),
  (ARRAY['small', 'big', NULL])[1 + n % 3]::size, TIME '10:00' + n * interval '1 minute', decode('00ff', 'hex')
  FROM generate_series(1, 60) n;
"""
ON_MARIADB = """
CREATE TABLE kind (code char(4) PRIMARY KEY, name varchar(20) NOT NULL);
CREATE TABLE part (
  id integer PRIMARY KEY, code char(4) NOT NULL, price decimal(8, 2), weight float, rate double, made date, noted datetime(3),
  seen timestamp(6) NULL, fine tinyint(1), form json, size enum('small', 'big'), at time, raw varbinary(8), flags bit(4),
  FOREIGN KEY (code) REFERENCES kind (code)
);
INSERT INTO kind VALUES ('a', 'A%'), ('b', 'b'), ('cd', 'Ünï'), ('e', 'B');
INSERT INTO part SELECT seq, elt(1 + seq % 3, 'a', 'b', 'cd'), seq * 1.25, seq * 0.1, seq / 7, '2024-02-28' + INTERVAL seq DAY,
  '2024-01-31 10:00:00.123' + INTERVAL seq HOUR, '2024-01-31 10:00:00.123456' + INTERVAL seq DAY, seq % 2,
  json_object('b', seq, 'a', json_array(1, NULL)), elt(1 + seq % 3, 'small', 'big', NULL), sec_to_time(36000 + seq), x'00ff',
  seq % 16 FROM seq_1_to_60;
"""
BOTH = """
-- name: whole, rate: 5/s
SELECT * FROM part WHERE id = :id;
-- name: joined, rate: 5/s
SELECT k.code, k.name, p.id FROM part p JOIN kind k ON k.code = p.code WHERE p.price > :price ORDER BY p.id LIMIT 10;
-- name: made, rate: 5/s
SELECT id, seen FROM part WHERE made = :made;
-- name: noted, rate: 5/s
SELECT id FROM part WHERE noted >= :noted;
-- name: sums, rate: 5/s
SELECT code, sum(price) AS total, avg(rate) AS mean, count(*) AS parts FROM part GROUP BY code;
-- name: like, rate: 5/s
SELECT name, 7 % 4 AS three FROM kind WHERE name LIKE 'A%' OR code = :code;
-- name: listed, rate: 5/s
-- params: {"ids": [1, 2]}
SELECT id, weight, fine FROM part WHERE id IN :ids;
-- name: names, rate: 5/s
SELECT DISTINCT name FROM kind;
"""
OWN = {
    "postgresql": "-- name: any, rate: 5/s\nSELECT id FROM part WHERE id = ANY(:ids) AND seen > :seen;\n"
    "-- name: cast, rate: 5/s\nSELECT price::text AS price, mark FROM part WHERE mark = $1;\n",
    "mariadb": "-- name: weights, rate: 5/s\nSELECT code, sum(weight) AS weights FROM part GROUP BY code;\n"
    "-- name: spelling, rate: 5/s\nSELECT group_concat(name) AS names, max(name) AS last FROM kind WHERE name = 'b';\n",
}


@contextmanager
def made(server: str, url: str, tables: str) -> Iterator[str]:
    """The address of a database of its own with the tables."""
    name = f"prove_{uuid.uuid4().hex}"
    with sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool).connect() as connection:
        own = "ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8' TEMPLATE template0"
        connection.exec_driver_sql(f"CREATE DATABASE {name} {own if server == 'postgresql' else ''}")
    address = sa.make_url(url).set(database=name)
    engine = sa.create_engine(address, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        if server == "mariadb":
            connection.exec_driver_sql("SET time_zone = '+00:00'")
        for statement in tables.strip().split(";\n"):
            connection.exec_driver_sql(statement.replace("%", "%%").removesuffix(";"))
    engine.dispose()
    yield address.render_as_string(hide_password=False)


def proved(mongod: Server, address: str, folder: Path, workload: str) -> Proof:
    """A tiny proof of the designs by rule."""
    (folder / "workload.sql").write_text(workload, encoding="utf-8")
    reading = inspect(address, workload=folder / "workload.sql")
    with measured_server(mongod.uri) as on:
        return prove_source(reading, address, on, variants=False, effort=BRIEFLY)


@pytest.mark.thorough
@pytest.mark.parametrize("server", ["postgresql", "mariadb"])
def test_values_of_every_kind(request: pytest.FixtureRequest, mongod: Server, tmp_path: Path, server: str) -> None:
    """What the driver hands over and what is read from MongoDB are the same answers."""
    tables = ON_POSTGRESQL if server == "postgresql" else ON_MARIADB
    with made(server, request.getfixturevalue(server), tables) as address:
        proof = proved(mongod, address, tmp_path, BOTH + OWN[server])
    assert not proof.source.differences
    assert not proof.source.not_compared
    assert proof.source.product == {"postgresql": "PostgreSQL", "mariadb": "MariaDB"}[server]
    choices = {"spelling"} if server == "mariadb" else set()
    assert {name for name, _ in proof.source.choices} <= choices
    assert proof.source.reads + len(proof.source.choices) == 10, proof.notes
    assert proof.equal, [each.disqualified for each in proof.designs]


@pytest.mark.thorough
def test_an_order_of_a_language(postgresql: str, mongod: Server, tmp_path: Path) -> None:
    """Where only the order of texts is another, which a note of `inspect` tells, no design is wrong; what it is not is said."""
    tables = """CREATE TABLE t (id integer PRIMARY KEY, name text COLLATE "en-x-icu");
INSERT INTO t VALUES (1, 'b'), (2, 'A'), (3, 'a'), (4, 'B');"""
    workload = "-- name: names\nSELECT name FROM t ORDER BY name;\n-- name: ids\nSELECT id FROM t ORDER BY id;"
    with made("postgresql", postgresql, tables) as address:
        proof = proved(mongod, address, tmp_path, workload)
    assert proof.equal
    assert proof.source.reads == 1
    assert dict(proof.source.not_compared)["names"].startswith("only the order of texts differs: texts of 1 column are")


@pytest.mark.thorough
def test_an_order_of_punctuation(mariadb: str, mongod: Server, tmp_path: Path) -> None:
    """Where a statement orders texts that MariaDB orders otherwise, no design is wrong, and that is said."""
    tables = """CREATE TABLE t (id integer PRIMARY KEY, name varchar(9)) COLLATE utf8mb4_general_ci;
INSERT INTO t VALUES (1, 'a_b'), (2, 'aab'), (3, 'a b'), (4, 'A1');"""
    workload = (
        "-- name: names\nSELECT count(*) AS n FROM t WHERE name > 'aa';\n-- name: ids\nSELECT id FROM t ORDER BY id;"
    )
    with made("mariadb", mariadb, tables) as address:
        proof = proved(mongod, address, tmp_path, workload)
    assert proof.equal
    assert proof.source.reads == 1
    assert dict(proof.source.not_compared)["names"].startswith("`t.name` is sorted as in MongoDB")


@pytest.mark.thorough
def test_the_time(postgresql: str, mongod: Server, tmp_path: Path) -> None:
    """A read that asks for the time is not compared; a statement of PostgreSQL that takes too long is stopped."""
    tables = """CREATE TABLE t (id integer PRIMARY KEY, at timestamptz);
INSERT INTO t SELECT n, now() FROM generate_series(1, 20) n;"""
    workload = (
        "-- name: lately\nSELECT count(*) FROM t WHERE at > now() - interval '1 day';\n-- name: ids\nSELECT id FROM t;"
    )
    with made("postgresql", postgresql, tables) as address:
        proof = proved(mongod, address, tmp_path, workload)
    assert dict(proof.source.not_compared) == {"lately": "it uses the current time"}
    assert proof.source.reads == 1
    assert proof.equal
