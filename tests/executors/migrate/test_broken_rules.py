"""A document that is not what the design says is named with what is wrong in it, before a migration begins and while it runs."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.executors.migrate.broken_rules import broken_words
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]


@pytest.fixture
def devices(database: Documents) -> Documents:
    """Devices with a sub-document, and a list of owners."""
    database["devices"].insert_many(
        {"_id": n, "fw": {"major": n, "minor": 1}, "owners": [n, n + 1], "state": "on"} for n in range(40)
    )
    return database


WRONG = [
    ({"$set": {"fw": [1, 2]}}, "`fw` is [1, 2], not object"),
    ({"$set": {"fw.major": "one"}}, '`fw.major` is "one", not int'),
    ({"$unset": {"fw.major": ""}}, "`fw.major` is missing"),
    ({"$push": {"owners": None}}, "`owners[]` is null, not int"),
    ({"$set": {"state": True}}, "`state` is true, not string"),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("change", "told"), WRONG)
def test_it_is_named_at_the_start(change: dict[str, Any], told: str, mongod: Server, devices: Documents) -> None:
    """With the path, what is there, and what the design has."""
    moves = designs(mongod, devices)
    devices["devices"].update_one({"_id": 5}, change)
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, devices)
    what = refused.value.problems[0].what
    assert what.startswith(f"1 document is not valid in the old design, such as _id 5: {told}"), what


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"$set": {"fw": [1, 2]}}, "`fw` is [1, 2] in 1 document, such as _id 5, where the design has `fw."),
        ({"$push": {"owners": None}}, "`devices.owners[]` in 1 document, such as _id 5, is null"),
    ],
)
def test_it_is_named_when_it_comes_later(change: dict[str, Any], told: str, mongod: Server, devices: Documents) -> None:
    """Not as a value of a field that is not there, nor as an array that has none; without it the migration goes on."""
    moves = designs(mongod, devices)
    assert pipeline.migrate(*moves, devices).equal
    before = devices["devices"].find_one({"_id": 5}) or {}
    devices["devices"].update_one({"_id": 5}, change)
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, devices, may_lose=["order"])
    assert refused.value.problems[0].what.startswith(told), refused.value.problems[0].what
    devices["devices"].replace_one({"_id": 5}, before)
    assert pipeline.migrate(*moves, devices, cutover=True).equal


SCHEMAS: list[tuple[dict[str, Any], str]] = [
    ({"properties": {"kind": {"enum": ["dm", "group"]}}}, ': `kind` is "other", not one of "dm", "group"'),
    ({"properties": {"kind": {"anyOf": [{"enum": ["dm"]}, {"bsonType": "array"}]}}}, ': `kind` is "other", not "dm"'),
    ({"properties": {"kind": {"anyOf": [{"bsonType": "int"}, {"bsonType": "array"}]}}}, ": `kind` has none of its"),
    ({"properties": {"n": {"minimum": 3}}}, ": `n` is 1, which breaks {minimum: 3}"),
    ({"properties": {"xs": {"items": {"properties": {"v": {"bsonType": "int"}}}}}}, ": `xs[].v` is not int"),
    ({"required": ["at"]}, ": `at` is missing"),
    ({"properties": {"n": {"bsonType": ["int", "long"]}}}, ""),
]


@pytest.mark.parametrize(("schema", "told"), SCHEMAS)
def test_each_rule(schema: dict[str, Any], told: str, database: Documents) -> None:
    """The innermost that is broken, under `$and` as well; nothing where none is."""
    document = {"_id": 1, "kind": "other", "n": 1, "xs": [{"v": 1}, {"v": "a"}]}
    database["things"].insert_one(document)
    for validator in ({"$jsonSchema": schema}, {"$and": [{"$jsonSchema": schema}, {"$expr": True}]}):
        assert broken_words(database["things"], document, validator).startswith(told)
    if not told:
        assert broken_words(database["things"], document, {"$jsonSchema": schema}) == ""
