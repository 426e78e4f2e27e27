"""Buckets are chosen by cost where one series is read together, with the window or number that costs least."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.primitives import Bucket
from nestling.ir.proposal import Proposal
from tests.patterns.scenario import Scenario, scenario

DDL = """
CREATE TABLE sensor (sensor_id INTEGER PRIMARY KEY, place TEXT NOT NULL);
CREATE TABLE reading (sensor_id INTEGER NOT NULL REFERENCES sensor (sensor_id), at TIMESTAMP NOT NULL, value REAL,
    low REAL, high REAL, state TEXT,
    PRIMARY KEY (sensor_id, at));
"""
START = datetime(2026, 1, 1, tzinfo=UTC)
WORKLOAD = """
-- name: chart, rate: 40/s
-- params: {"sensor": 3, "since": "2026-01-01 08:00:00"}
SELECT at, value, low, high, state FROM reading WHERE sensor_id = :sensor AND at >= :since;

-- name: hourly, rate: 20/s
-- params: {"sensor": 3}
SELECT strftime('%Y-%m-%d %H', at) AS hour, avg(value), max(value), count(*) FROM reading WHERE sensor_id = :sensor
GROUP BY strftime('%Y-%m-%d %H', at);

-- name: measured, rate: 10/min
-- params: {"sensor": 3, "at": "2027-01-01 00:00:00", "value": 1.5}
INSERT INTO reading (sensor_id, at, value) VALUES (:sensor, :at, :value);
"""


def readings(folder: Path) -> Scenario:
    """Ten sensors that measure every minute for half a day."""
    times = [START + timedelta(minutes=minute) for minute in range(720)]
    return scenario(
        folder,
        DDL,
        {
            "sensor": [(sensor, f"room {sensor}") for sensor in range(10)],
            "reading": [
                (s, f"{at:%Y-%m-%d %H:%M:%S}", float(s * n % 17), 0.5, 20.5, "as it should be")
                for s in range(10)
                for n, at in enumerate(times)
            ],
        },
        WORKLOAD,
    )


def bucket_of(proposal: Proposal) -> Bucket | None:
    """The bucket readings are in."""
    return next((each.bucket for each in proposal.design.collections if each.root == "reading"), None)


@pytest.mark.thorough
def test_charts_read_far_more_often_than_measured_make_buckets(
    tmp_path: Path, database: Database[dict[str, Any]]
) -> None:
    """A bucket of one sensor and hour with what the hourly chart asks; loaded, verified, its statements answered."""
    application = readings(tmp_path)
    proposal = application.designed()
    bucket = bucket_of(proposal)
    assert bucket is not None
    assert bucket.by == ("sensor_id",)
    assert bucket.window is not None
    assert str(bucket.window.unit) == "hour"
    assert {str(each.function) for each in bucket.summary} == {"sum", "count", "max"}
    hourly = application.compiled(proposal, "hourly").access_path
    assert "for each element" not in hourly
    chart = application.compiled(proposal, "chart").access_path
    assert "skip documents without an element" in chart
    application.proved(proposal, database)


def test_readings_that_are_hardly_read_stay_apart(tmp_path: Path) -> None:
    """Each event costs more in a bucket: with a thousand measured a second for a chart there is none."""
    application = readings(tmp_path).with_rates(chart=0.01, hourly=0.01, measured=1000.0)
    assert bucket_of(application.designed()) is None
