"""`--milliseconds`: moments that are finer in the source become dates, by one cut at every way in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.fraction import Fraction
from nestling.ir.model import Attribute
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from tests.beside_mariadb import beside_mariadb
from tests.planner.reads.beside_postgresql import created

CUT = Fraction(3, cut=True, source_is_finer=True)
LATE, EARLY = (datetime.fromisoformat(text) for text in ("2024-01-31 23:59:59.999999", "1960-01-01 10:00:00.001001"))
WORKLOAD = """
-- name: newest, rate: 10/s
SELECT id, at FROM event WHERE thing_id = :thing AND at >= :since ORDER BY at DESC, id DESC LIMIT 2;
-- name: latest, rate: 1/s
SELECT thing_id, max(at) AS latest FROM event GROUP BY thing_id ORDER BY thing_id;
-- name: happen, rate: 5/s
INSERT INTO event (id, thing_id, at, stamp) VALUES (:id, :thing, :at, :stamp);
"""
POSTGRESQL = """
CREATE TABLE thing (id int PRIMARY KEY, made timestamptz NOT NULL UNIQUE);
CREATE TABLE event (id int PRIMARY KEY, thing_id int NOT NULL REFERENCES thing, at timestamp NOT NULL, stamp timestamptz,
  whole timestamp, digits timestamp(3), empty timestamptz);
INSERT INTO thing VALUES (1, '2024-01-01 10:00:00.123456Z'), (2, '2024-01-01 10:00:00.123457Z');
INSERT INTO event VALUES
  (1, 1, '2024-01-31 23:59:59.999999', '1960-01-01 10:00:00.001001Z', '2024-01-01', '2024-01-01 00:00:00.5', NULL),
  (2, 1, '2024-01-31 23:59:59.999111', 'infinity', NULL, NULL, NULL),
  (3, 2, '1960-01-01 10:00:00.001001', NULL, NULL, NULL, NULL);
"""
MARIADB = """
CREATE TABLE thing (id int PRIMARY KEY, made datetime(6) NOT NULL UNIQUE);
CREATE TABLE event (id int PRIMARY KEY, thing_id int NOT NULL, at datetime(6) NOT NULL, stamp timestamp(6) NULL, whole datetime,
  FOREIGN KEY (thing_id) REFERENCES thing (id));
INSERT INTO thing VALUES (1, '2024-01-01 10:00:00.123456'), (2, '2024-01-01 10:00:00.123457');
INSERT INTO event VALUES (1, 1, '2024-01-31 23:59:59.999999', '2024-01-31 23:59:59.999999', '2024-01-01'),
  (2, 1, '2024-01-31 23:59:59.999111', NULL, NULL), (3, 2, '1960-01-01 10:00:00.001001', NULL, NULL);
"""
SQLITE = """
CREATE TABLE thing (id int PRIMARY KEY NOT NULL, made timestamp NOT NULL UNIQUE);
CREATE TABLE event (id int PRIMARY KEY NOT NULL, thing_id int NOT NULL REFERENCES thing, at timestamp NOT NULL, stamp timestamp,
  whole timestamp, mixed timestamp);
INSERT INTO thing VALUES (1, '2024-01-01 10:00:00.123456'), (2, '2024-01-01 10:00:00.123457');
INSERT INTO event VALUES
  (1, 1, '2024-01-31 23:59:59.999999', '2024-01-31 23:59:59.999999', '2024-01-01 00:00:00', '2024-01-01 00:00:00.123456'),
  (2, 1, '2024-01-31 23:59:59.999111', NULL, NULL, '2024-01-01 00:00:00'), (3, 2, '1960-01-01 10:00:00.001001', NULL, NULL, NULL);
"""


def _designed(url: str, tmp_path: Path, client: MongoClient[dict[str, Any]]) -> tuple[Reading, Proposal, Database[Any]]:
    """Read with milliseconds, designed, loaded and verified."""
    statements = tmp_path / "workload.sql"
    statements.write_text(WORKLOAD)
    reading = pipeline.inspect(url, workload=statements, milliseconds=True)
    proposal = pipeline.design(reading)
    database = client[f"ms_{tmp_path.name}"]
    done = pipeline.load(proposal, url, database, mode=pipeline.LoadMode.REPLACE)
    assert done.verified is not None
    assert done.verified.equal, done.verified
    return reading, proposal, database


def _attribute(reading: Reading, entity: str, name: str) -> Attribute:
    return reading.model.entity(entity).attribute(name)


def _asked(proposal: Proposal, database: Database[Any], tmp_path: Path) -> None:
    """Reads and a write of the application: moments come as dates of milliseconds, and one of microseconds is taken, cut."""
    store = Store(proposal, database, workload=tmp_path / "workload.sql")
    found = store.run("newest", thing=1, since=LATE.replace(hour=0))
    kept = LATE.replace(microsecond=999_000)
    assert [(row["id"], row["at"]) for row in found] == [(2, kept), (1, kept)]
    store.run("happen", id=4, thing=2, at=LATE, stamp=None)
    assert [(row["thing_id"], row["latest"]) for row in store.run("latest")] == [(1, kept), (2, kept)]


@pytest.fixture
def from_postgresql(postgresql: str) -> Iterator[str]:
    """The address of the tables."""
    _, url, engine = created(postgresql, POSTGRESQL)
    yield url
    engine.dispose()


def test_moments_of_postgresql(from_postgresql: str, tmp_path: Path, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """Plain columns are cut, whatever they hold yet; those that are fine already and keys are left; infinity stays."""
    reading, proposal, database = _designed(from_postgresql, tmp_path, mongo_client)
    cut = {name: _attribute(reading, "event", name).fraction for name in ("at", "stamp", "whole", "empty")}
    assert cut == dict.fromkeys(cut, CUT)
    assert _attribute(reading, "event", "digits").fraction == Fraction(3)
    assert _attribute(reading, "thing", "made").fraction is None
    assert any("`event.at`" in note and "cut off" in note for note in reading.notes)
    assert any("`thing.made` has microseconds" in note and "keys" in note for note in reading.notes)
    _asked(proposal, database, tmp_path)
    stamps = [row["stamp"] for row in Store(proposal, database).execute("SELECT stamp FROM event ORDER BY id")]
    assert stamps == [EARLY.replace(microsecond=1_000, tzinfo=UTC), "infinity", None, None]
    assert pipeline.verify(proposal, from_postgresql, database).equal is False  # the row that was written since


@pytest.mark.thorough
def test_moments_of_mariadb(mariadb: str, tmp_path: Path, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """The same, with dates before 1970."""
    with beside_mariadb(mariadb, mongo_client[f"ms_texts_{tmp_path.name}"], MARIADB, "normalized") as both:
        reading, proposal, database = _designed(both.address, tmp_path, mongo_client)
    assert _attribute(reading, "event", "at").fraction == CUT
    assert _attribute(reading, "event", "whole").fraction == Fraction(0, cut=True)
    _asked(proposal, database, tmp_path)


@pytest.mark.thorough
def test_moments_of_sqlite(tmp_path: Path, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """The texts of six digits; columns of whole seconds are left, and so are those that hold several kinds of text."""
    path = tmp_path / "app.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SQLITE)
    reading, proposal, database = _designed(f"sqlite:///{path}", tmp_path, mongo_client)
    assert (_attribute(reading, "event", "at").fraction, _attribute(reading, "event", "stamp").fraction) == (CUT, CUT)
    assert _attribute(reading, "event", "whole").fraction is None
    assert _attribute(reading, "event", "mixed").fraction is None
    _asked(proposal, database, tmp_path)
    store = Store(proposal, database)
    store.execute("UPDATE event SET stamp = '2024-01-31 23:59:59.999999' WHERE id = 3")
    store.execute("UPDATE event SET stamp = :at WHERE id = 2", at="2024-01-31 23:59:59.123987")
    stamps = [row["stamp"] for row in store.execute("SELECT stamp FROM event WHERE id IN (2, 3) ORDER BY id")]
    assert stamps == [LATE.replace(microsecond=123_000), LATE.replace(microsecond=999_000)]


@pytest.mark.thorough
def test_emitted_functions_cut_as_well(tmp_path: Path, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """They have the conversion in themselves: of a datetime, and of a text of six digits."""
    path = tmp_path / "app.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SQLITE)
    _, proposal, database = _designed(f"sqlite:///{path}", tmp_path, mongo_client)
    made: dict[str, Any] = {}
    exec(pipeline.queries_module(proposal, tmp_path / "workload.sql")[0], made)
    for number, at in enumerate((LATE, "2024-01-31 23:59:59.999999"), 10):
        made["happen"](database, id=number, thing=1, at=at, stamp=None)
    events = [event for event in made["newest"](database, thing=1, since=LATE.replace(hour=0)) if event["id"] >= 10]
    assert [event["at"] for event in events] == [LATE.replace(microsecond=999_000)] * 2


def test_the_first_note_says_what_to_do(tmp_path: Path) -> None:
    """That moments become texts is said before anything else, and begins with the option that makes them dates."""
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection, connection:
        connection.executescript(SQLITE)
    first, *others = pipeline.inspect(f"sqlite:///{tmp_path / 'events.db'}").notes
    assert others
    assert first.startswith("use --milliseconds if milliseconds are enough: `")
    assert "microseconds" in first
