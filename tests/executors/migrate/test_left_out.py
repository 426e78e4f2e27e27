"""Documents that the new design's validators refuse: those of rows on their way out end no migration, others are told."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import MigrationError
from nestling.common.server import Server
from nestling.executors.migrate import backfill, derive
from nestling.executors.migrate.closure import gather
from nestling.ir.freshness import TRANSACTION
from nestling.ir.migration import Phase
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.proposal import Proposal
from nestling.ir.rows import up
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
TRIPS = 400


def _copying(today: Proposal, of: Proposal, child: str, *, into: str, field: str) -> tuple[Proposal, Proposal]:
    """Today's design and another one, in which documents of a collection have a copy of their parent's field."""
    (link,) = (each for each in of.design.model.relationships if each.child == child)
    copied = Copy(into, (up(link),), (Field(field, field),), Form.OBJECT, TRANSACTION)
    stored = tuple(
        replace(each, body=replace(each.body, copies=(copied,))) if each.name == child else each
        for each in of.design.collections
    )
    return today, Proposal("", replace(of.design, collections=stored))


@pytest.fixture
def stops_move(mongod: Server, database: Documents) -> tuple[Proposal, Proposal]:
    """Trips with their stops, which get a collection of their own, and there a copy of the trip's distance."""
    stops = [[{"no": k, "place": f"P{k}"} for k in range(1 + n % 3)] for n in range(TRIPS)]
    database["trips"].insert_many([{"_id": n, "km": n % 90, "stops": stops[n]} for n in range(TRIPS)])
    return _copying(*designs(mongod, database), "stops", into="trip", field="km")


@pytest.fixture
def orders_copy(mongod: Server, database: Documents) -> tuple[Proposal, Proposal]:
    """Customers and their orders, which get a copy of the customer's name."""
    database["customers"].insert_many([{"_id": n, "name": f"c{n}"} for n in range(20)])
    database["orders"].insert_many([{"_id": n, "customer_id": n % 20, "at": n} for n in range(60)])
    today = designs(mongod, database)[0]
    model = today.design.model
    links = tuple(replace(each, required=True, enforced=True) for each in model.relationships)
    required = Proposal("", replace(today.design, model=replace(model, relationships=links)))
    return _copying(required, required, "orders", into="customer", field="name")


def _by_client(monkeypatch: pytest.MonkeyPatch) -> None:
    build = backfill.backfill
    monkeypatch.setattr("nestling.executors.migrate.migrating.backfill", lambda d, t, _, *rest: build(d, t, (), *rest))


@pytest.mark.parametrize("seed", range(3))
def test_parents_that_are_deleted_all_the_while(
    seed: int, stops_move: tuple[Proposal, Proposal], database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also between the reading of their rows and that of what is copied: the change takes those away, and no error is told."""
    chance = random.Random(seed)

    def deleting(homes: Any, target: Any, roots: Any, *rest: Any) -> Any:
        rows = [*roots]
        if target.entity.name == "stops" and rows:
            trips = sorted({row[target.entity.attribute_names.index("trip_id")] for row in rows})
            database["trips"].delete_many({"_id": {"$in": chance.sample(trips, min(3, len(trips)))}})
        return gather(homes, target, iter(rows), *rest)

    _by_client(monkeypatch)
    monkeypatch.setattr(backfill, "BATCH_SCOPES", 20)
    monkeypatch.setattr("nestling.executors.migrate.derive.gather", deleting)
    assert pipeline.migrate(*stops_move, database).equal
    monkeypatch.setattr("nestling.executors.migrate.derive.gather", gather)
    assert pipeline.migrate(*stops_move, database, cutover=True).phase is Phase.DONE
    left = {each["_id"] for each in database["trips"].find()}
    assert 0 < len(left) < TRIPS
    assert {each["_id"]["trip_id"] for each in database["stops"].find()} == left


@pytest.mark.parametrize("is_built", [False, True])
def test_rows_that_stay_are_told(
    orders_copy: tuple[Proposal, Proposal], database: Documents, monkeypatch: pytest.MonkeyPatch, *, is_built: bool
) -> None:
    """An orphan without what is copied, from before or since: named when all changes are carried over; mended, all is equal."""
    if is_built:
        assert pipeline.migrate(*orders_copy, database).equal
    database["customers"].delete_one({"_id": 7})
    with pytest.raises(MigrationError, match=r"orders.new: the document with _id 7 is refused.*`customer` is missing"):
        pipeline.migrate(*orders_copy, database, cutover=True)
    assert database["orders.new"].count_documents({}) == 57
    database["orders"].insert_one({"_id": 99, "customer_id": 1, "at": 1})  # writes are not refused
    database["orders"].delete_many({"customer_id": 7})
    assert pipeline.migrate(*orders_copy, database, cutover=True).equal
    assert database["orders"].count_documents({}) == 58


def test_children_that_go_after_their_parent(
    orders_copy: tuple[Proposal, Proposal], database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An application that deletes a parent first, and then its children: they are orphans only for a moment."""
    assert pipeline.migrate(*orders_copy, database).equal
    wanted = derive.Deriver.wanted

    def deleted_then(self: Any, target: Any, scopes: Any, roots: Any) -> Any:
        found = wanted(self, target, scopes, roots)
        database["orders"].delete_many({"customer_id": 7})
        return found

    monkeypatch.setattr(derive.Deriver, "wanted", deleted_then)
    database["customers"].delete_one({"_id": 7})
    assert pipeline.migrate(*orders_copy, database).equal


def test_too_many_are_told_at_once(
    orders_copy: tuple[Proposal, Proposal], database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing fits, it is not found out at the end alone."""
    database["customers"].delete_many({})
    monkeypatch.setattr(derive, "LEFT_OUT_AT_MOST", 10)
    with pytest.raises(MigrationError, match="is refused"):
        pipeline.migrate(*orders_copy, database)
    assert database["_nestling_migrate"].find_one({"_id": "migration"})["phase"] == Phase.BACKFILL  # type: ignore[index]
