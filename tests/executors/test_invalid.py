"""Why a validator refuses a document, in words of the real server's report."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import WriteError

from nestling.executors.errors.invalid import breaks_checks_alone, invalid_words

WHOLE = {"bsonType": ["int", "long"]}
LINE = {"bsonType": "object", "required": ["no"], "properties": {"no": WHOLE, "size": {"enum": ["S", "L"]}}}
SCHEMA = {
    "bsonType": "object",
    "required": ["day"],
    "additionalProperties": False,
    "properties": {
        "_id": {},
        "day": {"bsonType": "date"},
        "code": {"bsonType": "string", "pattern": "^[A-Z]+$"},
        "lines": {"bsonType": "array", "maxItems": 2, "items": LINE},
        "either": {"anyOf": [{"bsonType": "date"}, {"bsonType": "bool"}]},
    },
}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, ": `day` is missing"),
        ({"day": "hush"}, ": `day` is string, not date"),
        ({"day": None, "code": "hush"}, ": `day` is null, not date, `code` is a text that does not match '^[A-Z]+$'"),
        ({"lines": [{"no": 1}, {"no": "hush"}]}, ": `lines.no` is string, not int or long"),
        ({"lines": [{"no": 1, "size": "hush"}]}, ": `lines.size` is not one of 'S', 'L'"),
        ({"lines": [{}]}, ": `lines.no` is missing"),
        ({"lines": [{"no": 1}] * 3}, ": `lines` has 3 elements, not at most 2"),
        ({"either": "hush"}, ": `either` is string, not date, `either` is string, not bool"),
        ({"hush": 1}, ": `hush` is not allowed"),
    ],
)
def test_fields_and_types_are_said(document: dict[str, Any], words: str, database: Database[Any]) -> None:
    """At most three of them, and no value."""
    required = SCHEMA if not document or "day" in document else SCHEMA | {"required": ["_id"]}
    database.create_collection("t", validator={"$jsonSchema": required})
    with pytest.raises(WriteError) as refused:
        database["t"].insert_one(document)
    assert invalid_words(refused.value.details or {}) == words


def test_what_is_no_schema_is_not_said(database: Database[Any]) -> None:
    """Nor what older servers do not report."""
    database.create_collection("t", validator={"a": {"$exists": True}})
    with pytest.raises(WriteError) as refused:
        database["t"].insert_one({"b": 1})
    assert invalid_words(refused.value.details or {}) == ""
    assert invalid_words({"code": 121}) == ""


@pytest.mark.parametrize(
    ("document", "alone"),
    [
        ({"n": -1}, True),
        ({"n": 9, "kind": "z"}, True),
        ({"text": "long"}, True),
        ({"f": -0.5}, True),
        ({"n": "x"}, False),
        ({"n": -1, "kind": 5, "text": 7}, False),
        ({}, False),
    ],
)
def test_values_that_are_not_allowed_are_told_from_other_faults(
    document: dict[str, Any], alone: bool, database: Database[Any]
) -> None:
    """What a CHECK would refuse: values of the right types."""
    properties = {
        "n": {"bsonType": "int", "minimum": 0, "maximum": 5},
        "kind": {"enum": ["x", "y"]},
        "text": {"bsonType": "string", "maxLength": 3},
        "f": {"bsonType": "double", "not": {"bsonType": "number", "maximum": 0, "exclusiveMaximum": True}},
    }
    required = ["_id"] if document else ["n"]
    database.create_collection("t", validator={"$jsonSchema": {"required": required, "properties": properties}})
    with pytest.raises(WriteError) as refused:
        database["t"].insert_one(document)
    assert breaks_checks_alone(refused.value.details or {}) is alone
