"""Moving the shop between designs while it is written to, and whatever comes in between."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.server import Server
from nestling.ir.design import Design
from tests.executors.migrate.moves import Moving
from tests.executors.migrate.shop_moves import shop
from tests.generators.worlds import World

STRATEGIES = ("normalized", "embedded", "tree", "optimal")
USUAL = (("normalized", "embedded"), ("embedded", "optimal"), ("optimal", "normalized"))
OTHERS = [pair for pair in permutations(STRATEGIES, 2) if pair not in USUAL]

Shop = tuple[World, Mapping[str, Design]]


@pytest.fixture(scope="module")
def small_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Some rows of the shop and its designs."""
    return shop(tmp_path_factory.mktemp("shop"), STRATEGIES)


@pytest.mark.parametrize("pair", [*USUAL, *(pytest.param(pair, marks=pytest.mark.soak) for pair in OTHERS)])
def test_a_shop_moves_while_it_is_written_to(
    pair: tuple[str, str], small_shop: Shop, database: Database[Any], tmp_path: Path
) -> None:
    """Statements run all the while; after the cutover the new design holds what SQLite holds after the same ones."""
    world, made = small_shop
    moving = Moving(world, made[pair[0]], made[pair[1]], database, tmp_path)
    report = moving.beside()
    assert (report.equal, report.phase) == (True, "done")
    assert len(moving.run.done) > 10
    moving.check()


KILLS = [
    pytest.param(USUAL[0], 3, 2.5),
    *(pytest.param(pair, 20, 3.0, marks=pytest.mark.soak) for pair in [*USUAL, *OTHERS]),
]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("pair", "times", "most_seconds"), KILLS)
def test_a_killed_migration_goes_on(
    pair: tuple[str, str], times: int, most_seconds: float, small_shop: Shop, database: Database[Any], mongod: Server,
    tmp_path: Path,
) -> None:  # fmt: skip
    """SIGKILL at random moments, statements all the while: the last run ends with everything in its place."""
    world, made = small_shop
    moving = Moving(world, made[pair[0]], made[pair[1]], database, tmp_path, seed=times)
    assert moving.killed(mongod.uri, times, most_seconds) > 0
    moving.check()
