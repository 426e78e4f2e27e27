"""What a background sync is told nothing of is said when it begins."""

from __future__ import annotations

import pytest

from nestling.ir.text import read_proposal
from nestling.pipeline.syncing import not_followed
from nestling.planner.upkeep import left_to_sync
from tests.cases.pattern_case import pattern_cases

DESIGN = """nestling: 1
strategy: by hand
dialect: sqlite
model:
  name: hosts
  entities:
    host: {{key: id, attributes: {{id: integer!, name: text!}}}}
    reading: {{attributes: {{host_id: integer!, at: timestamp!, value: float!}}}}
    event: {{key: id, attributes: {{id: integer!, host_id: integer!, at: timestamp!, clicks: integer!}}}}
  relationships:
    host_reading: {{parent: host, child: reading, attributes: host_id, required: true}}
    host_event: {{parent: host, child: event, attributes: host_id, required: true}}
design:
  collections:
    host: {{root: host, id: id, computed: {{readings: {{count: host_reading, freshness: {freshness}}}}}}}
    reading:
      root: reading
      options: {{kind: time-series, time: at, meta: host_id}}
      references: {{host_reading: parent-reference}}
    event: {{root: event, id: id, references: {{host_event: parent-reference}}}}
"""


@pytest.mark.parametrize(
    ("freshness", "is_told"), [("async(5s)", True), ("scheduled(1min)", False), ("snapshot", False)]
)
def test_what_follows_from_time_series(freshness: str, is_told: bool) -> None:
    """MongoDB has no changes of them to tell; what is computed on a schedule needs none."""
    design = read_proposal(DESIGN.format(freshness=freshness), "d.yaml").design
    told = list(not_followed(design))
    assert ["`host.readings` is not followed" in each for each in told] == [True] * is_told


@pytest.mark.parametrize(
    ("freshness", "is_left"),
    [("async(5s)", True), ("scheduled(1min)", True), ("snapshot", False), ("transaction", False)],
)
def test_what_is_left_to_the_sync(freshness: str, is_left: bool) -> None:
    """What follows in its own time goes stale when no sync runs."""
    design = read_proposal(DESIGN.format(freshness=freshness), "d.yaml").design
    said = f"`host.readings` ({freshness}) follows its source only while `nestling sync DESIGN URI` runs"
    assert list(left_to_sync(design)) == [f"{said}, and goes stale without it"] * is_left


@pytest.mark.parametrize(("name", "is_told"), [("bucket_window", True), ("outlier", True), ("computed", False)])
def test_what_is_no_copy(name: str, is_told: bool) -> None:
    """The numbers and summaries of buckets, and the flags of arrays with further pages."""
    case = next(case for case in pattern_cases() if case.name == name)
    told = list(not_followed(case.proposal.design))
    assert ["only by nestling's own writes" in each for each in told] == [True] * is_told
