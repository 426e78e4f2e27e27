"""Writes on the designs of every pattern: a short random trace of each leaves what SQLite leaves."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from tests.cases.pattern_case import PatternCase, pattern_cases
from tests.generators.writes import Writer
from tests.write_traces import trace

STATEMENTS = 6


@pytest.mark.one_in(8)
@pytest.mark.parametrize("case", pattern_cases(), ids=lambda case: case.name)
def test_writes_on_a_pattern(case: PatternCase, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Every home holds what SQLite's table holds; what has no steps is a gap and leaves both as they were."""
    run = trace(case.proposal.design, case.rows, database, tmp_path)
    writer = Writer(run.design.model, run.connection, random.Random(1))
    for _ in range(STATEMENTS):
        run.run(writer.statement())
    run.check()
