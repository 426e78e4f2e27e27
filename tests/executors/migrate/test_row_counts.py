"""How many documents a plan says there will be."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Bucket, BucketWindow, Collection, Document, WindowUnit
from nestling.ir.proposal import Proposal
from tests.executors.load.loads import load_rows
from tests.planner.homes.home_cases import EVENT

MODEL = Model("m", (EVENT,))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("unit", [None, *WindowUnit])
def test_documents_of_buckets(unit: WindowUnit | None, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """As many as there are after the migration: by owner, window (rows without a date together) and page."""
    old = Proposal("", Design(MODEL, (Collection("events", Document("event"), ("id",)),)))
    window = None if unit is None else BucketWindow("at", unit)
    bucket = Bucket(("sensor",), "events", 4, window)
    new = Proposal("", Design(MODEL, (Collection("hours", Document("event"), bucket=bucket),)))
    start = datetime(2024, 1, 30, 23, 58, 30)  # noqa: DTZ001 - of a timestamp
    rows: list[tuple[object, ...]] = [
        (n, "ab"[n % 2], None if n % 10 == 9 else (start + timedelta(minutes=n * n)).isoformat(" "), 1.5)
        for n in range(60)
    ]
    load_rows(old.design, {"event": rows}, database, tmp_path)
    (move,) = pipeline.plan_migration(old, new, database).moves
    assert pipeline.migrate(old, new, database, cutover=True).equal
    assert move.documents == database["hours"].count_documents({}) > 0
