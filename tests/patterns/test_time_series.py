"""A time series collection is chosen where the server can keep all that is asked of the events, and by nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.primitives import CollectionKind
from nestling.ir.proposal import Proposal
from tests.patterns.scenario import Scenario, scenario

DDL = """CREATE TABLE sample (device INTEGER NOT NULL, at TIMESTAMP NOT NULL, value REAL, low REAL, high REAL,
    state TEXT{key});"""
WORKLOAD = """
-- name: recent, rate: 50/s
-- params: {"device": 3, "since": "2026-01-01 08:00:00"}
SELECT at, value, low, high, state FROM sample WHERE device = :device AND at >= :since;

-- name: sampled, rate: 10/min
-- params: {"device": 3, "at": "2027-01-01 00:00:00", "value": 1.5}
INSERT INTO sample (device, at, value) VALUES (:device, :at, :value);
"""


def samples(folder: Path, *, key: str = "", more: str = "") -> Scenario:
    """Ten devices that measure every minute for half a day."""
    times = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute) for minute in range(720)]
    rows = [
        (s, f"{at:%Y-%m-%d %H:%M:%S}", float(s * n % 17), 0.5, 20.5, "as it should be")
        for s in range(10)
        for n, at in enumerate(times)
    ]
    return scenario(folder, DDL.format(key=key), {"sample": rows}, WORKLOAD + more)


def kind(proposal: Proposal) -> CollectionKind:
    """What kind of collection samples are in."""
    return next(each.options.kind for each in proposal.design.collections if each.root == "sample")


@pytest.mark.thorough
def test_keyless_events_become_a_time_series(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """The device is its meta field, the time its time field; an insert is one command, and every row comes back."""
    application = samples(tmp_path)
    proposal = application.designed()
    assert kind(proposal) is CollectionKind.TIME_SERIES
    insert = application.reading.workload.statement("sampled")
    assert insert is not None
    application.proved(proposal, database)
    options = database["sample"].options()
    assert options["timeseries"]["metaField"] == "device"


def test_it_is_told_chosen_or_not(tmp_path: Path) -> None:
    """No relationship's decision does: what it saves, or what another way to keep the events saves in which statement."""
    application = samples(tmp_path)
    often, seldom = application.explained(), application.with_rates(recent=0.0001, sampled=1000.0).explained()
    chosen, lost = (
        [each for each in found.weighed if "as a time series by" in each.structure] for found in (often, seldom)
    )
    assert [each.gain > 0 for each in chosen if each.chosen and each.gain is not None] == [True]
    assert kind(seldom) is CollectionKind.PLAIN
    assert lost
    assert all(each.gain is not None and each.gain < 0 and each.because for each in lost)


@pytest.mark.thorough
def test_events_that_change_or_have_a_key_are_no_time_series(tmp_path: Path) -> None:
    """The server would refuse the change, and cannot keep the key unique."""
    change = "-- name: mend, rate: 1/s\nUPDATE sample SET value = :value WHERE device = :device AND at = :at;"
    assert kind(samples(tmp_path, more=change).designed()) is CollectionKind.PLAIN
    assert kind(samples(tmp_path, key=", PRIMARY KEY (device, at)").designed()) is CollectionKind.PLAIN


def test_samples_written_all_the_time_and_never_read_stay_plain(tmp_path: Path) -> None:
    """What a series saves is saved by those who read it."""
    application = samples(tmp_path).with_rates(recent=0.0001, sampled=1000.0)
    assert kind(application.designed()) is CollectionKind.PLAIN
