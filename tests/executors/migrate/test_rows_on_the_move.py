"""Rows that move between parents while documents are copied: what is unique in the end keeps no migration from getting there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.executors.migrate import backfill, migrating, server_side, unique_indexes
from nestling.ir.migration import Phase
from nestling.ir.programs.command import Aggregation
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
BASKETS = 40


def _lines(basket: int) -> list[dict[str, Any]]:
    return [{"_id": 10 * basket + k, "code": f"c{basket}-{k}", "at": k} for k in range(3)]


@pytest.fixture
def apart(database: Documents) -> Documents:
    """Baskets, and lines in a collection of their own."""
    database["baskets"].insert_many([{"_id": n, "name": f"b{n}"} for n in range(BASKETS)])
    database["lines"].insert_many([{**line, "basket_id": n} for n in range(BASKETS) for line in _lines(n)])
    database["lines"].create_index("code", unique=True)
    database["lines"].create_index("basket_id")
    return database


@pytest.fixture
def inside(database: Documents) -> Documents:
    """Baskets with their lines in an array."""
    database["baskets"].insert_many([{"_id": n, "name": f"b{n}", "lines": _lines(n)} for n in range(BASKETS)])
    for path in ("lines._id", "lines.code"):
        database["baskets"].create_index(path, unique=True)
    return database


def _one_by_one(monkeypatch: pytest.MonkeyPatch, after: Callable[[int], None]) -> None:
    """Have the client copy documents one by one, and something happen after each basket."""
    by_server = backfill.backfill

    def by_client(deriver: Any, targets: Any, on_server: Any, database: Any, states: Any, state: Any, tell: Any) -> Any:
        def told(what: str, rows: int) -> None:
            tell(what, rows)
            if what == "baskets.new":
                after(rows)

        return by_server(deriver, targets, (), database, states, state, told)

    monkeypatch.setattr(backfill, "BATCH_SCOPES", 1)
    monkeypatch.setattr(migrating, "backfill", by_client)


@pytest.mark.thorough
def test_rows_that_move_between_arrays_while_they_are_copied(
    mongod: Server, apart: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them is in two arrays for a while: the unique index of the arrays comes when that is over."""
    moves = designs(mongod, apart, "embedded")

    def move(copied: int) -> None:
        apart["lines"].update_one({"_id": 10 * (copied - 1)}, {"$set": {"basket_id": copied % BASKETS}})

    _one_by_one(monkeypatch, move)
    done = pipeline.migrate(*moves, apart, cutover=True, may_lose=["indexes"])
    assert (done.phase, done.equal) == (Phase.DONE, True)
    for basket in apart["baskets"].find():
        n, before = basket["_id"], (basket["_id"] - 1) % BASKETS
        assert {line["code"] for line in basket["lines"]} == {f"c{before}-0", f"c{n}-1", f"c{n}-2"}
    unique = [each["key"] for each in apart["baskets"].index_information().values() if each.get("unique")]
    assert unique == [[("lines._id_", 1)], [("lines.code", 1)]]


@pytest.mark.thorough
def test_rows_that_move_all_the_time(mongod: Server, apart: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the way of the unique index since changes were carried over last is derived again."""
    moves = designs(mongod, apart, "embedded")
    built = unique_indexes.build_uniques

    def stale(database: Documents, indexes: Any) -> None:
        """As if the next basket had been derived after the move, this one before."""
        for n in range(0, BASKETS, 2):
            line = {"_id_": 10 * n, "code": f"c{n}-0", "at": 0}
            database["lines"].update_one({"_id": 10 * n}, {"$set": {"basket_id": n + 1}})
            database["baskets.new"].update_one({"_id": n + 1}, {"$push": {"lines": line}})
        built(database, indexes)

    monkeypatch.setattr(migrating, "build_uniques", stale)
    assert pipeline.migrate(*moves, apart, may_lose=["indexes"]).equal
    monkeypatch.undo()
    assert pipeline.migrate(*moves, apart, cutover=True, may_lose=["indexes"]).phase is Phase.DONE
    assert [len(each["lines"]) for each in apart["baskets"].find(sort=[("_id", 1)])] == [2, 4] * (BASKETS // 2)


@pytest.mark.thorough
def test_values_that_repeat_in_the_end_are_named(
    mongod: Server, apart: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rows have the same while the index is built, which no index keeps apart any more: no error, but what differs."""
    moves = designs(mongod, apart, "embedded")

    def repeat(copied: int) -> None:
        if copied == 5:
            apart["lines"].drop_index("code_1")
            apart["lines"].update_one({"_id": 0}, {"$set": {"code": "c1-1"}})

    _one_by_one(monkeypatch, repeat)
    done = pipeline.migrate(*moves, apart, may_lose=["indexes"])
    assert not done.equal
    assert [each.text() for each in done.repeated] == [
        '`{code: "c1-1"}`, UNIQUE in `lines`, occurs 2 times, in documents with _id 0, 11'
    ]
    apart["lines"].update_one({"_id": 0}, {"$set": {"code": "c0-0"}})
    assert pipeline.migrate(*moves, apart, may_lose=["indexes"]).equal


@pytest.mark.thorough
def test_rows_the_server_reads_twice(mongod: Server, inside: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    """An element that moves between arrays while the server makes documents of them: one of them stays, and is right."""
    moves = designs(mongod, inside)
    put = server_side._put

    def while_they_move(database: Documents, query: Aggregation, collection: str, mark: str) -> None:
        if query.collection == "baskets":  # as if read before and after
            stages = ({"$unionWith": {"coll": "earlier"}}, *query.stages)
            query = Aggregation(query.collection, stages, query.columns, query.files)
        put(database, query, collection, mark)

    inside["earlier"].insert_many([{"_id": -n, "name": "", "lines": _lines(n)} for n in range(1, 5)])
    monkeypatch.setattr(server_side, "_put", while_they_move)
    assert pipeline.migrate(*moves, inside, cutover=True).equal
    assert inside["lines"].count_documents({}) == 3 * BASKETS
    assert inside["lines"].find_one({"_id": 11}) == {"_id": 11, "basket_id": 1, "code": "c1-1", "at": 1}
