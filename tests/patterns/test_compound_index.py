"""An index over a foreign key pays where rows that are referred to go: somebody has to look for their children."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.ir.programs.program import CompiledWrite
from nestling.pipeline import convert
from tests.patterns.scenario import Scenario, chosen, scenario

DDL = """
CREATE TABLE visit (doctor INTEGER NOT NULL, at TIMESTAMP NOT NULL, note TEXT, PRIMARY KEY (doctor, at));
CREATE TABLE bill (id INTEGER PRIMARY KEY, doctor INTEGER, at TIMESTAMP, amount INTEGER NOT NULL,
                   FOREIGN KEY (doctor, at) REFERENCES visit (doctor, at));
"""
WORKLOAD = """
-- name: cancel, rate: 5/s
-- params: {"doctor": 3, "at": "2026-01-01 03:00:00"}
DELETE FROM visit WHERE doctor = :doctor AND at = :at;

-- name: amount, rate: 50/s
-- params: {"id": 7}
SELECT amount FROM bill WHERE id = :id;
"""
INDEX = "index of bill on doctor, at"


def visits(folder: Path, workload: str = WORKLOAD) -> Scenario:
    """Bills of the first half of the visits."""
    moments = [f"2026-01-{1 + n // 24:02d} {n % 24:02d}:00:00" for n in range(200)]
    rows: dict[str, list[tuple[object, ...]]] = {
        "visit": [(n % 10, moments[n], "x") for n in range(200)],
        "bill": [(n, n % 10, moments[n], n) for n in range(100)],
    }
    return scenario(folder, DDL, rows, workload).with_counts(visit=20_000, bill=40_000)


def test_children_are_found_by_it(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """It is chosen, the DELETE asks for the children by what it says of the parent, and what is left is SQLite's."""
    application = visits(tmp_path)
    proposal = application.designed()
    assert chosen(proposal, "compound-index") == [INDEX]
    write = convert(proposal, "DELETE FROM visit WHERE doctor = :doctor AND at = :at", dialect="sqlite")
    assert isinstance(write, CompiledWrite), write
    assert "where bill.doctor = :doctor and bill.at = :at" in write.access_path
    assert "look up" not in write.access_path
    application.proved(proposal, database)


def test_nobody_looks_for_them(tmp_path: Path) -> None:
    """Without the DELETE nothing wants it."""
    reads = WORKLOAD[WORKLOAD.index("-- name: amount") :]
    assert not [each for each in visits(tmp_path, reads).designed().weighed if each.structure == INDEX]
