"""Documents of several kinds in one collection: what asks for one kind is a statement over that kind's table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.server import Server
from nestling.executors.run import run_read
from nestling.ir.capture import Capture, CaptureKind, CommandOperation, ShapeTotals, shape
from nestling.ir.primitives import Index
from nestling.ir.programs.compiled import CompiledRead
from nestling.sources.capture.sql.workload import CapturedWorkload, workload_of

OWN: dict[str, dict[str, Any]] = {
    "click": {"url": "/a", "x": 1},
    "login": {"ip": "10.0.0.1"},
    "error": {"status": 500, "message": "m"},
}


@pytest.fixture
def live(mongod: Server, database: Database[Any]) -> str:
    """The address of a database of events of three kinds."""
    kinds = list(OWN)
    database.events.insert_many({"_id": n, "type": kinds[n % 3], "ts": n, **OWN[kinds[n % 3]]} for n in range(300))
    database.events.create_index([("type", 1), ("ts", -1)])
    return mongod.uri.replace("/?", f"/{database.name}?")


def _said(live: str) -> CapturedWorkload:
    asked: tuple[dict[str, Any], ...] = (
        {"filter": {"type": "click"}, "sort": {"ts": -1}, "limit": 10},
        {"filter": {"type": {"$in": ["click", "login"]}}, "limit": 10},
    )
    seen = tuple(ShapeTotals(shape("any", "events", CommandOperation.FIND, each), 30) for each in asked)
    return workload_of(Capture(CaptureKind.PROFILER, 10.0, seen), pipeline.in_place(live).in_place.design)


@pytest.mark.thorough
def test_a_kind_is_a_table(live: str, database: Database[Any]) -> None:
    """There is one statement for each kind, with its share of the rate, and it finds what the command finds."""
    today = pipeline.in_place(live).in_place
    said = {each.name: each for each in _said(live).statements}
    assert set(said) == {f"find_events_by_type_{kind}" for kind in OWN}
    assert len({each.rate_per_second for each in said.values()}) == 1
    for kind, own in OWN.items():
        each = said[f"find_events_by_type_{kind}"]
        assert f"JOIN {kind} " in each.sql
        assert any("the rate is divided among" in note for note in each.notes)
        compiled = pipeline.convert(today, each.sql)
        assert isinstance(compiled, CompiledRead)
        asked = database.events.find({"type": kind}).sort("ts", -1).limit(10)
        expected = [(row["_id"], row["ts"], *(row[name] for name in own)) for row in asked]
        assert list(run_read(database, compiled)) == expected


@pytest.mark.parametrize(
    "asked",
    [
        {"filter": {"status": 500, "type": "error"}, "sort": {"ts": -1}, "limit": 10},
        {"filter": {"type": "error"}, "sort": {"message": 1, "_id": 1}, "limit": 10},
    ],
)
def test_a_field_of_one_kind_tells_which_is_asked_for(
    live: str, database: Database[Any], asked: dict[str, Any]
) -> None:
    """A command that goes by a field only one kind has is one statement, over that kind's table, at the full rate."""
    today = pipeline.in_place(live).in_place
    seen = (ShapeTotals(shape("any", "events", CommandOperation.FIND, asked), 30),)
    said = workload_of(Capture(CaptureKind.PROFILER, 10.0, seen), today.design)
    assert said.gaps == ()
    (one,) = said.statements
    assert "JOIN error " in one.sql
    assert one.rate_per_second == pytest.approx(3)
    assert "taken to query error: no other kind has the fields it filters by" in one.notes
    assert not any("left out" in note for note in one.notes)
    compiled = pipeline.convert(today, one.sql)
    assert isinstance(compiled, CompiledRead)
    found = database.events.find(asked["filter"]).sort([*asked["sort"].items()]).limit(10)
    values = {name: value for name, value in asked["filter"].items() if name != "type"}
    rows = [(row["_id"], row["ts"], row["status"], row["message"]) for row in found]
    assert list(run_read(database, compiled, {next(iter(compiled.parameters), ""): 500} if values else {})) == rows


def test_what_cannot_be_said_of_kinds_says_what_to_do(live: str) -> None:
    """A list of kinds is a gap that says which statements to write."""
    (gap,) = _said(live).gaps
    assert "`type` distinguishes the kinds click, error, login: write one statement for each queried kind" in gap.what


@pytest.mark.parametrize(
    "condition",
    [{"$nor": [{"type": "click"}]}, {"type": {"$ne": "click"}}, {"type": {"$not": {"$eq": "click"}}}],
    ids=str,
)
def test_all_kinds_but_one_are_a_gap(condition: dict[str, Any], live: str) -> None:
    """The rows of the other kinds are not those without the row of this kind, as its value is not known."""
    seen = (ShapeTotals(shape("any", "events", CommandOperation.FIND, {"filter": condition}), 1),)
    said = workload_of(Capture(CaptureKind.PROFILER, 10.0, seen), pipeline.in_place(live).in_place.design)
    assert not said.statements
    (gap,) = said.gaps
    assert "distinguishes the kinds" in gap.what


def test_an_index_on_the_kind_stays(live: str, database: Database[Any], tmp_path: Path) -> None:
    """No structure stands for it, and a redesign has it none the less."""
    file = tmp_path / "w.sql"
    file.write_text(
        "-- name: clicks, rate: 30/s\n"
        "SELECT e._id, c.url FROM events e JOIN click c ON c.event_id = e._id ORDER BY e.ts DESC LIMIT 10;"
    )
    made = pipeline.redesign(pipeline.in_place(live, workload=file), "optimal")
    assert Index("events", (("type", 1), ("ts", -1))) in made.proposal.design.indexes


def test_an_update_of_one_kind_is_of_its_table(live: str) -> None:
    """A filter that names the kind leaves the statement to the kind whose field is changed."""
    asked = {"q": {"type": "error", "status": {"$lt": 500}}, "u": {"$inc": {"status": 1}}, "multi": True}
    seen = ShapeTotals(shape("any", "events", CommandOperation.UPDATE, asked), 30)
    said = workload_of(Capture(CaptureKind.PROFILER, 10.0, (seen,)), pipeline.in_place(live).in_place.design)
    assert not said.left_out
    (each,) = said.statements
    assert each.sql.startswith("UPDATE error SET status = ")
    assert any("taken to query error" in note for note in each.notes)
