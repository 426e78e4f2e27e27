"""A host that the application calls read only, with its messages, needs no collection; any other keeps it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.drift import DriftKind
from nestling.ir.programs.compiled import NotCompiled
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE host (name TEXT PRIMARY KEY, address TEXT NOT NULL);
CREATE TABLE day (at DATE PRIMARY KEY);
CREATE TABLE message (id INTEGER PRIMARY KEY, host TEXT NOT NULL REFERENCES host (name), text TEXT NOT NULL,
    at DATE REFERENCES day (at) ON DELETE CASCADE);"""
READ_ONLY = "-- read only: host, message\n"
SHOWN = """
-- name: shown, rate: 100/s
-- params: {"id": 7}
SELECT m.text, h.name, h.address FROM message m JOIN host h ON h.name = m.host WHERE m.id = :id;
"""
VISITED = """
-- name: visited, rate: 1/s
-- params: {"at": "2026-01-02"}
INSERT INTO day (at) VALUES (:at);
"""
LOOKED_UP = """
-- name: looked_up, rate: 100/s
-- params: {"name": "host 3"}
SELECT address FROM host WHERE name = :name;
"""
MOVED = """
-- name: moved, rate: 100/s
-- params: {"name": "host 3", "address": "::1"}
UPDATE host SET address = :address WHERE name = :name;
"""
FORGOTTEN = """
-- name: forgotten, rate: 1/h
-- params: {"at": "2026-01-01"}
DELETE FROM day WHERE at = :at;
"""


def messages(folder: Path, workload: str) -> Scenario:
    """A thousand messages of ten hosts, one of which is silent."""
    hosts = [(f"host {n}", f"127.0.0.{n}") for n in range(10)]
    rows = [(n, f"host {n % 9}", f"message {n}", "2026-01-01") for n in range(1000)]
    return scenario(folder, DDL, {"host": hosts, "day": [("2026-01-01",)], "message": rows}, workload)


def roots(application: Scenario) -> set[str]:
    """The entities with a collection of their own."""
    return {each.root for each in application.designed().design.collections}


@pytest.mark.thorough
def test_hosts_are_in_their_messages_alone(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """No collection of hosts; the silent one is in a collection of its own kind, and every row comes back."""
    application = messages(tmp_path, READ_ONLY + SHOWN + VISITED)
    proposal = application.designed()
    assert {each.root for each in proposal.design.collections} == {"message", "day"}
    assert "look up" not in application.compiled(proposal, "shown").access_path
    application.proved(proposal, database)


@pytest.mark.thorough
def test_copies_that_contradict_each_other_are_found(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """No collection says which is right: the check names the host."""
    application = messages(tmp_path, READ_ONLY + SHOWN + VISITED)
    proposal = application.designed()
    application.proved(proposal, database)
    assert pipeline.check(proposal, database).clean
    database["message"].update_one({"_id": 7}, {"$set": {"host_2.address": "::1"}})
    for since in (None, datetime.now(UTC) - timedelta(minutes=1)):
        (found,) = pipeline.check(proposal, database, since=since).findings
        assert (found.kind, found.id, found.path) == (DriftKind.DUPLICATE, "host 7", "host_2")
        assert "make all copies of one `host` agree" in found.next_move
    database["message"].update_many({"host": "host 7"}, {"$set": {"host_2.address": "::1"}})
    assert pipeline.check(proposal, database).clean


def test_hosts_that_nobody_called_read_only_keep_their_collection(tmp_path: Path) -> None:
    """A workload that names no write of theirs is no promise that there is none."""
    assert "host" in roots(messages(tmp_path, SHOWN + VISITED))
    assert "host" in roots(messages(tmp_path, "-- read only: host\n" + SHOWN + VISITED))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("besides", [LOOKED_UP, MOVED, FORGOTTEN])
def test_hosts_that_are_looked_up_or_change_keep_their_collection(tmp_path: Path, besides: str) -> None:
    """Finding one host would go through all messages; a write of theirs, or one that takes messages along, could not be made."""
    application = messages(tmp_path, READ_ONLY + SHOWN + besides)
    proposal = application.designed()
    assert "host" in {each.root for each in proposal.design.collections}
    for statement in application.reading.workload.statements:
        found = pipeline.convert(proposal, statement.sql, name=statement.name, dialect="sqlite")
        assert not isinstance(found, NotCompiled), found


def test_a_write_of_what_is_read_only_is_told(tmp_path: Path) -> None:
    """The workload contradicts itself: the gap names the entity, the statement and its line."""
    [gap] = messages(tmp_path, READ_ONLY + SHOWN + MOVED).reading.gaps
    assert gap.what == "read only: `host` is written by statement `moved`"


def test_what_it_saves_and_makes_impossible_is_told(tmp_path: Path) -> None:
    """The figure is that of the host's homes: what the cheapest other one would cost more; the price is what nobody can write."""
    weighed = messages(tmp_path, READ_ONLY + SHOWN + VISITED).explained().weighed
    [dropped] = [each for each in weighed if each.structure == "host in each message only"]
    assert dropped.chosen
    assert dropped.gain is not None
    assert dropped.gain > 0
    assert dropped.price == (
        "`host` can no longer be written, and rows of `message` can neither be added, nor removed, nor given another "
        "`host`; rows of `day` cannot be removed either, as those of `message` go with them"
    )
