"""Subtypes whose fields stand among those of their supertype: the kind a document says it is, compared with these fields."""

from __future__ import annotations

from typing import Any

from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.drift import DriftKind
from nestling.ir.model import Attribute, Cardinality, Entity, Hierarchy, Model, Relationship
from nestling.ir.primitives import Collection, Document, Embedding, Form, Variant
from nestling.ir.programs.program import MISSING
from nestling.ir.types import INTEGER, TEXT
from tests.executors.check.loaded import checked, loaded
from tests.generators.worlds import World


def entity(name: str, *own: Attribute) -> Entity:
    """One whose key is `id`."""
    return Entity(name, (Attribute("id", INTEGER, nullable=False), *own), ("id",))


def subtype(name: str) -> Relationship:
    """The one row of a subtype that a vehicle may have."""
    return Relationship(f"is_{name}", "vehicle", name, ("id",), ("id",), Cardinality.ONE_TO_ONE, required=True)


MODEL = Model(
    "fleet",
    (
        entity("vehicle", Attribute("plate", TEXT, nullable=False)),
        entity("car", Attribute("doors", INTEGER, nullable=False)),
        entity("truck", Attribute("axles", INTEGER)),
    ),
    (subtype("car"), subtype("truck")),
    hierarchies=(Hierarchy("vehicles", "vehicle", ("is_car", "is_truck")),),
)
ROWS: dict[str, list[tuple[object, ...]]] = {
    "vehicle": [(1, "a"), (2, "b"), (3, "c")],
    "car": [(1, 5)],
    "truck": [(2, 3), (3, None)],
}


def test_a_wrong_kind_is_found(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """By a field the subtype always has, or has there; without one nothing tells of the row."""
    inside = tuple(Embedding(name, f"is_{name}", Form.INLINE, Document(name)) for name in ("car", "truck"))
    body = Document("vehicle", embeddings=inside)
    variant = Variant("kind", None, (), (("is_car", "car"), ("is_truck", "truck")))
    design = Design(MODEL, (Collection("vehicle", body, ("id",), variant=variant),))
    with loaded(mongo_client, World(MODEL, ROWS, frozenset()), design) as (proposal, database):
        assert checked(proposal, database).clean
        kinds = {each["_id"]: each["kind"] for each in database["vehicle"].find({"_id": {"$ne": 3}})}
        database["vehicle"].update_many({}, {"$set": {"kind": "neither"}})
        report = checked(proposal, database)
        found = [(each.kind, each.id, each.expected) for each in report.findings]
        assert found == [(DriftKind.DISCRIMINATOR, number, kinds.get(number, MISSING)) for number in (1, 2, 3)]
