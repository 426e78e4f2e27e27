"""A bulk fill that a server's log tells of, beside a profiler that watched for a short while."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.capture import Capture, CaptureKind, CommandOperation, Sums, Tally, capture_text, merged, read_capture
from nestling.ir.capture.capture import ShapeTotals
from nestling.ir.capture.shape import shape
from tests.sources.capture.shops import Shop


def _insert() -> ShapeTotals:
    made = shape("shop", "product", CommandOperation.INSERT, {"documents": [{"_id": 1, "name": "Kettle"}]})
    return ShapeTotals(made, 1, written=15_000, times=1)


@pytest.mark.parametrize(("commands", "rate"), [(1, 1 / 120), (2, 15_000 / 120)])
def test_one_command_is_no_rate_of_its_rows(commands: int, rate: float, shops: dict[str, Shop]) -> None:
    """It counts as one command in the time of the log, and a note says so; of several commands the rows count."""
    read = shape("shop", "product", CommandOperation.FIND, {"filter": {"_id": 1}})
    log = Capture(CaptureKind.LOG, 120.0 * commands, (_insert(),), slow_only=True)
    found = merged([log] * commands + [Capture(CaptureKind.PROFILER, 8.0, (ShapeTotals(read, 40, times=40),))])
    said = pipeline.captured_workload(found, shops["normalized"].proposal.design)
    (insert,) = [each for each in said.statements if each.sql.startswith("INSERT")]
    assert insert.rate_per_second == pytest.approx(rate, rel=0.01)
    assert any("seen once, with 15,000 documents" in note for note in insert.notes) == (commands == 1)


def test_a_fill_among_small_inserts_is_one_command(shops: dict[str, Shop]) -> None:
    """A log from the start on has the fill and what the application inserts since then: forty documents within 80 s."""
    tally, made = Tally(CaptureKind.LOG), _insert().shape
    for written in (15_000, *[1] * 40):
        tally.add(made, Sums(written=written))
    found = tally.capture(80.0)
    assert read_capture(capture_text(found)) == found
    (insert,) = pipeline.captured_workload(found, shops["normalized"].proposal.design).statements
    assert insert.rate_per_second == pytest.approx(41 / 80, rel=0.01)
    assert [note for note in insert.notes if "one of its commands inserted 15,000 documents" in note]
    assert insert.measured_seconds is None


@pytest.mark.parametrize(("seconds", "said"), [(0.004, "under 1 ms"), (1.6, "40 ms")])
def test_times_below_a_millisecond_are_no_measurements(
    seconds: float, said: str, shops: dict[str, Shop], tmp_path: Path
) -> None:
    """Servers cut times to whole milliseconds: the file says no more of them, and is read as it was written."""
    made = shape("shop", "product", CommandOperation.FIND, {"filter": {"_id": 1}})
    found = Capture(CaptureKind.PROFILER, 8.0, (ShapeTotals(made, 40, seconds=seconds, times=40),))
    workload = pipeline.captured_workload(found, shops["normalized"].proposal.design)
    assert f"-- measured: {said}\n" in workload.text()
    file = tmp_path / "workload.sql"
    file.write_text(workload.text())
    reading = pipeline.inspect(f"sqlite:///{shops['normalized'].folder / 'shop.db'}", workload=file)
    (statement,) = reading.workload.statements
    assert statement.measured_seconds == workload.statements[0].measured_seconds
