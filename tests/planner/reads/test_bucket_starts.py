"""Ranges of time are looked for in the buckets whose windows meet them: an index finds these, the answers are PostgreSQL's."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.emitters.python_code import module
from nestling.ir.design import Design
from nestling.ir.primitives import Bucket, BucketWindow, Collection, Document, WindowUnit
from nestling.ir.programs.compiled import CompiledRead, bind
from nestling.ir.proposal import Proposal
from tests.patterns.scenario import scenario
from tests.planner.reads.beside_postgresql import Beside, beside

TABLE = """
CREATE TABLE reading (id INTEGER PRIMARY KEY NOT NULL, sensor INTEGER NOT NULL, at TIMESTAMP NOT NULL, value INTEGER NOT NULL);
"""
START = datetime.fromisoformat("2026-03-01")
DAYS = 20
OF_SENSOR = "SELECT id FROM reading WHERE sensor = :sensor AND"


@pytest.fixture
def made(tmp_path: Path, database: Database[Any]) -> Proposal:
    """A reading every three hours of two sensors, of a day in each bucket."""
    rows = [
        (8 * DAYS * sensor + number, sensor, f"{START + number * timedelta(hours=3):%Y-%m-%d %H:%M:%S}", number)
        for sensor, number in product(range(2), range(8 * DAYS))
    ]
    application = scenario(tmp_path, TABLE, {"reading": rows}, "")
    bucket = Bucket(("sensor",), "readings", 100, BucketWindow("at", WindowUnit.DAY))
    homes = (Collection("reading", Document("reading"), (), bucket=bucket),)
    proposal = Proposal("by hand", Design(application.reading.model, homes), dialect="sqlite")
    pipeline.load(proposal, application.address, database)
    return proposal


def explained(read: CompiledRead, values: Mapping[str, object], database: Database[Any]) -> tuple[int, str]:
    """How many documents the server looks at, and the bounds of the index on which it does."""
    command: dict[str, Any] = {
        "aggregate": read.collection,
        "pipeline": list(bind(read, values).pipeline),
        "cursor": {},
    }
    told = database.command("explain", command, verbosity="executionStats")
    first = told["stages"][0]["$cursor"] if "stages" in told else told
    plan = first["queryPlanner"]["winningPlan"]
    plan = plan.get("queryPlan", plan)
    while "inputStage" in plan:
        plan = plan["inputStage"]
    return first["executionStats"]["totalDocsExamined"], str(plan.get("indexBounds", {}).get("bucket_start"))


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        ("at >= :one AND at < :other", 3),
        ("at > :one AND at <= :other", 3),
        ("at BETWEEN '2026-03-05' AND '2026-03-06'", 1),
        ("at BETWEEN '2026-03-05' AND '2026-03-06 00:00:00'", 2),
        ("at < :one", 5),
        (":other < at", 13),
        ("at = :one", 1),
        ("at = '2026-03-07 03:00:00' AND value > 3", 1),
        ("at > :other AND at < :one", 0),
    ],
)
def test_an_index_finds_the_buckets(asked: str, days: int, made: Proposal, database: Database[Any]) -> None:
    """As many documents are looked at as days are meant, a bucket each."""
    read = pipeline.convert(made, f"{OF_SENSOR} {asked}")
    assert isinstance(read, CompiledRead)
    values = {"sensor": 1, "one": "2026-03-05 09:00:00", "other": "2026-03-08"}
    examined, bounds = explained(read, {name: values[name] for name in read.parameters}, database)
    assert examined == days
    assert "MinKey, MaxKey" not in bounds


ZONED = "CREATE TABLE reading (id INTEGER PRIMARY KEY, sensor INTEGER NOT NULL, at {kind});"
AMONG = datetime(2026, 3, 29, tzinfo=UTC)
"""A day that is an hour shorter in most of Europe."""
BERLIN = timezone(timedelta(hours=2))


def moments(kind: str) -> list[datetime]:
    """Moments around the beginnings of windows, and of those of two days elsewhere."""
    near = [
        timedelta(0),
        timedelta(hours=1),
        timedelta(hours=2),
        timedelta(hours=23),
        timedelta(days=1),
        timedelta(days=3),
    ]
    fine = timedelta(microseconds=1) if "6" in kind else timedelta(milliseconds=1)
    found = [AMONG + each + off for each in near for off in (-fine, timedelta(0), fine)]
    return found if "timestamptz" in kind else [each.replace(tzinfo=None) for each in found]


@pytest.fixture(params=[
    *product(["timestamptz(3)", "timestamptz(6)", "timestamp(3)", "timestamp(6)"], [WindowUnit.HOUR, WindowUnit.MONTH]),
    ("date", WindowUnit.MONTH),
])  # fmt: skip
def zoned(
    request: pytest.FixtureRequest, postgresql: str, mongo_client: MongoClient[dict[str, Any]]
) -> Iterator[tuple[str, Beside, Proposal]]:
    """The same moments in PostgreSQL and in buckets, and one that is not known."""
    kind, unit = request.param
    rows = [*moments(kind), None]
    shown = ", ".join(f"({n}, 1, {'NULL' if at is None else repr(at.isoformat(' '))})" for n, at in enumerate(rows))
    with beside(postgresql, mongo_client, f"{ZONED.format(kind=kind)} INSERT INTO reading VALUES {shown};") as found:
        bucket = Bucket(("sensor",), "readings", 4, BucketWindow("at", unit))
        design = Design(found.reading.model, (Collection("reading", Document("reading"), (), bucket=bucket),))
        proposal = Proposal("by hand", design, statistics=found.reading.statistics, dialect="postgresql")
        pipeline.load(proposal, found.url, found.database, mode=pipeline.LoadMode.REPLACE)
        yield kind, Beside(found.engine, found.url, found.reading, proposal, found.database), proposal


@pytest.mark.one_in(3)
def test_the_same_rows_as_in_postgresql(zoned: tuple[str, Beside, Proposal]) -> None:
    """Of moments given with a zone, without one and as texts, and written in the statement, at windows' boundaries."""
    kind, found, proposal = zoned
    chance = random.Random(kind)
    for operator, at in product((">", ">=", "<", "<=", "="), chance.sample(moments(kind), 6)):
        sql = f"SELECT id FROM reading WHERE sensor = 1 AND at {operator} {{}} ORDER BY id"
        constant = sql.format(f"'{at.isoformat(' ')}'")
        wanted = found.theirs(constant)
        assert found.ours(constant) == wanted, constant
        others = [at.astimezone(BERLIN)] if at.tzinfo is not None else []
        for value in [at, *others] if kind != "date" else [at.date()]:
            assert found.ours(sql.format(":at"), {"at": value}) == found.theirs(sql.format(":at"), {"at": value}), (
                sql,
                value,
            )
    for operator, unit, at in product(
        (">", ">=", "<", "<=", "="), ("at::date", "date_trunc('hour', at)"), moments(kind)[::5]
    ):
        sql = f"SELECT id FROM reading WHERE sensor = 1 AND {unit} {operator} '{at.isoformat(' ')}' ORDER BY id"
        assert found.ours(sql) == found.theirs(sql), sql
    read = pipeline.convert(proposal, "SELECT id FROM reading WHERE sensor = :s AND at BETWEEN :one AND :other")
    assert isinstance(read, CompiledRead)
    assert "bucket_start" in repr(read.pipeline)
    assert found.ours(read.sql, {"s": 1, "one": None, "other": AMONG}) == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    "ago", ["now() - interval '1 day'", "current_date - 1", "CAST(:at AS timestamptz) - interval '36 hours'"]
)
def test_moments_that_are_computed(ago: str, postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """An expression bounds the buckets as a value does, by the same index."""
    rows = ", ".join(f"({n}, 1, now() - {n} * interval '1 hour')" for n in range(200))
    tables = f"{ZONED.format(kind='timestamptz(0)')} INSERT INTO reading VALUES {rows};"
    with beside(postgresql, mongo_client, tables) as found:
        bucket = Bucket(("sensor",), "readings", 100, BucketWindow("at", WindowUnit.DAY))
        design = Design(found.reading.model, (Collection("reading", Document("reading"), (), bucket=bucket),))
        proposal = Proposal("by hand", design, statistics=found.reading.statistics, dialect="postgresql")
        pipeline.load(proposal, found.url, found.database, mode=pipeline.LoadMode.REPLACE)
        read = pipeline.convert(proposal, f"SELECT id FROM reading WHERE sensor = 1 AND at > {ago} ORDER BY id")
        assert isinstance(read, CompiledRead)
        given = datetime.now(UTC).replace(microsecond=0)
        beside_postgresql = Beside(found.engine, found.url, found.reading, proposal, found.database)
        for at in (given, None):
            values = dict.fromkeys(read.parameters, at)
            ours, theirs = beside_postgresql.ours(read.sql, values), found.theirs(read.sql, values)
            assert abs(len(ours) - len(theirs)) <= 1  # an hour may end meanwhile
        examined, bounds = explained(read, dict.fromkeys(read.parameters, given), found.database)
        assert examined <= 3
        assert "MinKey, MaxKey" not in bounds


def test_a_module_finds_the_windows_itself(made: Proposal, database: Database[Any]) -> None:
    """What nestling writes converts the parameters as it does."""
    read = pipeline.convert(made, f"{OF_SENSOR} at >= :since AND at < :until ORDER BY id")
    assert isinstance(read, CompiledRead)
    space: dict[str, Any] = {}
    exec(compile(module([read]), "queries.py", "exec"), space)
    found = list(space["statement"](database, sensor=1, since="2026-03-05 09:00:00", until="2026-03-06"))
    assert [each["id"] for each in found] == [8 * DAYS + 8 * 4 + number for number in range(3, 8)]


@pytest.mark.parametrize(
    ("dialect", "asked", "days"),
    [
        ("postgresql", "at::date = :day", 1),
        ("postgresql", "at::date < :day", 5),
        ("postgresql", "date_trunc('day', at) >= :day", 16),
        ("postgresql", "date_trunc('hour', at) = :day", 1),
        ("postgresql", "date_trunc('month', at) > :day", 16),
        ("mysql", "DATE(at) = :day", 1),
        ("mysql", "DATE(at) BETWEEN '2026-03-02' AND :day", 4),
    ],
)
def test_days_bound_buckets(dialect: str, asked: str, days: int, made: Proposal, database: Database[Any]) -> None:
    """What is compared with the beginning of a calendar unit lies in it; a day's end may lie in one bucket more."""
    read = pipeline.convert(replace(made, dialect=dialect), f"SELECT id FROM reading WHERE sensor = 1 AND {asked}")
    assert isinstance(read, CompiledRead)
    examined, bounds = explained(read, {"day": START + timedelta(days=4)}, database)
    assert examined == days
    assert "MinKey, MaxKey" not in bounds
