"""In a collection with a collation the doctor proposes only indexes that its statements use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from bson.regex import Regex
from pymongo import MongoClient
from pymongo.collation import Collation
from pymongo.database import Database

from nestling.ir.finding import Finding
from tests.doctor.looking import found, look
from tests.doctor.shell import run

Db = Database[dict[str, Any]]
ENGLISH = Collation(locale="en", strength=2)


@pytest.fixture
def application(database: Db) -> Iterator[Db]:
    """What an application sees of the database: 3,000 people, compared whatever their case."""
    database.create_collection("people", collation=ENGLISH)
    database.people.insert_many(
        {"_id": n, "name": f"{'Name' if n % 100 else 'Klein'} {n}", "city": f"City {n % 30}"} for n in range(3_000)
    )
    host, port = database.client.address or ("", 0)
    with MongoClient[dict[str, Any]](host, port, directConnection=True, appname="shop") as client:
        yield client[database.name]


def _missing(application: Db, filters: dict[str, Any]) -> list[Finding]:
    """What lacks an index once it was asked this."""
    application.command("profile", 2)
    for _ in range(20):
        list(application.people.find(filters))
    application.command("profile", 0)
    return [each for each in found(look(application)) if each.rule == "missing-index"]


def _work(application: Db, filters: dict[str, Any]) -> tuple[int, int, int]:
    """Keys and documents a find examines, and what it returns."""
    done = application.people.find(filters).explain()["executionStats"]
    return done["totalKeysExamined"], done["totalDocsExamined"], done["nReturned"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("has_index", [False, True])
def test_a_pattern_alone_gets_an_index_that_compares_to_the_letter(application: Db, has_index: bool) -> None:
    """The server reads no document that does not match; an index by the collation, which may be there, does not help."""
    if has_index:
        application.people.create_index("name")
    asked = {"name": Regex("^Klein")}
    (finding,) = _missing(application, asked)
    assert 'collation: {locale: "simple"}' in finding.commands[0]
    run(application.client, finding.commands[0])
    assert _work(application, asked) == (31, 30, 30)
    assert _missing(application, asked) == []


@pytest.mark.thorough
def test_beside_an_equality_no_pattern_is_indexed(application: Db) -> None:
    """The equality is asked by the collection's collation, and its index alone is of use."""
    asked = {"city": "city 0", "name": Regex("^Klein")}
    (finding,) = _missing(application, asked)
    assert finding.commands[0].endswith(".createIndex({city: 1})")
    assert "`name`" in finding.remedy
    run(application.client, finding.commands[0])
    assert _work(application, asked)[1:] == (100, 10)


@pytest.mark.thorough
@pytest.mark.parametrize("pattern", [Regex("Klein"), Regex("^klein", "i")])
def test_no_second_index_is_proposed_that_the_server_may_leave_unused(application: Db, pattern: Any) -> None:
    """A pattern that cannot seek reads all keys of either index, and the server may choose the one by the collation."""
    application.people.create_index("name")
    assert _missing(application, {"name": pattern}) == []


@pytest.mark.thorough
def test_an_index_with_a_collation_of_its_own_serves_no_pattern(database: Db, application: Db) -> None:
    """Nor does it in a collection that has none; the one that is proposed gets a name that is free."""
    database.people.drop()
    database.people.insert_many({"_id": n, "name": f"{'Name' if n % 100 else 'Klein'} {n}"} for n in range(3_000))
    database.people.create_index("name", collation=ENGLISH)
    asked = {"name": Regex("^Klein")}
    (finding,) = _missing(application, asked)
    run(application.client, finding.commands[0])
    assert _work(application, asked) == (31, 30, 30)
    assert _missing(application, asked) == []
