"""An index over a foreign key pays where rows that are referred to go: somebody has to look for their children."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
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


@pytest.mark.thorough
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


CHAIN = """
CREATE TABLE region (code INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE shop (region INTEGER NOT NULL REFERENCES region ON DELETE CASCADE ON UPDATE CASCADE,
                   n INTEGER NOT NULL, PRIMARY KEY (region, n));
CREATE TABLE sale (id INTEGER PRIMARY KEY, region INTEGER NOT NULL, n INTEGER NOT NULL, minutes TEXT NOT NULL,
                   FOREIGN KEY (region, n) REFERENCES shop ON DELETE CASCADE ON UPDATE CASCADE);
"""
DEEPER = "index of sale on region, n"


def sales(folder: Path, write: str) -> Scenario:
    """Sales of shops of regions, and a write of regions."""
    text = f"""
-- name: write, rate: 1/s
-- params: {{"code": 3, "new": 700}}
{write};

-- name: shop, rate: 50/s
-- params: {{"id": 7}}
SELECT n FROM sale WHERE id = :id;
"""
    rows: dict[str, list[tuple[object, ...]]] = {
        "region": [(n, "x") for n in range(200)],
        "shop": [(n // 4, n % 4) for n in range(800)],
        "sale": [(n, n // 5 // 4, n // 5 % 4, "x" * 400) for n in range(4_000)],
    }
    return scenario(folder, CHAIN, rows, text)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "write",
    ["DELETE FROM region WHERE code = :code", "UPDATE region SET code = :new WHERE code = :code"],
    ids=["gone", "changed"],
)
def test_children_of_children_are_found_by_one_too(
    tmp_path: Path, database: Database[dict[str, Any]], write: str
) -> None:
    """Rows that go with those that go along are not read one after the other, and none is split to make that cheaper."""
    application = sales(tmp_path, write)
    proposal = application.designed()
    assert DEEPER in chosen(proposal, "compound-index")
    assert not chosen(proposal, "split")
    application.proved(proposal, database)


def test_they_are_not_looked_for_where_nothing_goes(tmp_path: Path) -> None:
    """A name refers to nothing."""
    weighed = sales(tmp_path, "UPDATE region SET name = :new WHERE code = :code").designed().weighed
    assert not [each for each in weighed if each.structure == DEEPER]
