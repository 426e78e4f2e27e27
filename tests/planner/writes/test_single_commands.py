"""The shortest forms do what the general plan does: both on copies of the same database, beside SQLite."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, OnDelete, OnUpdate
from nestling.ir.paths.write_path import Fetch, steps_within
from nestling.ir.programs.program import CompiledWrite, ReadRows
from nestling.ir.types import Type, TypeName
from tests.planner.reads.shop import ROWS
from tests.planner.writes.shops import DESIGNS, loose, model, root
from tests.write_traces import Trace, trace

FOLLOW = OnDelete.CASCADE, OnUpdate.CASCADE
STOCK = Entity(
    "stock",
    (
        Attribute("id", Type(TypeName.INTEGER), nullable=False),
        Attribute("level", Type(TypeName.INTEGER), nullable=False),
        Attribute("note", Type(TypeName.TEXT)),
        Attribute("weight", Type(TypeName.FLOAT), nullable=False),
        Attribute("spare", Type(TypeName.INTEGER)),
        Attribute("ratio", Type(TypeName.FLOAT)),
        Attribute("price", Type(TypeName.DECIMAL, (8, 2))),
    ),
    ("id",),
)
LEVELS: list[tuple[object, ...]] = [
    (1, 5, "a", 0.1, 3, 1.5, 10),
    (2, 2147483647, None, 1e300, None, None, None),
    (3, -4, None, -0.0, -1, 0.25, 2.5),
    (4, 1 << 40, "b", 7.0, 2147483647, None, 0),
]
SHORT = {
    "normalized": 77,
    "nested": 67,
    "ordered": 68,
    "overflowing": 64,
    "slotted": 66,
    "object_passport": 66,
    "listed": 76,
}
"""How many of the statements are one command at least."""

STATEMENTS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("UPDATE customer SET city = 'Rome' WHERE id = 1", {}),
    ("UPDATE customer SET city = NULL, name = :name WHERE id = :id", {"name": "Zoë", "id": 2}),
    ("UPDATE customer SET name = :name WHERE id = :id", {"name": "nobody", "id": None}),
    ("UPDATE customer SET name = :name WHERE id = :id", {"name": 7, "id": "3"}),
    ("UPDATE customer SET name = 'nobody' WHERE city = :city", {"city": None}),
    ("UPDATE line SET quantity = 9 WHERE order_id = 10 AND quantity = :n", {"n": None}),
    ("UPDATE customer SET name = 'x' WHERE city IS NULL", {}),
    ("UPDATE customer SET name = 'y' WHERE city IS NOT NULL AND id IN (1, :id)", {"id": 4}),
    ("UPDATE customer SET name = 'z' WHERE city IN (:one, 'Oslo')", {"one": None}),
    ("UPDATE customer SET name = 'none' WHERE id > 900", {}),
    ("UPDATE customer SET name = 'w' WHERE id >= 4 AND id <= :id", {"id": "5"}),
    ("UPDATE customer SET name = 'v' WHERE id BETWEEN 2 AND :id AND city IS NOT NULL", {"id": 3.5}),
    ("UPDATE customer SET name = 'none' WHERE id BETWEEN :low AND 9", {"low": None}),
    ("UPDATE line SET quantity = 6 WHERE order_id = 10 AND quantity >= :n", {"n": 2}),
    ("UPDATE line SET quantity = 6 WHERE order_id = 10 AND quantity <= :n", {"n": None}),
    ("UPDATE maker SET name = :name WHERE id = 1", {"name": "Maker"}),
    ("UPDATE maker SET name = :name WHERE id = 1", {"name": None}),
    ("UPDATE line SET quantity = 9 WHERE order_id = 10 AND no = 1", {}),
    ("UPDATE line SET quantity = :n WHERE order_id = :o AND no = :l", {"n": None, "o": 10, "l": 2}),
    ("UPDATE line SET quantity = 3 WHERE order_id = 99 AND no = 1", {}),
    ("UPDATE line SET quantity = 3 WHERE order_id = 10 AND no = 77", {}),
    ("UPDATE line SET quantity = 4 WHERE order_id = 10", {}),
    ("UPDATE product SET title = 'new' WHERE id = 100", {}),
    ("UPDATE product SET title = 'both' WHERE maker_id = 1 AND id > 100", {}),
    ("UPDATE stock SET level = level + 5 WHERE id = 1", {}),
    ("UPDATE stock SET level = level - :n WHERE id = 2", {"n": 3}),
    ("UPDATE stock SET level = level + :n WHERE id < 3", {"n": "4"}),
    *(
        (f"UPDATE stock SET level = level - :n WHERE id = 4 AND level {test} :n", {"n": n})
        for test in ("<", "<=", ">", ">=")
        for n in (None, "7", 1 << 40, -1.0)
    ),
    ("UPDATE stock SET spare = 0 WHERE spare >= :n", {"n": None}),
    ("UPDATE stock SET spare = 0 WHERE spare <= :n AND spare > -1", {"n": 2.5}),
    ("UPDATE stock SET note = 'n' WHERE level <= :n AND spare IS NULL", {"n": True}),
    ("DELETE FROM stock WHERE spare >= :n AND spare <= :m", {"n": 100, "m": 99}),
    ("UPDATE stock SET level = level - 2147483648", {}),
    ("UPDATE stock SET level = level + :n WHERE id = 1", {"n": None}),
    ("UPDATE stock SET weight = weight + 0.2 WHERE id = 1", {}),
    ("UPDATE stock SET weight = weight - :n, level = level + 1 WHERE id = :id", {"n": 3, "id": 4}),
    ("UPDATE stock SET weight = weight - :n WHERE id > 1", {"n": 0.7}),
    ("UPDATE stock SET weight = weight - :n WHERE id = 1", {"n": None}),
    ("UPDATE stock SET spare = spare + 1", {}),
    ("UPDATE stock SET spare = spare + :n WHERE id = 3", {"n": None}),
    ("UPDATE stock SET spare = level, ratio = weight / :n WHERE id = 1", {"n": 0}),
    ("UPDATE stock SET ratio = weight * ratio - spare WHERE id IN (1, 2, 3)", {}),
    ("UPDATE stock SET price = price - :n WHERE id = :id", {"n": 0.5, "id": 3}),
    ("UPDATE stock SET price = price * 3, note = 'dear' WHERE id = 1", {}),
    ("UPDATE stock SET note = coalesce(note, '') || :text WHERE id < 3", {"text": "$note.{}"}),
    ("UPDATE stock SET note = CASE WHEN spare > 0 THEN upper(note) ELSE '$$ROOT' END", {}),
    ("UPDATE stock SET weight = abs(weight) * :n, spare = NULL WHERE id = 4", {"n": 2}),
    ("UPDATE stock SET level = level + spare WHERE id = 1", {}),
    ("UPDATE stock SET level = level + spare WHERE id = 2", {}),
    ("UPDATE stock SET spare = level, level = spare WHERE id = 3", {}),
    ("UPDATE customer SET city = 'listed' WHERE id = ANY(:ids)", {"ids": [2, "3", 3, None]}),
    ("UPDATE customer SET name = 'none' WHERE id IN :ids", {"ids": []}),
    ("UPDATE customer SET name = 'none' WHERE id IN :ids", {"ids": None}),
    ("UPDATE customer SET name = 'all' WHERE city NOT IN :cities", {"cities": []}),
    ("UPDATE customer SET name = 'none' WHERE city <> ALL(:cities)", {"cities": ["Rome", None]}),
    ("UPDATE customer SET name = 'some' WHERE city IN :cities", {"cities": ["Rome", "listed", None, 1]}),
    ("UPDATE line SET quantity = 7 WHERE order_id = ANY(:orders) AND no IN :ns", {"orders": [10, 11], "ns": [1, None]}),
    ("UPDATE line SET quantity = 8 WHERE product_id IN :ids", {"ids": [100, None]}),
    ("UPDATE stock SET level = level + 1 WHERE id IN :ids", {"ids": (1, 3, 1)}),
    (
        "UPDATE stock SET note = CASE WHEN spare IN :ids THEN 'in' WHEN spare NOT IN :ids THEN 'out' END WHERE id IN :ids",
        {"ids": [3, 4, 1]},
    ),
    ("UPDATE stock SET spare = id IN :ids", {"ids": None}),
    ("DELETE FROM line WHERE order_id = ANY(:orders) AND quantity IN :ids", {"orders": [11, 12], "ids": [8, None]}),
    ("DELETE FROM line WHERE order_id = 10 AND no = 1", {}),
    ("DELETE FROM line WHERE order_id = 10 AND no = 77", {}),
    ("DELETE FROM stock WHERE id = 1", {}),
    ("DELETE FROM stock WHERE note IS NULL", {}),
    ("DELETE FROM passport WHERE employee_id = :id", {"id": 1}),
    ("DELETE FROM orders WHERE id = 10", {}),
    ("DELETE FROM orders WHERE status = 'open'", {}),
    ("DELETE FROM maker WHERE id = 1", {}),
    ("DELETE FROM customer WHERE id = 3", {}),
    ("DELETE FROM customer WHERE id = ANY(:ids)", {"ids": [1, None, 77]}),
)


@pytest.fixture
def databases(mongo_client: MongoClient[dict[str, Any]]) -> Iterator[tuple[Database[Any], Database[Any]]]:
    """Two fresh databases."""
    names = [f"short_{uuid.uuid4().hex}" for _ in range(2)]
    yield mongo_client[names[0]], mongo_client[names[1]]
    for name in names:
        mongo_client.drop_database(name)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("design", "enforced"), [*((name, True) for name in DESIGNS), ("listed", False)])
def test_the_short_form_does_what_the_general_plan_does(
    design: str, enforced: bool, databases: tuple[Database[Any], Database[Any]], tmp_path: Path
) -> None:
    """Affected rows, refusals and all documents are the same, and SQLite's; also where nobody enforces foreign keys."""
    actions = dict.fromkeys(("customer_orders", "order_lines", "employee_passport"), FOLLOW)
    made = DESIGNS[design](model(**actions) if enforced else loose(model()))
    made = Design(
        replace(made.model, entities=(*made.model.entities, STOCK)), (*made.collections, root("stock")), made.indexes
    )
    short, general = (_trace(made, database, tmp_path, number) for number, database in enumerate(databases))
    general.short = False
    commands = 0
    for sql, values in STATEMENTS:
        commands += _is_command(short.compiled(sql))
        assert not _is_command(general.compiled(sql))
        short.run(sql, values)
        general.run(sql, values)
        assert _documents(databases[0]) == _documents(databases[1]), sql
    short.check()
    assert short.gaps == general.gaps
    assert enforced != bool(short.gaps), "a key only its parent's list of ids holds is not lost with the parent"
    assert commands >= SHORT[design]


def _trace(design: Design, database: Database[Any], folder: Path, number: int) -> Trace:
    folder = folder / str(number)
    folder.mkdir()
    return trace(design, ROWS | {"stock": LEVELS}, database, folder)


def _is_command(write: CompiledWrite) -> bool:
    """Whether nothing is read for it."""
    assert write.plan is not None
    reads = any(isinstance(step, Fetch) for step in steps_within(write.plan.steps))
    return not reads and not any(isinstance(step, ReadRows) for step in write.steps)


def _documents(database: Database[Any]) -> dict[str, list[str]]:
    return {
        name: sorted(repr(document) for document in database[name].find())
        for name in database.list_collection_names()
        if not name.startswith("system.")
    }
