"""Keys that repeat though the designs take them for keys: named, with the documents, wherever a migration meets them."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.executors.migrate import migrating, preflight
from nestling.ir.proposal import Proposal
from nestling.pipeline.migrating import abort_migration
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
TWICE = '`{_id: 7, "lines.line": 4}`, the key of `lines`, occurs 2 times, in the document with _id 7'


@pytest.fixture
def orders(database: Documents) -> Documents:
    """Orders whose lines are numbered."""
    lines = [{"line": number, "item": f"i{number}"} for number in range(1, 4)]
    database["orders"].insert_many([{"_id": n, "lines": lines} for n in range(20)])
    return database


def _repeat(database: Documents) -> None:
    for _ in range(2):
        database["orders"].update_one({"_id": 7}, {"$push": {"lines": {"line": 4, "item": "i4"}}})


@pytest.mark.thorough
def test_rows_that_differ_are_named(mongod: Server, orders: Documents) -> None:
    """A key that comes twice once the migration has begun: which, and in which document; once it is mended all is equal."""
    moves = designs(mongod, orders)
    assert pipeline.migrate(*moves, orders).equal
    _repeat(orders)
    done = pipeline.migrate(*moves, orders, cutover=True)
    assert not done.equal
    (row,) = done.differing
    assert (row.entity, row.key, row.old, row.new) == ("lines", {"order_id": 7, "line": 4}, 2, 1)
    assert row.text() == "`lines` with order_id 7, line 4: 2 times in the old design, 1 time in the new one"
    assert [(each.collection, each.text()) for each in done.repeated] == [("orders", TWICE)]
    orders["orders"].update_one({"_id": 7}, {"$set": {"lines.4.line": 5}})
    done = pipeline.migrate(*moves, orders, cutover=True)
    assert (done.equal, done.differing, done.repeated) == (True, (), ())


def test_a_repeated_key_is_refused_before_anything_is_built(mongod: Server, orders: Documents) -> None:
    """The plan says so, too."""
    moves = designs(mongod, orders)
    _repeat(orders)
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, orders)
    (problem,) = refused.value.problems
    assert (problem.where, problem.what) == ("orders", TWICE)
    assert "give `lines` a unique key" in problem.next_move
    assert orders.list_collection_names() == ["orders"]
    assert any(TWICE in each for each in pipeline.plan_migration(*moves, orders).risks)
    again = designs(mongod, orders)  # read anew, as the next move says
    assert pipeline.migrate(*again, orders, cutover=True).equal


@pytest.mark.thorough
def test_a_key_that_repeats_while_the_server_builds(
    mongod: Server, orders: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came after the checks, or came and went: where it is there still it is named as what differs, and can be mended."""
    moves = designs(mongod, orders)
    _repeat(orders)
    with monkeypatch.context() as patched:
        patched.setattr(preflight, "repeated_keys", lambda *_: ())
        done = pipeline.migrate(*moves, orders)
    assert not done.equal
    assert [(each.collection, each.text()) for each in done.repeated] == [("orders", TWICE)]
    abort_migration(orders)
    assert orders.list_collection_names() == ["orders"]


@pytest.mark.thorough
def test_rows_that_differ_in_values(mongod: Server, orders: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    """What differs of a row both designs have, where nothing carries it over; and rows one of them lacks."""
    moves = designs(mongod, orders)
    assert pipeline.migrate(*moves, orders).equal
    orders["lines"].update_one({"_id": {"order_id": 3, "line": 1}}, {"$set": {"item": "other"}})
    orders["lines"].delete_one({"_id": {"order_id": 3, "line": 2}})
    monkeypatch.setattr(migrating, "carry_over", lambda *_: None)
    done = pipeline.migrate(*moves, orders)
    assert {each.text() for each in done.differing} == {
        "`lines` with order_id 3, line 1: different item",
        "`lines` with order_id 3, line 2: missing in the new design",
    }
    assert done.repeated == ()


def _coded(mongod: Server, database: Documents) -> tuple[Proposal, Proposal]:
    """Orders with a unique code, and arrays that become a collection."""
    database["orders"].create_index("code", unique=True)
    lines = [{"line": number, "item": f"i{number}"} for number in range(1, 4)]
    database["orders"].insert_many({"_id": n, "code": f"c{n}", "lines": lines} for n in range(20))
    return designs(mongod, database)


TWO = '`{code: "c7"}`, UNIQUE in `orders`, occurs 2 times, in documents with _id 7, 8'


@pytest.mark.thorough
def test_a_unique_value_that_repeats_is_refused_before_anything_is_built(mongod: Server, database: Documents) -> None:
    """The index is gone that kept it so: named with the documents, and with what to do where the value may repeat."""
    moves = _coded(mongod, database)
    database["orders"].drop_index("code_1")
    database["orders"].update_one({"_id": 8}, {"$set": {"code": "c7"}})
    with pytest.raises(MigrationError) as refused:
        pipeline.migrate(*moves, database)
    assert [each.what for each in refused.value.problems] == [TWO]
    assert "remove it from `uniques` of `orders`" in refused.value.problems[0].next_move
    assert any(TWO in each for each in pipeline.plan_migration(*moves, database).risks)
    assert database.list_collection_names() == ["orders"]
    again = designs(mongod, database)  # read anew, it is not unique
    assert pipeline.migrate(*again, database, cutover=True).equal


@pytest.mark.thorough
def test_a_unique_value_that_repeats_meanwhile_is_named(mongod: Server, database: Documents) -> None:
    """No words of another database; once it is mended all is equal."""
    moves = _coded(mongod, database)
    assert pipeline.migrate(*moves, database).equal
    database["orders"].drop_index("code_1")
    database["orders"].update_one({"_id": 8}, {"$set": {"code": "c7"}})
    done = pipeline.migrate(*moves, database, cutover=True)
    assert not done.equal
    assert [each.text() for each in done.repeated] == [TWO]
    database["orders"].update_one({"_id": 8}, {"$set": {"code": "c8"}})
    assert pipeline.migrate(*moves, database, cutover=True).equal
