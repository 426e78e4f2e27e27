"""Copies whose source row is gone: a sync leaves them, as a check does, and tells of them apart from what it writes."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.executors.sync import Metrics, SyncOptions, SyncReport, sync
from nestling.executors.sync.following import SHARED_FROM
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal
from nestling.pipeline.syncing import sync_plan
from tests.small_shop import small_shop

Documents = Database[dict[str, Any]]
USERS = 10


def _invoices(mongod: Server, database: Documents, form: str, each: int) -> Proposal:
    """Users, and invoices that repeat their names: so many of each user, one of nobody; the design that is found of them."""
    database["users"].insert_many({"_id": n, "name": f"User {n}", "city": f"City {n}"} for n in range(USERS))
    copies = [
        {"user_name": f"User {n}"} if form == "inline" else {"user": {"name": f"User {n}", "city": f"City {n}"}}
        for n in range(USERS)
    ]
    database["invoices"].insert_many(
        {"_id": n, "user_id": n % USERS, "total": n} | copies[n % USERS] for n in range(USERS * each)
    )
    database["invoices"].insert_one({"_id": -1, "total": 0})
    today = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    assert [copy for each_one in today.design.collections for copy in each_one.body.copies]
    return today


def _told(report: SyncReport) -> tuple[int, int, bool]:
    return report.sourceless, report.written, report.clean


@pytest.mark.one_in(2)
@pytest.mark.parametrize("each", [4, SHARED_FROM + 1], ids=["few", "many"])
@pytest.mark.parametrize("form", ["inline", "object"])
def test_copies_of_a_deleted_row_are_left(form: str, each: int, mongod: Server, database: Documents) -> None:
    """When its deletion is followed and when all is compared, until they are to be removed; what changed else is written."""
    today = _invoices(mongod, database, form, each)
    pipeline.sync(today, database, once=True)
    name = "user_name" if form == "inline" else "user.name"
    database["users"].delete_one({"_id": 5})
    database["users"].update_one({"_id": 6}, {"$set": {"name": "Eve"}})
    assert _told(pipeline.sync(today, database, once=True)) == (each, each, False)
    assert _told(pipeline.sync(today, database, once=True, restart=True)) == (each, 0, False)
    assert database["invoices"].count_documents({name: "User 5"}) == each
    assert database["invoices"].count_documents({name: "Eve"}) == each
    report = pipeline.sync(today, database, once=True, restart=True, remove=True)
    assert _told(report) == (0, each, True)
    assert database["invoices"].count_documents({name: {"$exists": True}}) == (USERS - 1) * each
    assert pipeline.check(today, database).clean


def test_what_refers_to_nothing_any_more_holds_no_copy(mongod: Server, database: Documents) -> None:
    """A reference that was taken out, or a source without a value: such a copy goes, as nothing is lost with it."""
    today = _invoices(mongod, database, "inline", 4)
    pipeline.sync(today, database, once=True)
    database["invoices"].update_one({"_id": 3}, {"$unset": {"user_id": 1}})
    database["users"].update_one({"_id": 4}, {"$unset": {"name": 1}})
    assert _told(pipeline.sync(today, database, once=True)) == (0, 5, True)


def test_a_row_that_comes_back_is_followed_again(database: Documents) -> None:
    """Along a foreign key that the source enforces, too: its copies are left, named, and written when it is there again."""
    plan = sync_plan(read_proposal(small_shop(), "shop.yaml").design)
    database["customers"].insert_one({"_id": 1, "name": "Ada"})
    database["purchases"].insert_one({"_id": 7, "customer_id": 1, "total": 1, "customer": {"name": "Ada"}})
    sync(database, plan, SyncOptions(once=True))
    database["customers"].delete_one({"_id": 1})
    metrics = Metrics()
    assert _told(sync(database, plan, SyncOptions(once=True), metrics=metrics)) == (1, 0, False)
    assert metrics.left_copies() == metrics.snapshot()["left_copies"] == ["purchases.customer of 7"]
    database["customers"].insert_one({"_id": 1, "name": "Eve"})
    assert _told(sync(database, plan, SyncOptions(once=True))) == (0, 1, True)
    assert database["purchases"].find_one({}, {"_id": 0, "customer": 1}) == {"customer": {"name": "Eve"}}
