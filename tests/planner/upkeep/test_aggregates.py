"""Computed values of every function over every type, as loading stores them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from pymongo.database import Database

from nestling.emitters.commands import collection_commands
from nestling.executors.create import create
from nestling.executors.load import load, written_collections
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Computed, Document, Holder, Reference
from nestling.ir.rows import AggregateKind, down, up
from nestling.ir.types import Type
from tests.planner.upkeep.settled import differences
from tests.sqlite_rows import sqlite_source

KINDS = {
    "whole": "integer",
    "number": "float",
    "exact": "decimal(10,2)",
    "text": "text",
    "day": "date",
    "time": "timestamp",
    "fine": "timestamp(6)",
    "truth": "boolean",
    "id of it": "uuid",
}
CHILD = Entity(
    "child",
    (
        Attribute("id", Type.parse("integer"), nullable=False),
        Attribute("parent", Type.parse("integer")),
        *(Attribute(name, Type.parse(kind)) for name, kind in KINDS.items()),
    ),
    ("id",),
)
PARENT = Entity("parent", (Attribute("id", Type.parse("integer"), nullable=False),), ("id",))
LINK = Relationship("children", "parent", "child", ("id",), ("parent",))
MODEL = Model("family", (PARENT, CHILD), (LINK,))
MOMENT, FINE = datetime(2020, 1, 1, 1), datetime(2020, 1, 1, 1, 1, 1, 500_000)  # noqa: DTZ001 - timestamps
ROWS: dict[str, list[tuple[object, ...]]] = {
    "parent": [(1,), (2,), (3,)],
    "child": [
        (1, 1, -5, 1.5, Decimal("-1.10"), "b", date(2020, 1, 2), MOMENT, FINE, True, UUID(int=5)),
        (
            2,
            1,
            -2,
            2.25,
            Decimal("2.20"),
            "a",
            date(2019, 1, 2),
            MOMENT,
            FINE.replace(microsecond=5),
            False,
            UUID(int=7),
        ),
        (3, 2, *(None for _ in KINDS)),
        (4, None, 1, 1.0, Decimal("1.00"), "", date(2019, 1, 2), MOMENT, FINE, True, UUID(int=1)),
        (5, 99, 1, 1.0, Decimal("1.00"), "", date(2019, 1, 2), MOMENT, FINE, True, UUID(int=1)),
    ],
}


def _computed() -> list[Computed]:
    numbers = {AggregateKind.SUM: ("whole", "number", "exact"), AggregateKind.AVG: ("whole", "number", "exact")}
    found = [
        Computed(f"{function} of {name}", (down(LINK),), function, TRANSACTION, name)
        for function in AggregateKind
        for name in numbers.get(function, tuple(KINDS))
    ]
    steps = [
        Computed(f"about {name}", (down(LINK),), AggregateKind.SUM, TRANSACTION, name, step=3)
        for name in ("whole", "number", "exact")
    ]
    steps.append(Computed("even whole", (down(LINK),), AggregateKind.SUM, TRANSACTION, "whole", step=2))
    return [*found, *steps, Computed("siblings", (down(LINK),), AggregateKind.COUNT, TRANSACTION, stamp="counted.at")]


def test_aggregates_are_implied(database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """NULLs left out, over nothing 0 or missing, rounded down to a step, also below zero; a parent that is not there is none."""
    parents = Collection("parents", Document("parent", computed=tuple(_computed())), ("id",))
    above = (Computed("parents", (up(LINK),), AggregateKind.COUNT, TRANSACTION),)
    siblings = (Computed("siblings", (up(LINK), down(LINK)), AggregateKind.COUNT, TRANSACTION),)
    body = Document("child", references=(Reference(LINK.name, Holder.CHILD),), computed=above + siblings)
    design = Design(MODEL, (parents, Collection("children", body, ("id",))))
    create(collection_commands(design), database, written_collections(design))
    load(design, sqlite_source(tmp_path / "rows.db", MODEL, ROWS), database)
    assert differences(design, database) == []
    first = database["parents"].find_one({"_id": 1})
    assert first is not None
    assert (first["about whole"], first["count of text"], first["sum of exact"].to_decimal()) == (-9, 2, Decimal("1.1"))
    assert first["even whole"] == -8
    assert first["avg of exact"].to_decimal() == Decimal("0.55")
    assert first["avg of whole"] == -3.5
    assert [child["parents"] for child in database["children"].find().sort("_id")] == [1, 1, 1, 0, 0]
