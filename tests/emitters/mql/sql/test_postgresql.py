"""PostgreSQL's rules: exact numbers, strict casts, dates that are dates – beside PostgreSQL (UTF-8, C collation)."""

# ruff: noqa: DTZ001 - naive means UTC in BSON, and no zone in PostgreSQL
from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient
from pymongo.collection import Collection

from nestling.emitters.mql.sql import RenderingGap, match_mql, value_mql
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.types import Type
from nestling.ir.value_forms.letter_case import known_case
from tests.emitters.mql.sql.beside import Fields, evaluate, failing, outputs, plain, predicate, store, truth_mql
from tests.emitters.mql.sql.test_aggregates import grouped
from tests.soaking import sample

COLUMNS = {
    "id": "integer",
    "i": "integer",
    "m": "decimal(10,2)",
    "k": "decimal(12,4)",
    "f": "float",
    "s": "text",
    "b": "boolean",
    "d": "date",
    "ts": "timestamp(3)",
    "us": "timestamp(6)",
    "tz": "timestamptz",
}
TABLE = """CREATE TABLE t (id integer PRIMARY KEY, i bigint, m numeric(10,2), k numeric(12,4), f double precision, s text,
    b boolean, d date, ts timestamp(3), us timestamp(6), tz timestamptz)"""
MODEL = Model(
    "t", (Entity("t", tuple(Attribute(n, Type.parse(k), nullable=n != "id") for n, k in COLUMNS.items()), ("id",)),)
)
Row = tuple[Any, ...]
INTEGERS = (0, 1, -7, None, 3, 2**40, -1000)
MONEY = ("0.00", "1.25", "-3.10", None, "99999999.99", "0.05", "12.50", "1000.00")
RATES = ("0.0001", "-2.5000", "3.3333", None, "12345678.9999", "7.0000")
FLOATS = (0.0, 0.5, 1.5, 2.5, -2.5, None, 0.1, 1e10, -3.75)
TEXTS = ("", "a", "A", "abc", "ab%", "ünï", None, "12", " 7 ", "a_c", "Abc", "x\ny", "😀")
DAYS = (date(2024, 2, 29), date(2023, 12, 31), None, date(1999, 1, 1), date(2024, 1, 31))
TIMES = (
    datetime(2024, 2, 29, 12, 30, 45, 678000),
    None,
    datetime(1970, 1, 1),
    datetime(2023, 12, 31, 23, 59, 59, 999000),
    datetime(2024, 1, 31),
)
ZONED = tuple(time.replace(tzinfo=UTC) for time in TIMES if time is not None)
MICROS = (datetime(2024, 2, 29, 12, 30, 45, 678123), datetime(2024, 2, 29), None, datetime(1999, 1, 1, 0, 0, 0, 1))


def rows() -> list[Row]:
    def decimal(value: str | None) -> Decimal | None:
        return None if value is None else Decimal(value)

    return [
        (
            p,
            INTEGERS[p % 7],
            decimal(MONEY[p % 8]),
            decimal(RATES[p * 5 % 6]),
            FLOATS[p * 2 % 9],
            TEXTS[p * 3 % 13],
            (True, False, None)[p % 3],
            DAYS[p % 5],
            TIMES[p * 2 % 5],
            MICROS[p % 4],
            None if p % 6 == 5 else ZONED[p % len(ZONED)],
        )
        for p in range(90)
    ]


Both = tuple[sa.Connection, Collection[dict[str, Any]]]


@pytest.fixture(scope="module")
def both(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Both]:
    """The table in PostgreSQL and in MongoDB."""
    engine = sa.create_engine(postgresql, isolation_level="AUTOCOMMIT")
    collection = mongo_client["torture_postgresql"]["t"]
    collection.drop()
    store(collection, MODEL.entities[0].attributes, rows())
    with engine.connect() as connection:
        connection.exec_driver_sql("SET TIME ZONE 'UTC'")
        connection.exec_driver_sql("DROP TABLE IF EXISTS t")
        connection.exec_driver_sql(TABLE)
        connection.exec_driver_sql(f"INSERT INTO t VALUES ({', '.join(['%s'] * len(COLUMNS))})", rows())
        yield connection, collection
    engine.dispose()
    mongo_client.drop_database("torture_postgresql")


VALUES = (
    "i + 1",
    "i / 7",
    "i % 7",
    "-i",
    "m + k",
    "m * k",
    "m * k * m",
    "m * (1 - k) * (1 + m)",
    "m + k + m",
    "m * 2 * k",
    "k + f + m",
    "m - 1",
    "m / 3",
    "m / nullif(k, 0)",
    "i / 7.0",
    "m % 7",
    "f + i",
    "f * m",
    "m / nullif(m, 0)",
    "1 / 3.0",
    "k / 1000000",
    "i = m",
    "f = m",
    "m > 1.25",
    "f > 0.1",
    "f < m",
    "s = 'a'",
    "s || 'x'",
    "s || i",
    "concat(s, 'x', i)",
    "concat_ws('-', s, 'x')",
    'upper(s COLLATE "C.utf8")',
    'lower(s COLLATE "C.utf8")',
    'lower(s COLLATE "C.utf8") = lower(\'ÜNÏ\' COLLATE "C.utf8")',
    "s COLLATE \"C.utf8\" ~* 'NÏ$'",
    "length(s)",
    "octet_length(s)",
    "substring(s, 2)",
    "substring(s, -1, 3)",
    "substring(s, 2, 1)",
    "left(s, 2)",
    "right(s, 1)",
    "position('b' in s)",
    "strpos(s, '')",
    "replace(s, 'b', '')",
    "trim(s)",
    "ltrim(s, 'a')",
    "lpad(s, 5, 'xy')",
    "rpad(s, 2)",
    "repeat(s, 3)",
    "reverse(s)",
    "translate(s, 'ab', 'x')",
    "s LIKE 'a%'",
    "s LIKE 'a_c'",
    "s ILIKE 'AB%'",
    "s NOT LIKE '%b%'",
    "s LIKE 'ab\\%'",
    "s ~ '^a.c$'",
    "s ~* 'B'",
    "abs(m)",
    "round(m)",
    "round(m, 1)",
    "round(k, 2)",
    "round(f)",
    "ceil(m)",
    "floor(f)",
    "trunc(k, 1)",
    "sign(m)",
    "sqrt(abs(f))",
    "greatest(i, 2)",
    "least(m, k)",
    "coalesce(m, k, 0)",
    "nullif(i, 3)",
    "CAST(m AS integer)",
    "CAST(f AS bigint)",
    "CAST(i AS text)",
    "CAST(f AS numeric)",
    "CAST(k AS numeric(10,1))",
    "CAST(d AS timestamp)",
    "CAST(ts AS date)",
    "CAST('12' AS integer) + i",
    "CAST(s AS varchar(2))",
    "b AND i > 0",
    "b OR i > 0",
    "NOT b",
    "b IS TRUE",
    "b IS NOT TRUE",
    "b IS NULL",
    "b = (i > 0)",
    "i IN (1, 3, NULL)",
    "d = '2024-02-29'",
    "d < ts",
    "ts < us",
    "ts = us",
    "d + 1",
    "d - DATE '2024-01-01'",
    "d + INTERVAL '1 month'",
    "ts - INTERVAL '90 minutes'",
    "ts + INTERVAL '1 year'",
    "d + i % 1000 * INTERVAL '1 day'",
    "extract(year from d)",
    "extract(month from ts)",
    "extract(dow from d)",
    "extract(doy from d)",
    "extract(week from d)",
    "extract(quarter from d)",
    "extract(hour from ts)",
    "extract(second from ts)",
    "extract(epoch from ts)",
    "date_trunc('month', ts)",
    "date_trunc('week', d)",
    "date_trunc('hour', ts)",
    "us > '2024-02-29 00:00:00.5'",
    "us = '2024-02-29'",
    "tz > '2024-01-01 00:00:00+00'",
    "extract(year from tz)",
    "date_trunc('day', tz)",
    "CASE WHEN m > 1 THEN m ELSE i END",
    "us",
    "i IS NOT DISTINCT FROM 3",
    "CAST(d AS text)",
    "CAST(b AS text)",
    "CAST(b AS integer)",
    "CAST(m AS double precision)",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", VALUES)
def test_values_are_postgresqls(both: Both, text: str) -> None:
    """The value for every row."""
    connection, collection = both
    (expression,) = outputs(f"SELECT {text} AS v FROM t", MODEL, "postgresql")
    theirs = [row[0] for row in connection.exec_driver_sql(f"SELECT {text.replace('%', '%%')} AS v FROM t ORDER BY id")]
    for prefix in ("$", "$$this."):
        mine = failing(collection, expression, Fields(prefix=prefix))
        assert list(map(comparable, mine)) == list(map(comparable, theirs))


CONDITIONS = (
    "i > 1",
    "m = 1.25",
    "m >= 0.05 AND m < 100",
    "f > 0.1",
    "f = m",
    "s = 'abc'",
    "s > 'a'",
    "s LIKE 'a%'",
    "s LIKE 'abc'",
    "s ILIKE 'a%'",
    "s ~ '^a'",
    "b",
    "NOT b",
    "b = true",
    "b IS NOT FALSE",
    "d >= '2024-01-01'",
    "d = DATE '2024-02-29'",
    "d < ts",
    "ts >= '2024-01-01'",
    "ts BETWEEN '2023-01-01' AND '2024-02-29 12:30:45.678'",
    "us > '2024-02-29 12:30:45.678'",
    "us = '2024-02-29 12:30:45.678123'",
    "tz >= '2024-01-01'",
    "d IN ('2024-02-29', '1999-01-01')",
    "i NOT IN (1, 3)",
    "i IN (1, NULL)",
    "i NOT IN (1, NULL)",
    "m <> 1.25",
    "i IS DISTINCT FROM 3",
    "m * 2 > k",
    "d + 1 > '2024-02-01'",
    "m > i",
    "s = '' OR i = 0",
    "NOT (i = 1 OR m > 1)",
    "extract(year from d) = 2024",
    "ts > us",
    "i > m / 3",
)


@pytest.mark.thorough
@pytest.mark.parametrize("function", ["upper", "lower"])
def test_case_of_every_letter_is_postgresqls(both: Both, function: str) -> None:
    """One by one, of all alphabets; on a letter whose case hangs on the version of Unicode the statement fails."""
    connection, table = both
    letters = table.database[f"letters_{function}"]
    every = [code for code in range(1, 0x1F000) if not 0xD800 <= code < 0xE000]
    cased = [code for code in every if known_case(chr(code))]
    codes = [*sample(cased, one_in=8, first=len(function))]
    letters.insert_many([{"_id": code, "s": chr(code)} for code in codes])
    sql = (
        f'SELECT {function}(chr(code) COLLATE "C.utf8") FROM unnest(%s::int[]) WITH ORDINALITY c (code, at) ORDER BY at'
    )
    (expression,) = outputs(f"SELECT {function}(s) AS v FROM t", MODEL, "postgresql")
    theirs = [row[0] for row in connection.exec_driver_sql(sql, (codes,))]
    assert evaluate(letters, [expression], Fields())[0] == theirs
    letters.insert_one({"_id": 0, "s": "\u019b"})
    assert "no" in failing(letters, expression, Fields())[0]


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_keep_postgresqls_rows(both: Both, text: str) -> None:
    """With the query language and without it, for the condition and for its NOT."""
    connection, collection = both
    for form in (text, f"NOT ({text})"):
        condition = predicate(f"SELECT 1 FROM t WHERE {form}", MODEL, "postgresql")
        theirs = [
            row[0]
            for row in connection.exec_driver_sql(f"SELECT id FROM t WHERE {form.replace('%', '%%')} ORDER BY id")
        ]
        (truths,) = evaluate(collection, [condition], Fields(), truth_mql)
        assert [place for place, value in enumerate(truths) if value is True] == theirs
        document = match_mql(condition, Fields())
        assert [found["_id"] for found in collection.find(document).sort("_id", 1)] == theirs, document


AGGREGATES = (
    "sum(i)",
    "sum(m)",
    "sum(f)",
    "avg(i)",
    "avg(m)",
    "avg(k)",
    "avg(f)",
    "min(d)",
    "max(s)",
    "bool_and(b)",
    "bool_or(b)",
    "count(distinct s)",
    "string_agg(s, ',' ORDER BY s DESC, id)",
    "sum(m) FILTER (WHERE i > 0)",
    "sum(distinct m)",
    "max(us)",
    "min(m * k)",
)


@pytest.mark.parametrize("text", AGGREGATES)
def test_aggregates_are_postgresqls(both: Both, text: str) -> None:
    """Over groups and over nothing."""
    connection, collection = both
    for condition, by in (("1 = 1", "i"), ("1 = 1", "id"), ("id < 0", ""), ("id < 4", "")):
        sql = f"SELECT {by + ',' if by else ''} {text} AS v FROM t WHERE {condition} {'GROUP BY ' + by if by else ''}"
        theirs = sorted((tuple(map(comparable, row)) for row in connection.exec_driver_sql(sql)), key=repr)
        mine = grouped(
            (None, collection), sql, condition == "1 = 1", MODEL, "postgresql", lambda value, _: comparable(value)
        )
        assert sorted(mine, key=repr) == theirs


def test_decimals_without_constants_are_one_product() -> None:
    """A constant would be multiplied first, and a float added exactly: these are kept apart."""
    forms = ("m * k * m", "m + k + m", "m * 2 * k", "m + f + k", "m * (k * m)")
    together = [
        "$ifNull" not in repr(value_mql(outputs(f"SELECT {form} AS v FROM t", MODEL, "postgresql")[0], Fields()))
        for form in forms
    ]
    assert together == [True, True, False, False, False]


def test_what_postgresql_refuses_fails(both: Both) -> None:
    """Division by zero and a text that is no number are errors on both sides."""
    for text in ("i / 0", "m / 0", "CAST(s AS integer)", "substring(s, 1, -1)"):
        (expression,) = outputs(f"SELECT {text} AS v FROM t", MODEL, "postgresql")
        assert all(isinstance(value, str) for value in failing(both[1], expression, Fields()))
        with pytest.raises(sa.exc.DBAPIError):
            both[0].exec_driver_sql(f"SELECT {text} FROM t").fetchall()


@pytest.mark.parametrize("text", ["i & 3", "us + INTERVAL '0.0005 seconds'", "s ~ '(?i)a'", "sqrt(m)"])
def test_what_has_no_exact_form_is_a_gap(text: str) -> None:
    """Named, with who lacks it; never nearly right."""
    (expression,) = outputs(f"SELECT {text} AS v FROM t", MODEL, "postgresql")
    with pytest.raises(RenderingGap) as caught:
        value_mql(expression, Fields())
    assert caught.value.gap.what


def comparable(value: Any) -> Any:
    """Numbers by value; a date as the instant it begins with."""
    value = plain(value)
    if isinstance(value, bool):
        return ("truth", value)
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, Decimal | int):
        return Decimal(value).normalize()
    if isinstance(value, str) and len(value) == 26 and value[10] == "T":
        return datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return datetime(value.year, value.month, value.day) if isinstance(value, date) else value
