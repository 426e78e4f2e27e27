"""A live database whose keys are UUIDs, of today's subtype (4), of old drivers' (3), or of both, which no statement compares."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bson import Binary
from pymongo.database import Database

from nestling.common.server import Server
from nestling.pipeline import in_place, redesign

READ = """-- window: 7200 s
-- name: last_trips, rate: 30/s
SELECT f.id, f.started, s.seq, s.place
FROM (SELECT _id AS id, started FROM trips WHERE vehicle_id = :vehicle_id ORDER BY started DESC LIMIT 10) AS f
LEFT JOIN stops s ON s.trip_id = f.id ORDER BY f.started DESC;
"""


@pytest.mark.parametrize("old", [0.0, 1.0, 0.2])
def test_a_good_design_stays(database: Database[Any], mongod: Server, tmp_path: Path, old: float) -> None:
    """Old UUIDs are found by their index as those of today; what is not converted takes nothing away, and a note says so."""
    draw = random.Random(1)
    start = datetime(2026, 1, 1)  # noqa: DTZ001
    database.vehicles.insert_many([{"_id": n, "plate": f"ZH{n}"} for n in range(200)])
    database.trips.insert_many(
        {
            "_id": Binary(draw.randbytes(16), 3 if n < old * 10_000 else 4),
            "vehicle_id": draw.randrange(200),
            "started": start + timedelta(minutes=n),
            "stops": [{"seq": seq, "place": f"P{draw.randrange(50)}"} for seq in range(draw.randrange(4))],
        }
        for n in range(10_000)
    )
    database.trips.create_index([("vehicle_id", 1), ("started", -1)])
    (workload := tmp_path / "workload.sql").write_text(READ)
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    made = redesign(in_place(uri, workload=workload), "optimal")
    assert made.changes == ()
    assert made.today is not None
    told = [note for note in made.proposal.notes if "`last_trips` is not converted" in note]
    assert (made.today < 0.1, bool(told)) == ((True, False) if old in (0.0, 1.0) else (False, True))
