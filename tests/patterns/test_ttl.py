"""TTL indexes follow from how long rows must be kept, and are left out where a row that goes would leave something wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.proposal import Proposal
from nestling.ir.workload import Requirements
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE entry (id INTEGER PRIMARY KEY, host_id INTEGER NOT NULL REFERENCES host (id), at TIMESTAMP NOT NULL, text TEXT);"""
WORKLOAD = """
-- name: latest, rate: 20/s
-- params: {"host": 3, "since": "2026-01-01 00:00:00"}
SELECT at, text FROM entry WHERE host_id = :host AND at >= :since;

-- name: all_since, rate: 5/s
-- params: {"since": "2020-01-01 00:00:00"}
SELECT host_id, text FROM entry WHERE at >= :since;

-- name: log, rate: 50/s
-- params: {"id": 100001, "host": 3, "at": "2026-01-01 00:00:00", "text": "up"}
INSERT INTO entry (id, host_id, at, text) VALUES (:id, :host, :at, :text);
"""
COUNTED = """
-- name: counted, rate: 500/s
-- params: {"host": 3}
SELECT count(*) FROM entry WHERE host_id = :host;
"""


def log(folder: Path, more: str = "", *, entries: int = 500) -> Scenario:
    """Entries of today and of years to come, so that none goes while the test runs."""
    start = datetime.now(UTC)
    rows = [(n, n % 5, f"{start + timedelta(minutes=n):%Y-%m-%d %H:%M:%S}", f"entry {n}") for n in range(entries)]
    hosts = [(n, f"host {n}") for n in range(5)]
    made = scenario(folder, DDL, {"host": hosts, "entry": rows}, WORKLOAD + more)
    return made.with_requirements(Requirements(retention_days=(("entry", 30.0),)))


def expiring(proposal: Proposal) -> list[tuple[str, int]]:
    """The field and the seconds of each TTL index."""
    return [
        (i.keys[0][0], i.expire_after_seconds) for i in proposal.design.indexes if i.expire_after_seconds is not None
    ]


def test_old_entries_are_removed_by_the_server(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """The index is there beside those that serve, on the server too, and the report says that rows will go."""
    application = log(tmp_path).with_rates(latest=0.001)
    proposal = application.designed()
    assert expiring(proposal) == [("at", 30 * 86_400)]
    assert any("removes rows whose `at` is 30 days old" in note for note in proposal.notes)
    application.proved(proposal, database)
    found = database["entry"].index_information().values()
    assert [index["expireAfterSeconds"] for index in found if "expireAfterSeconds" in index] == [30 * 86_400]


@pytest.mark.thorough
def test_entries_that_are_counted_elsewhere_stay_until_a_statement_removes_them(tmp_path: Path) -> None:
    """A count kept with the host would go wrong: there is no TTL index, and the reason is told."""
    proposal = log(tmp_path, COUNTED, entries=20_000).with_rates(counted=5000.0, log=0.1).designed()
    assert [each.computed for each in (c.body for c in proposal.design.collections) if each.computed]
    assert expiring(proposal) == []
    assert any("copies or computed values elsewhere depend on them" in note for note in proposal.notes)
