"""The shop by three designs on one server, to read; and any of them once more, to write to."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from tests.bundled_shop import shop_reading, write_shop
from tests.sources.capture.shops import Shop

FEWER = """
DELETE FROM page_view WHERE product_id > 60 OR rowid % 5 > 0;
DELETE FROM purchase_line WHERE product_id > 60 OR purchase_id IN (SELECT purchase_id FROM purchase WHERE customer_id > 120);
DELETE FROM purchase WHERE customer_id > 120;
DELETE FROM review WHERE product_id > 60 OR customer_id > 120;
DELETE FROM product_category WHERE product_id > 60;
DELETE FROM product WHERE product_id > 60;
DELETE FROM address WHERE customer_id > 120;
DELETE FROM loyalty_card WHERE customer_id > 120;
DELETE FROM customer WHERE customer_id > 120;
"""
"""A shop that loads in a moment."""
FEW = ("latest_reviews", "category_listing", "purchase_details", "rename_product", "write_review")
"""Statements that make the least-cost design copy, and take it a moment."""
STRATEGIES = ("normalized", "embedded", "optimal")


@pytest.fixture(scope="session")
def shops(
    mongod: Server, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Shop]]:
    """The shop by each strategy, loaded; what a test writes to them it takes back."""
    folder = tmp_path_factory.mktemp("captured")
    address = write_shop(folder)
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.executescript(FEWER)
    reading = shop_reading(folder)
    few = tuple(each for each in reading.workload.statements if each.name in FEW)
    reading = replace(reading, workload=replace(reading.workload, statements=few))
    made = {}
    for strategy in STRATEGIES:
        proposal = pipeline.design(reading, strategy)
        database = mongo_client[f"captured_{strategy}"]
        pipeline.load(proposal, address, database, check=False)
        made[strategy] = Shop(folder, proposal, database, mongod.uri)
    yield made
    for shop in made.values():
        mongo_client.drop_database(shop.database.name)


@pytest.fixture
def own_shop(shops: dict[str, Shop], database: Database[dict[str, Any]]) -> Callable[[str], Shop]:
    """Loads a test its own shop by a strategy, which it may leave as it likes."""

    def loaded(strategy: str) -> Shop:
        shop = replace(shops[strategy], database=database)
        pipeline.load(shop.proposal, f"sqlite:///{shop.folder}/shop.db", database, check=False)
        return shop

    return loaded
