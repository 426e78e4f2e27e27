"""Writes to documents of others, in which NULL is a field that is null as well as one that is missing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from pymongo.collection import Collection
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.server import Server

Documents = Database[dict[str, Any]]
GONE = datetime(2025, 1, 1, tzinfo=UTC)
WRITES = (
    ("UPDATE driver SET n = -1 WHERE deleted_at IS NULL", 90),
    ("UPDATE driver SET n = -1 WHERE deleted_at IS NOT NULL", 10),
    ("UPDATE driver SET n = n + 1 WHERE deleted_at IS NULL AND n < 50", 45),
    ("DELETE FROM driver WHERE deleted_at IS NOT NULL", 10),
    ("DELETE FROM driver WHERE deleted_at IS NULL", 90),
    ("UPDATE driver SET deleted_at = NULL WHERE deleted_at IS NOT NULL", 10),
    ("UPDATE driver SET n = COALESCE(n, 0) + 1 WHERE deleted_at IS NULL OR n = 0", 91),
)


def _driver(n: int) -> dict[str, Any]:
    """In ten a date, in fifty null, in forty nothing."""
    found = {"_id": n, "name": f"driver {n}", "n": n}
    return found | ({"deleted_at": GONE} if n % 10 == 0 else {"deleted_at": None} if n % 2 else {})


@pytest.fixture
def store(database: Documents, mongod: Server) -> Callable[[], Store]:
    """A store of what the database holds by then."""
    address = mongod.uri.replace("/?", f"/{database.name}?")
    return lambda: Store(pipeline.in_place(address).in_place, database)


@pytest.mark.parametrize(("sql", "affected"), WRITES)
def test_null_is_null(sql: str, affected: int, database: Documents, store: Callable[[], Store]) -> None:
    """A write finds the rows that a read finds by the same condition, and no others are changed."""
    database.driver.insert_many(map(_driver, range(100)))
    opened = store()
    (asked,) = opened.execute(f"SELECT count(*) AS found FROM driver WHERE {sql.partition('WHERE ')[2]}")
    before = {each["_id"]: each for each in database.driver.find()}
    assert (asked["found"], opened.execute(sql).affected) == (affected, affected)
    after = {each["_id"]: each for each in database.driver.find()}
    assert sum(after.get(key) != each for key, each in before.items()) == affected


def _one(documents: Collection[dict[str, Any]], key: int) -> dict[str, Any]:
    found = documents.find_one({"_id": key})
    assert found is not None
    return found


def test_an_element_by_its_key(database: Documents, store: Callable[[], Store]) -> None:
    """What is counted is changed."""
    database.visits.insert_many(
        {"_id": n, "stops": [{"no": k, "note": None if k % 2 else f"note {k}"} for k in range(4)]} for n in range(40)
    )
    opened = store()
    assert opened.execute("UPDATE stops SET note = 'x' WHERE visit_id = 1 AND note IS NULL").affected == 2
    assert [each["note"] for each in _one(database.visits, 1)["stops"]] == ["note 0", "x", "note 2", "x"]
    assert opened.execute("DELETE FROM stops WHERE visit_id = 2 AND note IS NULL").affected == 2
    assert [each["no"] for each in _one(database.visits, 2)["stops"]] == [0, 2]


def test_an_element_without_a_key(database: Documents, store: Callable[[], Store]) -> None:
    """It is neither there twice nor left."""
    services = [{"km": 10, "cost": None}, {"km": 10, "cost": 1.5}, {"km": 10, "cost": 1.5}]
    database.vehicle.insert_many({"_id": n, "services": services} for n in range(30))
    opened = store()
    assert opened.execute("UPDATE services SET km = km + 1000 WHERE vehicle_id = 1").affected == 3
    found = _one(database.vehicle, 1)["services"]
    assert sorted((each["km"], each.get("cost") or 0) for each in found) == [(1010, 0), (1010, 1.5), (1010, 1.5)]
    assert opened.execute("DELETE FROM services WHERE vehicle_id = 2 AND cost IS NULL").affected == 1
    assert _one(database.vehicle, 2)["services"] == services[1:]
