"""SQL compares bytes one by one, MongoDB their lengths first: an order of them is a gap wherever both sides may be bytes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.proposal import Proposal
from nestling.pipeline import convert, design, inspect


@pytest.fixture
def proposal(tmp_path: Path) -> Proposal:
    """A column of numbers, one of bytes, and one of both."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, whole BLOB NOT NULL, either NUMERIC)")
        connection.execute("INSERT INTO t VALUES (1, x'54', 5), (2, x'01', x'00ff')")
        connection.commit()
    return design(inspect(f"sqlite:///{tmp_path / 'a.db'}"), "normalized")


@pytest.mark.parametrize("condition", ["o.either >= t.whole", "t.whole < o.either", "o.whole > t.whole"])
def test_where_both_may_be_bytes(proposal: Proposal, condition: str) -> None:
    """Whatever affinity is given to one of them."""
    found = convert(proposal, f"SELECT t.id FROM t JOIN t o ON {condition}")
    assert isinstance(found, NotCompiled)
    assert "an order of bytes" in found.gap.what


def test_beside_numbers(proposal: Proposal) -> None:
    """All bytes are greater, here and there."""
    assert isinstance(convert(proposal, "SELECT t.id FROM t JOIN t o ON o.id >= t.whole"), CompiledRead)
