"""What a client recorded: the doctor says what a client can know, and proposes the index that is missing."""

from __future__ import annotations

from typing import Any

from pymongo.database import Database

from nestling.doctor import diagnose
from nestling.ir.capture import Capture, CaptureKind, CommandOperation, ShapeTotals, shape
from nestling.ir.finding import Confidence
from nestling.pipeline.capturing import facts_with
from tests.doctor.looking import look, watched

Db = Database[dict[str, Any]]


def test_a_recording_says_nothing_of_the_server(database: Db) -> None:
    """Neither what it examined nor its time; a shape without an index gets one."""
    database.cars.insert_many({"n": n} for n in range(50))
    asked = shape(database.name, "cars", CommandOperation.FIND, {"filter": {"n": 1}})
    seen = (ShapeTotals(asked, 1_000, seconds=3.0, returned=1_000),)
    facts = facts_with(look(database), Capture(CaptureKind.RECORDER, 10.0, seen))
    (finding,) = (each for each in diagnose(facts) if each.rule == "costly-statement")
    assert finding.message == "find, seen 1,000 times, returns 1; 100 % of the captured time"
    assert finding.cost == "3 s in the capture, as measured by the client"
    assert finding.confidence is Confidence.LIKELY
    assert finding.commands == (f'db.getSiblingDB("{database.name}").getCollection("cars").createIndex({{n: 1}})',)


def test_a_recording_hides_nothing_that_the_server_measured(database: Db) -> None:
    """Of a shape that the recorder saw more often than the profiler, the work each time is what the profiler noted."""
    database.cars.insert_many({"n": n % 500} for n in range(1_000))
    watched(database, lambda mine: list(mine.cars.find({"n": 7})))
    asked = shape(database.name, "cars", CommandOperation.FIND, {"filter": {"n": 7}})
    seen = (ShapeTotals(asked, 1_000, seconds=30.0, returned=2_000),)
    facts = facts_with(look(database), Capture(CaptureKind.RECORDER, 10.0, seen))
    (finding,) = (each for each in diagnose(facts) if each.rule == "missing-index")
    assert finding.message == "find, seen 1,000 times, examines 1,000 documents to return 2"
