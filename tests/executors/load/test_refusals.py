"""What cannot be loaded is named, before anything is written where that can be known, and whatever else is there stays intact."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.connection import connect
from nestling.common.errors import LoadError, PermissionDenied
from nestling.executors.create import create
from nestling.executors.load import LoadProgress, load
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.primitives import (
    Collection,
    CollectionKind,
    Document,
    Embedding,
    Form,
    Holder,
    Options,
    Reference,
    Slots,
)
from nestling.ir.programs.command import CreateCollection, CreateIndex
from nestling.ir.proposal import Proposal
from nestling.ir.storage.names import CHECKPOINT_COLLECTION
from nestling.ir.types import INTEGER, Type, TypeName
from nestling.ir.values import Policy
from tests.executors.load.loads import load_rows
from tests.planner.homes.home_cases import LINE, ORDER, ORDER_LINE, Rows, entity, lines, link, orders
from tests.servers import PASSWORD, guarded_mongod
from tests.sqlite_rows import sqlite_source

MODEL = Model("m", (ORDER, LINE), (ORDER_LINE,))
EMBEDDED = Design(MODEL, (orders(lines()),))
TWO: dict[str, Rows] = {"order": [(1, "a"), (2, None)], "line": [(1, 1, 5)]}
ITEM = entity("item", "id:integer! price:decimal text", "id")
ITEMS = Design(Model("m", (ITEM,)), (Collection("items", Document("item"), ("id",)),))


def test_rows_without_a_parent_are_counted_before_anything_is_written(database: Database[Any], tmp_path: Path) -> None:
    """An embedding without orphans: how many rows, and the first keys."""
    rows: dict[str, Rows] = {"order": [(1, None)], "line": [(1, 1, 5), *((n, 1, None) for n in range(20, 29))]}
    source = sqlite_source(tmp_path / "source.db", MODEL, rows)
    with pytest.raises(LoadError, match=r"9 rows of `line` refer to no `order`: order_id, no \(20, 1\), .* …"):
        load(EMBEDDED, source, database)
    assert database.list_collection_names() == [CHECKPOINT_COLLECTION]


def test_a_foreign_key_only_the_parent_tells_must_be_found(database: Database[Any], tmp_path: Path) -> None:
    """With a child-reference alone the key of a missing parent would be lost; NULL would not."""
    model = Model("m", (ORDER, entity("note", "id:integer! order_id:integer", "id")), (NOTES,))
    references = (Reference("order_note", Holder.PARENT, "note_ids"),)
    design = Design(
        model,
        (
            Collection("orders", Document("order", references=references), ("id",)),
            Collection("notes", Document("note"), ("id",)),
        ),
    )
    rows: dict[str, Rows] = {"order": [(1, None)], "note": [(1, 1), (2, None)]}
    load_rows(design, rows, database, tmp_path)
    rows["note"].append((3, 99))
    source = sqlite_source(tmp_path / "dangling.db", model, rows)
    with pytest.raises(LoadError, match=r"1 row of `note` refers to no `order`: id 3"):
        load(design, source, database.client[f"{database.name}_2"])


NOTES = link("order_note", "order.id", "note.order_id", required=False)


def test_a_document_of_more_than_16_mib_is_named_and_the_others_are_written(
    database: Database[Any], tmp_path: Path
) -> None:
    """Collection, `_id` and size; documents before it are there, and the load can go on once it is mended."""
    rows: dict[str, Rows] = {"item": [(n, None, "x" * (17_000_000 if n == 3 else 10)) for n in range(1, 6)]}
    with pytest.raises(LoadError, match=r"items, _id 3: the document has 17,0\d\d,\d\d\d bytes"):
        load_rows(ITEMS, rows, database, tmp_path)
    assert [found["_id"] for found in database.items.find()] == [1, 2]
    rows["item"][2] = (3, None, "short")
    load_rows(ITEMS, rows, database, tmp_path, resume=True)
    assert [found["_id"] for found in database.items.find()] == [1, 2, 3, 4, 5]


def test_a_decimal_of_40_digits_names_row_and_attribute(database: Database[Any], tmp_path: Path) -> None:
    """Nothing is rounded: an error, or text where that is asked for."""
    long = Decimal("1." + "7" * 40)
    rows: dict[str, Rows] = {"item": [(1, Decimal("0.10"), None), (2, long, None)]}
    with pytest.raises(LoadError, match=r"item \(id 2\), attribute `price`: .*41 digits"):
        load_rows(ITEMS, rows, database, tmp_path)
    source = sqlite_source(tmp_path / "again.db", ITEMS.model, rows)
    database.drop_collection("items")
    load(ITEMS, source, database, policy=Policy(long_decimals="text"))
    assert database["items"].distinct("price", {"_id": 2}) == [str(long)]


@pytest.mark.parametrize(("place", "why"), [(9, "slot 9 is not one of 3 from 1 on"), (2, "slot 2 is already taken")])
def test_a_row_without_a_slot_is_named(database: Database[Any], tmp_path: Path, place: int, why: str) -> None:
    """Out of range, or where another row stands."""
    seat = entity("seat", "id:integer! order_id:integer! place:integer!", "id")
    model = Model("m", (ORDER, seat), (link("seats", "order.id", "seat.order_id"),))
    embedding = Embedding("seats", "seats", Form.ARRAY, Document("seat"), slots=Slots("place", 3))
    with pytest.raises(LoadError, match=rf"seat \(id 8\), attribute `place`: {why}"):
        load_rows(
            Design(model, (orders(embedding),)),
            {"order": [(1, "")], "seat": [(7, 1, 2), (8, 1, place)]},
            database,
            tmp_path,
        )


def test_collections_with_data_are_refused_unless_replaced(database: Database[Any], tmp_path: Path) -> None:
    """Each is named with its count; replacing drops the design's own collections and no other."""
    database.orders.insert_many([{"_id": "mine"}, {"_id": "too"}])
    database.others.insert_one({"_id": "not yours"})
    with pytest.raises(LoadError, match=r"`orders` \(2\).*\n.*--replace"):
        load_rows(EMBEDDED, TWO, database, tmp_path)
    assert database.orders.count_documents({}) == 2
    with pytest.raises(LoadError, match=r"`orders` \(2\)"):
        load(EMBEDDED, sqlite_source(tmp_path / "again.db", MODEL, TWO), database)
    load_rows(EMBEDDED, TWO, database, tmp_path, replace=True)
    assert [found["_id"] for found in database.orders.find()] == [1, 2]
    assert database.others.count_documents({}) == 1


def test_a_unique_index_names_the_key_found_twice(database: Database[Any], tmp_path: Path) -> None:
    """What is loaded stays, and the load goes on with the indexes once the source or the index is mended."""
    source = sqlite_source(tmp_path / "source.db", MODEL, {"order": [(1, "same"), (2, "same")]})
    unique = CreateIndex("orders", (("note", 1),), {"unique": True})
    with pytest.raises(LoadError, match=r'orders: the unique index on note .*"same"'):
        load(EMBEDDED, source, database, indexes=(unique,))
    assert database.orders.count_documents({}) == 2
    load(EMBEDDED, source, database, indexes=(CreateIndex("orders", (("note", 1),), {}),), resume=True)
    assert "note_1" in database.orders.index_information()
    assert CHECKPOINT_COLLECTION not in database.list_collection_names()


def test_an_index_made_before_names_the_row(database: Database[Any], tmp_path: Path) -> None:
    """A duplicate of another unique index than `_id`'s is found while rows are written."""
    create(
        (CreateCollection("orders", {}), CreateIndex("orders", (("note", 1),), {"unique": True})), database, ["orders"]
    )
    source = sqlite_source(tmp_path / "source.db", MODEL, {"order": [(1, "same"), (2, "same"), (3, "other")]})
    with pytest.raises(
        LoadError, match=r"orders, _id 2: two documents have the same order.note: \{'order.note': 'same'\}"
    ):
        load(EMBEDDED, source, database)
    assert [found["_id"] for found in database.orders.find()] == [1, 3]


def test_a_row_that_changed_before_a_load_is_resumed_is_named(database: Database[Any], tmp_path: Path) -> None:
    """What is there stays as it is: nobody knows which other rows have changed."""
    validator = {"$jsonSchema": {"properties": {"note": {"bsonType": "string", "maxLength": 3}}}}
    create((CreateCollection("orders", {"validator": validator}),), database, ["orders"])
    with pytest.raises(LoadError, match="not at most 3"):
        load(EMBEDDED, sqlite_source(tmp_path / "a.db", MODEL, {"order": [(1, "ok"), (2, "too long")]}), database)
    changed = sqlite_source(tmp_path / "b.db", MODEL, {"order": [(1, "new"), (2, "two")]})
    with pytest.raises(LoadError, match=r"(?s)orders, _id 1: .*rows have changed since.*→ load again with `--replace`"):
        load(EMBEDDED, changed, database, resume=True)
    assert database.orders.find_one({"_id": 1}) == {"_id": 1, "note": "ok", "lines": []}


def test_a_document_that_breaks_a_validator_is_named(database: Database[Any], tmp_path: Path) -> None:
    """A user's own validator."""
    validator = {"$jsonSchema": {"properties": {"note": {"bsonType": "string", "maxLength": 3}}}}
    create((CreateCollection("orders", {"validator": validator}),), database, ["orders"])
    source = sqlite_source(tmp_path / "source.db", MODEL, {"order": [(1, "ok"), (2, "too long")]})
    with pytest.raises(
        LoadError,
        match=r"orders, _id 2: the document breaks .* validator: `order.note` has 8 characters, not at most 3",
    ):
        load(EMBEDDED, source, database)


def test_a_capped_collection_that_is_too_small(database: Database[Any], tmp_path: Path) -> None:
    """The server would forget documents without a word."""
    options = Options(CollectionKind.CAPPED, size_bytes=4096)
    design = Design(ITEMS.model, (Collection("items", Document("item"), ("id",), options),))
    with pytest.raises(LoadError, match=r"capped collection of 4,096 bytes holds only \d+ of 500 documents"):
        load_rows(design, {"item": [(n, None, "x" * 50) for n in range(500)]}, database, tmp_path)


def test_a_user_who_may_only_read_is_refused_before_the_first_row(tmp_path: Path) -> None:
    """What it may not do is named; its password is not."""
    with guarded_mongod() as address:
        with connect(f"mongodb://root:{PASSWORD}@{address}/?directConnection=true") as client:
            client.shop.command("createUser", "ada", pwd="secret-of-ada", roles=["read"])
            client.shop.command("createUser", "bob", pwd="secret-of-bob", roles=["readWrite"])
        source = sqlite_source(tmp_path / "source.db", MODEL, TWO)
        with connect(f"mongodb://ada:secret-of-ada@{address}/shop?directConnection=true") as client:
            for action in (
                lambda: create((CreateCollection("orders", {}),), client.shop, ["orders"]),
                lambda: load(EMBEDDED, source, client.shop),
            ):
                with pytest.raises(
                    PermissionDenied, match="`ada` may not: insert, update, createCollection, createIndex in orders"
                ) as caught:
                    action()
                assert "secret" not in str(caught.value)
        with connect(f"mongodb://bob:secret-of-bob@{address}/shop?directConnection=true") as client:
            create((CreateCollection("orders", {}),), client.shop, ["orders"], replace=True)
            assert load(EMBEDDED, source, client.shop).documents == {"orders": 2}


def test_values_that_do_not_fit_their_type_are_noted(database: Database[Any], tmp_path: Path) -> None:
    """They are stored as found, and the report says how many."""
    source = sqlite_source(
        tmp_path / "source.db", ITEMS.model, {"item": [(1, "cheap", "a"), (2, Decimal("1.5"), None)]}
    )
    report = load(ITEMS, source, database)
    (note,) = report.notes
    assert note.startswith("values that did not fit their type were stored as found, and statements may misread them")
    assert "item.price (1); design again" in note
    assert database["items"].distinct("price", {"_id": 1}) == ["cheap"]


def test_instants_finer_than_their_type(database: Database[Any], tmp_path: Path) -> None:
    """The type is what the source's values were when the design was made: they stop the load, or are text beside dates."""
    event = Entity(
        "event", (Attribute("id", INTEGER, nullable=False), Attribute("at", Type(TypeName.TIMESTAMP))), ("id",)
    )
    model = Model("log", (event,))
    rows = [(1, datetime(2024, 2, 29, 10)), (2, datetime(2024, 2, 29, 10, 0, 0, 123456))]  # noqa: DTZ001
    source = sqlite_source(tmp_path / "source.db", model, {"event": rows})
    design = Design(model, (Collection("events", Document("event"), ("id",)),))
    with pytest.raises(
        LoadError, match=r"(?s)`event\.at` is stored as dates.* design again from the database itself"
    ) as refused:
        load(design, source, database)
    assert "--microseconds text" in str(refused.value)
    report = load(design, source, database, resume=True, policy=Policy(microseconds="text"))
    (note,) = report.notes
    assert "stored as text beside dates" in note
    assert "event.at (1); design again" in note


def test_progress_and_report(database: Database[Any], tmp_path: Path) -> None:
    """Progress ends with all rows, a rate and no time left; the report counts rows and documents and knows its memory."""
    told: list[LoadProgress] = []
    report = load_rows(EMBEDDED, TWO, database, tmp_path, progress=told.append)
    assert (told[-1].rows, told[-1].total_rows, told[-1].documents) == (3, 3, 2)
    assert told[-1].rows_per_second > 0
    assert told[-1].seconds_left == 0
    assert report.entities == {"order": (2, 2), "line": (1, 1)}
    assert report.documents == {"orders": 2}
    assert report.seconds > 0
    assert 10_000_000 < report.peak_bytes < 4_000_000_000


@pytest.mark.parametrize("name", ["admin", "local", "config"])
def test_databases_of_the_servers_own_take_no_data(name: str, database: Database[Any], tmp_path: Path) -> None:
    """They stand in many URIs, as users are in `admin`."""
    sqlite_source(tmp_path / "source.db", ITEMS.model, {"item": [(1, Decimal("1.5"), None)]})
    before = database.client[name].list_collection_names()
    with pytest.raises(LoadError, match="of the server's own"):
        pipeline.load(Proposal("", ITEMS), f"sqlite:///{tmp_path / 'source.db'}", database.client[name])
    assert database.client[name].list_collection_names() == before
