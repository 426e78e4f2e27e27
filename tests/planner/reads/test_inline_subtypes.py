"""Subtypes whose fields stand beside their supertype's: joined where they are, also by outer joins."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Cardinality, Entity, Model, Relationship
from nestling.ir.primitives import Collection, Copy, Document, Embedding, Field, Form, Holder, Reference, Variant
from nestling.ir.programs.compiled import Operation
from nestling.ir.proposal import Proposal
from nestling.ir.rows import up
from nestling.planner.reads import ALL_REWRITES, NO_REWRITES
from tests.planner.reads.beside_sqlite import Beside, Rows, loaded
from tests.planner.reads.blog import INTEGER, TEXT, whole


def _is_a(child: str) -> Relationship:
    attributes = (("vehicle_id",), ("vehicle_id",))
    return Relationship(f"is_{child}", "vehicle", child, *attributes, cardinality=Cardinality.ONE_TO_ONE, required=True)


_LINE = Relationship("on_line", "line", "van", ("vehicle_id",), ("vehicle_id",), required=True)
MODEL = Model(
    "fleet",
    (
        Entity(
            "vehicle",
            (whole("vehicle_id", INTEGER), whole("plate", TEXT), Attribute("owner", INTEGER)),
            ("vehicle_id",),
        ),
        Entity("car", (whole("vehicle_id", INTEGER), whole("doors", INTEGER)), ("vehicle_id",)),
        Entity("van", (whole("vehicle_id", INTEGER), Attribute("seats", INTEGER)), ("vehicle_id",)),
        Entity(
            "wheel", (whole("wheel_id", INTEGER), whole("vehicle_id", INTEGER), whole("size", INTEGER)), ("wheel_id",)
        ),
        Entity("line", (whole("vehicle_id", INTEGER), whole("name", TEXT)), ("vehicle_id",)),
    ),
    (
        _is_a("car"),
        _is_a("van"),
        Relationship("car_wheels", "car", "wheel", ("vehicle_id",), ("vehicle_id",), required=True),
        _LINE,
    ),
)
ROWS: Rows = {
    "line": [(2, "north"), (4, "south"), (5, "west"), (6, "east")],
    "vehicle": [(1, "a", 7), (2, "b", 7), (3, "c", None), (4, "d", 8), (5, "e", 7)],
    "car": [(1, 3), (4, 5)],
    "van": [(2, 9), (4, None), (5, None)],
    "wheel": [(1, 1, 15), (2, 1, 16), (3, 4, 15)],
}


def _design() -> Design:
    """Vehicles that are nothing more, a car, a van or both; cars with their wheels, vans with the name of their line."""
    wheels = Embedding("wheels", "car_wheels", Form.ARRAY, Document("wheel"))
    named = Copy("line", (up(_LINE),), (Field("name", "name"),), Form.OBJECT, TRANSACTION)
    inside = (
        Embedding("car", "is_car", Form.INLINE, Document("car", embeddings=(wheels,))),
        Embedding(
            "van",
            "is_van",
            Form.INLINE,
            Document("van", references=(Reference("on_line", Holder.CHILD),), copies=(named,)),
        ),
    )
    variant = Variant("type", subtypes=(("is_car", "car"), ("is_van", "van")))
    vehicles = Collection("vehicles", Document("vehicle", embeddings=inside), ("vehicle_id",), variant=variant)
    return Design(MODEL, (vehicles, Collection("lines", Document("line"), ("vehicle_id",))))


@pytest.fixture(scope="module")
def fleet(mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    """The vehicles, in both databases."""
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    yield loaded(Proposal("test", _design()), ROWS, database, tmp_path_factory.mktemp("fleet"))
    mongo_client.drop_database(database.name)


_BOTH = "FROM vehicle v LEFT JOIN car c ON c.vehicle_id = v.vehicle_id LEFT JOIN van t ON t.vehicle_id = v.vehicle_id"
_CARS = "FROM vehicle v JOIN car c ON c.vehicle_id = v.vehicle_id"
STATEMENTS = (
    f"SELECT v.plate, c.doors, t.seats {_BOTH}",
    f"SELECT v.plate, c.doors, t.seats {_BOTH} WHERE v.owner = 7",
    f"SELECT v.plate, c.vehicle_id AS car, t.vehicle_id AS van {_BOTH}",
    f"SELECT v.plate, t.seats {_BOTH} WHERE c.vehicle_id IS NULL",
    f"SELECT v.plate {_BOTH} WHERE t.vehicle_id IS NULL AND c.doors > 2",
    f"SELECT count(*), count(c.vehicle_id), count(t.vehicle_id), sum(c.doors) {_BOTH}",
    f"SELECT v.owner, count(t.vehicle_id), max(t.seats) {_BOTH} GROUP BY v.owner",
    f"SELECT v.plate, w.size {_BOTH} LEFT JOIN wheel w ON w.vehicle_id = c.vehicle_id",
    f"SELECT v.plate, (SELECT count(*) FROM wheel w WHERE w.vehicle_id = c.vehicle_id) AS wheels {_BOTH}",
    f"SELECT v.plate, l.name {_BOTH} LEFT JOIN line l ON l.vehicle_id = t.vehicle_id",
    f"SELECT v.plate, l.vehicle_id {_BOTH} LEFT JOIN line l ON l.vehicle_id = t.vehicle_id",
    f"SELECT v.plate, c.doors, t.vehicle_id {_CARS} LEFT JOIN van t ON t.vehicle_id = v.vehicle_id",
    f"SELECT v.plate, c.doors, t.seats {_CARS} JOIN van t ON t.vehicle_id = v.vehicle_id",
    f"SELECT v.plate, c.doors, d.vehicle_id {_CARS} LEFT JOIN car d ON d.vehicle_id = v.vehicle_id",
)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_they_are_read_where_they_are(fleet: Beside, sql: str) -> None:
    """SQLite's answers, with and without rewrites, and no document is looked up in its own collection."""
    for rewrites in (ALL_REWRITES, NO_REWRITES):
        fleet.assert_equal(sql, rewrites=rewrites)
    assert "'from': 'vehicles'" not in str(fleet.compiled(sql).pipeline)


def test_own_fields_alone_are_a_find(fleet: Beside) -> None:
    """A field that only the subtype has is missing where it is not: nothing has to be computed."""
    assert fleet.compiled(STATEMENTS[1]).operation is Operation.FIND
