"""Of buckets: which insert finds one with room, and what a window makes of their size."""

from __future__ import annotations

import pytest

from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.paths.work import Work
from nestling.ir.primitives import Bucket, BucketWindow, Collection, Document, WindowUnit
from nestling.ir.statements.algebra import Query
from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, Statistics
from nestling.ir.types import INTEGER, TIMESTAMP
from nestling.planner.sql import translate
from nestling.planner.work import estimate_write
from nestling.planner.writes import plan_write

MODEL = Model("metering", (Entity("reading", (Attribute("sensor", INTEGER), Attribute("at", TIMESTAMP))),))
ROWS, SENSORS, PER_DAY = 40_000, 100, 1_000


def work(limit: int, window: BucketWindow | None = None) -> Work:
    """The estimate for one more reading."""
    bucket = Bucket(("sensor",), "events", limit, window)
    design = Design(MODEL, (Collection("reading", Document("reading"), bucket=bucket),))
    sensors = (("sensor", AttributeStatistics(distinct=Quantity(SENSORS))),)
    known = EntityStatistics(Quantity(ROWS), growth_per_day=Quantity(PER_DAY), attributes=sensors)
    write = translate("INSERT INTO reading (sensor, at) VALUES (7, :at)", design.model, "sqlite")
    assert not isinstance(write, Query)
    return estimate_write(plan_write(write, design), design, Statistics((("reading", known),)))


@pytest.mark.parametrize(
    ("limit", "window", "events"),
    [
        (1_000, None, ROWS / SENSORS),
        (100, None, 100),
        (1, None, 1),
        (1_000, BucketWindow("at", WindowUnit.DAY), PER_DAY / SENSORS),
        (5, BucketWindow("at", WindowUnit.DAY), 5),
    ],
    ids=("all of a series", "as many as go in", "one", "a day's", "a day's in pages"),
)
def test_few_inserts_open_a_bucket(limit: int, window: BucketWindow | None, events: float) -> None:
    """As many as a bucket has events find one with room, but for one of them, which writes a new document."""
    assert work(limit, window).inserts == pytest.approx(1 / events, rel=0.01)
