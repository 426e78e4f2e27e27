"""Validators the doctor proposes let applications go on with the documents there are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import WriteError

from nestling.ir.finding import Finding
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]


def _of(database: Db, rule: str, *, documents: int = 10_000) -> Finding:
    (finding,) = [each for each in found(look(database, documents=documents)) if each.rule == rule]
    return finding


def _level(database: Db) -> str:
    (listed,) = database.list_collections(filter={"name": "things"})
    return str(listed["options"].get("validationLevel", "strict"))


@pytest.mark.parametrize("broken", [0, 72])
def test_documents_that_break_the_rules_can_still_be_updated(database: Db, broken: int) -> None:
    """A validator that warned refuses new mistakes; how strictly depends on what is there, and the finding says so."""
    database.things.insert_many({"_id": n, "n": "x" if n < broken else n} for n in range(500))
    rules = {"$jsonSchema": {"properties": {"n": {"bsonType": "int"}}}}
    database.command("collMod", "things", validator=rules, validationLevel="moderate", validationAction="warn")
    finding = _of(database, "weak-validator")
    for command in finding.commands:
        run(database.client, command)
    assert _level(database) == ("moderate" if broken else "strict")
    assert ("72 of 500 documents checked would be refused" in finding.message) == bool(broken)
    assert ("once none does, set it to strict" in finding.remedy) == bool(broken)
    assert database.things.update_one({"_id": 7}, {"$set": {"other": 1}}).modified_count == 1
    with pytest.raises(WriteError):
        database.things.insert_one({"n": "y"})


def test_a_validator_drafted_from_a_sample_is_moderate(database: Db) -> None:
    """Documents nobody looked at may break rules made of the others."""
    database.create_collection("things", validator={"$jsonSchema": {"bsonType": "object"}})
    database.things.insert_many({"_id": n, "n": n} for n in range(2_000))
    run(database.client, _of(database, "weak-validator", documents=200).commands[0])
    assert _level(database) == "moderate"


def test_fields_that_all_documents_have_are_required(database: Db) -> None:
    """Also where documents were only sampled, as the server has counted the fields in all of them."""
    rows = ({"_id": n, "n": n, "city": "x"} | ({"note": ""} if n != 77 else {}) for n in range(2_000))
    database.things.insert_many(rows)
    (finding,) = [each for each in found(look(database, documents=200)) if each.rule == "no-validator"]
    run(database.client, finding.commands[0])
    rules = next(database.list_collections(filter={"name": "things"}))["options"]["validator"]
    assert rules["$jsonSchema"]["required"] == ["city", "n"]


def test_a_drafted_validator_allows_what_the_same_report_proposes(database: Db) -> None:
    """Documents whose names are data become arrays of pairs after the validator of the same report was set to refuse."""
    database.things.insert_many(
        {"_id": n, "visits": {f"2026-02-{day + 1:02}": day for day in range(28)}} for n in range(9)
    )
    drafted, shape = _of(database, "no-validator"), _of(database, "dynamic-field-names")
    assert "deploy versions that read and write both shapes" in shape.remedy
    run(database.client, drafted.commands[0])
    database.command("collMod", "things", validationAction="error")
    for command in shape.commands:
        run(database.client, command)
    assert database.things.count_documents({"visits": {"$type": "array"}}) == 9
    with pytest.raises(WriteError):
        database.things.insert_one({"visits": "none"})


@pytest.mark.parametrize("every", [1, 7])
def test_a_field_that_is_only_null_may_get_a_value(database: Db, every: int) -> None:
    """Such as the time of a deletion where nothing was deleted yet, be it in all documents or in some."""
    database.things.insert_many({"n": n} | ({"deletedAt": None} if n % every == 0 else {}) for n in range(70))
    run(database.client, _of(database, "no-validator").commands[0])
    database.command("collMod", "things", validationAction="error")
    database.things.update_one({"n": 7}, {"$set": {"deletedAt": datetime(2026, 1, 1, tzinfo=UTC)}})
    with pytest.raises(WriteError):
        database.things.update_one({"n": 7}, {"$set": {"n": "seven"}})


def test_nothing_is_drafted_of_no_documents(database: Db) -> None:
    """Where there is no document to learn rules from, there is no command, either."""
    database.create_collection("things", validator={"$jsonSchema": {"bsonType": "object"}})
    assert _of(database, "weak-validator").commands == ()


def test_commands_do_not_hold_the_whole_validator(database: Db) -> None:
    """They ask the server for it, so that they can be read; what it would refuse stays, and is shown."""
    rules: dict[str, Any] = {
        f"a_rather_long_name_{n}": {"bsonType": ["int", "string"], "description": "x" * 50} for n in range(40)
    }
    rules["n"] = {"bsonType": ["int", "string"], "maximum": 90}
    database.things.insert_many({"_id": k, "n": str(k) if k % 9 == 0 else k} for k in range(100))
    database.command("collMod", "things", validator={"$jsonSchema": {"properties": rules}})
    finding = _of(database, "mixed-types")
    assert max(map(len, finding.commands)) < 1_000
    _, refused, _ = [run(database.client, command) for command in finding.commands]
    assert [each["_id"] for each in refused] == [99]
    assert database.things.count_documents({"n": {"$type": "string"}}) == 1


@pytest.mark.parametrize("first", ["no-validator", "dates-as-texts"])
def test_a_drafted_validator_takes_the_dates_that_texts_become(database: Db, first: str) -> None:
    """What the report converts is said as it is afterwards: whichever is run first, the next report finds nothing of it."""
    database.things.insert_many({"_id": n, "on": f"{1 + n % 28:02}.{1 + n % 12:02}.2024"} for n in range(60))
    drafted, texts = _of(database, "no-validator"), _of(database, "dates-as-texts")
    assert "First do what other findings propose for `on`:" in drafted.remedy
    for finding in sorted((drafted, texts), key=lambda each: each.rule != first):
        for command in finding.commands:
            run(database.client, command)
    database.command("collMod", "things", validationAction="error")
    database.things.insert_one({"_id": 100, "on": datetime(2024, 5, 31, tzinfo=UTC)})
    assert not [each for each in found(look(database)) if each.rule == "violated-validator"]


@pytest.mark.parametrize(
    ("level", "action", "said"),
    [
        ("strict", "error", "until then, validationLevel: moderate lets them be updated."),
        ("moderate", "error", "its validationLevel is moderate, so updates of them pass meanwhile."),
        ("strict", "warn", "the validator only warns, so updates of them pass meanwhile."),
    ],
)
def test_what_lets_broken_documents_be_updated_is_not_advised_twice(
    database: Db, level: str, action: str, said: str
) -> None:
    """A validator that is moderate, or only warns, lets them pass already."""
    database.things.insert_many({"_id": n, "n": "x" if n < 5 else n} for n in range(50))
    rules = {"$jsonSchema": {"properties": {"n": {"bsonType": "int"}}}}
    database.command("collMod", "things", validator=rules, validationLevel=level, validationAction=action)
    assert _of(database, "violated-validator").remedy.endswith(said)
