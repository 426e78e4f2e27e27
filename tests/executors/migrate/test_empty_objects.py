"""Sub-documents that are empty somewhere are rows of their own, and stay; those that a design takes for structure are named."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from tests.executors.migrate.test_array_orders import designs
from tests.executors.migrate.test_stored_forms import with_copy

Documents = Database[dict[str, Any]]


def _order(n: int, prefs: dict[str, Any]) -> dict[str, Any]:
    """An order with sub-documents on three levels, and in the elements of an array."""
    ext = [{"loc": {}}, {"loc": {"lat": 1.0}}, {}][n % 3]
    return {
        "_id": n,
        "users_id": n % 20,
        "prefs": prefs,
        "ext": ext,
        "lines": [{"no": no, "size": {} if no % 2 else {"width": no}} for no in range(n % 4)],
    }


def _users(database: Documents) -> None:
    database["users"].insert_many({"_id": n, "name": f"n{n}", "size": n} for n in range(20))


@pytest.mark.thorough
@pytest.mark.parametrize("by_client", [False, True])
def test_empty_sub_documents_stay(mongod: Server, database: Documents, by_client: bool) -> None:
    """Whichever way documents come over."""
    _users(database)
    database["orders"].insert_many(_order(n, {} if n % 4 == 0 else {"theme": "dark"}) for n in range(60))
    today = designs(mongod, database)[0]
    moves = today, with_copy(today)
    assert pipeline.migrate(*moves, database).equal
    if by_client:
        database["orders"].update_many({}, {"$inc": {"users_id": 1}})
        database["orders"].update_many({}, {"$inc": {"users_id": -1}})
    before = list(database["orders"].find({}, sort=[("_id", 1)]))
    assert pipeline.migrate(*moves, database, cutover=True).equal
    assert list(database["orders"].find({}, {"user": 0}, sort=[("_id", 1)])) == before


def test_an_empty_sub_document_of_mere_structure_is_lost_with_leave_alone(mongod: Server, database: Documents) -> None:
    """The plan and the refusal name those that came since the design was read, before anything is built."""
    _users(database)
    lines = [{"no": 1, "size": {"width": 1}}]
    found = {"ext": {"loc": {"lat": 1.0, "long": 2.0}, "at": 1}, "lines": lines}
    database["orders"].insert_many(_order(n, {"theme": "dark"}) | found for n in range(60))
    database["orders"].update_many({"_id": {"$gt": 50}}, {"$unset": {"prefs": "", "lines.0.size": ""}})
    today = designs(mongod, database)[0]
    moves = today, with_copy(today)
    database["orders"].update_many({"_id": {"$lt": 5}}, {"$set": {"prefs": {}}})
    database["orders"].update_many({"_id": {"$in": [7, 8]}}, {"$set": {"lines.0.size": {}}})
    told = [
        "`orders.prefs` in 5 documents, such as _id 0, is an empty sub-document, and would become a missing field",
        "`orders.lines[].size` in 2 documents, such as _id 7, is an empty sub-document",
    ]
    (risk,) = [each for each in pipeline.plan_migration(*moves, database).risks if "empty sub-document" in each]
    assert "`orders.prefs` in 5 documents, such as _id 0" in risk
    assert "`--drop-empty`" in risk
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, database)
    assert [each.what.startswith(words) for each, words in zip(refused.value.problems, told, strict=True)] == [
        True,
        True,
    ]
    assert "`--drop-empty`" in refused.value.problems[0].next_move
    assert sorted(database.list_collection_names()) == ["orders", "users"]
    assert pipeline.migrate(*moves, database, cutover=True, may_lose=["empty"]).equal
    assert database["orders"].count_documents({"prefs": {"$exists": False}}) == 14
