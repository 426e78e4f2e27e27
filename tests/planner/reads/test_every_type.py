"""Every type of PostgreSQL's beside every kind of constant, parameter and function: its answer or a typed error, no other one."""

# ruff: noqa: DTZ001 - a timestamp has no zone
from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import product
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from pymongo import MongoClient
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import NestlingError
from tests.laws.tally import Counts
from tests.soaking import sample

TABLE = """
CREATE TYPE size AS ENUM ('small', 'big', 'Large');
CREATE TABLE every (id integer PRIMARY KEY, i integer, b bigint, n numeric(12, 3), x numeric, f float8, t text, v varchar(20),
    o boolean, d date, c time, at timestamp, z timestamptz, fine timestamptz, u uuid, s size, j jsonb, p interval,
    l integer[], w text[], k timetz, q json, bv bit varying);
INSERT INTO every VALUES
    (1, 1, 9007199254740993, 2.5, 1e20, 2.5, 'a', 'B', true, '2024-01-31', '10:00', '2024-01-31 10:00', '2024-01-31 10:00Z',
     '2024-01-31 10:00:00.123456Z', 'a0000000-0000-0000-0000-00000000000a', 'small', '{"a": 1}', '2 hours',
     '{3,1}', '{b,a}', '23:00+02', '{"a":1}', B'101'),
    (2, 0, 0, 0, 0.10, 0, '', '1', false, '1999-12-31', '00:00', '1999-12-31 23:59:59.999', '2024-01-31 09:59:59.999Z',
     '2024-01-31 10:00:00Z', 'a0000000-0000-0000-0000-00000000000b', 'Large', '[]', '90 minutes',
     '{1,9}', '{}', '22:00+00', '[2,  1]', B'1'),
    (3, -7, -9223372036854775808, -2.5, -2.25, -1e300, 'A', 'b', NULL, '2024-02-29', '23:59:59.5', '2024-01-31 10:00:00.001',
     '2024-01-31 12:00+02', '2024-01-31 10:00:00.123457Z', NULL, 'big', '"a"', '-1 day',
     '{2}', '{NULL}', '21:30-01', '"a"', B'0110'),
    (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL, NULL, NULL, NULL, NULL),
    (5, 1, 1, 2.5, 2.500, 2.5, 'é', 'a', true, '2024-01-31', '10:00', '2024-01-31', '2024-01-31Z', '2024-01-31Z',
     'a0000000-0000-0000-0000-00000000000a', 'small', '{"a": 1}', '120 minutes',
     '{}', '{b,a}', '23:00+02', '{"a": 1}', B'');
"""
COLUMNS = (
    "i",
    "b",
    "n",
    "x",
    "f",
    "t",
    "v",
    "o",
    "d",
    "c",
    "at",
    "z",
    "fine",
    "u",
    "s",
    "j",
    "p",
    "l",
    "w",
    "k",
    "q",
    "bv",
)
LITERALS = (
    "'{1,9}'", "'22:30+00'", "'23:00:00+02'", "B'1'",
    "NULL", "0", "1", "-7", "2.5", "2.4999", "1e2", "9007199254740993", "9223372036854775807",
    "123456789012345678901234567890", "true", "'1'", "'a'", "''", "'B'", "'2.5'", "'t'", "'2024-01-31'",
    "'2024-01-31 10:00:00'", "'2024-01-31 10:00:00.000001'", "'2024-01-31 10:00:00.123456+00'", "'2024-01-31 12:00:00+02'",
    "'10:00'", "'10:00:00'", "'9:30'", "'2 hours'", "'PT2H'", "'a0000000-0000-0000-0000-00000000000a'",
    "'A0000000-0000-0000-0000-00000000000A'", "'small'", "'big'", "'{\"a\": 1}'", "DATE '2024-01-31'",
    "TIMESTAMP '2024-01-31 10:00:00.0005'", "TIMESTAMPTZ '2024-01-31 10:00:00.123456Z'", "'small'::size",
    "'2024-01-31'::date", "1::numeric", "2.5::float8", "'1'::int", "'a'::text", "'a'::varchar",
)  # fmt: skip
VALUES = (
    None, 0, 1, -7, 1 << 53 | 1, 2.5, Decimal("2.5"), Decimal("2.4999"), "a", "B", "", "1", "small", True,
    date(2024, 1, 31), datetime(2024, 1, 31, 10), datetime(2024, 1, 31, 10, 0, 0, 1),
    datetime(2024, 1, 31, 10, 0, 0, 123456, tzinfo=UTC), datetime(2024, 1, 31, 12, tzinfo=timezone(timedelta(hours=2))),
    datetime(9999, 12, 31, 23, 59, 59, 999999), uuid.UUID("a0000000-0000-0000-0000-00000000000a"), "2024-01-31",
    "2024-01-31 10:00:00.000001", "10:00",
)  # fmt: skip
OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM")
SHAPES = (
    "SELECT id, {0} FROM every", "SELECT min({0}) FROM every", "SELECT max({0}) FROM every", "SELECT sum({0}) FROM every",
    "SELECT avg({0}) FROM every", "SELECT count(DISTINCT {0}) FROM every", "SELECT id FROM every ORDER BY {0}, id",
    "SELECT id FROM every ORDER BY {0} DESC NULLS LAST, id LIMIT 2", "SELECT {0}, count(*) FROM every GROUP BY {0}",
    "SELECT DISTINCT {0} FROM every", "SELECT id, {0} || 'x' FROM every", "SELECT id, {0} + 1 FROM every",
    "SELECT id, {0} * 2 FROM every", "SELECT id, -{0} FROM every", "SELECT id, {0} / 2 FROM every",
    "SELECT id, {0} - {0} FROM every", "SELECT id, abs({0}) FROM every", "SELECT id, round({0}) FROM every",
    "SELECT id, {0}::text FROM every", "SELECT id, {0}::int FROM every", "SELECT id, {0}::date FROM every",
    "SELECT id, {0}::numeric FROM every", "SELECT id, {0}::float8 FROM every", "SELECT id, lower({0}) FROM every",
    "SELECT id, length({0}) FROM every", "SELECT id, extract(year FROM {0}) FROM every",
    "SELECT id, date_trunc('day', {0}) FROM every", "SELECT id, {0} + INTERVAL '1 day' FROM every",
    "SELECT id, coalesce({0}, {0}) FROM every", "SELECT id, {0} LIKE 'a%' FROM every", "SELECT id, {0} IN ({0}) FROM every",
    "SELECT id, nullif({0}, {0}) FROM every", "SELECT id, greatest({0}, {0}) FROM every",
    "SELECT id, count(*) OVER (PARTITION BY {0}) FROM every",
    "SELECT id, row_number() OVER (ORDER BY {0}, id) FROM every", "SELECT id, lag({0}) OVER (ORDER BY id) FROM every",
    "SELECT a.id, b.id FROM every a JOIN every b ON a.{0} = b.{0}",
    "SELECT a.id, b.id FROM every a JOIN every b ON a.{0} < b.{0}",
    "SELECT id FROM every WHERE {0} = (SELECT max({0}) FROM every)", "SELECT id FROM every WHERE {0}",
    "SELECT id FROM every WHERE NOT {0}",
    "SELECT id FROM every a WHERE EXISTS (SELECT 1 FROM every b WHERE b.{0} = a.{0} AND b.id <> a.id)",
    "SELECT id, CASE WHEN {0} IS NULL THEN 'none' ELSE 'some' END FROM every", "SELECT string_agg({0}, ',') FROM every",
)  # fmt: skip


def is_known(column: str, values: Mapping[str, object]) -> bool:
    """What is answered otherwise: PostgreSQL drops the time of a text given for a date."""
    return column == "d" and values.get("given") == "2024-01-31 10:00:00.000001"


class Sides:
    """The table in PostgreSQL, and in MongoDB by a design."""

    def __init__(self, connection: psycopg.Connection[Any], store: Store) -> None:
        self.connection, self.store = connection, store

    def theirs(self, sql: str, values: Mapping[str, object]) -> Counter[Any] | None:
        """PostgreSQL's rows; None where it refuses."""
        try:
            found = self.connection.execute(re.sub(r":given\b", "%(given)s", sql.replace("%", "%%")), values)
            return Counter(tuple(map(written, row)) for row in found)
        except psycopg.Error:
            return None

    def mine(self, sql: str, values: Mapping[str, object]) -> Counter[Any] | str:
        """Ours, or what is said of the statement."""
        try:
            found = self.store.execute(sql, **values)
        except NestlingError as error:
            return type(error).__name__
        return Counter(tuple(map(written, row.values())) for row in found)

    def verdict(self, sql: str, values: Mapping[str, object]) -> tuple[str, object, object]:
        """What came of a statement on both sides."""
        theirs, mine = self.theirs(sql, values), self.mine(sql, values)
        if isinstance(mine, str):
            return ("refused by both" if theirs is None else mine), theirs, mine
        if theirs is None:
            return "answered alone", theirs, mine
        return ("equal" if mine == theirs else "wrong"), theirs, mine


def written(value: object) -> object:
    """A value as both sides can say it: numbers by their value, times by their text."""
    match value:
        case bool() | None:
            return value
        case int() | float() | Decimal():
            return Decimal(repr(value) if isinstance(value, float) else value).normalize()
        case time() if value.tzinfo is not None:
            return value.isoformat().removesuffix(":00")
        case time():
            return value.isoformat().rstrip("0") if value.microsecond else value.isoformat()
        case timedelta():
            return "an interval"
        case str() if re.fullmatch(r"-?P[-\dYMWDTHS.]+", value):
            return "an interval"
        case dict() | list():
            return repr(value)
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC)
        case _:
            return value


@pytest.fixture(scope="module")
def sides(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Sides]:
    """The table in a database of its own, loaded by the normalized design."""
    name = f"every_{uuid.uuid4().hex}"
    with sa.create_engine(postgresql, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool).connect() as server:
        server.exec_driver_sql(f"CREATE DATABASE {name} ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    url = sa.make_url(postgresql).set(database=name)
    plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute("SET TIME ZONE 'UTC'")
        connection.execute(TABLE)
        address = url.render_as_string(hide_password=False)
        proposal = pipeline.design(pipeline.inspect(address), "normalized")
        database: Database[Any] = mongo_client[name]
        pipeline.load(proposal, address, database, mode=pipeline.LoadMode.REPLACE)
        yield Sides(connection, Store(proposal, database))
    mongo_client.drop_database(name)


def asked(column: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Every statement about a column."""
    for operator, literal in product(OPERATORS, LITERALS):
        yield f"SELECT id FROM every WHERE {column} {operator} {literal}", {}
    for literal in LITERALS:
        yield f"SELECT id, {literal} < {column} FROM every", {}
        yield f"SELECT id FROM every WHERE {column} NOT IN ({literal}, {literal})", {}
        yield f"SELECT id FROM every WHERE {column} BETWEEN {literal} AND {literal}", {}
        yield f"SELECT id, coalesce({column}, {literal}) FROM every", {}
    for operator, value in product(OPERATORS, VALUES):
        yield f"SELECT id FROM every WHERE {column} {operator} :given", {"given": value}
    for value in VALUES:
        yield f"SELECT id, :given > {column} FROM every", {"given": value}
        yield f"SELECT id FROM every WHERE NOT ({column} >= :given)", {"given": value}
    for shape in SHAPES:
        yield shape.format(column), {}
    for other, operator in product(COLUMNS, ("=", "<")):
        yield f"SELECT id FROM every WHERE {column} {operator} {other}", {}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("column", COLUMNS)
def test_answers_are_postgresqls(sides: Sides, column: str, tally: Counts) -> None:
    """No statement about a column of the type gives another answer."""
    found: Counter[str] = Counter()
    wrong = []
    for sql, values in sample(asked(column), one_in=8, first=COLUMNS.index(column)):
        verdict, theirs, mine = sides.verdict(sql, values)
        found[verdict] += 1
        if verdict == "wrong" and not is_known(column, values):
            wrong.append(f"{sql} {dict(values)}\n  there {theirs}\n  here  {mine}")
    tally.update({("beside PostgreSQL", each): count for each, count in found.items()})
    assert not wrong, f"{len(wrong)} of {found.total()}\n" + "\n".join(wrong[:40])
