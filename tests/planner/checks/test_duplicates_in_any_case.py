"""Keys with texts that compare whatever case and accents are compared to the letter, and a gap says what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.ir.design import Design
from nestling.ir.model import Entity, Model
from nestling.ir.primitives import Collection, Document, Embedding, Form
from nestling.ir.statements.operators import Collation
from nestling.pipeline.checking import check
from tests.executors.check.loaded import loaded
from tests.generators.worlds import World
from tests.planner.homes.home_cases import entity, link

EMBEDDED = Embedding("addresses", "customer_address", Form.ARRAY, Document("address"))


def in_any_case(made: Entity, *names: str) -> Entity:
    """The entity, with these attributes compared whatever case and accents."""
    attributes = (
        replace(each, collation=Collation.UNICODE_CI) if each.name in names else each for each in made.attributes
    )
    return replace(made, attributes=tuple(attributes))


@pytest.mark.parametrize(("key", "one"), [("integer", 1), ("text", "a")])
def test_a_key_of_texts_is_compared(mongo_client: MongoClient[dict[str, Any]], key: str, one: object) -> None:
    """The same kind of address twice is found, of customers told by numbers and by texts."""
    address = in_any_case(entity("address", f"of:{key}! kind! city", "of kind"), "of", "kind")
    customer = in_any_case(entity("customer", f"id:{key}! name", "id"), "id")
    model = Model("m", (customer, address), (link("customer_address", "customer.id", "address.of"),))
    design = Design(model, (Collection("customers", Document("customer", embeddings=(EMBEDDED,)), ("id",)),))
    rows: dict[str, Any] = {"customer": [(one, None)], "address": [(one, "home", "x"), (one, "work", "y")]}
    with loaded(mongo_client, World(model, rows, frozenset()), design) as (proposal, database):
        for kind, is_found in (("home", True), ("HOME", False)):
            database.customers.update_one({"_id": one}, {"$push": {"addresses": {"kind": kind, "city": "z"}}})
            report = check(proposal, database)
            assert bool([each for each in report.findings if each.kind == "duplicate"]) is is_found
            assert any("`kind` equal except for case and accents" in gap.what for gap in report.gaps)
            database.customers.update_one({"_id": one}, {"$pull": {"addresses": {"city": "z"}}})
            assert check(proposal, database).clean
