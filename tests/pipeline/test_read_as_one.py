"""A captured read of documents with several arrays is priced as the one command it is, while the arrays are in these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.pipeline.reversing import Redesign
from nestling.recorder import Recorder


@pytest.fixture
def live(mongod: Server, database: Database[Any]) -> str:
    """The address of a database of orders with lines and notes, each read as a whole by its key."""
    database.orders.insert_many(
        {
            "_id": n,
            "lines": [{"no": k, "what": f"article {n}"} for k in range(3)],
            "notes": [{"k": k, "text": f"note {k}"} for k in range(2)],
        }
        for n in range(3_000)
    )
    database.command("profile", 1, filter={"appName": {"$ne": "nestling"}})
    with MongoClient[Any](mongod.uri) as client:
        for n in range(40):
            client[database.name].orders.find_one({"_id": n})
    database.command("profile", 0)
    return mongod.uri.replace("/?", f"/{database.name}?")


def designed(live: str, text: str, tmp_path: Path) -> Redesign:
    """What `design` makes of the database and such a workload."""
    file = tmp_path / "w.sql"
    file.write_text(text)
    return pipeline.redesign(pipeline.in_place(live, workload=file), "optimal")


def test_what_comes_with_a_document_costs_no_request(live: str, tmp_path: Path) -> None:
    """The second array of each order comes with the first; asked by itself it would be as dear."""
    today = pipeline.in_place(live).in_place
    said = pipeline.captured_workload(pipeline.capture([live]), today.design, today.statistics)
    first, second = (each.name for each in said.statements)
    assert f"-- asked: with {first}" in said.text()
    together = designed(live, said.text(), tmp_path)
    assert any(f"`{first}` and `{second}` are one command today" in note for note in together.proposal.notes)
    apart = designed(live, said.text().replace("-- asked: with", "-- was asked with"), tmp_path)
    costs = [dict(each.proposal.costs.statements) for each in (together, apart) if each.proposal.costs is not None]
    assert costs[0][second] < costs[0][first] / 5 < costs[1][second]
    assert len(together.proposal.design.collections) == 1


def test_arrays_stay_where_reads_show_them(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """Indexes of what lies in some documents do not make today's design impossible, and documents that are deleted take what is
    in them along: nothing is to change.
    """
    database.messages.insert_many(
        {
            "_id": i,
            "room": i % 20,
            "text": "x" * 80,
            **({"files": [{"_id": f"f{i}", "name": "a"}]} if i % 3 == 0 else {}),
        }
        for i in range(2_000)
    )
    database.messages.create_index("room")
    database.messages.create_index("files._id", partialFilterExpression={"files._id": {"$exists": True}})
    live = mongod.uri.replace("/?", f"/{database.name}?")
    with (
        Recorder(tmp_path / "asked.json", samples=True) as recorder,
        MongoClient[Any](mongod.uri, event_listeners=[recorder]) as client,
    ):
        messages = client[database.name].messages
        for i in range(60):
            list(messages.find({"room": i % 20}))
            messages.find_one({"files._id": f"f{i * 3}"})
            messages.delete_many({"room": 20 + i})
        today = pipeline.in_place(live).in_place
        said = pipeline.captured_workload(recorder.capture(), today.design, today.statistics)
    made = designed(live, said.text(), tmp_path)
    assert made.today is not None
    assert made.changes == ()
    assert len(made.proposal.design.collections) == 1


def test_arrays_in_sub_documents_come_with_a_document(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """Also where documents are found by an index: neither a request, nor a visit, nor a search for each array."""
    database.trips.insert_many(
        {
            "_id": n,
            "rider": n % 300,
            "stops": [{"no": k, "at": f"place {n}"} for k in range(2)],
            "tags": [f"tag {n % 7}"],
            "route": {
                "by": "road",
                "legs": [{"no": k, "km": n + k / 4, "lanes": [{"no": 1, "w": n / 8}]} for k in range(2)],
            },
            "car": {"plate": f"x{n}", "checks": [{"no": k, "ok": n % 2 == 0} for k in range(2)]},
        }
        for n in range(1_500)
    )
    database.trips.create_index("rider")
    live = mongod.uri.replace("/?", f"/{database.name}?")
    with (
        Recorder(tmp_path / "asked.json", samples=True) as recorder,
        MongoClient[Any](mongod.uri, event_listeners=[recorder]) as client,
    ):
        trips = client[database.name].trips
        for n in range(40):
            trips.find_one({"_id": n})
            list(trips.find({"rider": n}))
        today = pipeline.in_place(live).in_place
        said = pipeline.captured_workload(recorder.capture(), today.design, today.statistics)
    firsts = [each.name for each in said.statements if not each.asked_with]
    assert len(said.statements) == 4 * len(firsts) == 8
    made = designed(live, said.text(), tmp_path)
    assert made.changes == ()
    assert made.proposal.costs is not None
    costs = dict(made.proposal.costs.statements)
    for each in said.statements:
        if each.asked_with:
            assert costs[each.name] < costs[each.asked_with] / 2, each.name


def test_what_is_written_with_a_document_costs_no_command(
    mongod: Server, database: Database[Any], tmp_path: Path
) -> None:
    """An update of several fields, sub-documents and arrays, and a document that takes another's place, are one command each."""

    def trip(n: int) -> dict[str, Any]:
        route = {"by": "road", "legs": [{"no": k, "km": n + k / 4} for k in range(2)]}
        return {"_id": n, "fare": n, "stops": [{"no": k, "at": f"place {n}"} for k in range(2)], "route": route}

    database.trips.insert_many(map(trip, range(800)))
    live = mongod.uri.replace("/?", f"/{database.name}?")
    with (
        Recorder(tmp_path / "asked.json", samples=True) as recorder,
        MongoClient[Any](mongod.uri, event_listeners=[recorder]) as client,
    ):
        trips = client[database.name].trips
        for n in range(40):
            trips.find_one({"_id": n})
            pushed = {"stops": {"no": 7, "at": "here"}, "route.legs": {"no": 7, "km": 1.5}}
            trips.update_one({"_id": n}, {"$push": pushed, "$set": {"route.by": "sea", "fare": 3}})
            trips.replace_one({"_id": n}, trip(n))
        today = pipeline.in_place(live).in_place
        said = pipeline.captured_workload(recorder.capture(), today.design, today.statistics)
    whole = [each for each in said.statements if each.name.startswith("update") and not each.asked_with]
    assert all(each.sql.startswith("UPDATE trips") for each in whole)
    made = designed(live, said.text(), tmp_path)
    assert made.changes == ()
    assert made.proposal.costs is not None
    costs = dict(made.proposal.costs.statements)
    for first in whole:
        others = [each.name for each in said.statements if each.asked_with == first.name]
        assert len(others) >= 3
        assert sum(costs[name] for name in others) < costs[first.name] / 10
