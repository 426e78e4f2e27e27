"""Law 6: whatever crashes in between, once changes have drained every copy is what its source implies, and no write is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nestling.ir.freshness import Level
from nestling.planner.upkeep import upkeeps_of
from tests.cases.pattern_case import PatternCase, pattern_cases
from tests.chaos.replica_set import ReplicaSet
from tests.chaos.runs import chaos_run
from tests.laws.tally import Counts

RUNS = int(os.environ.get("NESTLING_CHAOS_RUNS", "200"))
FIRST = int(os.environ.get("NESTLING_CHAOS_FIRST", "1"))
FAULTS = 4


def kept_cases() -> list[PatternCase]:
    """The pattern cases with copies, computed values or ids to keep right."""
    return [
        case
        for case in pattern_cases()
        if any(each.freshness.level is not Level.SNAPSHOT for each in upkeeps_of(case.proposal.design))
    ]


def test_a_few_faults(servers: ReplicaSet, tmp_path: Path, tally: Counts) -> None:
    """A short run, with a design whose copies follow in the background."""
    with chaos_run(kept_cases()[3], 1, servers, tmp_path) as run:
        _count(tally, run.whole(2))


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS))
def test_chaos(servers: ReplicaSet, tmp_path: Path, tally: Counts, seed: int) -> None:
    """Designs of every pattern with copies, in turn; half of them with all copies following in the background."""
    cases = kept_cases()
    with chaos_run(cases[seed // 2 % len(cases)], seed, servers, tmp_path) as run:
        _count(tally, run.whole(FAULTS))


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS // 10))
def test_clocks_that_jump(servers_with_clocks: ReplicaSet, tmp_path: Path, tally: Counts, seed: int) -> None:
    """The same while the primary's clock is set forward and back, so that leases expire early or late."""
    cases = kept_cases()
    with chaos_run(cases[seed // 2 % len(cases)], seed, servers_with_clocks, tmp_path) as run:
        _count(tally, run.whole(FAULTS))


def _count(tally: Counts, told: object) -> None:
    tally["chaos", "runs"] += 1
    tally.update(("chaos: faults", kind) for kind in told.faults.elements())  # type: ignore[attr-defined]
    tally.update(("chaos: statements", what) for what in told.statements.elements())  # type: ignore[attr-defined]
    tally["chaos", "copies written at the end"] += told.written  # type: ignore[attr-defined]
