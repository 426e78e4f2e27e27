"""Rows that generate_series makes, lists that unnest makes of parameters, and rows in a random order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import Store
from tests.planner.reads.beside_postgresql import STRATEGIES, Served, served_by_strategies, written

TABLES = """
CREATE TABLE sale (id int PRIMARY KEY, shop int, at timestamp NOT NULL, tz timestamptz, d date);
INSERT INTO sale SELECT i, mod(i, 3), timestamp '2024-01-28' + make_interval(hours => i * 7),
    timestamptz '2024-01-30 00:00Z' + make_interval(hours => i * 9), date '2024-01-29' + i / 4 FROM generate_series(1, 40) i;
INSERT INTO sale SELECT 100 + i, 9, date_trunc('day', now())::timestamp - make_interval(days => i), now(), current_date - i
    FROM generate_series(1, 9) i;
"""
EAST = timezone(timedelta(hours=5))
STATEMENTS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("SELECT * FROM generate_series(1, 5)", {}),
    ("SELECT g.n * 2 AS twice FROM generate_series(5, -4, -3) AS g(n) ORDER BY 1", {}),
    ("SELECT n FROM generate_series(3, 1) n", {}),
    ("SELECT generate_series(1, 3)", {}),
    ("SELECT generate_series(timestamp '2012-10-01', timestamp '2012-10-31', interval '1 day') AS t ORDER BY t DESC LIMIT 3", {}),
    (("SELECT x.d, count(s.id) FROM (SELECT generate_series(timestamp '2024-01-28', '2024-02-01', '1 day')::date AS d) x"
     " LEFT JOIN sale s ON s.d = x.d GROUP BY x.d ORDER BY x.d"), {}),
    ("SELECT 10 - generate_series(:a::int, 4) AS n ORDER BY n", {"a": 2}),
    ("SELECT n, count(s.id) FROM generate_series(0, 4) AS n LEFT JOIN sale s ON s.shop = n GROUP BY n ORDER BY n", {}),
    (("SELECT day, count(s.id) FROM generate_series('2024-01-27'::date, '2024-02-03'::date, '1 day') AS day"
     " LEFT JOIN sale s ON s.d = day GROUP BY day ORDER BY day"), {}),
    (("SELECT g.day::date, count(s.id) FROM generate_series('2024-01-27'::timestamp, '2024-02-03', '1 day'::interval) AS g(day)"
     " LEFT JOIN sale s ON date_trunc('day', s.at) = g.day GROUP BY 1 ORDER BY 1"), {}),
    (("SELECT g.day, coalesce(s.c, 0) FROM generate_series(timestamp '2024-01-27', timestamp '2024-02-03', '12 hours') AS g(day)"
     " LEFT JOIN (SELECT date_trunc('day', at) AS day, count(*) AS c FROM sale GROUP BY 1) s ON s.day = g.day ORDER BY 1"), {}),
    (("SELECT g.m, count(s.id) FROM generate_series(timestamp '2023-11-30', timestamp '2024-04-30', '1 month') AS g(m)"
     " LEFT JOIN sale s ON s.at >= g.m AND s.at < g.m + interval '1 month' GROUP BY g.m ORDER BY g.m"), {}),
    ("SELECT m FROM generate_series('2024-01-31'::timestamptz, '2024-07-31'::timestamptz, interval '1 month') m ORDER BY m", {}),
    ("SELECT m FROM generate_series('9999-10-31'::timestamp, '9999-12-31'::timestamp, '1 month') m ORDER BY m", {}),
    ("SELECT count(*) FROM generate_series('9999-12-30'::timestamp, '9999-12-31'::timestamp, '1 day') m", {}),
    ("SELECT y FROM generate_series('2024-02-29'::timestamp, '2029-01-01'::timestamp, '1 year') y ORDER BY y", {}),
    (("SELECT day::date, count(s.id) FROM generate_series(current_date - 6, current_date, interval '1 day') AS day"
     " LEFT JOIN sale s ON s.d = day::date GROUP BY 1 ORDER BY 1"), {}),
    (("SELECT g.day::date, count(s.id) FROM generate_series(current_date - interval '6 days', current_date, '1 day') AS g(day)"
     " LEFT JOIN sale s ON s.at >= g.day AND s.at < g.day + interval '1 day' GROUP BY g.day ORDER BY g.day"), {}),
    (("SELECT m::date FROM generate_series(date_trunc('month', now()) - interval '11 months', date_trunc('month', now()),"
     " '1 month') m ORDER BY 1"), {}),
    ("SELECT n, count(s.id) FROM generate_series(:a::int, :b::int) AS n LEFT JOIN sale s ON s.shop = n GROUP BY n ORDER BY n",
     {"a": 0, "b": 3}),
    (("SELECT g.day::date, count(s.id) FROM generate_series(:a::date, :b::date, '1 day') AS g(day)"
     " LEFT JOIN sale s ON s.d = g.day GROUP BY 1 ORDER BY 1"), {"a": "2024-01-28", "b": "2024-02-02"}),
    (("SELECT g.day::date, count(s.id) FROM generate_series(:a::date, :b::date, '1 day') AS g(day)"
     " LEFT JOIN sale s ON s.d = g.day GROUP BY 1 ORDER BY 1"), {"a": date(2024, 1, 28), "b": date(2024, 2, 2)}),
    ("SELECT g FROM generate_series(:a, :b, '7 hours') AS g ORDER BY 1", {"a": date(2024, 1, 28), "b": date(2024, 1, 29)}),
    ("SELECT g FROM generate_series(CAST(:a AS timestamp), :b, '7 hours') AS g ORDER BY 1",
     {"a": date(2024, 1, 28), "b": datetime.fromisoformat("2024-01-28T22:30")}),
    ("SELECT g FROM generate_series(:a, :b, '-1 month') AS g ORDER BY 1",
     {"a": datetime(2024, 1, 31, 9, tzinfo=EAST), "b": datetime(2023, 6, 1, tzinfo=UTC)}),
    ("SELECT g FROM generate_series(:a::date, :b::timestamp, '12 hours') AS g ORDER BY 1",
     {"a": datetime(2024, 2, 28, 1, tzinfo=EAST), "b": datetime(2024, 3, 1, 2, tzinfo=EAST)}),
    ("SELECT g FROM generate_series(:a::timestamptz, :b::date, '12 hours') AS g ORDER BY 1",
     {"a": datetime.fromisoformat("2024-02-28T01:00"), "b": datetime.fromisoformat("2024-03-01T23:00")}),
    ("SELECT id FROM sale WHERE d IN (SELECT g::date FROM generate_series(:a::date, :b::date, '2 days') g) ORDER BY id",
     {"a": date(2024, 1, 28), "b": date(2024, 2, 2)}),
    ("SELECT id FROM sale WHERE id IN (SELECT unnest(:ids)) ORDER BY id", {"ids": [3, 5, 5, 900]}),
    ("SELECT id FROM sale WHERE id IN (SELECT unnest(:ids::int[])) AND shop > 0 ORDER BY id", {"ids": [3, 5, None]}),
    ("SELECT id FROM sale WHERE id = ANY(SELECT unnest(:ids::int[])) ORDER BY id", {"ids": []}),
    ("SELECT id FROM sale WHERE id IN (SELECT * FROM unnest(:ids::int[])) OR shop = 9 ORDER BY id", {"ids": [1]}),
    ("SELECT id FROM sale WHERE id IN (SELECT x FROM unnest(:ids::int[]) AS t(x)) ORDER BY id", {"ids": [1]}),
    ("SELECT id FROM sale WHERE id IN (SELECT unnest(:ids::int[])) ORDER BY id", {"ids": None}),
)  # fmt: skip
GAPS = {
    "SELECT id FROM sale WHERE id NOT IN (SELECT unnest(:ids::int[]))": "unnest of a parameter",
    "SELECT id FROM sale WHERE id <> ALL (SELECT unnest(:ids::int[]))": "unnest of a parameter",
    "SELECT id IN (SELECT unnest(:ids::int[])) FROM sale": "unnest of a parameter",
    "SELECT n FROM generate_series(1, 100000) n": "at most 2000",
    "SELECT n FROM generate_series(1, 2.5) n": "other than whole numbers",
    "SELECT d FROM generate_series('2024-01-01'::date, current_date, '1 day') d": "distance is not constant",
    "SELECT d FROM generate_series('2024-01-01'::date, '2024-01-02'::date, interval '90') d": "one unit",
    "SELECT random() FROM sale": "RANDOM",
    "SELECT id FROM sale WHERE random() < 0.5": "RANDOM",
}


@pytest.fixture(scope="module")
def served(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Served]:
    """Sales of some days, and of the last ones."""
    with served_by_strategies(postgresql, mongo_client, TABLES) as found:
        yield found


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("sql", "values"), STATEMENTS)
def test_answers_are_postgresqls(served: Served, sql: str, values: Mapping[str, object]) -> None:
    """With constants, with what a Store binds, and by what is known when it runs."""
    engine, designs = served
    with engine.begin() as connection:
        connection.exec_driver_sql("SET TIME ZONE 'UTC'")
        asked = sql
        for name in values:
            asked = asked.replace(f":{name}", f"%({name})s") if f"::{name}" not in asked else asked
        rows = connection.exec_driver_sql(asked, dict(values) if values else None).fetchall()
    theirs = [tuple(map(written, row)) for row in rows]
    for strategy in STRATEGIES:
        store = Store(*designs[strategy], dialect="postgresql")
        ours = [tuple(map(written, row.values())) for row in store.execute(sql, **values)]
        assert ours == theirs, strategy


@pytest.mark.parametrize("sql", GAPS)
def test_what_is_a_gap(served: Served, sql: str) -> None:
    """It is said why."""
    from nestling import pipeline
    from nestling.ir.programs.compiled import NotCompiled

    found = pipeline.convert(served[1]["normalized"][0], sql, dialect="postgresql")
    assert isinstance(found, NotCompiled), found
    assert GAPS[sql] in found.gap.what


def test_rows_in_a_random_order(served: Served) -> None:
    """So many rows of those that meet the condition, other ones each time."""
    proposal, database = served[1]["normalized"]
    store = Store(proposal, database, dialect="postgresql")
    sql = "SELECT id FROM sale WHERE shop < 9 ORDER BY random() LIMIT 5"
    found = [tuple(row["id"] for row in store.execute(sql)) for _ in range(6)]
    assert all(len({*each}) == 5 and all(int(str(number)) <= 40 for number in each) for each in found)
    assert len({*found}) > 1
    assert len({row["id"] for row in store.execute("SELECT id FROM sale ORDER BY random()")}) == 49


def test_the_last_days_are_those_before_today(served: Served) -> None:
    """Seven of them, one after the other."""
    store = Store(*served[1]["normalized"], dialect="postgresql")
    sql = "SELECT day FROM generate_series(current_date - 6, current_date, '1 day') day ORDER BY 1"
    days = [day for row in store.execute(sql) if isinstance(day := row["day"], datetime)]
    assert len(days) == 7
    assert {later - day for day, later in itertools.pairwise(days)} == {timedelta(days=1)}
