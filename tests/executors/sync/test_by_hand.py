"""Whoever changes homes, and however: once the changes have drained, every copy is what its source implies."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.executors.sync import Metrics, SyncOptions, sync
from nestling.ir.freshness import Level
from nestling.pipeline.syncing import sync_plan
from nestling.planner.upkeep import upkeeps_of
from tests.cases.pattern_case import PatternCase, pattern_cases
from tests.executors.sync.by_hand import Hand
from tests.planner.upkeep.settled import differences
from tests.write_traces import trace

QUICK = ("computed", "extended_reference_many_to_one", "subset", "tree_ancestors", "two_way_reference")
ROUNDS = 12


def _kept(case: PatternCase) -> bool:
    return any(each.freshness.level is not Level.SNAPSHOT for each in upkeeps_of(case.proposal.design))


def _follow(case: PatternCase, database: Database[Any], folder: Path, rounds: int, *, images: bool) -> None:
    """Rounds of changes by hand, each followed to its end."""
    run = trace(case.proposal.design, case.rows, database, folder)
    run.connection.close()
    for name in database.list_collection_names():
        try:
            database.command("collMod", name, validationLevel="off")
        except OperationFailure:
            continue  # time series have no validators
    plan = sync_plan(run.design)
    sync(database, plan, SyncOptions(once=True, images=images))
    snapshots = {each.id for each in upkeeps_of(run.design) if each.freshness.level is Level.SNAPSHOT}
    for number in range(rounds):
        hand, metrics = Hand(run.design, database, random.Random(number)), Metrics()
        for _ in range(6):
            hand.change()
        report = sync(database, plan, SyncOptions(once=True, remove=True), metrics=metrics)
        found = [each for each in differences(run.design, database) if each[0] not in snapshots]
        assert not found, "\n".join([*hand.done, *map(str, found), str(metrics.snapshot())])
        assert report.clean
        again = sync(database, plan, SyncOptions(once=True, remove=True))
        assert again.written == 0, "what is right is not written again"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", [case for case in pattern_cases() if case.name in QUICK], ids=lambda case: case.name)
def test_changes_by_hand_are_followed(case: PatternCase, database: Database[Any], tmp_path: Path) -> None:
    """With documents as they were before in every other case, and without."""
    _follow(case, database, tmp_path, 1, images=QUICK.index(case.name) % 2 == 0)


@pytest.mark.soak
@pytest.mark.parametrize("images", [False, True])
@pytest.mark.parametrize("case", [case for case in pattern_cases() if _kept(case)], ids=lambda case: case.name)
def test_many_changes_by_hand_are_followed(
    case: PatternCase, images: bool, database: Database[Any], tmp_path: Path
) -> None:
    """Every pattern, many rounds."""
    _follow(case, database, tmp_path, ROUNDS, images=images)
