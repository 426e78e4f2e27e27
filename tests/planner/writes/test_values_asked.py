"""INSERT whose values are read: subqueries in VALUES, alone and inside of others, asked for all rows before any is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.ir.constraints.defaults import Generated
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Document, Embedding, Form, Holder, Reference
from nestling.ir.types import Type
from nestling.planner.sql import translate
from nestling.planner.writes import plan_write
from nestling.planner.writes.draft.gaps import WriteGap
from tests.write_traces import trace

INTEGER, TEXT = Type.parse("integer"), Type.parse("text")
SHELF = Entity("shelf", (Attribute("id", INTEGER, nullable=False), Attribute("name", TEXT)), ("id",))
ITEM = Entity(
    "item",
    (
        Attribute("id", INTEGER, nullable=False, default=Generated.NUMBER),
        Attribute("shelf_id", INTEGER, nullable=False),
        Attribute("name", TEXT),
    ),
    ("id",),
)
MODEL = Model("store", (SHELF, ITEM), (Relationship("on", "shelf", "item", ("id",), ("shelf_id",)),))
ITEMS = Embedding("items", "on", Form.ARRAY, Document("item"), orphans="stray")
BY_KEY = Document("item", references=(Reference("on", Holder.CHILD),))
APART = (Collection("shelves", Document("shelf"), ("id",)), Collection("items", BY_KEY, ("id",)))
INSIDE = (Collection("shelves", Document("shelf", embeddings=(ITEMS,)), ("id",)),)
ROWS: dict[str, list[tuple[object, ...]]] = {
    "shelf": [(1, "dry"), (2, "cold"), (3, None)],
    "item": [(1, 1, "a"), (2, 1, "b"), (3, 2, "c")],
}
WRITES = (
    "INSERT INTO shelf VALUES ((SELECT 5), 'x')",
    "INSERT INTO shelf VALUES ((SELECT MAX(id) + 1 FROM shelf), (SELECT name FROM item WHERE id = 2))",
    "INSERT INTO shelf SELECT (SELECT 7), (SELECT 'y')",
    "INSERT INTO shelf VALUES (8, COALESCE((SELECT name FROM shelf WHERE id = 3), 'none')), ((SELECT 9), 'z')",
    "INSERT INTO shelf VALUES (10, CASE WHEN EXISTS (SELECT 1 FROM item WHERE name = 'c') THEN 'c' ELSE 'no c' END)",
    "INSERT INTO item VALUES (4, (SELECT id FROM shelf WHERE name = 'cold'), 'd')",
    "INSERT INTO item VALUES (NULL, (SELECT MIN(id) FROM shelf), 'numbered'), ((SELECT NULL), 1, 'too')",
    "INSERT INTO item VALUES (20, 4 IN (SELECT id FROM item), 'e') RETURNING id, shelf_id",
    "INSERT INTO item VALUES (21, (SELECT id FROM shelf WHERE name = 'no such'), 'f')",
    "INSERT INTO item VALUES (3, (SELECT id FROM shelf WHERE name = 'cold'), 'g') ON CONFLICT (id) DO UPDATE SET name = 'g'",
    "INSERT INTO item VALUES (30, (SELECT id FROM shelf WHERE name = 'dry'), 'h') ON CONFLICT DO NOTHING",
    "INSERT OR REPLACE INTO item VALUES (2, (SELECT MAX(id) FROM shelf), 'i')",
    "INSERT INTO shelf VALUES (1, 'k') ON CONFLICT (id) DO UPDATE SET name = (SELECT MAX(name) FROM item)",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("structures", [APART, INSIDE], ids=["apart", "inside"])
def test_what_is_stored_is_what_sqlite_stores(
    structures: tuple[Collection, ...], database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """A value that is not found is NULL, and refused or numbered as one."""
    run = trace(Design(MODEL, structures), ROWS, database, tmp_path)
    for sql in WRITES:
        run.run(sql)
    run.check()
    assert (len(run.done), len(run.refused), run.gaps) == (len(WRITES) - 1, 1, [])


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO item VALUES ((SELECT MAX(id) FROM item), 1, 'x') ON CONFLICT (id) DO UPDATE SET name = 'y'",
        "REPLACE INTO shelf VALUES (1, (SELECT MIN(name) FROM item))",
    ],
)
def test_values_that_the_statement_may_change_itself_are_a_gap(sql: str) -> None:
    """They are asked again for the row that is there and the one that comes."""
    with pytest.raises(WriteGap, match=r"together with values read from `item`, which the statement may change"):
        plan_write(translate(sql, MODEL, "sqlite"), Design(MODEL, APART))  # type: ignore[arg-type]
