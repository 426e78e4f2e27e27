# ruff: noqa: DTZ001 - PostgreSQL's `timestamp` has no zone
"""Odd and wrong values for a column of every type: each is refused as its server refuses it, or kept as a load has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
import pymysql
import pytest
import sqlalchemy as sa
from bson import json_util
from psycopg.types.json import Json, Jsonb
from pymongo import MongoClient
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import NestlingError, WorkloadError
from nestling.ir.proposal import Proposal
from nestling.ir.values import Policy
from tests.beside_mariadb import beside_mariadb
from tests.planner.reads.beside_postgresql import beside

Values = Sequence[object]
JSON: Values = (
    '{"a": 1}', "not json", '{"a": 1, "a": 2}', '"x"', "null", "1", "1e2", '{"n": 1.50, "m": -1e2}', '{"a": "\\u0000"}',
    '"\\ud800"', '{"k": "\\ud800"}', '{"\\udc00": 1}', '{"a": "\\ud83d\\ude00"}', "NaN", "", " [1] ", '{"a": "\x01"}', "[1,]",
    "[01]", "-0", "-0.0", '{"$a": 1}', '"\\u0041\\n"', True,
)  # fmt: skip
OBJECTS: Values = (
    {}, [], {"a": 1, "b": [None, True, 2.5, "x"]}, [1, "2", {"c": None}], {"$ne": 1}, {"$where": "sleep(9)"}, {"a": {"$set": 1}},
    {"a.b": 1}, {1: "one"}, {"deep": [{"$code": "f()"}]}, {"é": "\ud83d\ude00"},
    {"n": float("nan")}, {"at": date(2024, 1, 1)}, {"s": "\ud800"},
    {"m": 1e300, "n": 2**70},
)  # fmt: skip
"""What a driver of PostgreSQL takes for JSON when it is told so."""
NAN = float("nan")
NUMBERS_GIVEN: Values = (
    4503599627370498.0, 1.2345678901234568e17, -7.0, 2.5, 3.5, 0.1, 1e30, NAN, float("inf"), True, False, 5, 2**62,
    2**64, Decimal("2.5"), Decimal("-3.5"), Decimal("1E+3"), "12", " 12 ", "+12", "-0", "1_000", "1_0", "\u0663", "1e3", "2.5",
    "1e400", "1e-400", "0x10", "12abc", "", " ", ".5", "5.", "1e", "NaN", "Infinity", "inf", b"1", date(2024, 1, 1), UUID(int=5),
)  # fmt: skip
EAST = timezone(timedelta(hours=5))
TIMES_GIVEN: Values = (
    date(2024, 1, 31), datetime(2024, 1, 1, 12), datetime(2024, 1, 1, 23, 59, 59, 999_000),
    datetime(2024, 1, 1, 23, 59, 59, 999_999), datetime(2024, 1, 1, 12, tzinfo=EAST), datetime(2024, 1, 1, 1, tzinfo=EAST),
    "2024-01-31", " 2024-01-31 ", "2024-01-31 12:00", "2024-01-31T12:00:00", "2024-01-31 23:59:59.999",
    "2024-01-31 12:00:00+05", "2024-01-31 01:00:00+05", "2024-01-31T12:00:00Z", "20240131", "2024-W01-1", "2024W011",
    "2024-01-31x12:00", "2024-02-30", "2024-1-5", "\u0662024-01-31", "", "x", 5, 20240131, 2.5, True, "12:00",
    "2024-01-31 25:00", "2024-01-31 12", "2024-01-31 12:00:00,5",
)  # fmt: skip
POSTGRESQL: Mapping[tuple[str, str], Values] = {
    ("i8", "bigint"): NUMBERS_GIVEN,
    ("f8", "double precision"): NUMBERS_GIVEN,
    ("n", "numeric(20,2)"): NUMBERS_GIVEN,
    ("bo", "boolean"): (True, False, 1, 0, "t", " YES ", "tr", "2", "x", "", 1.0),
    ("d", "date"): TIMES_GIVEN,
    ("ts", "timestamp(3)"): TIMES_GIVEN,
    ("tsz", "timestamptz(3)"): TIMES_GIVEN,
    ("j", "json"): (*JSON, *OBJECTS, 5, "[" * 3000 + "]" * 3000),
    ("r", "real"): (
        0.1,
        0.123456789,
        16777217,
        "1e39",
        "1e-50",
        "NaN",
        "Infinity",
        Decimal("3.14159265"),
        1.1754943508222875e-38,
        "x",
    ),
    ("big", "numeric"): (
        Decimal("1E+2"),
        "1e3",
        Decimal("1.50"),
        1e20,
        "NaN",
        "x",
        Decimal("12E+1"),
        Decimal("0E+3"),
        -5,
    ),
    ("m", "money"): ("12.5", "$12.50", "-$1,234.50", "hello", "-5", "$1,2"),
    ("v", "varchar(5)"): ("abc", "abc   ", "abcdef", "a\x00b", True, 1.0, "é" * 5),
    ("t", "text"): (
        "x",
        "a\x00b",
        5,
        True,
        1.0,
        2.5,
        1e20,
        -0.0,
        Decimal("1E+3"),
        date(2024, 1, 1),
        b"ab",
        "\ud800",
        UUID(int=5),
    ),
    ("ip", "inet"): (
        "hello",
        "10.9.9.9/32",
        "10.9.9.9",
        "10.9.9.9/24",
        "::1",
        "::",
        "::2",
        "::ffff:10.0.0.1",
        "2001:DB8::1/64",
        "10.1",
        "10",
        "2001:db8:0:0::1/128",
        "10.0.0.1/33",
        "fe80::1%eth0",
        "::10.0.0.1",
        "10.0.0.1/255.255.255.0",
        5,
        "::/0",
        "010.0.0.1",
        "1:0:0:2:0:0:0:3",
        "1:0:2:3:4:5:6:7",
        " 10.0.0.1",
        "10.0.0.1/",
        "",
    ),
    ("net", "cidr"): ("10.0.0.0/8", "10.0.0.1/8", "10.0.0.0", "10", "2001:db8::/32", "hello", "::1", "2001:DB8::1/32"),
    ("mac", "macaddr"): (
        "08:00:2b:01:02:03",
        "08-00-2B-01-02-03",
        "08002b:010203",
        "08002B-010203",
        "0800.2b01.0203",
        "0800-2b01-0203",
        "08002b010203",
        "hello",
        "8:0:2b:1:2:3",
        "08:00:2b:01:02",
        "08-00:2b:01:02:03",
        "",
    ),
    ("mac8", "macaddr8"): (
        "08:00:2b:01:02:03",
        "08:00:2b:01:02:03:04:05",
        "08-00-2B-01-02-03-04-05",
        "hello",
        "08:00:2b:01:02:03:04",
    ),
    ("i4", "int4range"): (
        "[1,5)",
        "[1,4]",
        "(0,4]",
        "[1,1)",
        "empty",
        "[,5)",
        "[1,",
        "[5,1]",
        "(,)",
        "[1,]",
        " [1, 5) ",
        "(1,2)",
        "hello",
        "EMPTY",
        "(2147483646,2147483647]",
        "[1,2147483648)",
        "(5,5]",
    ),
    ("r8", "int8range"): ("[1,4]", "[1,9223372036854775807]", "[x,1]"),
    ("dr", "daterange"): ("[2024-01-01,2024-01-31]", "(,2024-01-01]", "hello", "[2024-02-30,)", "[20240101,)"),
    ("ls", "pg_lsn"): ("16/B374D848", "16/b374d848", "hello", "0016/B374D848", "0/0", "1/123456789"),
    ("ai", "integer[]"): (
        "{1,2}",
        "{1,NULL}",
        "{x}",
        "[1]",
        "x",
        [1, 2],
        [],
        ["1"],
        ["x"],
        [None, 1],
        [{"$ne": 1}],
        {"$ne": 1},
    ),
    ("at", "text[]"): ("{a,NULL}", "{a b", ["x", "y"], ["NULL", None, "", 'a"b,{}'], ["a\x00b"], [1], [["x"], ["y"]]),
    ("ad", "date[]"): ([date(2024, 1, 31), None], ["soon"]),
    ("ti", "time"): (
        time(1, 2, 3),
        time(1, 2, 3, 500_000),
        time(23, 59, 59, 1),
        time(0),
        "01:02",
        "1:02:03.50",
        "24:00:00",
        "24:00:01",
        "25:00",
        "10:00+02",
        timedelta(hours=2),
        "x",
        5,
    ),
    ("tz", "timetz"): (
        time(1, 2, 3),
        time(1, 2, 3, 4, tzinfo=timezone(timedelta(hours=2))),
        time(1, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
        "10:00+02",
        "10:00+0530",
        "10:00:00.5",
        "10:00:00-08:00",
    ),
    ("iv", "interval"): (
        timedelta(hours=2),
        timedelta(days=1, hours=2),
        timedelta(seconds=-1),
        timedelta(0),
        timedelta(days=-3, microseconds=500),
        timedelta(days=40, minutes=90),
        "2 hours",
        "1 day 02:03:04.5",
        "P1Y14M",
        "PT90M",
        "1 year 2 mons -3 days",
        "-1:30",
        "PT-0.5S",
        "P2W",
        "3 hours 4 mins",
        "x",
        "",
        "P",
        "-14 months",
        "1 day -00:30:00",
    ),
    ("jb", "jsonb"): (*JSON, *OBJECTS, 5, "[" * 3000 + "]" * 3000, "1e999999999", "1e-99999"),
}
WRAPPED = {"j": Json, "jb": Jsonb}
"""How its driver is told."""
MARIADB: Mapping[tuple[str, str], Values] = {
    ("i8", "bigint"): NUMBERS_GIVEN,
    ("f8", "double"): NUMBERS_GIVEN,
    ("n", "decimal(20,2)"): NUMBERS_GIVEN,
    ("d", "date"): TIMES_GIVEN,
    ("ts", "datetime(3)"): TIMES_GIVEN,
    ("j", "json"): (*JSON, 5, 2.5),
    ("ti", "time"): (time(1, 2, 3), "01:02", timedelta(hours=2), timedelta(hours=-30, seconds=1), timedelta(hours=100)),
}
REFUSED_HERE: Mapping[str, Values] = {
    "postgresql f8": (NAN, "0x10", "NaN"),
    "postgresql n": (NAN, "NaN"),
    "postgresql d": ("2024-01-31x12:00", "2024-1-5"),
    "postgresql ts": ("2024-01-31x12:00", "2024-1-5"),
    "postgresql tsz": ("2024-01-31x12:00", "2024-1-5"),
    "postgresql r": ("NaN",),
    "postgresql big": ("NaN",),
    "postgresql m": ("12.5", "-5", "$1,2"),
    "postgresql ip": ("010.0.0.1",),
    "postgresql net": ("10",),
    "postgresql dr": ("[20240101,)",),
    "postgresql at": ([["x"], ["y"]],),
    "mariadb i8": (b"1",),
    "mariadb n": (b"1",),
    "mariadb d": (
        datetime(2024, 1, 1, 23, 59, 59, 999_000),
        datetime(2024, 1, 1, 23, 59, 59, 999_999),
        "2024-01-31 23:59:59.999",
        "2024-1-5",
        20240131,
        "2024-01-31 12",
    ),
    "mariadb ts": ("2024-1-5", 20240131, "2024-01-31 12"),
    "mariadb ti": (timedelta(hours=-30, seconds=1), timedelta(hours=100)),
}
"""Values a server takes, or makes others of, that nestling refuses, in words."""
KEPT_OTHERWISE: Mapping[str, Values] = {}
"""What the model does not know: see `docs/type-map.md`."""


@contextmanager
def postgresql_table(url: str, client: MongoClient[Any]) -> Iterator[tuple[Any, Proposal, str, Database[Any]]]:
    """A cursor, and what is loaded of the table."""
    with beside(url, client, table(POSTGRESQL)) as made:
        plain = sa.make_url(made.url).set(drivername="postgresql").render_as_string(hide_password=False)
        with closing(psycopg.connect(plain, autocommit=True)) as connection, connection.cursor() as cursor:
            cursor.execute("SET TIME ZONE 'UTC'")
            yield cursor, made.proposal, made.url, made.database


@contextmanager
def mariadb_table(url: str, client: MongoClient[Any]) -> Iterator[tuple[Any, Proposal, str, Database[Any]]]:
    """The same."""
    database = client["odd_values"]
    with beside_mariadb(url, database, table(MARIADB), "normalized") as made:
        made.cursor.execute("SET time_zone = '+00:00'")
        yield made.cursor, made.proposal, made.address, database
    client.drop_database(database)


def table(columns: Mapping[tuple[str, str], Values]) -> str:
    """The table, with one row whose values tell what their types leave open."""
    declared = ", ".join(f"{name} {kind} NULL" for name, kind in columns)
    return f"CREATE TABLE odd (id integer PRIMARY KEY, {declared});\nINSERT INTO odd (id) VALUES (0);\n"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("server", "opened", "columns"),
    [("postgresql", postgresql_table, POSTGRESQL), ("mariadb", mariadb_table, MARIADB)],
    ids=["postgresql", "mariadb"],
)
def test_a_value_is_refused_or_kept_as_there(
    server: str,
    opened: Callable[..., Any],
    columns: Mapping[tuple[str, str], Values],
    request: pytest.FixtureRequest,
    mongo_client: MongoClient[dict[str, Any]],
) -> None:
    """Whatever the server takes, a load of its row finds what the store has; what it refuses, the store does not take."""
    with opened(request.getfixturevalue(server), mongo_client) as (cursor, proposal, address, database):
        store, there, here = Store(proposal, database), set[int](), set[int]()
        cases: list[tuple[int, str, object]] = []
        for (name, _), value in ((column, value) for column, values in columns.items() for value in values):
            number = len(cases) + 1
            cases.append((number, name, value))
            database["odd"].insert_one({"_id": number})
            theirs = WRAPPED[name](value) if name in WRAPPED and isinstance(value, dict | list) else value
            if done(partial(cursor.execute, f"INSERT INTO odd (id, {name}) VALUES (%s, %s)", (number, theirs))):
                there.add(number)
            if stored(store, name, number, value):
                here.add(number)
        other = database.client[f"{database.name}_loaded"]
        policy = Policy(long_decimals="text", microseconds="text")
        pipeline.load(proposal, address, other, mode=pipeline.LoadMode.REPLACE, policy=policy)
        found = [outcome(n, name, n in here, n in there, database, other) for n, name, _ in cases]
        other.client.drop_database(other)
    assert mismatched(cases, found, "taken", server) == {}
    assert mismatched(cases, found, "refused", server) == named(REFUSED_HERE, server)
    assert mismatched(cases, found, "otherwise", server) == named(KEPT_OTHERWISE, server)


def done(call: Callable[[], object]) -> bool:
    """Whether the server, or its driver, takes it."""
    try:
        call()
    except (sa.exc.DBAPIError, psycopg.Error, pymysql.Error, UnicodeError, TypeError):
        return False
    return True


def stored(store: Store, name: str, number: int, value: object) -> bool:
    """Whether the store takes it; it refuses in words."""
    try:
        store.execute(f"UPDATE odd SET {name} = :value WHERE id = {number}", value=value)
    except NestlingError:
        return False
    return True


def outcome(number: int, name: str, here: bool, there: bool, mine: Database[Any], its: Database[Any]) -> str:
    """Which way the two differ; empty where they do not."""
    if here is not there:
        return "taken" if here else "refused"
    kept = [json_util.dumps((of["odd"].find_one(number) or {}).get(name), sort_keys=True) for of in (mine, its)]
    return "otherwise" if here and kept[0] != kept[1] else ""


def mismatched(
    cases: Sequence[tuple[int, str, object]], found: Sequence[str], kind: str, server: str
) -> dict[str, tuple[object, ...]]:
    """The values of that outcome, by column."""
    made: dict[str, tuple[object, ...]] = {}
    for (_, name, value), each in zip(cases, found, strict=True):
        if each == kind:
            key = f"{server} {name}"
            made[key] = (*made.get(key, ()), value)
    return made


def named(known: Mapping[str, Values], server: str) -> dict[str, Values]:
    """The values known of a server."""
    return {name: values for name, values in known.items() if name.startswith(server)}


JSON_TABLE = (
    "CREATE TABLE book (id integer PRIMARY KEY, plain json, details jsonb); INSERT INTO book VALUES (1, '{}', '{}');"
)
WRITES = (
    "UPDATE book SET details = 'not json' WHERE id = 1",
    "UPDATE book SET details = CAST('not json' AS jsonb) WHERE id = 1",
    "UPDATE book SET plain = '' WHERE id = 1",
    "INSERT INTO book VALUES (2, NULL, '[1,]')",
    "INSERT INTO book (id, details) SELECT 2, 'nope'",
    """UPDATE book SET details = '{"tier": "a", "tier": "b"}' WHERE id = 1""",
    """UPDATE book SET details = '{"tier": "c", "tier": "d"}'::jsonb WHERE id = 1""",
    """UPDATE book SET plain = '{"tier": "c"}'::json WHERE id = 1""",
    """INSERT INTO book VALUES (3, '[1]', '{"tier": 1e2}')""",
)


@pytest.mark.thorough
def test_json_in_a_statement_is_json(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """A constant that is none is a mistake of the statement; of a key that is there twice the last is read again."""
    with beside(postgresql, mongo_client, JSON_TABLE) as both:
        store = Store(both.proposal, both.database)
        for sql in WRITES:
            here = stored_by(store, sql)
            assert here is done(partial(both.theirs, sql)), sql
            asked = "SELECT id, details ->> 'tier' FROM book ORDER BY id"
            assert both.ours(asked) == both.theirs(asked), sql
        assert [*store.execute("SELECT plain FROM book WHERE id = 1")] == [{"plain": {"tier": "c"}}]


def stored_by(store: Store, sql: str) -> bool:
    """Whether the store does it."""
    try:
        store.execute(sql)
    except WorkloadError as error:
        return "is not JSON that can be stored" not in str(error)
    return True
