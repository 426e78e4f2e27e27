"""Rows that one statement reaches in several ways: what happens to them happens once, as in SQLite."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from tests.generators.writes import Writer
from tests.planner.writes.diamonds import drawn, statement
from tests.soaking import examples
from tests.write_traces import trace

TRACES = examples(6, 400)
SEEDS = sorted({*range(TRACES), 37})
"""In 37 children let go lie in elements that other pages take, as some of these go."""
STATEMENTS = 7


@pytest.mark.one_in(7)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_trace_over_diamonds_leaves_what_sqlite_leaves(
    seed: int, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """After each statement every home holds what SQLite's table holds, whichever way the rows are found."""
    draw, prices = random.Random(seed), random.Random(seed)
    design, rows = drawn(draw)
    run = trace(design, rows, database, tmp_path)
    run.price = (lambda _: prices.random()) if seed % 2 else None
    writer = Writer(run.design.model, run.connection, draw)
    for _ in range(STATEMENTS):
        run.run(statement(writer, draw))
        run.check()
