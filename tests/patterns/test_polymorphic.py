"""Subtypes share one collection where they are read together with what they share, and stay apart where only they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.ir.proposal import Proposal
from nestling.ir.statements.clause import Clause, ClauseOperator
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE vehicle (id INTEGER PRIMARY KEY, make TEXT NOT NULL);
CREATE TABLE car (id INTEGER PRIMARY KEY REFERENCES vehicle (id), doors INTEGER NOT NULL);
CREATE TABLE truck (id INTEGER PRIMARY KEY REFERENCES vehicle (id), payload INTEGER NOT NULL, axles INTEGER NOT NULL);"""
WORKLOAD = """
-- name: truck_page, rate: 100/s
-- params: {"id": 30}
SELECT v.make, t.payload, t.axles FROM vehicle v JOIN truck t ON t.id = v.id WHERE v.id = :id;

-- name: strong_trucks, rate: 100/s
-- params: {"least": 950}
SELECT v.make, t.payload FROM truck t JOIN vehicle v ON v.id = t.id WHERE t.payload >= :least;

-- name: car_page, rate: 100/s
-- params: {"id": 31}
SELECT v.make, c.doors FROM vehicle v JOIN car c ON c.id = v.id WHERE v.id = :id;
"""
APART = """
-- name: makes, rate: 100/s
SELECT make, count(*) FROM vehicle GROUP BY make;

-- name: trucks, rate: 1000/s
-- params: {"axles": 3}
SELECT sum(payload) FROM truck WHERE axles <> :axles;
"""


def vehicles(folder: Path, workload: str) -> Scenario:
    """A thousand vehicles, a tenth of them trucks."""
    trucks = [n for n in range(1000) if n % 10 == 0]
    return scenario(
        folder,
        DDL,
        {
            "vehicle": [(n, f"make {n % 7}") for n in range(1000)],
            "car": [(n, 3 + n % 3) for n in range(1000) if n % 10],
            "truck": [(n, n, 2 + n % 3) for n in trucks],
        },
        workload,
    )


def subtypes(proposal: Proposal) -> dict[str, str]:
    """Relationship to discriminator value, of whatever is inline."""
    return {name: value for c in proposal.design.collections if c.variant for name, value in c.variant.subtypes}


def test_subtypes_read_with_their_supertype_share_its_collection(
    tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """One collection, a discriminator, and an index on payload that holds trucks only."""
    application = vehicles(tmp_path, WORKLOAD)
    proposal = application.designed()
    assert set(subtypes(proposal).values()) == {"car", "truck"}
    partial = [index for index in proposal.design.indexes if index.partial]
    assert [(index.keys[0][0], index.partial) for index in partial] == [
        ("payload", (Clause("type", ClauseOperator.EQUAL, "truck"),))
    ]
    assert "look up" not in application.compiled(proposal, "strong_trucks").access_path
    application.proved(proposal, database)


def test_subtypes_read_alone_stay_apart(tmp_path: Path) -> None:
    """Going through all vehicles for the trucks among them would read ten documents for one."""
    assert "truck" not in subtypes(vehicles(tmp_path, APART).designed()).values()
