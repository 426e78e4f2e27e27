"""In SQLite's dialect the truth of a condition that is stored is 0, 1 or NULL, in columns of every type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Document
from nestling.ir.types import Type
from tests.write_traces import trace

KINDS = {"number": "integer", "ratio": "float", "word": "text", "thing": "any"}
THING = Entity(
    "thing",
    (Attribute("id", Type.parse("integer"), nullable=False), *(Attribute(n, Type.parse(k)) for n, k in KINDS.items())),
    ("id",),
)
DESIGN = Design(Model("things", (THING,)), (Collection("things", Document("thing"), ("id",)),))
ROWS: dict[str, list[tuple[object, ...]]] = {"thing": [(1, 5, 0.5, "a", 1), (2, None, None, None, None)]}


@pytest.mark.parametrize("name", KINDS)
def test_it_is_stored_as_sqlite_does(name: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Computed of the row, of parameters and of subqueries, by UPDATE and INSERT."""
    run = trace(DESIGN, ROWS, database, tmp_path)
    run.run(f"UPDATE thing SET {name} = number > 4")
    run.run(f"INSERT INTO thing (id, {name}) SELECT 3, 1 = 1")
    run.run(f"INSERT INTO thing (id, {name}) VALUES (4, 1 = :a)", {"a": 1})
    run.run(f"INSERT INTO thing (id, {name}) VALUES (5, TRUE), (6, NOT 1 = 1)")
    run.run(f"UPDATE thing SET {name} = id IN (SELECT id + 1 FROM thing) WHERE id > 3")
    run.run(f"UPDATE thing SET {name} = EXISTS (SELECT 1 FROM thing WHERE id > 99) WHERE id = 1")
    run.check()
    assert (len(run.done), run.refused, run.gaps) == (6, [], [])
