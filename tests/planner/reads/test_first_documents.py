"""The newest rows of arrays, and the first of a series in buckets, are read out of the first documents: the same as SQLite's."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.executors.write import run_write
from nestling.ir.design import Design
from nestling.ir.primitives import Bucket, Collection, Document, Embedding, Form, Holder, Index, Reference
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from tests.patterns.scenario import Scenario, scenario

TABLES = """
CREATE TABLE post (id INTEGER PRIMARY KEY NOT NULL);
CREATE TABLE note (id INTEGER PRIMARY KEY NOT NULL, post_id INTEGER NOT NULL REFERENCES post (id), at INTEGER NOT NULL UNIQUE,
  rank INTEGER UNIQUE);
CREATE TABLE vote (id INTEGER PRIMARY KEY NOT NULL, note_id INTEGER NOT NULL REFERENCES note (id), at INTEGER NOT NULL UNIQUE);
"""
POSTS, NOTES, VOTES = 60, 200, 300


@pytest.fixture
def small(tmp_path: Path) -> Scenario:
    """Posts, half of them without notes; some notes have no rank."""
    chance = random.Random(7)
    times = chance.sample(range(10_000), NOTES + VOTES)
    notes = [
        (n, 2 * chance.randrange(POSTS // 2) + 1, times[n], None if chance.random() < 0.3 else n) for n in range(NOTES)
    ]
    votes = [(n, chance.randrange(NOTES), times[NOTES + n]) for n in range(VOTES)]
    return scenario(tmp_path, TABLES, {"post": [(n,) for n in range(1, POSTS + 1)], "note": notes, "vote": votes}, "")


@pytest.fixture
def made(small: Scenario, database: Database[Any]) -> Proposal:
    """Votes in notes in posts."""
    votes = Embedding("votes", "note_vote", Form.ARRAY, Document("vote"))
    notes = Embedding("notes", "post_note", Form.ARRAY, Document("note", embeddings=(votes,)))
    homes = (Collection("post", Document("post", embeddings=(notes,)), ("id",)),)
    indexes = (Index("post", (("notes.at", 1),)), Index("post", (("notes.votes.at", 1),)))
    proposal = Proposal("by hand", Design(small.reading.model, homes, indexes), dialect="sqlite")
    pipeline.load(proposal, small.address, database)
    return proposal


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("sql", "is_few"),
    [
        ("SELECT id, at FROM note ORDER BY at DESC LIMIT 1", True),
        ("SELECT id, at FROM note ORDER BY at DESC LIMIT 5 OFFSET 3", True),
        ("SELECT id, at FROM note ORDER BY at DESC LIMIT -1 OFFSET 3", False),
        ("SELECT id FROM vote ORDER BY at DESC LIMIT 4", True),
        ("SELECT id FROM note ORDER BY id DESC LIMIT 1", True),
        ("SELECT id FROM note ORDER BY at DESC LIMIT 1000", False),
        ("SELECT id FROM note ORDER BY at LIMIT 5", False),
        ("SELECT id, rank FROM note ORDER BY rank DESC LIMIT 5", False),
        ("SELECT id FROM note WHERE rank IS NULL ORDER BY at DESC LIMIT 5", False),
    ],
)
def test_the_same_rows_of_few_documents(
    sql: str, is_few: bool, small: Scenario, made: Proposal, database: Database[Any]
) -> None:
    """Descending, of values that are never NULL, up to a hundred; anything else reads all documents, and answers as well."""
    read = pipeline.convert(made, sql)
    assert isinstance(read, CompiledRead)
    with closing(sqlite3.connect(small.address.removeprefix("sqlite:///"))) as connection:
        expected = connection.execute(sql).fetchall()
    assert list(run_read(database, read)) == expected
    command: dict[str, Any] = {"aggregate": read.collection, "pipeline": list(read.pipeline), "cursor": {}}
    told = database.command("explain", command, verbosity="executionStats")
    first = told["stages"][0]["$cursor"] if "stages" in told else told
    examined = first["executionStats"]["totalDocsExamined"]
    assert (examined < POSTS / 4) is is_few


EVENTS = """
CREATE TABLE sensor (id INTEGER PRIMARY KEY NOT NULL);
CREATE TABLE reading (sensor_id INTEGER NOT NULL REFERENCES sensor (id), at INTEGER NOT NULL, value INTEGER NOT NULL,
  rank INTEGER, PRIMARY KEY (sensor_id, at));
"""
SENSORS, TIMES = 3, 400


@pytest.fixture
def series(tmp_path: Path) -> Scenario:
    """Readings of three sensors, with times in no order."""
    chance = random.Random(11)
    rows = [(s, at, chance.randrange(9), None) for s in range(SENSORS) for at in chance.sample(range(10_000), TIMES)]
    return scenario(tmp_path, EVENTS, {"sensor": [(n,) for n in range(SENSORS)], "reading": rows}, "")


@pytest.fixture
def buckets(series: Scenario, database: Database[Any]) -> Proposal:
    """Four readings of one sensor in each."""
    homes = (
        Collection("sensor", Document("sensor"), ("id",)),
        Collection(
            "reading",
            Document("reading", references=(Reference("sensor_reading", Holder.CHILD),)),
            (),
            bucket=Bucket(("sensor_id",), "events", 4),
        ),
    )
    proposal = Proposal(
        "by hand",
        Design(series.reading.model, homes, (Index("reading", (("sensor_id", 1), ("events.at", 1))),)),
        dialect="sqlite",
    )
    pipeline.load(proposal, series.address, database)
    return proposal


NEWEST = "SELECT at, value FROM reading WHERE sensor_id = :sensor"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("sql", "is_few"),
    [
        (f"{NEWEST} ORDER BY at DESC LIMIT 1", True),
        (f"{NEWEST} ORDER BY at DESC LIMIT 5", True),
        (f"{NEWEST} ORDER BY at DESC LIMIT 5 OFFSET 7", True),
        (f"{NEWEST} ORDER BY at DESC LIMIT -1 OFFSET 7", False),
        (f"{NEWEST} ORDER BY at LIMIT 5", True),
        (f"{NEWEST} ORDER BY at LIMIT 5 OFFSET 7", True),
        ("SELECT max(at) FROM reading WHERE sensor_id = :sensor", True),
        ("SELECT min(at) FROM reading WHERE sensor_id = :sensor", True),
        ("SELECT min(at), max(at) FROM reading WHERE sensor_id = :sensor", False),
        ("SELECT max(at) FROM reading WHERE sensor_id = :sensor AND value > 3", False),
        ("SELECT min(rank) FROM reading WHERE sensor_id = :sensor", False),
        (f"{NEWEST} ORDER BY rank, at LIMIT 5", False),
        (f"{NEWEST} ORDER BY value DESC, at LIMIT 5", False),
        (f"{NEWEST} AND value > 3 ORDER BY at DESC LIMIT 5", False),
        (f"{NEWEST} AND value = 3 ORDER BY at DESC LIMIT 5", False),
        (f"{NEWEST} AND rank IS NULL ORDER BY at DESC LIMIT 5", False),
    ],
)
def test_the_newest_of_a_series_of_buckets(
    sql: str, is_few: bool, series: Scenario, buckets: Proposal, database: Database[Any]
) -> None:
    """Out of as many buckets as rows are asked for, by an index, though late events came into buckets that had room; what
    events are asked for leaves none out.
    """
    chance = random.Random(13)
    with closing(sqlite3.connect(series.address.removeprefix("sqlite:///"))) as connection:
        add = pipeline.convert(buckets, "INSERT INTO reading (sensor_id, at, value) VALUES (:s, :at, :v)")
        remove = pipeline.convert(buckets, "DELETE FROM reading WHERE sensor_id = :s AND at = :at")
        assert isinstance(add, CompiledWrite)
        assert isinstance(remove, CompiledWrite)
        for number, at in enumerate(chance.sample(range(10_000, 30_000), 60)):
            values = {"s": number % SENSORS, "at": at, "v": number % 9}
            run_write(database, add, values)
            connection.execute("INSERT INTO reading (sensor_id, at, value) VALUES (:s, :at, :v)", values)
            if number % 3 == 0:
                (at,) = connection.execute(
                    "SELECT at FROM reading WHERE sensor_id = ? ORDER BY random()", [number % SENSORS]
                ).fetchone()
                run_write(database, remove, {"s": number % SENSORS, "at": at})
                connection.execute("DELETE FROM reading WHERE sensor_id = ? AND at = ?", [number % SENSORS, at])
        read = pipeline.convert(buckets, sql)
        assert isinstance(read, CompiledRead)
        for sensor in range(SENSORS + 1):
            expected = connection.execute(sql, {"sensor": sensor}).fetchall()
            assert list(run_read(database, read, {"sensor": sensor})) == expected
    stages = [{"$match": {"sensor_id": 1}}, *read.pipeline[1:]]
    first, second = stages[1:3]
    assert (first in ({"$sort": {"events.at": -1}}, {"$sort": {"events.at": 1}})) is is_few
    if is_few and "OFFSET" in sql:
        assert second == {"$limit": 12}
    if is_few:
        command: dict[str, Any] = {"aggregate": read.collection, "pipeline": stages, "cursor": {}}
        told = database.command("explain", command, verbosity="executionStats")
        first = told["stages"][0]["$cursor"] if "stages" in told else told
        assert first["executionStats"]["totalDocsExamined"] <= 12


ZONED = """
nestling: 1
dialect: postgresql
model:
  name: tele
  entities:
    reading: {key: [sensor, at], attributes: {sensor: integer!, at: timestamptz!, precise: timestamptz(6)!, value: float!}}
"""


@pytest.mark.parametrize(
    ("sql", "is_few"),
    [
        ("SELECT at, value FROM reading WHERE sensor = :s ORDER BY at DESC LIMIT 1", True),
        ("SELECT max(at) FROM reading WHERE sensor = :s", True),
        ("SELECT value FROM reading WHERE sensor = :s ORDER BY precise DESC LIMIT 1", False),
        ("SELECT count(*) FROM reading WHERE sensor = :s", False),
    ],
)
def test_instants_of_a_series(sql: str, is_few: bool, tmp_path: Path) -> None:
    """Moments with a zone are in one order as well, where a date holds them."""
    path = tmp_path / "tele.yaml"
    path.write_text(ZONED, encoding="utf-8")
    homes = (Collection("reading", Document("reading"), (), bucket=Bucket(("sensor",), "events", 4)),)
    read = pipeline.convert(
        Proposal("by hand", Design(pipeline.inspect(str(path)).model, homes), dialect="postgresql"), sql
    )
    assert isinstance(read, CompiledRead)
    assert ([next(iter(stage)) for stage in read.pipeline[:4]] == ["$match", "$sort", "$limit", "$unwind"]) is is_few
