"""NOT IN over columns that may be NULL: SQLite's rows, and what depends on NULLs alone is asked once for all rows."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.planner.reads import NO_REWRITES
from tests.planner.reads.beside_sqlite import Beside, loaded
from tests.planner.reads.shop import READING, ROWS

BOSSES = "SELECT id FROM product WHERE maker_id NOT IN (SELECT boss_id FROM employee WHERE id > 0)"
STATEMENTS = (
    BOSSES,
    BOSSES.replace("id > 0", "boss_id > 0"),
    BOSSES.replace("id > 0", "id > 99"),
    BOSSES.replace("NOT IN", "IN"),
    "SELECT id, maker_id NOT IN (SELECT boss_id FROM employee) AS a, maker_id IN (SELECT id FROM maker) AS b FROM product",
    "SELECT id FROM maker WHERE id NOT IN (SELECT maker_id FROM product)",
    "SELECT id FROM maker WHERE id NOT IN (SELECT maker_id FROM product WHERE title IS NOT NULL) OR id > 2",
    "SELECT id FROM product p WHERE maker_id NOT IN (SELECT maker_id FROM product WHERE id <> p.id AND price > p.price)",
    "SELECT id FROM product WHERE (maker_id, price) NOT IN (SELECT boss_id, id FROM employee)",
)


@pytest.fixture(scope="module")
def shop(mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    """The normalized shop."""
    database = mongo_client[f"test_{uuid.uuid4().hex}"]
    yield loaded(pipeline.design(READING, "normalized"), ROWS, database, tmp_path_factory.mktemp("shop"))
    mongo_client.drop_database(database.name)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_sqlites(shop: Beside, sql: str) -> None:
    """With every rewrite and with none."""
    shop.assert_equal(sql)
    shop.assert_equal(sql, rewrites=NO_REWRITES)


def test_only_the_equality_is_asked_of_each_row(shop: Beside) -> None:
    """The other lookups mention nothing of the row, so that the server keeps what they find."""
    first, *others = [stage["$lookup"] for stage in _stages(shop, BOSSES) if "$lookup" in stage]
    assert first["localField"] == "maker_id"
    assert len(others) == 2
    assert not any("let" in each or "localField" in each for each in others)


def _stages(shop: Beside, sql: str) -> list[Any]:
    return list(shop.compiled(sql).pipeline)
