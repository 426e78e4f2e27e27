"""A window whose order an index has: the server reads the rows in it, and sorts none."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.reading import Reading
from nestling.ir.types import INTEGER

PARCEL = Entity("parcel", tuple(Attribute(name, INTEGER, nullable=False) for name in ("id", "site", "weight")), ("id",))
ROWS = [(n, n % 7, n * 37 % 100) for n in range(400)]
FIRST = "SELECT DISTINCT ON (site) site, id, weight FROM parcel ORDER BY site, weight DESC, id"
NUMBERED = (
    "SELECT site, id, weight FROM (SELECT site, id, weight, row_number() OVER (PARTITION BY site ORDER BY weight DESC, id) AS n"
    " FROM parcel) x WHERE n = 1 ORDER BY site"
)


@pytest.mark.parametrize("sql", [FIRST, NUMBERED])
def test_the_index_has_the_order(sql: str, database: Database[Any]) -> None:
    """The heaviest of each site, by the index of site and weight alone."""
    made = pipeline.design(Reading(Model("haul", (PARCEL,)), dialect="postgresql"), "normalized")
    database["parcel"].insert_many([{"_id": n, "site": site, "weight": weight} for n, site, weight in ROWS])
    database["parcel"].create_index([("site", 1), ("weight", -1), ("_id", 1)])
    heaviest = {site: max((r for r in ROWS if r[1] == site), key=lambda row: (row[2], -row[0])) for site in range(7)}
    found = [tuple(row.values()) for row in Store(made, database).execute(sql)]
    assert found == [(site, number, weight) for number, site, weight in heaviest.values()]
    read = pipeline.convert(made, sql)
    assert isinstance(read, CompiledRead)
    command = {"aggregate": "parcel", "pipeline": [*read.pipeline], "cursor": {}}
    told = str(database.command("explain", command, verbosity="queryPlanner"))
    assert "'stage': 'DISTINCT_SCAN'" in told, told  # one entry a site
    assert "COLLSCAN" not in told
