"""A live database that holds what SQL and JSON have no values for: inspected, unloaded, compared, and read by `Store`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from bson import Binary, Code, DBRef, Decimal128, Int64, MaxKey, MinKey, ObjectId, Regex, Timestamp, json_util
from bson.datetime_ms import DatetimeMS
from bson.raw_bson import RawBSONDocument
from pymongo.database import Database

from nestling import Store
from nestling.common.errors import RebuildError
from nestling.doctor import diagnose
from nestling.executors.facts import Amount, Budget, gather
from nestling.ir.facts import Facts
from nestling.ir.value_forms.json_text import read_json
from nestling.pipeline import queries_module, unload, verify
from nestling.sources.mongo import LiveDatabase, live_database

ODD = {
    "code": Code("f()"),
    "code with scope": Code("f()", {"pattern": Regex("x")}),
    "dbref": DBRef("users", ObjectId()),
    "dbref with more": DBRef("users", 1, "shop", since=5),
    "timestamp": Timestamp(5, 1),
    "min": MinKey(),
    "max": MaxKey(),
    "regex": Regex("^a", "i"),
    "binary": Binary(b"abc", 9),
}
"""Values that no column holds."""
INSIDE = ODD | {
    "decimal nan": Decimal128("NaN"),
    "decimal": Decimal128("1.50"),
    "decimal of digits": Decimal128("0.1234567890123456789012345"),
    "whole decimal": Decimal128("7"),
    "large decimal": Decimal128("123456789012345678901234567890"),
    "nan": float("nan"),
    "infinity": float("-inf"),
    "long": Int64(2**60),
    "bytes": b"abc",
    "uuid": Binary(bytes(range(16)), 4),
    "date": datetime(2024, 1, 2, 3, 4, 5, 6000),  # noqa: DTZ001
    "objectid": ObjectId("64f000000000000000000001"),
    "null": None,
}
"""Values inside of what is kept whole."""
OLD = {
    "dbPointer": b"\x0cv\0\x06\0\0\0users\0" + bytes(range(12)),
    "symbol": b"\x0ev\0\x04\0\0\0abc\0",
    "undefined": b"\x06v\0",
}
"""BSON types no driver writes any more, as the bytes of a field `v`."""


def facts_of(database: Database[Any]) -> Facts:
    """All there is to know of a database."""
    return gather(database.client, [database.name], Budget(30.0, Amount(), structure=True))


def carried(database: Database[Any], path: Path) -> LiveDatabase:
    """Inspected, examined, unloaded to SQLite and compared: nothing differs."""
    facts = facts_of(database)
    diagnose(facts)
    found = live_database(facts, name="read")
    unload(found.in_place, f"sqlite:///{path}", database)
    assert verify(found.in_place, f"sqlite:///{path}", database).equal
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("name", ODD)
def test_what_sql_has_not_is_carried_as_extended_json(database: Database[Any], tmp_path: Path, name: str) -> None:
    """As a field, among texts, in arrays, in sub-documents; a gap names each, and a change of it is seen."""
    value = ODD[name]
    database.fields.insert_many([{"_id": n, "v": value, "n": n} for n in range(3)])
    database.mixed.insert_many([{"_id": n, "v": value if n else "text"} for n in range(3)])
    database.arrays.insert_many([{"_id": n, "v": [value] * n} for n in range(3)])
    database.inner.insert_many([{"_id": n, "v": {"a": value, "b": n}} for n in range(3)])
    if not isinstance(value, Regex):  # which no key may be
        database.ids.insert_many([{"_id": value if n else "text", "n": n} for n in range(2)])
    found = carried(database, tmp_path / "copy.db")
    told = {gap.where for gap in found.reading.gaps if "kept whole as json" in gap.what}
    alone = set() if isinstance(value, Binary) else {"fields", "arrays", "inner"}  # bytes as their subtype
    assert told >= {"mixed", *alone}, found.reading.gaps
    place = "fields" if alone else "mixed"
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        ((text,),) = connection.execute(f"SELECT v FROM {place} WHERE _id = 1")
    assert json_util.loads(text) == value
    (row,) = Store(found.in_place, database).execute(f"SELECT v FROM {place} WHERE _id = 1")
    assert row["v"] == read_json(text)
    database.fields.update_one({"_id": 1}, {"$set": {"v": "another"}})
    assert not verify(found.in_place, f"sqlite:///{tmp_path / 'copy.db'}", database).equal


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", INSIDE)
def test_values_inside_of_what_is_kept_whole_come_back(database: Database[Any], tmp_path: Path, name: str) -> None:
    """Numbers as JSON has them, all else as Extended JSON; `Store`, its module and SQLite say the same."""
    value = INSIDE[name]
    database.things.insert_many([{"_id": n, "v": {"a": value, "b": [value]} if n else 3} for n in range(3)])
    found = carried(database, tmp_path / "copy.db")
    (row,) = Store(found.in_place, database).execute("SELECT v FROM things WHERE _id = 1")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        ((text,),) = connection.execute("SELECT v FROM things WHERE _id = 1")
    assert row["v"] == read_json(text)
    workload, space = tmp_path / "workload.sql", dict[str, Any]()
    workload.write_text("-- name: one, rate: 1/s\nSELECT v FROM things WHERE _id = 1;\n", encoding="utf-8")
    exec(queries_module(found.in_place, workload, "sqlite")[0], space)
    assert space["one"](database) == [{"v": row["v"]}]


@pytest.mark.parametrize("name", OLD)
def test_types_of_old_are_carried(database: Database[Any], tmp_path: Path, name: str) -> None:
    """A pointer as the reference it is, a symbol as its text; undefined is NULL."""
    body = b"\x10_id\0\x01\0\0\0" + OLD[name]
    database.things.insert_one(RawBSONDocument((len(body) + 5).to_bytes(4, "little") + body + b"\0"))
    found = carried(database, tmp_path / "copy.db")
    assert bool([gap for gap in found.reading.gaps if "dbPointer" in gap.what]) == (name == "dbPointer")


@pytest.mark.parametrize("name", ODD)
def test_what_came_later_is_refused(database: Database[Any], tmp_path: Path, name: str) -> None:
    """Where the model has a column of texts, by collection, attribute and row; nothing is written as something else."""
    database.things.insert_many([{"_id": n, "v": "text"} for n in range(3)])
    today, copy = live_database(facts_of(database), name="read").in_place, tmp_path / "copy.db"
    database.things.insert_one({"_id": 7, "v": ODD[name]})
    with pytest.raises(RebuildError, match=r"`v` of `things` holds a .* in the row _id = 7") as error:
        unload(today, f"sqlite:///{copy}", database)
    assert "collection things" in str(error.value)
    with closing(sqlite3.connect(copy)) as connection:
        assert not connection.execute("SELECT name FROM sqlite_master").fetchall()


@pytest.mark.parametrize("value", [DatetimeMS(253_402_300_800_000), Binary(b"ab", 4), {"a": [DatetimeMS(-(1 << 60))]}])
def test_what_no_driver_reads_is_named(database: Database[Any], tmp_path: Path, value: object) -> None:
    """A date beyond the year 9999, a UUID of two bytes: by collection, attribute and row."""
    database.things.insert_many([{"_id": n, "v": value if n == 7 else "text"} for n in range(9)])
    today = live_database(facts_of(database), name="read").in_place
    with pytest.raises(RebuildError, match=r"things: `v` in the row _id = 7 holds a value that cannot be read"):
        unload(today, f"sqlite:///{tmp_path / 'copy.db'}", database)
