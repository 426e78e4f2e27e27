"""Moving the shop between designs while it is written to, and whatever comes in between."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.server import Server
from nestling.ir.values import Policy
from nestling.pipeline.migration_job import job_of
from nestling.planner.migration.assembly import GATHERED
from tests.executors.migrate.moves import Moving
from tests.executors.migrate.shop_moves import shop

STRATEGIES = ("normalized", "embedded", "tree", "optimal")
USUAL = ("normalized", "embedded")
OTHERS = [pair for pair in permutations(STRATEGIES, 2) if pair != USUAL]


@pytest.mark.thorough
@pytest.mark.parametrize("pair", [USUAL, *(pytest.param(pair, marks=pytest.mark.soak) for pair in OTHERS)])
def test_a_shop_moves_while_it_is_written_to(pair: tuple[str, str], database: Database[Any], tmp_path: Path) -> None:
    """Statements run all the while; after the cutover the new design holds what SQLite holds after the same ones."""
    world, made = shop(tmp_path, pair)
    moving = Moving(world, made[pair[0]], made[pair[1]], database, tmp_path)
    job = job_of(made[pair[0]], made[pair[1]], database, Policy())
    assert pair != USUAL or any(side.gathered for side in job.on_server)  # children with children of their own
    report = moving.beside()
    assert (report.equal, report.phase) == (True, "done")
    assert len(moving.run.done) > 3
    assert not [name for name in database.list_collection_names() if name.startswith(GATHERED)]
    moving.check()


KILLS = [
    pytest.param(("normalized", "tree"), 1, 1.5),
    *(pytest.param(pair, 20, 3.0, marks=pytest.mark.soak) for pair in (USUAL, *OTHERS)),
]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("pair", "times", "most_seconds"), KILLS)
def test_a_killed_migration_goes_on(
    pair: tuple[str, str], times: int, most_seconds: float, database: Database[Any], mongod: Server, tmp_path: Path
) -> None:
    """SIGKILL at random moments, statements all the while: the last run ends with everything in its place."""
    world, made = shop(tmp_path, pair)
    moving = Moving(world, made[pair[0]], made[pair[1]], database, tmp_path, seed=times)
    assert moving.killed(mongod.uri, times, most_seconds) > 0
    moving.check()
