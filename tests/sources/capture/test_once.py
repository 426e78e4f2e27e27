"""A bulk fill that a server's log tells of, beside a profiler that watched for a short while."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.ir.capture import Capture, CaptureKind, CommandOperation, merged
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
