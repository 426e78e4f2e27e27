"""A host that is only ever shown with its messages needs no collection; one that is looked up or changes keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo.database import Database

from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE host (name TEXT PRIMARY KEY, address TEXT NOT NULL);
CREATE TABLE message (id INTEGER PRIMARY KEY, host TEXT NOT NULL REFERENCES host (name), text TEXT NOT NULL, at DATE);
CREATE TABLE visit (id INTEGER PRIMARY KEY);"""
SHOWN = """
-- name: shown, rate: 100/s
-- params: {"id": 7}
SELECT m.text, h.name, h.address FROM message m JOIN host h ON h.name = m.host WHERE m.id = :id;

-- name: visited, rate: 1/s
-- params: {"id": 1}
INSERT INTO visit (id) VALUES (:id);
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


def messages(folder: Path, workload: str) -> Scenario:
    """A thousand messages of ten hosts, one of which is silent."""
    hosts = [(f"host {n}", f"127.0.0.{n}") for n in range(10)]
    rows = [(n, f"host {n % 9}", f"message {n}", "2026-01-01") for n in range(1000)]
    return scenario(folder, DDL, {"host": hosts, "message": rows, "visit": [(0,)]}, workload)


def roots(application: Scenario) -> set[str]:
    """The entities with a collection of their own."""
    return {each.root for each in application.designed().design.collections}


def test_hosts_are_in_their_messages_alone(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """No collection of hosts; the silent one is in a collection of its own kind, and every row comes back."""
    application = messages(tmp_path, SHOWN)
    proposal = application.designed()
    assert {each.root for each in proposal.design.collections} == {"message", "visit"}
    assert "look up" not in application.compiled(proposal, "shown").access_path
    application.proved(proposal, database)


def test_hosts_that_are_looked_up_or_move_keep_their_collection(tmp_path: Path) -> None:
    """Finding one host would go through all messages; changing it would touch every one."""
    assert "host" in roots(messages(tmp_path, SHOWN + LOOKED_UP))
    assert "host" in roots(messages(tmp_path, SHOWN + MOVED))


def test_what_it_saves_is_told(tmp_path: Path) -> None:
    """The figure is that of the host's homes: what the cheapest other one would cost more."""
    weighed = messages(tmp_path, SHOWN).designed().weighed
    [dropped] = [each for each in weighed if each.structure == "host in each message only"]
    assert dropped.chosen
    assert dropped.gain is not None
    assert dropped.gain > 0
