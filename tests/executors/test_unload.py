"""Unloading: what is stored in any form becomes tables again, or is an error that names where it fails."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import bson
import pytest
from bson.binary import Binary
from bson.decimal128 import Decimal128
from gridfs import GridFSBucket
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import RebuildError, SourceError
from nestling.common.server import Server
from nestling.emitters.mql import aggregation
from nestling.executors.unload import UnloadReport, unload
from nestling.ir.codec import CODEC
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Document, Split
from nestling.ir.programs.command import Aggregation
from nestling.ir.rows import RowColumn, RowQuery, UndecodableText
from nestling.ir.value_forms.json_documents import UNDECODABLE_TEXT_SUBTYPE
from nestling.planner.homes.views import home_views
from nestling.sources.sql.row_source import SqlDatabase
from tests.planner.homes.home_cases import CASES, NESTED, Case, entity
from tests.planner.homes.test_views import bag, write
from tests.sqlite_rows import sqlite_sink, sqlite_source

Rows = dict[str, list[tuple[object, ...]]]


def homes_of(case: Case) -> dict[str, Aggregation]:
    """The queries of a case's home views."""
    return {name: aggregation(view) for name, view in home_views(Design(case.model, case.collections)).items()}


def unloaded(database: Database[Any], case: Case, directory: Path) -> tuple[UnloadReport, Rows]:
    """Unload into a SQLite file, and read that."""
    sink = sqlite_sink(directory / "copy.db")
    report = unload(case.model, homes_of(case), database, sink)
    copy = SqlDatabase(sink.address, case.model)
    rows = {
        e.name: list(copy.rows(RowQuery(e.name, tuple(map(RowColumn, e.attribute_names))))) for e in case.model.entities
    }
    return report, rows


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_form_becomes_tables_again(database: Database[Any], tmp_path: Path, case: Case) -> None:
    """For every primitive: the rows the documents stand for, and how many there are."""
    write(database, case)
    report, rows = unloaded(database, case, tmp_path)
    for name, expected in case.rows.items():
        assert bag(case, name, rows[name]) == bag(case, name, expected)
        assert report.entities[name] == len(expected)


def test_a_row_that_cannot_be_read_is_an_error(database: Database[Any], tmp_path: Path) -> None:
    """A date beyond what a date can say names collection, attribute and row; nothing half done is to be seen."""
    write(database, NESTED)
    far = bson.encode({"_id": 9, "note": bson.DatetimeMS(10**15)})
    database.get_collection("orders").insert_one(bson.raw_bson.RawBSONDocument(far))
    with pytest.raises(RebuildError, match="orders: `note` in the row id = 9 holds a value that cannot be read"):
        unloaded(database, NESTED, tmp_path)


LETTER = entity("letter", "id:integer! scan:bytes body", "id")
FILES = Case(
    "files",
    "",
    Model("m", (LETTER,)),
    (Collection("letters", Document("letter"), ("id",), splits=(Split("scans", ("scan", "body"), gridfs=True),)),),
    {},
    {
        "letter": [
            (1, bytes(range(256)) * 3000, "naïve"),
            (2, b"", None),
            (3, None, UndecodableText(b"\xff")),
            (4, "as found", b"as found"),
        ]
    },
)


def upload(database: Database[Any], key: object, field: str, content: bytes) -> dict[str, Any]:
    """Store a file as loading does; returns its pointer."""
    name = {"collection": "letters", "field": field, "_id": key}
    GridFSBucket(database, "scans").upload_from_stream_with_id(name, "", content)
    return {"gridfs": name, "bytes": len(content)}


def write_letters(database: Database[Any]) -> None:
    """Write the documents and files of the letters."""
    scan = upload(database, 1, "scan", bytes(range(256)) * 3000)
    body = upload(database, 1, "body", "naïve".encode())
    database.letters.insert_many(
        [
            {"_id": 1, "scan": scan, "body": body},
            {"_id": 2, "scan": upload(database, 2, "scan", b"")},
            {"_id": 3, "body": upload(database, 3, "body", b"\xff")},
            {"_id": 4, "scan": "as found", "body": Binary(b"as found", 0)},
        ]
    )


def test_files_are_fetched(database: Database[Any], tmp_path: Path) -> None:
    """Bytes, text, and text that is not UTF-8 come back from GridFS; what did not fit the type never went there."""
    write_letters(database)
    _, rows = unloaded(database, FILES, tmp_path)
    assert bag(FILES, "letter", rows["letter"]) == bag(FILES, "letter", FILES.rows["letter"])
    assert [type(body) for *_, body in sorted(rows["letter"], key=lambda row: str(row[0]))][2] is UndecodableText
    assert UNDECODABLE_TEXT_SUBTYPE == 128


def test_files_of_rows_with_any_key_are_fetched(database: Database[Any], tmp_path: Path) -> None:
    """A file is called by its row's key, which here is a UUID."""
    sheet = entity("sheet", "id:uuid! scan:bytes", "id")
    collection = Collection("letters", Document("sheet"), ("id",), splits=(Split("scans", ("scan",), gridfs=True),))
    case = Case("uuid", "", Model("m", (sheet,)), (collection,), {}, {"sheet": [(UUID(int=7), b"x")]})
    writable = database.with_options(codec_options=CODEC)
    writable.letters.insert_one({"_id": UUID(int=7), "scan": upload(writable, UUID(int=7), "scan", b"x")})
    assert unloaded(database, case, tmp_path)[1] == case.rows


def test_a_missing_file_is_named(database: Database[Any], tmp_path: Path) -> None:
    """The attribute, the file and the bucket."""
    write_letters(database)
    database["scans.files"].delete_one({"_id.field": "body", "_id._id": 3})
    with pytest.raises(RebuildError, match=r"GridFS bucket scans: `body` points to the file .*_id: 3"):
        unloaded(database, FILES, tmp_path)


def test_a_file_that_lacks_a_chunk_is_named(database: Database[Any], tmp_path: Path) -> None:
    """Half a file is no value."""
    write_letters(database)
    database["scans.chunks"].delete_one({"files_id.field": "scan", "files_id._id": 1, "n": 1})
    with pytest.raises(RebuildError, match="GridFS bucket scans: `scan` points to the file"):
        unloaded(database, FILES, tmp_path)


@pytest.mark.parametrize(
    ("bucket", "change", "said"),
    [
        ("chunks", {"$unset": {"data": 1}}, "the data of its chunk 0 is not binary"),
        ("chunks", {"$set": {"data": None}}, "the data of its chunk 0 is not binary"),
        ("chunks", {"$set": {"data": "text"}}, "the data of its chunk 0 is not binary"),
        ("chunks", {"$set": {"data": b"short"}}, "its `length` is 768,000"),
        ("chunks", {"$set": {"n": 7}}, "there is a chunk 1 where chunk 0 should be"),
        ("files", {"$unset": {"length": 1}}, "its `length` is missing"),
        ("files", {"$set": {"length": None}}, "its `length` is NULL"),
        ("files", {"$set": {"length": Decimal128("768000")}}, "its `length` is Decimal128"),
        ("files", {"$set": {"length": 3}}, "its chunks hold 768,000 bytes, its `length` is 3"),
    ],
)
def test_a_damaged_file_is_named(
    database: Database[Any], tmp_path: Path, bucket: str, change: dict[str, Any], said: str
) -> None:
    """Whatever is not as it was stored is an error that says what, and never a shorter value."""
    write_letters(database)
    name = "_id" if bucket == "files" else "files_id"
    first = {f"{name}.field": "scan", f"{name}._id": 1} | ({} if bucket == "files" else {"n": 0})
    assert database[f"scans.{bucket}"].update_one(first, change).modified_count == 1
    with pytest.raises(RebuildError, match=r"GridFS bucket scans: `scan` points to the file .*_id: 1") as error:
        unloaded(database, FILES, tmp_path)
    assert said in str(error.value)
    assert "Collection(" not in str(error.value)


def test_files_are_verified(database: Database[Any], tmp_path: Path) -> None:
    """A byte changed in a chunk is a difference of that attribute."""
    from nestling.executors.verify import verify

    write_letters(database)
    source = sqlite_source(tmp_path / "source.db", FILES.model, FILES.rows)
    assert verify(FILES.model, homes_of(FILES), source, database).equal
    chunk = {"files_id.field": "scan", "files_id._id": 1, "n": 2}
    data = bytearray(database["scans.chunks"].find_one(chunk)["data"])  # type: ignore[index]
    data[5] ^= 1
    database["scans.chunks"].update_one(chunk, {"$set": {"data": Binary(bytes(data), 0)}})
    (difference,) = verify(FILES.model, homes_of(FILES), source, database).differences
    assert (difference.key, difference.attribute) == ((1,), "scan")


def test_a_table_that_was_there_stays_when_a_row_cannot_be_read(database: Database[Any], tmp_path: Path) -> None:
    """It is as it was, the tables made are gone, and the file is free for others at once."""
    write(database, NESTED)
    far = bson.encode({"_id": 9, "note": bson.DatetimeMS(10**15)})
    database.get_collection("orders").insert_one(bson.raw_bson.RawBSONDocument(far))
    table = NESTED.model.entities[0]
    columns = ", ".join(f'"{each}"' for each in (*table.attribute_names, "own"))
    with closing(sqlite3.connect(tmp_path / "copy.db", timeout=0)) as connection:
        connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
        with pytest.raises(RebuildError, match="holds a value that cannot be read"):
            unloaded(database, NESTED, tmp_path)
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        assert found == [(table.name,)]
        connection.execute(f'INSERT INTO "{table.name}" (own) VALUES (1)')


@pytest.mark.thorough
def test_every_column_that_gives_nothing_back_is_named(database: Database[Any], tmp_path: Path) -> None:
    """Once, with how many rows have this problem, over all tables; the database stays empty."""
    model = Model(
        "m",
        (
            entity("a", "id:integer! on:boolean name:text", "id"),
            entity("b", "id:integer! at:timestamp", "id"),
            entity("c", "id:integer! name:text", "id"),
        ),
    )
    collections = tuple(Collection(name, Document(name), ("id",)) for name in ("a", "b", "c"))
    database["a"].insert_many({"_id": i, "on": 1 if i % 3 == 0 else True, "name": f"n{i}"} for i in range(3000))
    database["a"].insert_one({"_id": 5000, "on": "yes", "name": bson.Regex("x")})
    database["b"].insert_many({"_id": i, "at": datetime(2024, 1, 1, tzinfo=UTC)} for i in range(10))
    database["b"].update_many({"_id": {"$gte": 8}}, {"$set": {"at": "2024-01-01 00:00:00"}})
    database["c"].insert_one({"_id": 1, "name": "fine"})
    with pytest.raises(SourceError) as refused:
        unloaded(database, Case("mixed", "", model, collections, {}, {}), tmp_path)
    told = [(each.where, each.what) for each in refused.value.problems]
    assert told[0] == (
        "table a, the row id = 0",
        "`on` is 1: its column would return True; 1,000 rows have this problem",
    )
    assert [what.partition("`: holds")[0].partition(" holds")[0] for _, what in told[1:2]] == ["`name` of `a`"]
    assert told[2][1].startswith("`at` is '2024-01-01 00:00:00': its column would return")
    assert told[2][1].endswith("; 2 rows have this problem")
    assert len(told) == 3
    assert all(each.next_move for each in refused.value.problems)


@pytest.mark.parametrize("other", ["text", "boolean"])
def test_what_to_do_where_a_column_cannot_give_back(
    other: str, mongod: Server, database: Database[Any], tmp_path: Path
) -> None:
    """Of numbers and texts in one field the doctor's conversion is named; no other type of the column would help."""
    kinds = [12.5, 7, "12.50" if other == "text" else True, Decimal128("12.50")]
    database["pay"].insert_many({"_id": n, "amount": kinds[n % 4] if n < 60 else 1.25} for n in range(100))
    today = pipeline.in_place(mongod.uri.replace("/?", f"/{database.name}?")).in_place
    with pytest.raises(SourceError) as refused:
        pipeline.unload(today, f"sqlite:///{tmp_path}/out.db", database)
    said = "finding mixed-types of `nestling doctor` describes: it holds numbers and texts"
    assert (said in str(refused.value)) == (other == "text")
