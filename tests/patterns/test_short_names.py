"""Short field names are a matter of names only, and save what the design says they save."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.workload import Requirements
from nestling.store import Store
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE instrument (id INTEGER PRIMARY KEY, instrument_symbol TEXT NOT NULL, inside TEXT);
CREATE TABLE tick (id INTEGER PRIMARY KEY, instrument_id INTEGER NOT NULL REFERENCES instrument (id),
    last_traded_price INTEGER NOT NULL, traded_at TEXT NOT NULL, last_traded_place TEXT);
CREATE TABLE alias (instrument_id INTEGER NOT NULL REFERENCES instrument (id), number INTEGER NOT NULL,
    alternative_name TEXT NOT NULL, PRIMARY KEY (instrument_id, number));"""
WORKLOAD = """
-- name: page, rate: 300/s
-- params: {"id": 3}
SELECT i.instrument_symbol, a.number, a.alternative_name FROM instrument i JOIN alias a ON a.instrument_id = i.id
WHERE i.id = :id;

-- name: since, rate: 100/s
-- params: {"id": 3, "since": "2026-01-10"}
SELECT t.last_traded_price, i.instrument_symbol FROM tick t JOIN instrument i ON i.id = t.instrument_id
WHERE t.instrument_id = :id AND t.traded_at > :since;

-- name: traded, rate: 10/s
-- params: {"id": 100001, "instrument": 3, "price": 77, "at": "2026-02-01"}
INSERT INTO tick (id, instrument_id, last_traded_price, traded_at) VALUES (:id, :instrument, :price, :at);
"""


def exchange(folder: Path, *, short: bool) -> Scenario:
    """Instruments with a few other names, and two thousand ticks."""
    rows: dict[str, list[tuple[object, ...]]] = {
        "instrument": [(n, f"S{n}", None) for n in range(40)],
        "tick": [(n, n % 40, n, f"2026-01-{1 + n % 28:02d}", "here") for n in range(2000)],
        "alias": [(n, number, f"name {number}") for n in range(40) for number in range(3)],
    }
    return scenario(folder, DDL, rows, WORKLOAD).with_requirements(Requirements(short_names=short))


def bytes_of(database: Database[dict[str, Any]]) -> int:
    """The bytes of all documents as the server counts them."""
    return sum(
        int(database.command("collStats", name)["size"])
        for name in database.list_collection_names()
        if not name.startswith("_nestling")
    )


@pytest.mark.thorough
def test_short_names_save_what_is_said(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Everything loads, verifies and answers as before; the server counts as many bytes less as the note says."""
    long, short = exchange(tmp_path, short=False), exchange(tmp_path, short=True)
    plain, renamed = long.designed(), short.designed()
    assert [each.name for each in plain.design.collections] == [each.name for each in renamed.design.collections]
    long.proved(plain, database)
    before = bytes_of(database)
    database.client.drop_database(database.name)
    short.proved(renamed, database)
    (note,) = (each for each in renamed.notes if "short field names" in each)
    said = int(re.findall(r"[\d,]+", note)[0].replace(",", ""))
    assert before - bytes_of(database) == said
    Store(renamed, database, workload=short.reading.workload).run(
        "traded", id=9999, instrument=3, price=5, at="2026-02-02"
    )
    assert database["tick"].count_documents({"ltp": 5, "_id": 9999}) == 1
    assert pipeline.check(renamed, database).clean


def test_names_never_collide(tmp_path: Path) -> None:
    """Attributes with the same initials, and one that is called like an array, each get a name of their own."""
    proposal = exchange(tmp_path, short=True).designed()
    for each in proposal.design.collections:
        paths = [field.path for field in each.body.fields]
        assert len(set(paths)) == len(paths)
    tick = next(each for each in proposal.design.collections if each.root == "tick")
    names = {field.attribute: field.path for field in tick.body.fields}
    assert names["last_traded_price"] == "ltp"
    assert names["last_traded_place"] == "l"
