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

NAMES = ("id", "site", "weight")
PARCEL = Entity("parcel", tuple(Attribute(name, INTEGER, nullable=False) for name in NAMES), ("id",))
ROWS = [(n, n % 7, n * 37 % 100) for n in range(400)]
ORDERS = {
    "PARTITION BY site ORDER BY weight DESC, id": ("site", "-weight", "id"),
    "PARTITION BY site ORDER BY site, weight DESC, id": ("site", "-weight", "id"),
    "ORDER BY weight, id": ("weight", "id"),
    "ORDER BY weight, weight DESC, id": ("weight", "id"),
}
"""By window, the order it asks for."""


def _key(row: tuple[int, ...], order: tuple[str, ...]) -> list[int]:
    return [-row[NAMES.index(key[1:])] if key.startswith("-") else row[NAMES.index(key)] for key in order]


@pytest.mark.parametrize("window", ORDERS)
def test_the_index_has_the_order(window: str, database: Database[Any]) -> None:
    """Fields that are not NULL are sorted by as they are, the parts' own left out: no field is made that no index has."""
    order = ORDERS[window]
    made = pipeline.design(Reading(Model("haul", (PARCEL,)), dialect="postgresql"), "normalized")
    database["parcel"].insert_many([{"_id": n, "site": site, "weight": weight} for n, site, weight in ROWS])
    paths = [("_id" if key == "id" else key.removeprefix("-"), -1 if key.startswith("-") else 1) for key in order]
    database["parcel"].create_index(paths)
    sql = f"SELECT x.id, x.n FROM (SELECT id, row_number() OVER ({window}) AS n FROM parcel) x WHERE x.n <= 2"
    found = {(row["id"], row["n"]) for row in Store(made, database).execute(sql)}
    parts = [[row for row in ROWS if row[1] == site] for site in range(7)] if "PARTITION" in window else [ROWS]
    first = [enumerate(sorted(part, key=lambda row: _key(row, order))[:2], start=1) for part in parts]
    assert found == {(row[0], place) for each in first for place, row in each}
    read = pipeline.convert(made, sql)
    assert isinstance(read, CompiledRead)
    command = {"aggregate": "parcel", "pipeline": [*read.pipeline], "cursor": {}}
    told = str(database.command("explain", command, verbosity="queryPlanner"))
    assert "'stage': 'IXSCAN'" in told, told
    assert "COLLSCAN" not in told
    assert "$sort" not in told.replace("$sortKey", "")
