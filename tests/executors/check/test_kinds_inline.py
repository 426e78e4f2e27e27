"""Subtypes whose fields stand among those of their supertype: the kind a document says it is, compared with these fields."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.drift import DriftKind
from nestling.ir.model import Attribute, Cardinality, Entity, Hierarchy, Model, Relationship
from nestling.ir.primitives import Collection, Document, Embedding, Form, Variant
from nestling.ir.programs.program import MISSING
from nestling.ir.types import INTEGER, TEXT
from tests.doctor.shell import run_in
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
        entity("car", Attribute("doors", INTEGER, nullable=False), Attribute("seats", INTEGER)),
        entity("truck", Attribute("axles", INTEGER)),
    ),
    (subtype("car"), subtype("truck")),
    hierarchies=(Hierarchy("vehicles", "vehicle", ("is_car", "is_truck")),),
)
ROWS: dict[str, list[tuple[object, ...]]] = {
    "vehicle": [(1, "a"), (2, "b"), (3, "c")],
    "car": [(1, 5, 4)],
    "truck": [(2, 3), (3, None)],
}


def design() -> Design:
    """Vehicles with the fields of what they are."""
    inside = tuple(Embedding(name, f"is_{name}", Form.INLINE, Document(name)) for name in ("car", "truck"))
    body = Document("vehicle", embeddings=inside)
    variant = Variant("kind", None, (), (("is_car", "car"), ("is_truck", "truck")))
    return Design(MODEL, (Collection("vehicle", body, ("id",), variant=variant),))


def test_a_wrong_kind_is_found(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """By a field the subtype always has, or has there; without one nothing tells of the row."""
    with loaded(mongo_client, World(MODEL, ROWS, frozenset()), design()) as (proposal, database):
        assert checked(proposal, database).clean
        kinds = {each["_id"]: each["kind"] for each in database["vehicle"].find({"_id": {"$ne": 3}})}
        database["vehicle"].update_many({}, {"$set": {"kind": "neither"}})
        report = checked(proposal, database)
        found = [(each.kind, each.id, each.expected) for each in report.findings]
        assert found == [(DriftKind.DISCRIMINATOR, number, kinds.get(number, MISSING)) for number in (1, 2, 3)]


LEFT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"kind": "truck", "axles": 3, "doors": 5, "seats": 2}, {"kind": "truck", "axles": 3}),
    ({"doors": 5, "seats": 2}, {}),
    ({"kind": ["truck"], "axles": 3, "seats": 2}, {"kind": ["truck"], "axles": 3}),
    ({"kind": "car", "doors": 5, "axles": 3}, {"kind": "car", "doors": 5}),
    ({"kind": "car", "doors": 5, "more": [{"a": 1}]}, {"kind": "car", "doors": 5}),
]


@pytest.mark.parametrize(("has", "keeps"), LEFT, ids=str)
def test_fields_of_another_kind_are_taken_out_by_the_commands(
    has: dict[str, Any], keeps: dict[str, Any], mongo_client: MongoClient[dict[str, Any]]
) -> None:
    """They find these documents and no others, and what is left passes the validator."""
    with loaded(mongo_client, World(MODEL, ROWS, frozenset()), design()) as (proposal, database):
        before = [*database["vehicle"].find()]
        database["vehicle"].insert_one({"_id": 4, "plate": "d", **has}, bypass_document_validation=True)
        database.command("collMod", "vehicle", validationLevel="strict")
        for command in checked(proposal, database).unset_commands:
            run_in(database, command)
        assert [*database["vehicle"].find({"_id": {"$ne": 4}})] == before
        assert database["vehicle"].find_one({"_id": 4}) == {"_id": 4, "plate": "d", **keeps}
        assert checked(proposal, database).unknown == ()


def test_an_unknown_kind_is_not_taken_out(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """A command that finds the discriminator would find it in every document; `--repair` sets it from the other fields."""
    with loaded(mongo_client, World(MODEL, ROWS, frozenset()), design()) as (proposal, database):
        database["vehicle"].update_one({"_id": 1}, {"$set": {"kind": "bus"}})
        report = checked(proposal, database)
        assert "kind" in {each.path for each in report.unknown}
        assert not any('$unset: {"kind"' in each or "$unset: {kind" in each for each in report.unset_commands)
