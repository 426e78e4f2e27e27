"""Writes as people write them, done on a real server and, as the SQL they are said as, by SQLite: the same rows afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from nestling import pipeline
from tests.sources.capture.shops import Db, Shop

AT = datetime(2026, 5, 1, 10, tzinfo=UTC)
Write = Callable[[Db], Any]

WRITES: dict[str, tuple[str, Write]] = {
    "set and unset": (
        "normalized",
        lambda db: db.product.update_one({"_id": 7}, {"$set": {"name": "Kettle", "stock": 3}, "$unset": {"description": ""}}),
    ),
    "several rows": ("normalized", lambda db: db.product.update_many({"stock": {"$lt": 9}}, {"$inc": {"stock": 40}})),
    "a pipeline": (
        "normalized",
        lambda db: db.product.update_many({"_id": {"$lt": 9}}, [{"$set": {"stock": {"$add": ["$stock", "$_id"]}}}]),
    ),
    "the larger one": ("normalized", lambda db: db.product.update_one({"_id": 8}, {"$max": {"stock": 1_000}})),
    "find and modify": ("normalized", lambda db: db.product.find_one_and_update({"_id": 9}, {"$inc": {"stock": -1}})),
    "delete": ("normalized", lambda db: db.review.delete_many({"product_id": 7, "rating": {"$lte": 3}})),
    "insert": (
        "normalized",
        lambda db: db.address.insert_one(
            {"_id": {"customer_id": 11, "label": "boat"}, "street": "Pier 1", "city": "Oslo", "postcode": "0150"}
        ),
    ),
    "an embedded object": ("embedded", lambda db: db.customer.update_one({"_id": 2}, {"$set": {"loyalty_card.points": 5}})),
    "a new element": (
        "embedded",
        lambda db: db.product.update_one(
            {"_id": 7},
            {"$push": {"review": {"review_id": 99_999, "customer_id": 11, "rating": 4, "body": "Fine.", "written_at": AT}}},
        ),
    ),
    "an element by its place": (
        "embedded",
        lambda db: db.product.update_one(
            {"_id": 7, "review.rating": {"$gte": 1}}, {"$set": {"review.$[each].rating": 4}}, array_filters=[
            {"each.rating": {"$gte": 1}}
        ]),
    ),
    "elements removed": ("embedded", lambda db: db.product.update_one({"_id": 7}, {"$pull": {"review": {"rating": {"$lt": 5}}}})),
    "a document with rows in it": (
        "embedded",
        lambda db: db.customer.insert_one(
            {
                "_id": 9_001,
                "name": "Ada",
                "email": "ada@example.org",
                "joined_at": AT,
                "loyalty_card": {"points": 1, "level": "tin"},
                "address": [{"label": "home", "street": "Pier 2", "city": "Oslo"}],
                "purchase": [],
            }
        ),
    ),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_writes_are_said(strategy: str, own_shop: Callable[[str], Shop], tmp_path: Path) -> None:
    """The rows the design's collections hold after all of them are those SQLite holds after the SQL of each."""
    shop, copy = own_shop(strategy), tmp_path / "shop.db"
    copyfile(shop.folder / "shop.db", copy)
    for name, write in ((name, write) for name, (meant, write) in WRITES.items() if meant == strategy):
        with shop.recorded("write.json") as (recorder, database):
            write(database)
        said = shop.said(recorder)
        assert [str(gap) for gap in said.gaps] == [], name
        with closing(sqlite3.connect(copy)) as connection, connection:
            changed = sum(connection.execute(each.sql, dict(each.samples)).rowcount for each in said.statements)
        assert changed > 0, name
    report = pipeline.verify(shop.proposal, f"sqlite:///{copy}", shop.database)
    assert report.equal, report.differences


def test_what_is_no_attribute_is_named(own_shop: Callable[[str], Shop]) -> None:
    """A field the model lacks is left out of a statement, and the statement says so."""
    shop = own_shop("normalized")
    with shop.recorded("odd.json") as (recorder, database):
        database.product.update_one({"_id": 7}, {"$set": {"price": 9.95, "colour": "red"}})
        database.product.update_one({"_id": 7}, {"$set": {"colour": "blue"}})
        database.product.find_one({"colour": "red"})
    said = shop.said(recorder)
    (statement,) = said.statements
    assert statement.sql == "UPDATE product SET price = :price WHERE product_id = :product_id"
    assert statement.notes == ("left out: `colour` is not an attribute of the model",)
    assert [gap.what for gap in said.gaps] == ["`colour` is not an attribute of the model"]
    assert len(said.left_out) == 1
