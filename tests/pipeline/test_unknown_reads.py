"""A redesign on captured statements that do not say what is read takes nothing away, and says why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.server import Server
from nestling.ir.capture import Capture, CaptureKind, CommandOperation, ShapeTotals, shape
from nestling.ir.capture.coverage import Watched, watched
from nestling.ir.freshness import TRANSACTION
from nestling.ir.migration import DesignMoves
from nestling.ir.primitives import Copy, Field, Form, Index
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.rows import Hop
from nestling.ir.workload import StatementKind
from nestling.pipeline import design, in_place, redesign
from nestling.pipeline.designing import posed_problem
from nestling.pipeline.reversing import Redesign
from nestling.sources.mongo import LiveDatabase

WRITES_ONLY = Watched(5, 0, 456.0, slow_only=True)


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["embedded", "optimal"])
def test_nothing_is_taken_away_for_want_of_reads(reading: Reading, strategy: str) -> None:
    """Of a workload of writes alone no array and no index goes, though each would save something; the warning has the numbers."""
    today = design(reading, strategy).design
    writes = tuple(each for each in reading.workload.statements if each.kind is StatementKind.INSERT)
    few = replace(reading, workload=replace(reading.workload, statements=writes))
    goes = any(change.gone for change in redesign(LiveDatabase(few, Proposal("", today)), "optimal").changes)
    assert goes is (strategy == "embedded")  # of what costs least already there is nothing worth a change
    made = redesign(LiveDatabase(few, Proposal("", today), WRITES_ONLY), "optimal")
    assert [change for change in made.changes if change.gone] == []
    assert {(each.collection, each.keys) for each in today.indexes} <= {
        (each.collection, each.keys) for each in made.proposal.design.indexes
    }
    assert "5 statements within 456 s, including 0 reads, slow ones only" in made.warning
    assert redesign(LiveDatabase(few, made.proposal, WRITES_ONLY), "optimal").changes == ()


@pytest.mark.thorough
def test_a_workload_of_reads_is_believed(reading: Reading) -> None:
    """With many reads noted, whatever their speed, there is no warning."""
    found = LiveDatabase(
        reading, Proposal("", design(reading, "normalized").design), Watched(500, 400, 60.0, slow_only=False)
    )
    made = redesign(found, "optimal")
    assert made.warning == ""
    assert made.changes


@pytest.mark.thorough
def test_indexes_of_today_stay(reading: Reading) -> None:
    """Statements of a short while do not say that nobody needs them; a longer one may take a shorter one's place."""
    normalized = design(reading, "normalized").design
    unasked = Index("review", (("rating", 1), ("product_id", 1)))
    today = replace(normalized, indexes=(*normalized.indexes, unasked))
    made = redesign(LiveDatabase(reading, Proposal("", today), Watched(500, 400, 60.0, slow_only=False)), "optimal")
    there = [(each.collection, each.keys) for each in made.proposal.design.indexes]
    for index in (each for each in today.indexes if each.collection in {name for name, _ in there}):
        assert any(keys[: len(index.keys)] == index.keys for name, keys in there if name == index.collection), index
    assert any("today's indexes stay" in note for note in made.proposal.notes)


def test_executions_are_counted_as_they_were() -> None:
    """However long each place looked: of two kinds that saw a statement the greater number, of one kind the sum."""
    find = shape("shop", "orders", CommandOperation.FIND, {"filter": {"a": 1}})
    insert = shape("shop", "orders", CommandOperation.INSERT, {"documents": [{"a": 1}]})
    log = Capture(CaptureKind.LOG, 600.0, (ShapeTotals(insert, 5), ShapeTotals(find, 2)), slow_only=True)
    profiler = Capture(CaptureKind.PROFILER, 0.0, (ShapeTotals(find, 3),))
    assert watched((log,)) == Watched(7, 2, 600.0, slow_only=True)
    assert watched((log, log, profiler)) == Watched(14, 4, 600.0, slow_only=False)
    assert watched(()) == Watched(0, 0, 0.0, slow_only=False)


@pytest.mark.thorough
def test_today_is_priced_whatever_else_its_sub_documents_could_be(
    mongod: Server, database: Database[Any], tmp_path: Path
) -> None:
    """A sub-document in a sub-document: a part of a document and no kind of it, so nobody proposes its fields beside it."""
    database.users.insert_many(
        {"_id": n, "name": {"first": "A", "last": "L"}, "deep": {"a": {"b": {"c": n}}}} for n in range(60)
    )
    workload = tmp_path / "w.sql"
    workload.write_text("-- name: new, rate: 5/s\nINSERT INTO a (user_id) VALUES (:user);")
    found = in_place(mongod.uri.replace("/?", f"/{database.name}?"), workload=workload)
    problem = posed_problem(found.reading, None, None, today=found.in_place.design).problem
    assert not any("beside the fields" in structure.id for structure in problem.structures)
    made = redesign(found, "optimal")
    assert made.today is not None
    assert all(change.gain is not None for change in made.changes)


def test_a_database_nobody_asked_stays(mongod: Server, database: Database[Any]) -> None:
    """Without a workload file and without a profiler the design is today's."""
    database.orders.insert_many({"_id": n, "customer": f"c{n % 7}", "lines": [{"id": n, "of": "p"}]} for n in range(60))
    database.orders.create_index("customer")
    made: Redesign = redesign(in_place(mongod.uri.replace("/?", f"/{database.name}?")), "optimal")
    assert made.changes == ()
    assert [index.collection for index in made.proposal.design.indexes] == ["orders"]
    assert "0 reads" in made.warning


@pytest.mark.thorough
def test_a_copy_goes_only_for_a_gain(reading: Reading) -> None:
    """Nobody reads it, and its upkeep is next to nothing: taking it out of all documents is not worth it."""
    normalized = design(reading, "normalized").design
    copy = Copy(
        "product", (Hop("product_review", up=True),), (Field("name", "product_name"),), Form.INLINE, TRANSACTION
    )
    reviews = next(each for each in normalized.collections if each.root == "review")
    copied = replace(reviews, body=replace(reviews.body, copies=(copy,)))
    collections = tuple(copied if each is reviews else each for each in normalized.collections)
    today = replace(normalized, collections=collections)
    made = redesign(LiveDatabase(reading, Proposal("", today), Watched(500, 400, 60.0, slow_only=False)), "optimal")
    copies = next(each for each in made.proposal.design.collections if each.root == "review").body.copies
    assert [field.path for each in copies if each.path == copy.path for field in each.attributes] == ["product_name"]


def test_what_changes_without_reads_is_told(database: Database[dict[str, Any]], mongod: Server, tmp_path: Path) -> None:
    """The indexes that come and go, though nothing else does; of embedding nothing is said that nobody knows."""
    database.vehicles.insert_many({"_id": n, "plate": f"ZH{n}"} for n in range(300))
    database.trips.insert_many({"_id": n, "vehicle_id": n * 7 % 300, "km": n % 91} for n in range(2_000))
    database.fuelings.insert_many({"_id": n, "vehicle": n * 11 % 300} for n in range(2_000))
    database.trips.create_index([("vehicle_id", 1)])
    database.trips.create_index([("vehicle_id", 1), ("km", 1)])
    (workload := tmp_path / "workload.sql").write_text(
        "-- name: add, rate: 1/s\nINSERT INTO fuelings (_id, vehicle) VALUES (:id, :vehicle);\n"
    )
    found = in_place(mongod.uri.replace("/?", f"/{database.name}?"), workload=workload)
    made = redesign(replace(found, watched=WRITES_ONLY), "optimal")
    assert (made.changes, made.moves) == (
        (),
        DesignMoves(besides=(("fuelings", "vehicle"),), dropped=(("trips", "vehicle_id"),)),
    )
    assert not any("save nothing" in str(each) for each in made.proposal.decisions)
