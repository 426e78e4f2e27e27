"""Every document carries the version of its form, where one is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.proposal import Proposal
from nestling.ir.workload import Requirements
from nestling.pipeline.migrating import migrate
from nestling.store import Store
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE policy (id INTEGER PRIMARY KEY, holder TEXT NOT NULL, schema_version TEXT);
CREATE TABLE revision (policy_id INTEGER NOT NULL REFERENCES policy (id), number INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (policy_id, number));"""
WORKLOAD = """
-- name: current, rate: 1000/s
-- params: {"id": 3}
SELECT number, text FROM revision WHERE policy_id = :id ORDER BY number DESC LIMIT 1;

-- name: about, rate: 20/s
-- params: {"text": "clause 7 clause 7 clause 7 clause 7 clause 7 clause 7 clause 7 clause 7 clause 7 clause 7 "}
SELECT policy_id, number FROM revision WHERE text = :text;

-- name: revised, rate: 1/s
-- params: {"id": 3, "number": 1000, "text": "another clause"}
INSERT INTO revision (policy_id, number, text) VALUES (:id, :number, :text);
"""


def policies(folder: Path, version: int | None = None) -> Scenario:
    """Thirty policies of twenty revisions each."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "policy": [(n, f"holder {n}", f"edition {n}") for n in range(30)],
        "revision": [(n, number, f"clause {(n + number) % 60} " * 10) for n in range(30) for number in range(20)],
    }
    return scenario(folder, DDL, rows, WORKLOAD).with_requirements(Requirements(schema_version=version))


def constants(proposal: Proposal) -> dict[str, tuple[tuple[str, str | int], ...]]:
    """The constants of each collection."""
    return {each.name: each.constants for each in proposal.design.collections}


def test_every_document_says_its_version_when_asked(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """In a field of a name that is free, in documents that are loaded and inserted; without the requirement in none."""
    assert set(constants(policies(tmp_path).designed()).values()) == {()}
    application = policies(tmp_path, version=2)
    proposal = application.designed()
    assert constants(proposal)["policy"] == (("schema_version_2", 2),)
    application.proved(proposal, database)
    store = Store(proposal, database, workload=application.reading.workload)
    store.execute("INSERT INTO policy (id, holder) VALUES (:id, :holder)", id=1000, holder="somebody")
    assert database["policy"].count_documents({"schema_version_2": 2}) == 31
    assert pipeline.check(proposal, database).clean


@pytest.mark.thorough
def test_a_migration_brings_documents_to_the_next_version(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Documents of the first version are made anew as the second says, and nothing is lost."""
    first, second = (policies(tmp_path, version=number).designed() for number in (1, 2))
    pipeline.load(first, policies(tmp_path).address, database)
    assert database["revision"].count_documents({"schema_version": 1}) == 600
    report = migrate(first, second, database, offline=True, cutover=True)
    assert database["revision"].count_documents({"schema_version": 2}) == 600
    assert report.equal
