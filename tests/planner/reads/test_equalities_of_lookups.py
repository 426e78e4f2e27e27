"""What a lookup asks by its own equality is not asked again of what it finds, unless that is about elements of arrays."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from tests.planner.reads.beside_sqlite import Beside, loaded
from tests.planner.reads.shop import READING, ROWS

LATEST = (
    "SELECT g.c, o.id, o.status FROM (SELECT {group} AS c, MAX(id) AS m FROM orders GROUP BY 1) g "
    "LEFT JOIN orders o ON o.id = g.m AND o.{group} = g.c"
)


@pytest.fixture(scope="module")
def embedded_shop(
    mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Beside]:
    """The shop with orders in their customers' documents."""
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    yield loaded(pipeline.design(READING, "embedded"), ROWS, database, tmp_path_factory.mktemp("embedded"))
    mongo_client.drop_database(database.name)


@pytest.mark.parametrize(("group", "path"), [("customer_id", "_id"), ("status", "orders.id")])
def test_the_key_above_an_array_is_asked_once(embedded_shop: Beside, group: str, path: str) -> None:
    """A customer's `_id` finds one document; an order's id one that has such an order, among others."""
    sql = LATEST.format(group=group)
    lookup = next(each["$lookup"] for each in embedded_shop.compiled(sql).pipeline if "$lookup" in each)
    assert isinstance(lookup, dict)
    assert lookup["foreignField"] == path
    assert (lookup["localField"] in {each[1:] for each in lookup["let"].values()}) is path.startswith("orders.")
    embedded_shop.assert_equal(sql)
