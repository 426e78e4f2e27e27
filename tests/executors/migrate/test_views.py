"""Views of the server that would find something else after the cutover are told, and stop a migration unless they may."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.ir.migration import Phase
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
OPEN = "the view `open` over `orders` (rebuilt) would return different documents than today, or none"


@pytest.fixture
def orders(database: Documents) -> Documents:
    """Orders with lines, and a collection that stays."""
    lines = [{"line": number, "item": f"i{number}"} for number in range(1, 4)]
    database["orders"].insert_many([{"_id": n, "state": "open", "lines": lines} for n in range(20)])
    database["places"].insert_many([{"_id": n, "name": f"p{n}"} for n in range(20)])
    return database


@pytest.mark.thorough
def test_a_view_over_what_is_built_anew(mongod: Server, orders: Documents) -> None:
    """The plan says so, nothing is built, and it goes on when told to; the view stays."""
    moves = designs(mongod, orders)
    orders.create_collection("open", viewOn="orders", pipeline=[{"$match": {"state": "open"}}])
    orders.create_collection("far", viewOn="places", pipeline=[{"$match": {"name": "p1"}}])
    assert f"{OPEN}. `migrate` refuses this without `--drop-views`" in pipeline.plan_migration(*moves, orders).refused
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, orders)
    assert [each.what for each in refused.value.problems] == [OPEN]
    assert "lines" not in orders.list_collection_names()
    assert pipeline.migrate(*moves, orders, cutover=True, may_lose=["views"]).phase is Phase.DONE
    assert orders["open"].find_one({"_id": 0}) == {"_id": 0, "state": "open"}


@pytest.mark.thorough
def test_a_view_that_comes_meanwhile(mongod: Server, orders: Documents) -> None:
    """The cutover sees it, and the old design takes writes again."""
    moves = designs(mongod, orders)
    assert pipeline.migrate(*moves, orders).equal
    orders.create_collection("open", viewOn="orders")
    with pytest.raises(MigrationError, match="the view `open`"):
        pipeline.migrate(*moves, orders, cutover=True)
    orders["orders"].insert_one({"_id": 20, "state": "new", "lines": []})


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "join",
    [
        {"$lookup": {"from": "lines", "localField": "_id", "foreignField": "order_id", "as": "l"}},
        {"$facet": {"all": [{"$lookup": {"from": "lines", "pipeline": [], "as": "l"}}]}},
        {"$unionWith": "lines"},
        {"$unionWith": {"coll": "places", "pipeline": [{"$unionWith": {"coll": "lines", "pipeline": []}}]}},
        {
            "$graphLookup": {
                "from": "lines",
                "startWith": "$_id",
                "connectFromField": "_id",
                "connectToField": "order_id",
                "as": "l",
            }
        },
    ],
)
def test_a_view_that_joins_what_goes(mongod: Server, database: Documents, join: dict[str, Any]) -> None:
    """In whichever way, and through another view."""
    database["places"].insert_many([{"_id": n, "name": f"p{n}"} for n in range(20)])
    database["orders"].insert_many([{"_id": n, "state": "open"} for n in range(20)])
    database["lines"].insert_many([{"_id": n, "order_id": n % 20, "item": f"i{n}"} for n in range(60)])
    database["lines"].create_index("order_id")
    moves = designs(mongod, database, "embedded")
    database.create_collection("joined", viewOn="places", pipeline=[join])
    database.create_collection("again", viewOn="joined", pipeline=[{"$match": {"name": "p1"}}])
    (told,) = (each for each in pipeline.plan_migration(*moves, database).refused if "--drop-views" in each)
    assert "the view `joined` over `lines` (not in the new design)" in told
    assert "the view `again` over `lines` (not in the new design)" in told
