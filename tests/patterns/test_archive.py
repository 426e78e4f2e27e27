"""Old rows lie in a collection of their own where that is asked for, and every statement finds them all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.proposal import Proposal
from nestling.ir.workload import Requirements
from nestling.store import Store
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id), placed TIMESTAMP,
    total INTEGER NOT NULL);
CREATE TABLE line (purchase_id INTEGER NOT NULL REFERENCES purchase (id), number INTEGER NOT NULL, what TEXT NOT NULL,
    PRIMARY KEY (purchase_id, number));"""
WORKLOAD = """
-- name: recent, rate: 300/s
-- params: {"customer": 3, "since": "2026-01-01 00:00:00"}
SELECT p.id, p.total, l.what FROM purchase p JOIN line l ON l.purchase_id = p.id
WHERE p.customer_id = :customer AND p.placed >= :since;

-- name: one, rate: 10/s
-- params: {"id": 3}
SELECT p.placed, c.name FROM purchase p JOIN customer c ON c.id = p.customer_id WHERE p.id = :id;

-- name: sold, rate: 1/s
SELECT count(*), sum(total) FROM purchase;

-- name: buy, rate: 5/s
-- params: {"id": 9001, "customer": 3, "at": "2026-03-01 00:00:00", "total": 5}
INSERT INTO purchase (id, customer_id, placed, total) VALUES (:id, :customer, :at, :total);

-- name: dated, rate: 1/day
-- params: {"id": 3, "at": "2025-03-01 00:00:00"}
UPDATE purchase SET placed = :at WHERE id = :id;
"""
WRITES_LINES = """
-- name: add_line, rate: 50/s
-- params: {"purchase": 3, "number": 9, "what": "thing 9"}
INSERT INTO line (purchase_id, number, what) VALUES (:purchase, :number, :what);
"""
ARCHIVE = (("purchase", "placed", "2026-01-01"),)


def purchases(folder: Path, further: str = "") -> Scenario:
    """Nine of ten purchases are of earlier years; one has no date."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "customer": [(n, f"customer {n}") for n in range(20)],
        "purchase": [
            (n, n % 20, f"{2026 if n % 7 == 0 else 2020 + n % 5}-02-03 04:05:06" if n else None, n) for n in range(400)
        ],
        "line": [(n, number, f"thing {number}") for n in range(400) for number in range(2)],
    }
    return scenario(folder, DDL, rows, WORKLOAD + further).with_requirements(Requirements(archive=ARCHIVE))


def archived(proposal: Proposal) -> list[str]:
    """The collections of old rows."""
    return [split.collection for each in proposal.design.collections for split in each.splits if split.rows is not None]


@pytest.mark.thorough
def test_old_rows_lie_apart_and_are_found(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Reads unite both collections by the same indexes; rows that are written go where they belong, and move when they must."""
    application = purchases(tmp_path)
    proposal = application.designed()
    assert archived(proposal) == ["purchase_archive"]
    assert any("read both" in note for note in proposal.notes)
    application.proved(proposal, database)
    hot, old = (database[name].estimated_document_count() for name in ("purchase", "purchase_archive"))
    assert (hot, old) == (58, 342)
    indexed = {each.keys for each in proposal.design.indexes if each.collection == "purchase"}
    assert indexed == {each.keys for each in proposal.design.indexes if each.collection == "purchase_archive"}
    store = Store(proposal, database, workload=application.reading.workload)
    store.run("buy", id=9001, customer=3, at="2026-03-01 00:00:00", total=5)
    store.run("dated", id=9001, at="2025-03-01 00:00:00")
    assert database["purchase_archive"].count_documents({"_id": 9001}) == 1
    assert database["purchase"].count_documents({"_id": 9001}) == 0
    assert pipeline.check(proposal, database).clean


def test_rows_inside_others_have_no_archive(tmp_path: Path) -> None:
    """Lines lie in their purchases: the design says why there is none."""
    application = purchases(tmp_path, WRITES_LINES)
    asked = application.with_requirements(Requirements(archive=(("line", "what", "2026-01-01"),)))
    proposal = asked.designed()
    assert archived(proposal) == []
    assert any("no archive of rows before 2026-01-01" in note for note in proposal.notes)
