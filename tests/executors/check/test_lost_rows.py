"""Rows that statements do not find where they lie, and documents that tell of no row: found, and repaired where that can be."""

# ruff: noqa: DTZ001 - a BSON date has no zone
from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.design import Design
from nestling.ir.drift import Drift, DriftKind
from nestling.ir.model import Model
from nestling.ir.primitives import (
    Before,
    Bucket,
    BucketWindow,
    Collection,
    Document,
    Field,
    Member,
    Overflow,
    Split,
    Variant,
    WindowUnit,
)
from nestling.ir.programs.program import MISSING
from tests.executors.check.loaded import checked, loaded
from tests.generators.worlds import World
from tests.planner.homes.home_cases import LINE, ORDER, ORDER_LINE, entity, lines, orders

Client = MongoClient[dict[str, Any]]
Documents = Database[dict[str, Any]]


def world(model: Model, **rows: list[tuple[object, ...]]) -> World:
    """These rows, all of whose keys lead somewhere."""
    return World(model, rows, frozenset())


def told(found: tuple[Drift, ...]) -> list[tuple[DriftKind, str, str, bool]]:
    """The findings in short: kind, collection, path, whether it was repaired."""
    return [(each.kind, each.collection, each.path, each.repaired) for each in found]


# --- buckets and pages -----------------------------------------------------------------------------------------------

READING = entity("reading", "sensor ts:timestamp value:integer!", "value")
READINGS: list[tuple[object, ...]] = [
    ("a", datetime(2025, 1, 1, 5, 10), 1),
    ("a", datetime(2025, 1, 1, 5, 50), 2),
    ("a", datetime(2025, 1, 1, 6, 0), 3),
    ("a", None, 4),
    (None, datetime(9999, 12, 31, 23, 30), 5),
]


def buckets(unit: WindowUnit | None, by: str = "sensor") -> Design:
    """The readings of each sensor in each unit of time, in pages of two."""
    window = BucketWindow("ts", unit) if unit is not None else None
    body = Document("reading", fields=(Field("sensor", by),))
    return Design(
        Model("m", (READING,)), (Collection("readings", body, bucket=Bucket(("sensor",), "events", 2, window)),)
    )


@pytest.mark.parametrize("unit", [*WindowUnit, None])
def test_a_bucket_as_loaded_is_right(mongo_client: Client, unit: WindowUnit | None) -> None:
    """With any window: also of readings without a time, without a sensor, and of the last hour there is."""
    design = buckets(unit, "about.sensor")
    with loaded(mongo_client, world(design.model, reading=READINGS), design) as (proposal, database):
        assert told(checked(proposal, database).findings) == []


@pytest.mark.parametrize("odd", ["soon", 5, b"x"])
def test_times_that_are_no_dates_are_left_out(mongo_client: Client, odd: object) -> None:
    """Of the source, where such rows lie in a bucket without a beginning, and put there by hand."""
    design = buckets(WindowUnit.HOUR)
    with loaded(mongo_client, world(design.model, reading=[*READINGS, ("a", odd, 6)]), design) as (proposal, database):
        assert checked(proposal, database).clean
    with loaded(mongo_client, world(design.model, reading=READINGS), design) as (proposal, database):
        database["readings"].update_one({"_id.bucket_start": datetime(2025, 1, 1, 6)}, {"$set": {"events.0.ts": odd}})
        database["readings"].update_one({"_id.bucket_start": datetime(2025, 1, 1, 5)}, {"$set": {"page": 7}})
        assert [each.path for each in checked(proposal, database).findings] == ["page"]


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        ({"$set": {"bucket_start": datetime(2020, 1, 1)}}, ["bucket_start"]),
        ({"$set": {"bucket_end": datetime(2020, 1, 1)}}, ["bucket_end"]),
        ({"$unset": {"bucket_start": "", "bucket_end": ""}}, ["bucket_start", "bucket_end"]),
        ({"$set": {"page": 9}}, ["page"]),
        ({"$set": {"sensor": "b"}}, ["sensor"]),
    ],
)
def test_a_header_is_as_its_id_says(mongo_client: Client, change: dict[str, Any], paths: list[str]) -> None:
    """Window, page and owner of a bucket, each edited by hand: afterwards all is as loaded."""
    design = buckets(WindowUnit.HOUR)
    with loaded(mongo_client, world(design.model, reading=READINGS), design) as (proposal, database):
        before = [*database["readings"].find()]
        database["readings"].update_one({"_id.bucket_start": datetime(2025, 1, 1, 5)}, change)
        report = checked(proposal, database, repair=True)
        assert told(report.findings) == [(DriftKind.HEADER, "readings", path, True) for path in paths]
        assert report.clean
        assert [*database["readings"].find()] == before


def test_a_header_without_its_part_in_the_id_is_believed(mongo_client: Client) -> None:
    """An owner that is NULL is in no `_id`, nor is what others keep beside it: nothing tells that it is wrong."""
    design = buckets(None)
    with loaded(mongo_client, world(design.model, reading=READINGS), design) as (proposal, database):
        database["readings"].update_one({"sensor": None}, {"$set": {"sensor": "c"}})
        assert checked(proposal, database).clean


def test_the_header_of_an_overflow_page(mongo_client: Client) -> None:
    """The foreign key and number of a page follow from its `_id`, too."""
    design = Design(Model("m", (ORDER, LINE), (ORDER_LINE,)), (orders(lines(overflow=Overflow(1, "more"))),))
    rows = world(design.model, order=[(1, "a"), (2, "b")], line=[(1, 1, 5), (1, 2, 6), (1, 3, 7), (2, 1, 8)])
    with loaded(mongo_client, rows, design) as (proposal, database):
        before = [*database["more"].find()]
        database["more"].update_one({"_id.page": 2}, {"$set": {"order_id": 2, "page": 7}})
        report = checked(proposal, database, repair=True)
        assert told(report.findings) == [(DriftKind.HEADER, "more", path, True) for path in ("order_id", "page")]
        assert report.clean
        assert [*database["more"].find()] == before


def test_a_header_that_no_document_has_any_more(mongo_client: Client) -> None:
    """It is repaired: documents without one do not follow another design."""
    design = Design(Model("m", (ORDER, LINE), (ORDER_LINE,)), (orders(lines(overflow=Overflow(1, "more"))),))
    rows = world(design.model, order=[(1, "a")], line=[(1, 1, 5), (1, 2, 6)])
    with loaded(mongo_client, rows, design) as (proposal, database):
        before = [*database["more"].find()]
        database["more"].update_many({}, {"$unset": {"page": ""}})
        report = checked(proposal, database, repair=True)
        assert told(report.findings) == [(DriftKind.HEADER, "more", "page", True)]
        assert [{**each} for each in database["more"].find()] == before


def test_an_event_in_the_bucket_of_another_window(mongo_client: Client) -> None:
    """It is found by its time, with or without one, and left; what to do about it is said."""
    design = buckets(WindowUnit.HOUR)
    with loaded(mongo_client, world(design.model, reading=READINGS), design) as (proposal, database):
        readings = database["readings"]
        late = {"ts": datetime(2025, 1, 1, 6, 0), "value": 3}
        readings.delete_one({"_id.bucket_start": datetime(2025, 1, 1, 6)})
        readings.update_one({"_id.bucket_start": None}, {"$push": {"events": late}, "$inc": {"count": 1}})
        readings.update_one({"_id.bucket_start": datetime(2025, 1, 1, 5)}, {"$unset": {"events.1.ts": ""}})
        report = checked(proposal, database, repair=True)
        found = [(each.kind, each.path, each.expected, each.found) for each in report.findings]
        assert found == [
            (DriftKind.MISPLACED, "events[value=2].ts", MISSING, datetime(2025, 1, 1, 5)),
            (DriftKind.MISPLACED, "events[value=3].ts", datetime(2025, 1, 1, 6), MISSING),
        ]
        assert "insert its row of `reading` with a statement" in report.findings[0].next_move
        assert not report.clean


# --- archives --------------------------------------------------------------------------------------------------------

SALE = entity("sale", "id:integer! day:date code:integer", "id")
OLD = (Split("old", rows=Before("day", "2024-01-01")), Split("older", rows=Before("code", "10")))
SALES: list[tuple[object, ...]] = [
    (1, datetime(2023, 5, 1).date(), 5),
    (2, datetime(2024, 1, 1).date(), 9),
    (3, datetime(2024, 1, 1).date(), 10),
    (4, None, None),
]


def test_a_row_on_the_wrong_side_of_a_bound(mongo_client: Client) -> None:
    """Of an archive, of a second one and of neither: each row that lies elsewhere is found, and where it belongs is said."""
    design = Design(Model("m", (SALE,)), (Collection("sales", Document("sale"), ("id",), splits=OLD),))
    with loaded(mongo_client, world(design.model, sale=SALES), design) as (proposal, database):
        assert checked(proposal, database).clean
        names = ("sales", "old", "older")
        at = {document["_id"]: (name, document) for name in names for document in database[name].find()}
        assert {number: name for number, (name, _) in at.items()} == {1: "old", 2: "older", 3: "sales", 4: "sales"}
        for number, to in ((1, "older"), (2, "sales"), (3, "old"), (4, "old")):
            database[at[number][0]].delete_one({"_id": number})
            database[to].insert_one(at[number][1])
        report = checked(proposal, database, repair=True)
        found = {(each.kind, each.collection, each.id, each.path, each.repaired) for each in report.findings}
        there = {(1, "older"), (2, "sales"), (3, "old"), (4, "old")}
        assert found == {(DriftKind.MISPLACED, name, number, "day, code", False) for number, name in there}
        where = (
            "rows with `day` before 2024-01-01 in `old`, those with `code` before 10 in `older`, all others in `sales`"
        )
        assert all(where in each.next_move for each in report.findings)


# --- what tells of no row --------------------------------------------------------------------------------------------

LETTER = entity("letter", "id:integer! written:date note scan:bytes", "id")
LETTERS = Collection(
    "letters",
    Document("letter"),
    ("id",),
    splits=(
        Split("notes", ("note",)),
        Split("scans", ("scan",), gridfs=True),
        Split("old", rows=Before("written", "2024-01-01")),
    ),
)
SPLIT = Design(Model("m", (LETTER,)), (LETTERS,))
SPLIT_ROWS = world(
    SPLIT.model,
    letter=[
        (1, datetime(2023, 5, 1).date(), "a", b"x"),
        (2, datetime(2025, 5, 1).date(), "b", b"y"),
        (3, None, None, None),
    ],
)


def test_a_part_without_its_row(mongo_client: Client, tmp_path: Path) -> None:
    """It is found; parts of rows in an archive are not; unloading leaves it out, and says so."""
    with loaded(mongo_client, SPLIT_ROWS, SPLIT) as (proposal, database):
        assert checked(proposal, database).clean
        before = pipeline.unload(proposal, tmp_path / "before.db", database).notes
        database["notes"].insert_one({"_id": 99, "note": "precious"})
        report = checked(proposal, database, repair=True)
        found = [(each.kind, each.collection, each.id, each.next_move) for each in report.findings]
        move = "restore the row of `letter` it was split from, or delete it as well"
        assert found == [(DriftKind.DANGLING, "notes", 99, move)]
        notes = pipeline.unload(proposal, tmp_path / "after.db", database).notes
        assert notes == (
            *before,
            f"1 document of `notes` belongs to no row, such as _id 99: {move}",
        )


def test_a_pointer_to_a_file_that_is_gone(mongo_client: Client) -> None:
    """In the collection and in the archive."""
    with loaded(mongo_client, SPLIT_ROWS, SPLIT) as (proposal, database):
        database["scans.files"].delete_many({})
        report = checked(proposal, database, repair=True)
        found = [(each.kind, each.collection, each.id, each.path) for each in report.findings]
        assert found == [
            (DriftKind.DANGLING, "letters", 2, "scan.gridfs"),
            (DriftKind.DANGLING, "old", 1, "scan.gridfs"),
        ]


@pytest.mark.parametrize("identity", [("id",), ()])
def test_a_document_of_no_kind(mongo_client: Client, tmp_path: Path, identity: tuple[str, ...]) -> None:
    """One whose `_id` names none of the kinds there are is found; unloading leaves it out, and says so."""
    variant = Variant("kind", "order", (Member("line", Document("line")),))
    design = Design(Model("m", (ORDER, LINE)), (Collection("all", Document("order"), identity, variant=variant),))
    with loaded(mongo_client, world(design.model, order=[(1, "a")], line=[(1, 1, 5)]), design) as (proposal, database):
        assert checked(proposal, database).clean
        pod = {"kind": "pod", "id": 5}
        database["all"].insert_one({"_id": pod, "kind": "pod"})
        report = checked(proposal, database, repair=True)
        assert [(each.kind, each.id, each.found) for each in report.findings] == [(DriftKind.DISCRIMINATOR, pod, "pod")]
        *_, note = pipeline.unload(proposal, tmp_path / "copy.db", database).notes
        assert note.startswith(
            "1 document of `all` belongs to no row, such as _id {'kind': 'pod', 'id': 5}: it stands for no row"
        )
