"""Verifying: equal data is found equal, and whatever differs is named, with both values."""

# ruff: noqa: DTZ001 - a BSON date has no zone
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from bson import Decimal128, Int64
from hypothesis import given
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.collection import Collection as Stored
from pymongo.database import Database

from nestling.emitters.mql import aggregation
from nestling.executors.difference import Kind, RowDifference
from nestling.executors.fingerprint import fingerprint
from nestling.executors.progress import RowProgress
from nestling.executors.verify import EntityVerdict, VerifyReport, verify
from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document
from nestling.ir.rows import JSON_NULL
from nestling.ir.types import Type
from nestling.ir.values import encoder
from nestling.planner.homes.views import home_views
from tests.planner.homes.home_cases import CASES, FORMS, NESTED, Case, entity
from tests.planner.homes.test_views import write
from tests.servers import PASSWORD, guarded_mongod
from tests.sqlite_rows import sqlite_source

Verifies = Callable[..., VerifyReport]


@pytest.fixture
def verifies(database: Database[Any], tmp_path: Path) -> Verifies:
    """Verify what is in the database against a case's rows."""

    numbers = count()

    def run(case: Case, **more: Any) -> VerifyReport:
        homes = {name: aggregation(view) for name, view in home_views(Design(case.model, case.collections)).items()}
        source = sqlite_source(tmp_path / f"source{next(numbers)}.db", case.model, case.rows)
        return verify(case.model, homes, source, more.pop("database", database), **more)

    return run


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_equal_data_is_equal(database: Database[Any], verifies: Verifies, case: Case) -> None:
    """For every primitive: the documents written by hand are equal to their rows in SQLite."""
    write(database, case)
    report = verifies(case)
    assert report.equal, report.differences
    assert report.entities == {name: EntityVerdict(len(rows), 0) for name, rows in case.rows.items()}


def test_a_changed_value_is_named(database: Database[Any], verifies: Verifies) -> None:
    """The entity, the key, the attribute, and both values."""
    write(database, NESTED)
    database.orders.update_one({"_id": 1}, {"$set": {"lines.0.quantity": 6}})
    report = verifies(NESTED)
    assert not report.equal
    assert report.entities["line"] == EntityVerdict(3, 1)
    assert report.entities["serial"].differing == 0
    assert report.differences == (RowDifference("line", Kind.CHANGED, (1, 1), "quantity", 5, 6),)


def test_each_entity_that_differs_is_shown(database: Database[Any], verifies: Verifies) -> None:
    """However many differences the first has."""
    write(database, NESTED)
    database.orders.update_many({}, {"$set": {"note": "z"}})
    database.orders.update_one({"_id": 1}, {"$set": {"lines.0.quantity": 6}})
    assert [each.entity for each in verifies(NESTED, shown=1).differences] == ["order", "line"]


def test_null_and_a_value_differ(database: Database[Any], verifies: Verifies) -> None:
    """In both directions."""
    write(database, NESTED)
    database.orders.update_one({"_id": 1}, {"$unset": {"note": 1}})
    database.orders.update_one({"_id": 2}, {"$set": {"note": ""}})
    report = verifies(NESTED)
    assert set(report.differences) == {
        RowDifference("order", Kind.CHANGED, (1,), "note", "a", None),
        RowDifference("order", Kind.CHANGED, (2,), "note", None, ""),
    }


def test_missing_extra_and_duplicate_rows(database: Database[Any], verifies: Verifies) -> None:
    """Rows that lack, are too many, or are there twice are named with how often they are there."""
    write(database, NESTED)
    database.stray_lines.delete_one({"_id.no": 2})
    database.orders.update_one({"_id": 2}, {"$push": {"lines": {"no": 7, "serials": []}}})
    database.orders.update_one({"_id": 1}, {"$push": {"lines": {"no": 1, "quantity": 5, "serials": []}}})
    report = verifies(NESTED)
    assert report.entities["line"] == EntityVerdict(3, 1, 2)
    assert set(report.differences) == {
        RowDifference("line", Kind.MISSING, (9, 2), None, 1, 0),
        RowDifference("line", Kind.EXTRA, (2, 7), None, 0, 1),
        RowDifference("line", Kind.DUPLICATE, (1, 1), None, 1, 2),
    }


def test_rows_without_a_key_are_counted(database: Database[Any], verifies: Verifies) -> None:
    """Equal rows without a key must be there equally often."""
    write(database, FORMS)
    database.orders.update_one({"_id": 1}, {"$set": {"words": ["x", None, None]}})
    report = verifies(FORMS)
    assert report.entities["word"] == EntityVerdict(4, 1, 1)
    assert set(report.differences) == {
        RowDifference("word", Kind.MISSING, (1, "x"), None, 2, 1),
        RowDifference("word", Kind.DUPLICATE, (1, None), None, 1, 2),
    }


def test_an_empty_database_lacks_everything(verifies: Verifies) -> None:
    """Every row is missing."""
    report = verifies(NESTED)
    assert report.entities == {"order": EntityVerdict(2, 2), "line": EntityVerdict(3, 3), "serial": EntityVerdict(3, 3)}
    assert {difference.kind for difference in report.differences} == {Kind.MISSING}


NUMBER = entity("number", "id:integer! value:integer", "id")
NUMBERS = Case(
    "numbers",
    "many rows",
    Model("m", (NUMBER,)),
    (Collection("numbers", Document("number"), ("id",)),),
    {"numbers": [{"_id": n, "value": -n} for n in range(5000)]},
    {"number": [(n, n) for n in range(5000)]},
)


@pytest.mark.thorough
def test_differences_shown_are_bounded_and_counted_exactly(database: Database[Any], verifies: Verifies) -> None:
    """4,999 rows differ, 7 are shown."""
    write(database, NUMBERS)
    report = verifies(NUMBERS, shown=7)
    assert report.entities == {"number": EntityVerdict(5000, 4999)}
    assert len(report.differences) == 7


def test_progress_is_reported(database: Database[Any], verifies: Verifies) -> None:
    """Both sides' rows count, and at the end all have been read."""
    write(database, NESTED)
    told: list[RowProgress] = []
    verifies(NESTED, report=told.append)
    assert told[-1].rows == told[-1].total_rows == 16
    assert told[-1].seconds_left == 0


@pytest.mark.thorough
def test_rows_read_again_are_part_of_the_total(database: Database[Any], verifies: Verifies) -> None:
    """No report tells of more rows than there are to read."""
    write(database, NUMBERS)
    told: list[RowProgress] = []
    verifies(NUMBERS, report=told.append)
    assert all(each.total_rows is not None and each.rows <= each.total_rows for each in told)
    assert told[-1].rows == told[-1].total_rows == 20_000


EVERYTHING = entity(
    "everything",
    "id:integer! boolean:boolean integer:integer big:integer decimal:decimal(20,4) float:float text bytes:bytes "
    "date:date time:time timestamp:timestamp micro:timestamp(6) zoned:timestamptz uuid:uuid json:json bits:bits "
    "array:array(integer)",
    "id",
)
EVERYTHING = replace(  # integers beyond 64 bits are seen in `big`
    EVERYTHING,
    attributes=tuple(
        replace(each, also=(Type.parse("decimal"),)) if each.name == "big" else each for each in EVERYTHING.attributes
    ),
)
VALUES: dict[str, object] = {
    "id": 1,
    "boolean": True,
    "integer": 2**40,
    "big": 2**63,
    "decimal": Decimal("12.3400"),
    "float": 0.1,
    "text": "naïve",
    "bytes": b"\x00\x01",
    "date": date(2024, 2, 29),
    "time": "12:00:00",
    "timestamp": datetime(2024, 2, 29, 12),
    "micro": datetime(2024, 2, 29, 12, 0, 0, 123456),
    "zoned": datetime.fromisoformat("2024-02-29T12:00:00+00:00"),
    "uuid": UUID(int=5),
    "json": {"a": [1, None, {"b": 1.5}], "c": "x"},
    "bits": "101",
    "array": [1, None, 2],
}
OTHERS: dict[str, tuple[object, ...]] = {
    "boolean": (False, 1, "true"),
    "integer": (2**40 + 1, float(2**40), str(2**40), Decimal128(str(2**40))),
    "big": (Decimal128(str(2**63 + 1)), float(2**63), str(2**63)),
    "decimal": (Decimal128("12.3401"), Decimal128("12.34"), 12.34, "12.3400"),
    "float": (0.1 + 2**-56, Decimal128("0.1"), -0.1, float("nan")),
    "text": ("naive", "nai\u0308ve", "naïve ", b"na\xc3\xafve"),
    "bytes": (b"\x00\x03", b"\x00", "\x00\x01"),
    "date": (datetime(2024, 2, 28), datetime(2024, 2, 29, 0, 0, 1), "2024-02-29"),
    "time": ("12:00:01", datetime(1970, 1, 1, 12)),
    "timestamp": (datetime(2024, 2, 29, 12, 0, 0, 1000), "2024-02-29 12:00:00"),
    "micro": ("2024-02-29T12:00:00.123457", datetime(2024, 2, 29, 12, 0, 0, 123000)),
    "zoned": (datetime(2024, 2, 29, 11),),
    "uuid": (UUID(int=4), str(UUID(int=5)), b"\x00" * 15 + b"\x05"),
    "json": (
        {"a": [1, None, {"b": 1.5}]},
        {"a": [1, {"b": 1.5}, None], "c": "x"},
        {"a": [1.0, None, {"b": 1.5}], "c": "x"},
        '{"a": [1, null, {"b": 1.5}], "c": "x"}',
        None,
    ),
    "bits": ("100", "0101"),
    "array": ([1, 2, None], [1, None], [1, None, 2.0], [1, None, 2, None]),
}
EVERY_TYPE = Case(
    "every type",
    "",
    Model("m", (EVERYTHING,)),
    (Collection("things", Document("everything"), ("id",)),),
    {},
    {"everything": [tuple(VALUES.values())]},
)


def stored() -> dict[str, Any]:
    """The document of the row of every type."""
    fields = {name: encoder(EVERYTHING.attribute(name).type)(value) for name, value in VALUES.items()}
    return {"_id" if name == "id" else name: value for name, value in fields.items()}


def things(database: Database[Any]) -> Stored[dict[str, Any]]:
    """The collection, written to as nestling writes."""
    return database.get_collection("things", codec_options=CODEC)


def test_every_type_is_equal_to_itself(database: Database[Any], verifies: Verifies) -> None:
    """The row of every type, stored as the type map says."""
    things(database).insert_one(stored())
    assert verifies(EVERY_TYPE).equal


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "other"), [(name, other) for name, others in OTHERS.items() for other in others])
def test_any_other_value_or_type_is_found(database: Database[Any], verifies: Verifies, name: str, other: Any) -> None:
    """A neighbouring value, or the same value under another type, is a difference of that attribute alone."""
    things(database).insert_one(stored() | {name: other})
    report = verifies(EVERY_TYPE)
    assert [(each.kind, each.attribute) for each in report.differences] == [(Kind.CHANGED, name)]
    assert report.entities == {"everything": EntityVerdict(1, 1)}


@pytest.mark.parametrize(
    ("name", "alike"),
    [("json", {"c": "x", "a": [Int64(1), None, {"b": 1.5}]}), ("array", [Int64(1), None, 2]), ("text", "naïve")],
)
def test_what_is_stored_otherwise_but_means_the_same_is_equal(
    database: Database[Any], verifies: Verifies, name: str, alike: Any
) -> None:
    """The order of keys in a json object and the width of an integer are no differences."""
    document = stored() | {name: alike}
    document["_id"] = Int64(1)
    things(database).insert_one(document)
    report = verifies(EVERY_TYPE)
    assert report.equal, report.differences


def test_json_null_is_not_null(database: Database[Any], verifies: Verifies) -> None:
    """A null in a json attribute is json's own, and differs from a missing field."""
    things(database).insert_one(stored() | {"json": None})
    (difference,) = verifies(EVERY_TYPE).differences
    assert difference.found is JSON_NULL


@pytest.mark.thorough
@given(st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=20), st.data())
def test_a_fingerprint_sees_a_single_bit(rows: list[bytes], data: st.DataObject) -> None:
    """Flip any bit of any row, and the fingerprint differs; shuffle the rows, and it does not."""
    place = data.draw(st.integers(0, len(rows) - 1))
    bit = data.draw(st.integers(0, 8 * len(rows[place]) - 1))
    flipped = bytearray(rows[place])
    flipped[bit // 8] ^= 1 << bit % 8
    changed = [*rows[:place], bytes(flipped), *rows[place + 1 :]]
    assert fingerprint(rows).differing(fingerprint(changed))
    assert fingerprint(rows) == fingerprint(data.draw(st.permutations(rows)))


@given(st.lists(st.binary(max_size=20), max_size=20), st.binary(max_size=20))
def test_a_fingerprint_sees_a_pair_too_many(rows: list[bytes], twice: bytes) -> None:
    """Unlike with xor, two equal rows do not cancel each other out."""
    assert fingerprint(rows).differing(fingerprint([*rows, twice, twice]))


@pytest.fixture(scope="module")
def guarded() -> Iterator[tuple[MongoClient[dict[str, Any]], MongoClient[dict[str, Any]]]]:
    """Two clients of a mongod with access control: one that may do all, one that may only read the database `shop`."""
    with (
        guarded_mongod() as address,
        MongoClient[dict[str, Any]](f"mongodb://root:{PASSWORD}@{address}") as root,
        MongoClient[dict[str, Any]](f"mongodb://reader:secret@{address}/shop") as reader,
    ):
        root.shop.command("createUser", "reader", pwd="secret", roles=["read"])
        yield root, reader


@pytest.mark.thorough
@pytest.mark.parametrize("case", [case for case in CASES if case.name != "time series"], ids=lambda case: case.name)
def test_reading_is_all_it_needs(
    guarded: tuple[MongoClient[dict[str, Any]], MongoClient[dict[str, Any]]], verifies: Verifies, case: Case
) -> None:
    """A user with the role `read` can verify, equal or not."""
    root, reader = guarded
    for name in root.shop.list_collection_names():
        if not name.startswith("system."):
            root.shop.drop_collection(name)
    write(root.shop, case)
    assert verifies(case, database=reader.shop).equal
    root.shop[case.collections[0].name].delete_many({})
    assert not verifies(case, database=reader.shop).equal
