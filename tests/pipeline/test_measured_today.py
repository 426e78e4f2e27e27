"""What the commands of a live database were measured to take stands beside what the cost model says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.cli.parts.design_tables import show_changes
from nestling.common.server import Server
from nestling.ir.text import read_file, write_reading
from nestling.pipeline.measured_today import MeasuredCommand, far_apart


@pytest.fixture
def live(mongod: Server, database: Database[Any]) -> str:
    """The address of a database of orders with lines and notes, of which the profiler has seen whole documents read."""
    database.orders.insert_many(
        {
            "_id": n,
            "at": n * 7919 % 20_000,
            "lines": [{"no": k} for k in range(3)],
            "notes": [{"text": "n", "k": k} for k in range(2)],
        }
        for n in range(20_000)
    )
    database.command("profile", 2)
    with MongoClient[Any](mongod.uri) as client:
        for _ in range(30):
            list(client[database.name].orders.find({}).sort("at", -1).skip(3000).limit(20))
    database.command("profile", 0)
    return mongod.uri.replace("/?", f"/{database.name}?")


@pytest.mark.thorough
def test_a_capture_tells_what_the_server_measured(
    live: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The workload file has the milliseconds of each command, once where it becomes several statements; `design` shows them."""
    today = pipeline.in_place(live).in_place
    said = pipeline.captured_workload(pipeline.capture([live]), today.design, today.statistics)
    first, second = said.statements
    assert first.measured_seconds is not None
    assert (second.measured_seconds, second.asked_with) == (None, first.name)
    file = tmp_path / "w.sql"
    file.write_text(said.text())
    found = pipeline.in_place(live, workload=file)
    (tmp_path / "model.yaml").write_text(write_reading(found.reading))
    kept = read_file(tmp_path / "model.yaml").workload  # type: ignore[union-attr]  # a model file
    for one, other in zip(found.reading.workload.statements, kept.statements, strict=True):
        assert (one.measured_seconds, one.asked_with) == (other.measured_seconds, other.asked_with)
    made = pipeline.redesign(found, "optimal")
    (command,) = made.measured
    assert command.statements == (first.name, second.name)
    assert command.measured_seconds == pytest.approx(first.measured_seconds, rel=0.01)
    assert command.factor < 10  # a find that skips and sorts, whatever machine it runs on
    show_changes(made)
    assert "for 1 command, the server measured" in capsys.readouterr().out


def test_only_what_counts_is_far_apart() -> None:
    """Three times as much is, of what is a hundredth of the workload; less than a millisecond is measured as none."""
    near = MeasuredCommand(("near",), 1.0, 0.010, 0.025)
    far = MeasuredCommand(("far",), 1.0, 0.010, 0.035)
    seldom = MeasuredCommand(("seldom",), 1e-4, 0.010, 0.035)
    short = MeasuredCommand(("short",), 100.0, 0.0, 0.0012)
    assert far_apart((near, far, seldom, short), 0.1) == (far,)


@pytest.mark.thorough
@pytest.mark.parametrize("line", ["-- measured: soon", "-- measured: with", "-- measured: 3 s"])
def test_a_measurement_that_is_none_is_a_gap(live: str, line: str, tmp_path: Path) -> None:
    """The statement stays."""
    file = tmp_path / "w.sql"
    file.write_text(f"-- name: one, rate: 5/s\n{line}\nSELECT _id FROM orders WHERE _id = :id;\n")
    reading = pipeline.inspect(live, workload=file)
    assert [each.name for each in reading.workload.statements] == ["one"]
    assert [gap for gap in reading.gaps if "`measured` must be milliseconds" in gap.what]
