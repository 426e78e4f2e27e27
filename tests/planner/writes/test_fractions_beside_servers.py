"""Columns that keep few digits of a second: what is written is rounded or cut as the server does it, by every way in."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta, timezone
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from nestling.emitters.mql.write_shell import write_shell
from nestling.emitters.python_code import module
from nestling.ir.fraction import Fraction
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.value_forms.time_text import clock_of
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import Beside, beside, beside_of, written

POSTGRESQL = """
CREATE TABLE event (id int PRIMARY KEY, at timestamp(0) DEFAULT '2024-01-01 10:00:00.7', tz timestamptz(1), t time(0),
  fine timestamp, ms timestamp(3), five timestamp(5), tt timetz(0), list timestamp(0)[], clock time,
  made timestamp(0) DEFAULT now(), day date);
INSERT INTO event (id, at, fine, five, made) VALUES
  (1, '2024-01-01 10:00:00', '2024-01-01 10:00:00.5', '2024-01-01 10:00:00.12345', '2024-01-01'),
  (2, '1999-12-31 23:59:58', '1999-12-31 23:59:58.5', NULL, '2024-01-01'),
  (3, '1960-01-01 10:00:00', '1960-01-01 10:00:00.25', NULL, '2024-01-01'), (4, NULL, NULL, NULL, NULL);
CREATE TABLE kept (at timestamp(0) PRIMARY KEY, n int)
"""
OF_POSTGRESQL = (
    "UPDATE event SET at = '2024-01-01 10:00:00.5', tz = '2024-01-01 10:00:00.25+02' WHERE id = 1",
    "UPDATE event SET ms = '2024-01-01 10:00:00.0005' WHERE id = 1",
    "UPDATE event SET at = timestamp '1999-12-31 23:59:58.5', tz = '1960-01-01 10:00:00.25' WHERE id = 2",
    "UPDATE event SET t = '10:00:00.5', tt = '23:59:58.5+02', five = '2024-01-01 10:00:00.123455' WHERE id = 3",
    "UPDATE event SET list = '{2024-01-01 10:00:00.5,1960-01-01 10:00:00.5}' WHERE id = 3",
    "UPDATE event SET at = fine, tz = fine",
    "UPDATE event SET at = fine + interval '1 second', ms = fine",
    "UPDATE event SET at = CASE WHEN id = 1 THEN fine ELSE timestamp '2024-01-01 10:00:00.7' END WHERE id < 3",
    "UPDATE event SET at = coalesce(fine, at), fine = at",
    "UPDATE event SET five = fine, day = fine WHERE id = 2",
    "INSERT INTO event (id, fine, made) VALUES (5, '2024-01-01 10:00:00.123', '2024-01-01 10:00:00.7')",
    "INSERT INTO event (id, at, fine, made) SELECT id + 10, fine, at, fine FROM event WHERE id < 4",
    "INSERT INTO kept VALUES ('2024-01-01 10:00:00.6', 1) ON CONFLICT (at) DO UPDATE SET n = kept.n + 1",
    "INSERT INTO kept VALUES ('2024-01-01 10:00:01.4', 1) ON CONFLICT (at) DO UPDATE SET n = kept.n + 1",
    "UPDATE event SET at = date_trunc('hour', fine), made = at",
)
ASKED = (
    "SELECT id FROM event WHERE at = '2024-01-01 10:00:01' ORDER BY id",
    "SELECT id FROM event WHERE at = '2024-01-01 10:00:00.5' ORDER BY id",
    "SELECT id FROM event WHERE at < '2024-01-01 10:00:00.5' ORDER BY id",
)
ALL_OF_POSTGRESQL = "SELECT id, at, tz, t, fine, ms, five, tt, list, made, day FROM event ORDER BY id"
MARIADB = """
CREATE TABLE event (id int PRIMARY KEY, at datetime DEFAULT '2024-01-01 10:00:00.7', ts timestamp NULL, t time, ms datetime(3),
  fine datetime(6), tenth datetime(1), made datetime DEFAULT now(), finely datetime(3) DEFAULT now(3));
INSERT INTO event (id, at, ms, made, finely, t) VALUES
  (1, '2024-01-01 10:00:00', '2024-01-01 10:00:00.777', NULL, NULL, NULL),
  (2, '1960-01-01 10:00:00', '1960-01-01 10:00:00.555', NULL, NULL, NULL), (3, NULL, NULL, NULL, NULL, '-01:00:00')
"""
OF_MARIADB = (
    "UPDATE event SET at = '2024-01-01 10:00:00.7', ts = '2024-01-01 10:00:00.7', t = '10:00:00.7' WHERE id = 1",
    "UPDATE event SET ms = '2024-01-01 10:00:00.7778', tenth = '2024-01-01 10:00:00.78', t = '-10:00:00.7' WHERE id = 2",
    "UPDATE event SET at = ms, tenth = ms",
    "UPDATE event SET at = ms + INTERVAL 1 SECOND, ts = coalesce(ts, ms)",
    "UPDATE event SET t = '-00:00:00.4', at = '2024-01-01 10:00:00.7' WHERE id = 3",
    "INSERT INTO event (id, made, finely) VALUES (4, '1969-12-31 23:59:59.9', NULL)",
    "INSERT INTO event (id, at, ms, made, finely) SELECT id + 10, ms, at, ms, ms FROM event WHERE id < 3",
    "UPDATE event SET t = coalesce(t, t), ts = at WHERE id > 2",
)
ALL_OF_MARIADB = "SELECT id, at, ts, t, ms, fine, tenth, made, finely FROM event ORDER BY id"
BERLIN = timezone(timedelta(hours=2))
MOMENTS = tuple(
    map(
        datetime.fromisoformat,
        ("2024-01-01T10:00:00.700123", "2024-01-01T10:00:00.000500", "1960-01-01T10:00:00.500000"),
    )
)
both = both_of(MARIADB, "normalized")


tables = beside_of(POSTGRESQL)
"""The tables, loaded."""


def _plain(value: object) -> object:
    """Times as texts of whole microseconds, without what tells UTC."""
    if isinstance(value, list):
        return [*map(_plain, value)]
    if isinstance(value, timedelta):
        return clock_of(value)
    if isinstance(value, str | time):
        return re.sub(r"(?:([+]02)|[+]00)(?::00)?$", r"\1", str(value))
    return written(value)


def _same(ours: Any, theirs: Any) -> None:
    assert [[_plain(each) for each in row] for row in ours] == [[_plain(each) for each in row] for row in theirs]


@pytest.mark.thorough
def test_the_model_has_the_digits(tables: Beside) -> None:
    """Of a live PostgreSQL; what keeps all says nothing."""
    found = {each.name: each.fraction for each in tables.proposal.design.model.entity("event").attributes}
    digits = {"at": 0, "tz": 1, "t": 0, "ms": 3, "five": 5, "tt": 0, "list": 0, "made": 0}
    assert found == {name: Fraction(digits[name]) if name in digits else None for name in found}


@pytest.mark.thorough
def test_postgresql_rounds(tables: Beside) -> None:
    """Constants, columns, what is computed, and defaults; what is compared with them is not."""
    store = Store(tables.proposal, tables.database)
    for sql in OF_POSTGRESQL:
        store.execute(sql)
        with tables.engine.begin() as connection:
            connection.exec_driver_sql("SET TIME ZONE 'UTC'")
            connection.exec_driver_sql(sql)
        _same([row.values() for row in store.execute(ALL_OF_POSTGRESQL)], tables.theirs(ALL_OF_POSTGRESQL))
    for sql in (*ASKED, "SELECT at, n FROM kept ORDER BY at"):
        _same([row.values() for row in store.execute(sql)], tables.theirs(sql))


def test_postgresql_rounds_parameters(tables: Beside) -> None:
    """Also those with microseconds, which a column of dates else refuses."""
    store = Store(tables.proposal, tables.database)
    sql = "UPDATE event SET at = :at, tz = :tz, t = :t, ms = :at, tt = :t, list = :many WHERE id = 1"
    for moment in (*MOMENTS, datetime.fromisoformat("1999-12-31T23:59:58.500000")):
        values = {"at": moment, "tz": moment.replace(tzinfo=BERLIN), "t": moment.time(), "many": [moment, moment]}
        store.execute(sql, **values)
        tables.theirs(sql, values)
        _same([row.values() for row in store.execute(ALL_OF_POSTGRESQL)], tables.theirs(ALL_OF_POSTGRESQL))
    with pytest.raises(WorkloadError, match="has milliseconds and cannot hold"):
        store.execute("UPDATE event SET fine = :at WHERE id = 1", at=MOMENTS[0])


def test_the_clock_of_postgresql(tables: Beside) -> None:
    """What `now()` gives, as a default too, is in whole seconds where the column is."""
    store, before = Store(tables.proposal, tables.database), datetime.now(UTC)
    store.execute("INSERT INTO event (id) VALUES (7)")
    store.execute("UPDATE event SET at = now(), tz = current_timestamp, ms = now(), fine = current_timestamp(0)")
    row = _only(store, "SELECT at, tz, made, fine FROM event WHERE id = 7")
    for name, step in (("at", 1_000_000), ("tz", 100_000), ("made", 1_000_000), ("fine", 1_000_000)):
        assert row[name].microsecond % step == 0
        assert abs(row[name].replace(tzinfo=UTC) - before) < timedelta(seconds=20)
    assert [*store.execute("SELECT id FROM event WHERE id = 7 AND at = :at", at=row["at"])] == [{"id": 7}]


@pytest.mark.thorough
def test_what_is_emitted_rounds_alike(tables: Beside) -> None:
    """Functions in Python round parameters and the clock; scripts for mongosh have the server round."""
    sql = "UPDATE event SET at = :at, tz = :at, t = :t, list = :many, ms = fine, made = fine + interval '1 second'"
    write = pipeline.convert(tables.proposal, sql, dialect="postgresql")
    assert isinstance(write, CompiledWrite)
    space: dict[str, Any] = {}
    exec(compile(module([write]), "queries.py", "exec"), space)
    for moment in MOMENTS:
        values = {"at": moment, "t": moment.time(), "many": [moment]}
        space["statement"](tables.database, **values)
        tables.theirs(sql, values)
        found = Store(tables.proposal, tables.database).execute(ALL_OF_POSTGRESQL)
        _same([row.values() for row in found], tables.theirs(ALL_OF_POSTGRESQL))
    clock = pipeline.convert(tables.proposal, "UPDATE event SET at = now()", dialect="postgresql")
    assert isinstance(clock, CompiledWrite)
    assert '{$dateTrunc: {date: {$add: ["$$NOW", 500]}, unit: "second"}}' in write_shell(clock)


@pytest.mark.thorough
def test_what_the_server_cannot_round_is_a_gap(tables: Beside) -> None:
    """Times of day are texts there, and so are moments of microseconds."""
    assert "no more than 0 digits of a second" in tables.gap("UPDATE event SET t = clock")
    assert tables.gap("UPDATE event SET clock = t, tt = tt, t = coalesce(t, t)") == ""
    assert tables.gap("UPDATE event SET at = five") != ""


def test_an_infinite_moment_is_not_rounded(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Beside others that are."""
    script = """CREATE TABLE e (id int PRIMARY KEY, a timestamp(0), b timestamp);
        INSERT INTO e VALUES (1, '-infinity', 'infinity'), (2, NULL, '2024-01-01 10:00:01')"""
    with beside(postgresql, mongo_client, script) as tables:
        store = Store(tables.proposal, tables.database)
        for sql in ("UPDATE e SET a = b", "INSERT INTO e VALUES (3, '-infinity', 'infinity')"):
            store.execute(sql)
            with tables.engine.begin() as connection:
                connection.exec_driver_sql(sql)
        asked = "SELECT id FROM e WHERE a = 'infinity' OR a = '2024-01-01 10:00:01' OR a = '-infinity' ORDER BY id"
        _same([row.values() for row in store.execute(asked)], tables.theirs(asked))


@pytest.mark.thorough
def test_mariadb_cuts(both: Both) -> None:
    """Constants, columns, what is computed, and defaults; what is compared with them is not."""
    for sql in OF_MARIADB:
        assert both.written(sql) == (True, True)
        _same(*_answers(both, ALL_OF_MARIADB))
    for sql in ASKED:
        _same(*_answers(both, sql))
    both.assert_equal()


def test_mariadb_cuts_parameters(both: Both) -> None:
    """Also those with microseconds."""
    store = Store(both.proposal, both.database)
    for moment in MOMENTS:
        values = {"at": moment, "t": moment.time()}
        store.execute("UPDATE event SET at = :at, ms = :at, t = :t, tenth = :at WHERE id = 1", **values)
        both.cursor.execute("UPDATE event SET at = %(at)s, ms = %(at)s, t = %(t)s, tenth = %(at)s WHERE id = 1", values)
        _same(*_answers(both, ALL_OF_MARIADB))


def test_the_clock_of_mariadb(both: Both) -> None:
    """`NOW()` has whole seconds whatever the column keeps, `NOW(3)` milliseconds, `NOW(1)` tenths."""
    store = Store(both.proposal, both.database)
    store.execute("UPDATE event SET at = NOW(3), ms = NOW(), fine = NOW(1), tenth = CURRENT_TIMESTAMP WHERE id = 1")
    row = _only(store, "SELECT at, ms, fine, tenth FROM event WHERE id = 1")
    assert [row[name].microsecond % 1_000_000 for name in ("at", "ms", "tenth")] == [0, 0, 0]
    assert row["fine"].microsecond % 100_000 == 0
    fractions = set()
    for number in range(20, 30):
        store.execute("INSERT INTO event (id) VALUES (:id)", id=number)
        made = _only(store, "SELECT made, finely FROM event WHERE id = :id", id=number)
        assert made["made"].microsecond == 0
        fractions.add(made["finely"].microsecond)
    assert fractions != {0}
    assert {each % 1000 for each in fractions} == {0}


def _only(store: Store, sql: str, **values: object) -> dict[str, Any]:
    (row,) = store.execute(sql, **values)
    return dict(row)


def _answers(both: Both, sql: str) -> tuple[Any, Any]:
    ours, theirs = both.answers(sql)
    return ours, theirs
