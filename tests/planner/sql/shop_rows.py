"""A small database with everything that makes SQL's answers surprising: NULLs, ties, duplicates, empty children, mixed types."""

# ruff: noqa: E501 - SQL reads best on one line
from __future__ import annotations

import sqlite3
from functools import cache

from tests.planner.sql.sqlite_oracle import Oracle

_SCRIPT = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, boss INTEGER REFERENCES person, born DATE, active BOOLEAN, score REAL,
                     pay NUMERIC, note);
CREATE TABLE city ("Name" VARCHAR(20) PRIMARY KEY, zip TEXT, people INT);
CREATE TABLE visit (person_id INTEGER, city TEXT, at TIMESTAMP, code TEXT, stars INTEGER, PRIMARY KEY (person_id, city, at));
CREATE TABLE hollow (x INTEGER, y TEXT);
CREATE TABLE "odd table" ("a b" INTEGER, "select" TEXT, "ünï" TEXT);
INSERT INTO person VALUES
 (1, 'Ada', NULL, '1815-12-10', 1, 1.5, 10, '7'), (2, 'bob', 1, '1990-01-31', 0, 2.5, 10.5, 7),
 (3, 'BOB', 1, '1990-01-31', NULL, NULL, 3, 7.5), (4, NULL, 2, NULL, 1, -0.5, NULL, NULL),
 (5, 'Zoë', 2, '2000-02-29', 0, 2.5, '12', x'6162'), (6, 'a%b_c', 3, '2024-02-29', 1, 0.0, -7, 'abc'),
 (7, '', 3, '1999-12-31', 1, 100.125, 0, ''), (8, '12abc', NULL, '2012-06-15', 0, 3.0, 2, '0012');
INSERT INTO city VALUES ('Rome', '00100', 5), ('Oslo', '0150', NULL), ('Bonn', '53111', 5), ('rome', NULL, 3);
INSERT INTO visit VALUES
 (1, 'Rome', '2020-01-01 10:00:00', '1', 5), (1, 'Oslo', '2020-03-31 23:59:59', '2', 3), (2, 'Rome', '2021-02-28 00:00:00', '10', NULL),
 (2, 'Bonn', '2020-12-31 12:30:00', '2', 3), (3, 'Rome', '2020-01-01 10:00:00', NULL, 1), (9, 'Rome', '2022-01-03 00:00:01', 'x', 5),
 (4, 'Lima', '2019-07-04 08:05:09', '3', 4), (5, 'Oslo', '2020-02-29 00:00:00', '1.0', 3), (5, 'Bonn', '2020-02-29 00:00:00', ' 2', NULL);
INSERT INTO "odd table" VALUES (1, 'from', 'ß'), (2, NULL, 'é');
"""


@cache
def shop() -> Oracle:
    """The database, read once."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(_SCRIPT)
    return Oracle.of(connection)
