"""What share of the buckets a range of time reads, by both prices: those whose windows meet it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements.algebra import Query
from nestling.optimizer import solve
from nestling.optimizer.alternatives import group_named, problem_with_forced
from nestling.pipeline import inspect
from nestling.pipeline.designing import explained_proposal, posed_problem
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work import estimate
from tests.two_prices import two_prices

_FILE = """nestling: 1
dialect: postgresql
model:
  name: meters
  entities:
    sensor: {{key: id, attributes: {{id: integer!, name: text!}}}}
    reading: {{key: [{key}], attributes: {{id: integer!, sensor_id: integer!, at: "timestamptz!", value: float!}}}}
  relationships:
    readings: {{parent: sensor, child: reading, attributes: sensor_id, required: true}}
statistics:
  entities:
    sensor: {{count: 100}}
    reading:
      count: 1000000
      growth_per_day: 10000
      attributes: {{at: {{distinct: 900000, quantiles: [2026-01-01T00:00:00Z, 2026-04-11T00:00:00Z]}}}}
  relationships: {{readings: {{mean: 10000, maximum: 12000}}}}
workload:
{statements}"""
SERIES = "SELECT id, value FROM reading WHERE sensor_id = :sensor"
RANGES = {
    f"{SERIES} AND at >= '2026-02-01' AND at < '2026-02-02'": (100, 2),
    f"{SERIES} AND at BETWEEN '2026-02-01' AND '2026-02-11'": (1_000, 11),
    f"{SERIES} AND at > '2026-04-01'": (1_000, 10.5),
    f"{SERIES} AND at < '2026-01-06'": (500, 5.5),
    f"{SERIES} AND at = '2026-02-01'": (0, 1),
    "SELECT count(*) FROM reading WHERE sensor_id = :sensor AND at >= '2026-02-01' AND at < '2026-02-02'": (1, 2),
}
"""Statements, how many rows each shows, and how many of the hundred buckets of a sensor it reads."""
OTHERS = (
    f"{SERIES} AND at >= '2026-02-01' AND at < '2026-02-02' AND value > 3",
    f"{SERIES} AND at >= :since AND at < :until",
    SERIES,
    "SELECT id, value FROM reading WHERE at >= '2026-02-01' AND at < '2026-02-02' AND value = 3",
    "SELECT s.name, r.value FROM sensor s JOIN reading r ON r.sensor_id = s.id WHERE s.id = :sensor AND r.at >= '2026-04-01'",
)
AGREE = 1.45
"""Of readings in a collection of their own both prices are up to 1.3 times one another."""


def meters(folder: Path, sql: str, key: str = "id") -> Reading:
    """A hundred sensors with a hundred readings a day each, for a hundred days, and a statement."""
    path = folder / "model.yaml"
    path.write_text(_FILE.format(statements=f'  asked: {{sql: "{sql}", rate: 50/s}}\n', key=key), encoding="utf-8")
    return inspect(path)


def with_home(reading: Reading, home: str) -> Proposal:
    """The best design with readings in that home."""
    found = posed_problem(reading, None, None)
    return explained_proposal(
        found, solve(problem_with_forced(found.problem, group_named(found.problem, "home of reading"), home))
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", RANGES)
def test_as_many_buckets_are_counted_as_windows_meet_the_range(sql: str, tmp_path: Path) -> None:
    """And as many rows as without buckets: what the windows leave is not counted twice."""
    reading = meters(tmp_path, sql)
    proposal = with_home(reading, "reading in buckets by sensor_id, one for each day of at")
    query = translate(sql, reading.model, "postgresql")
    assert isinstance(query, Query)
    plan = plan_read(query, proposal.design, statistics=reading.statistics)
    work = estimate(plan, proposal.design, reading.statistics, {})
    rows, buckets = RANGES[sql]
    assert work.results == pytest.approx(rows, rel=0.2, abs=0.5)
    assert work.documents == pytest.approx(buckets, rel=0.02)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("key", ["id", "sensor_id, at"])
@pytest.mark.parametrize("unit", ["hour", "day"])
@pytest.mark.parametrize("sql", [*RANGES, *OTHERS])
def test_both_prices_of_a_range_agree(sql: str, unit: str, key: str, tmp_path: Path) -> None:
    """The search for a design knows which buckets are read as well as what it is compiled to does."""
    reading = meters(tmp_path, sql, key)
    home = f"reading in buckets by sensor_id, one for each {unit} of at"
    if any(home in group.among for group in posed_problem(reading, None, None).problem.groups):
        assert two_prices(reading, with_home(reading, home))["asked"].factor < AGREE


def test_a_day_costs_a_part_of_all(tmp_path: Path) -> None:
    """Of the buckets of a sensor, by both prices."""
    day, every = next(iter(RANGES)), SERIES
    prices = [
        two_prices(reading, with_home(reading, "reading in buckets by sensor_id, one for each day of at"))["asked"]
        for reading in (meters(tmp_path, day), meters(tmp_path, every))
    ]
    assert prices[0].search < prices[1].search / 10
    assert prices[0].compiled < prices[1].compiled / 10
