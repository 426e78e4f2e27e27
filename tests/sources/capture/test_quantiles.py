"""How much a captured range lets through is counted, and kept without its values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server

DOCUMENTS, WIDTH = 2000, 20


@pytest.fixture
def live(mongod: Server, database: Database[Any]) -> str:
    """The address of a database of events, each of one of ten sensors; the profiler notes what is asked."""
    database.events.insert_many({"_id": n, "no": 5.5 + (n * 7) % DOCUMENTS, "sensor": n % 10} for n in range(DOCUMENTS))
    database.command("profile", 2)
    return mongod.uri.replace("/?", f"/{database.name}?")


@pytest.fixture
def application(mongod: Server, database: Database[Any]) -> Iterator[Any]:
    """The collection as an application asks it."""
    with MongoClient[Any](mongod.uri) as client:
        yield client[database.name].events


def _captured(live: str, database: Database[Any]) -> dict[str, dict[str, float]]:
    """The quantiles of each statement, by its conditions."""
    database.command("profile", 0)
    today = pipeline.in_place(live).in_place
    said = pipeline.captured_workload(pipeline.capture([live]), today.design, today.statistics)
    conditions = {each.sql.partition("WHERE ")[2]: dict(each.quantiles) for each in said.statements}
    return {" AND ".join(sorted(text.split(" AND "))): found for text, found in conditions.items()}


def test_a_range_is_as_wide_as_what_it_returned(live: str, application: Any, database: Database[Any]) -> None:
    """Of both ends, of one, and beside an equality."""
    for start in range(0, 200, 20):
        list(application.find({"no": {"$gte": start, "$lt": start + WIDTH}}))
        list(application.aggregate([{"$match": {"no": {"$gt": DOCUMENTS - 5}}}, {"$sort": {"no": 1}}]))
        list(application.find({"sensor": 3, "no": {"$lte": 99}}))
    found = _captured(live, database)
    both, newest = found["e.no < :no_2 AND e.no >= :no"], found["e.no > :no\nORDER BY e.no"]
    assert both["no_2"] - both["no"] == pytest.approx(WIDTH / DOCUMENTS, rel=0.1)
    assert newest["no"] == pytest.approx(1 - 10 / DOCUMENTS, abs=1 / DOCUMENTS)
    assert found["e.no <= :no AND e.sensor = :sensor"]["no"] == pytest.approx(100 / DOCUMENTS, rel=0.1)


def test_a_beginning_is_a_range(live: str, application: Any, database: Database[Any]) -> None:
    """A pattern that says how a text begins is one an index finds, as wide as what it returned; other patterns are not."""
    application.update_many({}, [{"$set": {"name": {"$concat": ["N", {"$toString": "$_id"}]}}}])
    for start in range(100, 120):
        list(application.find({"name": {"$regex": f"^N{start}"}}))
        list(application.find({"name": {"$regex": f"^n{start}", "$options": "i"}}))
        list(application.find({"name": {"$regex": f"^.*{start}"}, "sensor": 3}))
    found = _captured(live, database)
    ends = found["e.name < :name_before AND e.name >= :name_from"]
    assert ends["name_before"] - ends["name_from"] == pytest.approx(11 / DOCUMENTS, rel=0.1)
    assert {text for text in found if "LIKE" in text} == {
        "e.name LIKE :name_pattern",
        "e.name LIKE :name_pattern AND e.sensor = :sensor",
    }
    assert found["e.name LIKE :name_pattern"]["name_pattern"] == pytest.approx(11 / DOCUMENTS, rel=0.1)
    made = pipeline.redesign(pipeline.in_place(live), "optimal")
    assert (("name", 1),) in [index.keys for index in made.proposal.design.indexes]
    said = [note for note in made.proposal.notes if note.startswith("no index finds")]
    assert not [note for note in said if "`find_events_by_name` " in note]


@pytest.mark.thorough
def test_nothing_is_said_of_what_was_not_counted(live: str, application: Any, database: Database[Any]) -> None:
    """A limit that was reached, a first batch that is full, other conditions, and counts."""
    for _ in range(3):
        list(application.find({"no": {"$gte": 5}}).limit(10))
        list(application.find({"no": {"$lt": 900}}))
        list(application.find({"no": {"$lt": 20}, "sensor": {"$ne": 4}}))
        list(application.find({"$or": [{"no": {"$lt": 3}}, {"sensor": {"$gt": 20}}]}))
        application.count_documents({"no": {"$gt": 1980}})
    found = _captured(live, database)
    assert len(found) == 5
    assert not any(found.values())


@pytest.mark.thorough
def test_prices_follow(live: str, database: Database[Any], tmp_path: Path) -> None:
    """What a statement is taken to cost depends on what its range was seen to return."""
    sql = "SELECT e._id FROM events e WHERE e.no >= :low AND e.no < :high;"
    costs = []
    for line in ("", '-- quantiles: {"low": 0.4, "high": 0.9}', '-- quantiles: {"low": 0.5, "high": 0.501}'):
        file = tmp_path / "w.sql"
        file.write_text(f"-- name: some, rate: 50/s\n{line}\n{sql}\n")
        found = pipeline.in_place(live, workload=file)
        assert not found.reading.gaps
        made = pipeline.redesign(found, "optimal").proposal.costs
        assert made is not None
        costs.append(made.cost - made.threshold)
    usual, wide, narrow = costs
    assert narrow < usual < wide
