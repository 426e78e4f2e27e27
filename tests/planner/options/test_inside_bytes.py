"""What a row inside its parent weighs: about what it weighs on a server, where no foreign key is stored with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bson
import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.pipeline.designing import posed_problem


@pytest.mark.parametrize("elements", [1, 7, 40])
def test_rows_inside_weigh_what_they_do(mongod: Server, database: Database[Any], tmp_path: Path, elements: int) -> None:
    """Within a half more, whatever the number of elements."""
    inside = [{"d": n, "h": 8} for n in range(elements)]
    database.invoices.insert_many({"_id": n, "customer": n % 9, "hours": inside} for n in range(60))
    workload = tmp_path / "w.sql"
    workload.write_text(
        "-- name: read, rate: 5/s\nSELECT i.customer, h.h FROM invoices i JOIN hours h ON h.invoice_id = i._id WHERE i._id = :id;"
    )
    found = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?"), workload=workload)
    problem = posed_problem(found.reading, None, None, today=found.in_place.design).problem
    weighed = max(amount for load in problem.loads for name, amount in load.amounts if name.startswith("hours in"))
    stored = len(bson.encode({"hours": inside})) - len(bson.encode({"hours": []}))
    assert stored <= weighed <= 1.5 * stored
