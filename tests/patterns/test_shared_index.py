"""One index serves two statements where what one seeks by is among the equalities of the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo.database import Database

from tests.patterns.scenario import Scenario, chosen, scenario

DDL = """CREATE TABLE event (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, tenant TEXT NOT NULL, at INTEGER NOT NULL);"""
WORKLOAD = """
-- name: of_kind, rate: 200/s
-- params: {"kind": "kind 3", "tenant": "tenant 7"}
SELECT id, at FROM event WHERE kind = :kind AND tenant = :tenant ORDER BY at DESC LIMIT 5;

-- name: of_tenant, rate: 50/s
-- params: {"tenant": "tenant 7"}
SELECT id, kind FROM event WHERE tenant = :tenant;

-- name: happened, rate: 500/s
-- params: {"id": 100001, "kind": "kind 3", "tenant": "tenant 7", "at": 3}
INSERT INTO event (id, kind, tenant, at) VALUES (:id, :kind, :tenant, :at);
"""
SHARED = "index of event on tenant, kind, -at"


def events(folder: Path, workload: str = WORKLOAD) -> Scenario:
    """Many events of many tenants, each of a few kinds."""
    rows = [(n, f"kind {n % 7}", f"tenant {n % 90}", n * 13 % 1009) for n in range(2_000)]
    return scenario(folder, DDL, {"event": rows}, workload).with_counts(event=2_000_000)


def test_one_index_does_for_both(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """It is the only one besides `_id`, both statements examine no more than they return, and answers are SQLite's."""
    application = events(tmp_path)
    proposal = application.designed()
    assert chosen(proposal, "shared-index") == [SHARED]
    assert len(proposal.design.indexes) == 1
    application.proved(proposal, database)
    filters: tuple[dict[str, object], ...] = ({"tenant": "tenant 7"}, {"kind": "kind 3", "tenant": "tenant 7"})
    for condition in filters:
        told = database["event"].find(condition).sort("at", -1).limit(5).explain()["executionStats"]
        assert told["totalDocsExamined"] <= max(told["nReturned"], 23)


def test_a_range_is_no_equality(tmp_path: Path) -> None:
    """What the one seeks by stands behind what the other compares by range: nothing can be shared."""
    ranged = WORKLOAD.replace("kind = :kind AND tenant = :tenant ORDER BY at DESC", "kind = :kind AND tenant > :tenant")
    proposal = events(tmp_path, ranged).designed()
    assert not [each for each in proposal.weighed if each.pattern == "shared-index"]
    assert len(proposal.design.indexes) == 2
