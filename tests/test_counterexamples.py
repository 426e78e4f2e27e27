"""What random search once found and has been mended stays mended: every case of `cases/counterexamples`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.errors import GapError, ReadError
from nestling.planner.reads import NO_REWRITES
from tests.cases.counterexample import Counterexample, counterexamples
from tests.planner.reads.beside_sqlite import loaded
from tests.planner.upkeep.settled import differences
from tests.write_traces import trace

CASES = counterexamples()
reads = pytest.mark.parametrize("case", [c for c in CASES if c.statement and not c.refused], ids=lambda case: case.name)
refused = pytest.mark.parametrize("case", [c for c in CASES if c.refused], ids=lambda case: case.name)
writes = pytest.mark.parametrize("case", [c for c in CASES if c.writes], ids=lambda case: case.name)


@pytest.mark.one_in(3)
@reads
def test_a_statement_answers_as_sqlite_does(
    case: Counterexample, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """SQLite gives the answer the case shows, and so does the design, with every rewrite and with none."""
    beside = loaded(case.proposal, case.rows, database, tmp_path)
    sql = str(case.statement)
    theirs = [list(row) for row in beside.theirs(sql)]
    assert sorted(map(_text, theirs)) == sorted(map(_text, case.answer))
    beside.assert_equal(sql)
    beside.assert_equal(sql, rewrites=NO_REWRITES)


@refused
def test_a_statement_fails_rather_than_lie(
    case: Counterexample, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """What nestling or the server has no means for is a typed error."""
    beside = loaded(case.proposal, case.rows, database, tmp_path)
    with pytest.raises((GapError, ReadError), match=case.refused):
        beside.mine(str(case.statement))


def _text(row: list[object]) -> str:
    return json.dumps(row, default=str)


@writes
def test_writes_leave_what_sqlite_leaves(
    case: Counterexample, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """After each write every home holds what SQLite's table holds; in the end every copy is what the homes imply."""
    run = trace(case.proposal.design, case.rows, database, tmp_path)
    run.run_all(case.writes)
    assert not run.gaps
    assert not differences(run.design, run.database)
