"""Which indexes of a live database a design in place has."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.executors.facts import Amount, Budget, gather
from nestling.sources.mongo import read

ENGLISH = {"locale": "en", "strength": 1}


def test_an_index_of_another_collation_serves_nothing(database: Database[Any]) -> None:
    """Only one that compares texts as its collection does is taken; the others are gaps."""
    database.create_collection("english", collation=ENGLISH)
    for name in ("english", "plain"):
        database[name].insert_many({"_id": number, "a": f"a{number}", "b": f"b{number}"} for number in range(5))
        database[name].create_index("a", collation=ENGLISH)
        database[name].create_index("b", collation={"locale": "simple"})
    found = read(gather(database.client, [database.name], Budget(30.0, Amount(), structure=True)))
    assert {(index.collection, index.keys[0][0]) for index in found.in_place.design.indexes} == {
        ("english", "a"),
        ("plain", "b"),
    }
    told = [(gap.where, gap.what) for gap in found.reading.gaps if "collation" in gap.what and "index" in gap.what]
    assert [(where, what.split("`")[1]) for where, what in told] == [("english", "b_1"), ("plain", "a_1")]
