"""A find, and finds for what it found, are one join; the rest of their rates stays theirs."""

from __future__ import annotations

from typing import Any

import pytest

from nestling import pipeline
from nestling.ir.capture import Capture, CaptureKind, CommandOperation, Follow, ShapeTotals, shape
from tests.sources.capture.shops import Db, Shop


def _purchase_lines(database: Db, purchase: object) -> None:
    """What applications do that join by themselves: by a list of ids, and one by one."""
    lines = list(database["purchase_line"].find({"_id.purchase_id": purchase}))
    list(database["product"].find({"_id": {"$in": [line["product_id"] for line in lines]}}, {"name": 1}))


def _purchases(shop: Shop) -> list[Any]:
    """Forty purchases of several lines."""
    counted = "SELECT purchase_id FROM purchase_line GROUP BY purchase_id HAVING COUNT(*) > 1 LIMIT 40"
    return [purchase for (purchase,) in shop.rows(counted)]


@pytest.mark.thorough
def test_a_find_and_an_in_on_its_ids_is_a_join(shops: dict[str, Shop]) -> None:
    """Two finds become one statement with a join, at the rate of the pair; what else is asked of either stays."""
    shop = shops["normalized"]
    purchases = _purchases(shop)
    assert len(purchases) == 40
    with shop.recorded("join.json") as (recorder, database):
        for purchase in purchases:
            _purchase_lines(database, purchase)
        for _ in range(20):
            list(database["product"].find({"stock": {"$lt": 3}}))
    said = shop.said(recorder)
    joined = [each for each in said.statements if "JOIN product" in each.sql]
    assert len(joined) == 1
    assert "pl.purchase_id = :purchase_id" in joined[0].sql
    assert joined[0].notes == ("the application joins `product` itself",)
    others = [each for each in said.statements if each not in joined]
    assert ["stock" in each.sql for each in others] == [True]
    assert joined[0].rate_per_second == pytest.approx(2 * others[0].rate_per_second, rel=0.02)
    asked = "SELECT l.quantity, p.name FROM purchase_line l JOIN product p USING (product_id) WHERE purchase_id = :purchase_id"
    expected = shop.rows(asked, {"purchase_id": purchases[0]})
    rows = shop.rows(joined[0].sql, {"purchase_id": purchases[0]})
    assert len(rows) == len(expected) > 0
    assert all(any(name in row for row in rows) for _, name in expected)


def test_one_by_one_is_the_same_join(shops: dict[str, Shop]) -> None:
    """A find for each document found (N + 1) is the same join, at the rate of the first find."""
    shop = shops["normalized"]
    with shop.recorded("one_by_one.json") as (recorder, database):
        for _ in range(10):
            for purchase in database["purchase"].find({"status": "paid"}).limit(5):
                database["customer"].find_one({"_id": purchase["customer_id"]})
    capture = recorder.capture()
    follow, *_ = (each for each in capture.follows if each.first != each.second)
    assert (follow.first.collection, follow.path, follow.second.collection, follow.field) == (
        *("purchase", "customer_id"),
        *("customer", "_id"),
    )
    said = shop.said(recorder)
    assert ["JOIN customer" in each.sql for each in said.statements] == [True]


@pytest.mark.thorough
def test_the_profiler_shows_it_too(shops: dict[str, Shop]) -> None:
    """Without the answers, an `$in` right after a find of the same client is a join where the model has one."""
    shop = shops["normalized"]
    shop.database["system.profile"].drop()
    with shop.recorded("profiled.json") as (_, database):
        shop.database.command("profile", 2)
        for purchase in _purchases(shop):
            _purchase_lines(database, purchase)
        shop.database.command("profile", 0)
    uri = shop.uri.replace("/?", f"/{shop.database.name}?")
    capture = pipeline.capture([uri])
    said = pipeline.captured_workload(capture, shop.proposal.design)
    assert any("JOIN product" in each.sql and "FROM purchase_line" in each.sql for each in said.statements)


def test_equal_numbers_are_no_join(shops: dict[str, Shop]) -> None:
    """Reads that ask for other values than those found, and small numbers, are no joins."""
    shop = shops["normalized"]
    with shop.recorded("no_join.json") as (recorder, database):
        for number in range(30):
            list(database["product"].find({"stock": {"$lt": 2}}))
            list(database["customer"].find({"_id": {"$in": [1_000_000 + number, 2_000_000 + number]}}))
            documents: list[dict[str, Any]] = list(database["review"].find({"rating": 3}).limit(1))
            assert documents
    assert recorder.capture().follows == ()


def test_a_join_that_cannot_be_said_leaves_its_finds(shops: dict[str, Shop]) -> None:
    """A find that SQL does not say is a gap alone: what the application asks for next is a statement of its own."""
    first = shape("shop", "purchase", CommandOperation.FIND, {"filter": {"$text": {"$search": "kettle"}}})
    second = shape("shop", "customer", CommandOperation.FIND, {"filter": {"_id": 1}})
    seen = (ShapeTotals(first, 40, times=40), ShapeTotals(second, 50, times=50))
    follow = Follow(first, second, "_id", "customer_id", 40, 50)
    captured = Capture(CaptureKind.RECORDER, 10.0, seen, (follow,))
    said = pipeline.captured_workload(captured, shops["normalized"].proposal.design)
    (statement,) = said.statements
    assert ("FROM customer" in statement.sql, statement.rate_per_second) == (True, 5.0)
    assert [each.rate_per_second for each in said.not_expressed] == [4.0]
