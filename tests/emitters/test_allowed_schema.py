"""What is allowed of an attribute as the server understands it: the values that pass are those that `Allowed` lets pass."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from bson import json_util
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pymongo.database import Database

from nestling.emitters.documents import documents
from nestling.emitters.jsonschema import files, validator
from nestling.emitters.markdown import type_words
from nestling.emitters.python import module
from nestling.emitters.samples import sample_documents
from nestling.ir.codec import CODEC
from nestling.ir.constraints.allowed import Allowed
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import Collection, Document
from nestling.ir.proposal import Proposal
from nestling.ir.types import Type, TypeName
from nestling.ir.values import Policy, encoder
from tests.generators.allowing import allowed_of

AMOUNTS = st.integers(-3, 3) | st.decimals(-3, 3, places=2)
ALLOWED = allowed_of(AMOUNTS, st.sampled_from(("", "a", "A", "ab", "\U0001f600")))
VALUES: dict[TypeName, tuple[Any, ...]] = {
    TypeName.INTEGER: (*range(-4, 5), 2**40, 2**70),
    TypeName.FLOAT: (*(each / 4 for each in range(-16, 17)), 0.01, math.inf, -math.inf, math.nan, -0.0),
    TypeName.DECIMAL: (*(Decimal(each) / 100 for each in range(-301, 302, 7)), Decimal("0.010"), Decimal("NaN"), Decimal(10**33)),
    TypeName.TEXT: ("", "a", "A", "ab", "abc", "abcdef", "\U0001f600", "\U0001f600" * 5, "a\0b"),
}  # fmt: skip


def design(kind: Type, allowed: Allowed, *, nullable: bool = True) -> Design:
    """One attribute in one collection."""
    entity = Entity(
        "t",
        (Attribute("_id", Type(TypeName.INTEGER), False), Attribute("a", kind, nullable, allowed=allowed)),
        ("_id",),
    )
    return Design(Model("m", (entity,)), (Collection("t", Document("t"), ("_id",)),))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["integer", "float", "decimal", "text"])
@given(ALLOWED, st.sampled_from((Policy(), Policy("text"))))
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
def test_the_server_lets_the_same_values_pass(
    database: Database[dict[str, Any]], kind: str, allowed: Allowed, policy: Policy
) -> None:
    """Of every type, by exact comparison; a missing value passes, and so does the sample."""
    of = Type.parse(kind)
    assume(allowed.is_of(of))
    made = design(of, allowed)
    values, rows = VALUES[of.name], database.get_collection("t", codec_options=CODEC)
    if rows.find_one() is None:
        rows.insert_many({"_id": place, "a": encoder(of)(value)} for place, value in enumerate(values))
        rows.insert_one({"_id": len(values)})
    rules = validator(made, made.stores[0], policy=policy, unseen=True)
    found = {each["_id"] for each in rows.find(rules)}
    assert found == {place for place, value in enumerate((*values, None)) if allowed.holds(value)}
    if any(map(allowed.holds, values)):
        (sample,) = sample_documents(made, made.stores[0])
        database.sample.replace_one({}, sample | {"_id": 1}, upsert=True)
        assert database.sample.count_documents(rules) == 1


def test_numbers_that_are_no_doubles_are_written_so() -> None:
    """In the file as Extended JSON, which gives the same validator again; in words beside the type."""
    made = design(Type.parse("decimal(5,2)"), Allowed(minimum=Decimal("0.01"), maximum=5))
    ((_, text),) = files(Proposal("hand", made)).items()
    assert json_util.loads(text) == validator(made, made.stores[0])
    assert json.loads(text)["$jsonSchema"]["properties"]["a"]["minimum"] == {"$numberDecimal": "0.01"}
    ((_, field),) = [(each.name, each) for each in documents(made, made.stores[0])[0].fields if each.name == "a"]
    found: dict[str, Any] = {}
    exec(module(Proposal("hand", made)), found)
    assert found["VALIDATORS"]["t"] == validator(made, made.stores[0])
    assert type_words(field.content) == "decimal(5,2) (at least 0.01, at most 5)"


def test_texts_that_stand_for_long_numbers_pass(database: Database[dict[str, Any]]) -> None:
    """Where loading stores them so."""
    made = design(Type.parse("decimal"), Allowed((1, 2)))
    database.t.insert_many([{"_id": 1, "a": "1" + "0" * 40}, {"_id": 2, "a": 3}])
    assert database.t.count_documents(validator(made, made.stores[0], policy=Policy("text"))) == 1
    assert database.t.count_documents(validator(made, made.stores[0])) == 0
