"""Documents of a table whose rows may be equal hold nothing of other rows: nobody could say which of two it belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.proposal import Choice
from tests.patterns.scenario import scenario

DDL = """CREATE TABLE p (u TEXT UNIQUE, v INT);
CREATE TABLE c (id INTEGER PRIMARY KEY, u TEXT REFERENCES p (u));"""
WORKLOAD = """-- name: ids, rate: 100/s
-- params: {"u": "a"}
SELECT p.v, c.id FROM p JOIN c ON c.u = p.u WHERE p.u = :u;

-- name: number, rate: 100/s
-- params: {"u": "a"}
SELECT p.v, COUNT(*) FROM p JOIN c ON c.u = p.u WHERE p.u = :u GROUP BY p.u, p.v;
"""
PARENTS = [("a", 1), ("b", 1), ("c", 1)]
CHILDREN = [(1, "a"), (2, "b"), (3, "a"), (4, "c")]


@pytest.mark.parametrize("strategy", ["optimal", "tree", "embedded"])
@pytest.mark.parametrize("equal", [[], [(None, 2), (None, 2)]])
def test_what_is_designed_can_be_loaded(
    tmp_path: Path, database: Database[dict[str, Any]], strategy: str, equal: list[tuple[None, int]]
) -> None:
    """Two equal rows keep children and their ids out of the documents; where each row has its value they may be there."""
    made = scenario(tmp_path, DDL, {"p": [*PARENTS, *equal], "c": CHILDREN}, WORKLOAD)
    proposal = pipeline.design(made.reading, strategy)
    loaded = pipeline.load(proposal, made.address, database)
    assert loaded.verified is not None
    assert loaded.verified.equal, loaded.verified.differences
    decision = proposal.decision("p_c")
    assert decision is not None
    assert (decision.choice is Choice.PARENT_REFERENCE) or not equal
    if strategy == "embedded":
        assert (decision.choice is Choice.EMBED) == (not equal)
