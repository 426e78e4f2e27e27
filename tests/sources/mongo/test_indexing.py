"""Which indexes of a live database a design in place has."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pymongo.database import Database

from nestling.executors.facts import Amount, Budget, gather
from nestling.sources.mongo import live_database

ENGLISH = {"locale": "en", "strength": 1}


def test_an_index_of_another_collation_serves_nothing(database: Database[Any]) -> None:
    """Only one that compares texts as its collection does is taken; the others are gaps."""
    database.create_collection("english", collation=ENGLISH)
    for name in ("english", "plain"):
        database[name].insert_many({"_id": number, "a": f"a{number}", "b": f"b{number}"} for number in range(5))
        database[name].create_index("a", collation=ENGLISH)
        database[name].create_index("b", collation={"locale": "simple"})
    found = live_database(gather(database.client, [database.name], Budget(30.0, Amount(), structure=True)))
    assert {(index.collection, index.keys[0][0]) for index in found.in_place.design.indexes} == {
        ("english", "a"),
        ("plain", "b"),
    }
    told = [(gap.where, gap.what) for gap in found.reading.gaps if "collation" in gap.what and "index" in gap.what]
    assert [(where, what.split("`")[1]) for where, what in told] == [("english", "b_1"), ("plain", "a_1")]


def test_an_index_that_removes_nothing(database: Database[Any]) -> None:
    """One that should remove documents by a text serves as an index, and a gap says that it removes none."""
    database.notes.insert_many(
        [{"_id": n, "until": f"{n} May", "at": datetime(2026, 1, 1, tzinfo=UTC)} for n in range(3)]
    )
    database.notes.create_index("until", expireAfterSeconds=60)
    database.notes.create_index("at", expireAfterSeconds=10**8)
    found = live_database(gather(database.client, [database.name], Budget(30.0, Amount(), structure=True)))
    assert {(index.keys[0][0], index.expire_after_seconds) for index in found.in_place.design.indexes} == {
        ("until", None),
        ("at", 10**8),
    }
    assert [gap.what for gap in found.reading.gaps] == ["index `until_1` expires nothing, as its field holds no dates"]


def test_an_index_over_two_arrays(database: Database[Any]) -> None:
    """No document holds both, and no design has such an index: it is a gap."""
    lists = ({"_id": n, ("lines", "visits")[n % 2]: [{"sku": f"s{n}", "number": n}]} for n in range(40))
    database.orders.insert_many(lists)
    database.orders.create_index([("lines.sku", 1), ("visits.sku", 1)])
    found = live_database(gather(database.client, [database.name], Budget(30.0, Amount(), structure=True)))
    assert not found.in_place.design.indexes
    assert "index `lines.sku_1_visits.sku_1` covers two arrays" in "".join(gap.what for gap in found.reading.gaps)
