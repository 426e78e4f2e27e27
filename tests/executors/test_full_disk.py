"""A server whose disk is full: a typed error, nothing lost, and the same command goes on once there is room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.errors import DiskFull, LibraryMissing, ServerNotFound
from nestling.executors.sync import SyncOptions, sync
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal
from nestling.pipeline import check
from nestling.pipeline.syncing import sync_plan
from tests.failing_server import failing_server, full_disk
from tests.servers import missing
from tests.small_shop import small_shop

ONCE = SyncOptions(once=True)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MongoClient[dict[str, Any]]]:
    """A server that can be told to have no room."""
    try:
        with failing_server(tmp_path_factory.mktemp("failing")) as found:
            yield found
    except (ServerNotFound, LibraryMissing) as error:
        missing(str(error))


@pytest.fixture
def proposal() -> Proposal:
    """Purchases with a copy of their customer's name."""
    return read_proposal(small_shop(), "shop.yaml")


@pytest.fixture
def shop(client: MongoClient[dict[str, Any]]) -> Iterator[Database[dict[str, Any]]]:
    """A customer and two purchases, whose copies are stale."""
    database = client["shop"]
    database.customers.insert_one({"_id": 1, "name": "Ada"})
    database.purchases.insert_many(
        [{"_id": n, "customer_id": 1, "total": n, "customer": {"name": "stale"}} for n in (1, 2)]
    )
    yield database
    client.drop_database("shop")


def copied(database: Database[dict[str, Any]]) -> list[object]:
    """What the purchases say of their customer."""
    return [each["customer"]["name"] for each in database.purchases.find(sort=[("_id", 1)])]


@pytest.mark.thorough
def test_a_sync_stops_and_goes_on(shop: Database[dict[str, Any]], proposal: Proposal) -> None:
    """The resume point stays before what could not be written, so the next run writes it."""
    plan = sync_plan(proposal.design)
    sync(shop, plan, ONCE)
    shop.customers.update_one({"_id": 1}, {"$set": {"name": "Eve"}})
    with full_disk(shop.client, "update", "shop.purchases"), pytest.raises(DiskFull, match="free some space"):
        sync(shop, plan, ONCE)
    assert copied(shop) == ["Ada", "Ada"]
    assert sync(shop, plan, ONCE).written == 2
    assert copied(shop) == ["Eve", "Eve"]


def test_a_resume_point_that_cannot_be_saved_ends_the_run(shop: Database[dict[str, Any]], proposal: Proposal) -> None:
    """It is saved beside the work, and its error is not lost there."""
    plan = sync_plan(proposal.design)
    sync(shop, plan, ONCE)
    with full_disk(shop.client, "update", "shop._nestling_sync"), pytest.raises(DiskFull):
        sync(shop, plan, ONCE)


def test_a_repair_stops(shop: Database[dict[str, Any]], proposal: Proposal) -> None:
    """Looking is possible all the while, and a later repair mends everything."""
    with full_disk(shop.client, "update", "shop.purchases"):
        assert not check(proposal, shop).clean
        with pytest.raises(DiskFull):
            check(proposal, shop, repair=True)
    assert check(proposal, shop, repair=True).clean
    assert copied(shop) == ["Ada", "Ada"]
