"""Remedies of a collection that has a validator: it refuses none of what they write."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling.ir.finding import Finding
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]


def _under(database: Db, schema: dict[str, Any], rows: list[dict[str, Any]], level: str = "strict") -> None:
    """The collection under a validator, with documents of the time before it."""
    rules = {"$jsonSchema": {"bsonType": "object"} | schema}
    database.create_collection("coupons", validator=rules, validationLevel=level)
    database.command({"insert": "coupons", "documents": rows, "bypassDocumentValidation": True})


def _done(database: Db, rule: str) -> tuple[Finding, list[Any]]:
    (finding,) = [each for each in found(look(database)) if each.rule == rule]
    return finding, [run(database.client, command) for command in finding.commands]


@pytest.mark.parametrize("level", ["strict", "moderate"])
def test_what_the_validator_refuses_stays_and_is_shown(database: Db, level: str) -> None:
    """Of texts of numbers beside numbers up to 50, "75" and "7.5" stay; others after them are converted."""
    values = [*range(30), "75", "12", "7.5", "13"]
    schema = {
        "required": ["pct"],
        "properties": {"pct": {"bsonType": "int", "maximum": 50}},
        "additionalProperties": True,
    }
    _under(database, schema, [{"_id": n, "pct": value} for n, value in enumerate(values)], level)
    finding, (_, refused, _) = _done(database, "mixed-types")
    assert "the collection's validator accepts" in finding.remedy
    assert [each["_id"] for each in refused] == [30, 32]
    after = [each["pct"] for each in database.coupons.find(sort=[("_id", 1)])]
    assert after == [*range(30), "75", 12, "7.5", 13]
    assert {type(each) for each in after} == {int, str}


def test_no_field_of_ours_is_in_the_way(database: Db) -> None:
    """A validator that allows no other fields takes the merge."""
    fields = {"_id": {}, "pct": {"bsonType": ["int", "string"]}}
    rows = [{"_id": n, "pct": "7" if n % 2 else 7} for n in range(20)]
    _under(database, {"properties": fields, "additionalProperties": False}, rows)
    _done(database, "mixed-types")
    assert database.coupons.count_documents({"pct": 7}) == 20


def test_the_validators_type_is_the_one_to_convert_to(database: Db) -> None:
    """Where it asks for texts, numbers become texts, though all texts are numbers."""
    _under(database, {"properties": {"pct": {"bsonType": "string"}}}, [{"pct": "7" if n % 2 else 7} for n in range(20)])
    _done(database, "mixed-types")
    assert database.coupons.count_documents({"pct": "7"}) == 20


def test_texts_of_references_heed_the_validator(database: Db) -> None:
    """References are converted where the validator takes that."""
    ids = [ObjectId() for _ in range(20)]
    database.shops.insert_many({"_id": each} for each in ids)
    rows = [{"_id": n, "shop_id": str(ids[n % 20]), "pct": n} for n in range(40)]
    _under(database, {"properties": {"pct": {"maximum": 30}}}, rows)
    finding, _ = _done(database, "dangling-reference")
    assert "the collection's validator accepts" in finding.remedy
    assert database.coupons.count_documents({"shop_id": {"$type": "objectId"}}) == 31


def test_a_value_becomes_a_list_where_the_validator_takes_it(database: Db) -> None:
    """Also where one value becomes an array of one."""
    rows = [{"_id": n, "tags": ["a"] if n % 2 else "a", "pct": n} for n in range(40)]
    _under(database, {"properties": {"pct": {"maximum": 30}}}, rows)
    _done(database, "mixed-types")
    assert database.coupons.count_documents({"tags": "a", "pct": {"$lte": 30}}) == 31
    assert [each["_id"] for each in database.coupons.find({"tags": {"$not": {"$type": "array"}}})] == [32, 34, 36, 38]
