"""Remedies run in the order they are printed: none overwrites good data, and none makes another finding."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling.ir.finding import Finding, Severity
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]


def _of(database: Db, rule: str) -> list[Finding]:
    return [each for each in found(look(database)) if each.rule == rule]


@pytest.mark.parametrize(("old", "new"), [("note ", "note"), ("$score", "score"), ("a.b", "a_b"), ("", "unnamed")])
@pytest.mark.parametrize("inside", [False, True])
def test_a_rename_overwrites_nothing(database: Db, old: str, new: str, *, inside: bool) -> None:
    """Documents with both names stay as they are and are shown; the others get the new name."""
    rows = [{old: "only"} if n % 2 else {old: "bad", new: "GOOD"} for n in range(40)]
    database.things.insert_many({"_id": n, **({"sub": row} if inside else row)} for n, row in enumerate(rows))
    database.things.insert_one({"_id": 40, "sub": 3})
    (finding,) = _of(database, "awkward-field-names")
    rename, both = finding.commands
    run(database.client, rename)
    after = [each["sub"] if inside else each for each in database.things.find({"_id": {"$lt": 40}}, sort=[("_id", 1)])]
    assert [{k: v for k, v in each.items() if k != "_id"} for each in after] == [
        {new: "only"} if n % 2 else {old: "bad", new: "GOOD"} for n in range(40)
    ]
    assert "both names" in finding.remedy
    assert [each["_id"] for each in run(database.client, both)] == [*range(0, 40, 2)]


def test_arrays_are_not_taken_for_nulls_or_texts(database: Db) -> None:
    """A condition on a field matches elements of arrays too: the commands leave these documents as they are."""
    lists = [{"_id": f"l{n}", "x": [None, n], "sub": [{"y": "5"}, {"y": "6"}]} for n in range(3)]
    plain = [{"_id": n, "x": None, "sub": {"y": n if n % 3 else "7"}} for n in range(30)]
    database.things.insert_many([*lists, *plain, *({"_id": f"m{n}", "sub": {"y": 1}} for n in range(20))])
    for finding in found(look(database)):
        if finding.rule in ("null-or-missing", "mixed-types"):
            for command in finding.commands:
                run(database.client, command)
    assert [*database.things.find({"_id": {"$regex": "^l"}}, {"sub": 1}, sort=[("_id", 1)])] == [
        {"_id": each["_id"], "sub": each["sub"]} for each in lists
    ]
    assert all(n in each["x"] for n, each in enumerate(database.things.find({"_id": {"$regex": "^l"}})))


@pytest.mark.thorough
def test_the_drafted_validator_fits_what_comes_first(database: Db) -> None:
    """It demands the types and names that the report's other commands make, and leads to no warning."""
    ids = [ObjectId() for _ in range(50)]
    database.users.insert_many({"_id": each, "name": "n"} for each in ids)
    database.events.insert_many({"_id": n, "user_id": str(ids[n % 50]), "note ": n} for n in range(300))
    findings = found(look(database))
    (converting,) = [each for each in findings if each.rule == "dangling-reference"]
    assert "finds nothing, and its next write" in converting.remedy
    for finding in findings:
        for command in finding.commands:
            run(database.client, command)
    options = database.events.options()["validator"]["$jsonSchema"]
    assert options["properties"]["user_id"] == {"bsonType": "objectId"}
    assert options["required"] == ["note", "user_id"]
    again = found(look(database))
    assert "violated-validator" not in {each.rule for each in again}
    assert {each.severity for each in again if each.rule == "weak-validator"} == {Severity.INFO}


def test_copies_in_arrays_are_brought_up_to_date(database: Db) -> None:
    """At any depth of arrays; what else is in them stays, and so does a copy whose source has no such field."""
    database.products.insert_many({"_id": n, "name": f"P{n}"} for n in range(50))
    database.products.insert_one({"_id": 50, "price": 1})

    def lines(n: int) -> list[dict[str, Any]]:
        made = [{"product_id": (n + k) % 51, "product_name": f"P{(n + k) % 51}", "qty": k} for k in range(3)]
        return [{**each, "product_name": "stale"} if n % 9 == 0 else each for each in made]

    orders = [{"_id": n, "lines": lines(n), "parts": [{"lines": lines(n), "n": n}, {"n": 1}]} for n in range(200)]
    database.orders.insert_many(orders)
    findings = _of(database, "stale-copy")
    assert {each.path for each in findings} == {"lines[].product_name", "parts[].lines[].product_name"}
    for finding in findings:
        run(database.client, finding.commands[-1])
    for n, order in enumerate(database.orders.find(sort=[("_id", 1)])):
        expected = [
            each if each["product_id"] == 50 else {**each, "product_name": f"P{each['product_id']}"}
            for each in lines(n)
        ]
        assert order == {"_id": n, "lines": expected, "parts": [{"lines": expected, "n": n}, {"n": 1}]}
