"""What the server finds of fields that a design does not know: all of them, on every primitive, and nothing else."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.server import Server
from nestling.emitters.commands import collection_commands
from nestling.emitters.documents import documents
from nestling.emitters.field_searches.unknown_fields import MOST_UNKNOWN_FIELDS, unknown_fields
from nestling.executors.exact import exact
from nestling.executors.found_fields import find_fields
from nestling.executors.load import load
from nestling.ir.design import Design
from nestling.ir.found_field import FieldSteps, FoundField
from nestling.pipeline import in_place
from tests.emitters.designs import DESIGNS, every_type, orders, variants
from tests.emitters.test_loaded import rows_of
from tests.foreign_documents import strewn
from tests.sqlite_rows import sqlite_source

Documents = Database[dict[str, Any]]


def make(design: Design, database: Documents) -> None:
    """The collections, of their kinds, that take any document."""
    for command in collection_commands(design):
        options: dict[str, Any] = {
            name: value for name, value in command.options.items() if not name.startswith("validat")
        }
        database.create_collection(command.name, **options)


def loaded(design: Design, database: Documents, folder: Path) -> None:
    """Rows of everything."""
    make(design, database)
    load(design, sqlite_source(folder / "rows.sqlite", design.model, rows_of(design)), database)


@pytest.mark.thorough
@pytest.mark.parametrize("made", DESIGNS)
def test_every_unknown_field_is_found_where_it_is(made: str, database: Documents, tmp_path: Path) -> None:
    """Fields put anywhere at random are found with their paths, counts and an `_id`; what was loaded has none."""
    design, chance = DESIGNS[made](), random.Random(made)
    loaded(design, database, tmp_path)
    asked = unknown_fields(design)
    assert find_fields(database, asked) == ()
    kept = {store.name: list(exact(database)[store.name].find()) for store in design.stores}
    wanted = defaultdict[tuple[str, FieldSteps], list[object]](list)
    for store in design.stores:
        for document in kept[store.name]:
            for steps in strewn(document, documents(design, store), chance, everywhere=True):
                wanted[store.name, steps].append(document["_id"])
        database.drop_collection(store.name)
    make(design, database)
    for name, put_back in kept.items():
        exact(database)[name].insert_many(put_back)
    told = find_fields(database, asked)
    assert {(each.collection, each.steps): each.documents for each in told} == {
        place: len(ids) for place, ids in wanted.items()
    }
    assert all(each.example in wanted[each.collection, each.steps] for each in told)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("made", DESIGNS)
def test_the_design_of_a_live_database_knows_what_it_holds(
    made: str, database: Documents, mongod: Server, tmp_path: Path
) -> None:
    """All of it but what no query can say, so that a migration is refused for nothing else."""
    loaded(DESIGNS[made](), database, tmp_path)
    found = in_place(mongod.uri.replace("/?", f"/{database.name}?"))
    told = {each.path for each in find_fields(database, unknown_fields(found.in_place.design))}
    assert told == ({'"q"'} if made == "odd_names" else set())


def test_each_level_is_named(database: Documents, tmp_path: Path) -> None:
    """At the top, in a document, in elements, in a copy, in an overflow page and in a row without a parent."""
    design = orders()
    loaded(design, database, tmp_path)
    everything = {"a": 1, "lines.$[].b": 2, "invoice.c": 3, "customer.d": 4, "sums.e": 5}
    database["orders"].update_one({"_id": 1}, {"$set": everything})
    database["order_lines"].update_one({"_id.order_id": 1}, {"$set": {"lines.0.f": 6}})
    database["lost_remarks"].update_one({}, {"$set": {"g": 7}})
    told = find_fields(database, unknown_fields(design))
    assert {f"{each.collection}.{each.path}" for each in told} == {
        "orders.a",
        "orders.lines[].b",
        "orders.invoice.c",
        "orders.customer.d",
        "orders.sums.e",
        "order_lines.lines[].f",
        "lost_remarks.g",
    }
    (one,) = (each for each in told if each.path == "lines[].b")
    assert one.text() == "`orders.lines[].b` in 1 document, such as _id 1"


def test_a_field_of_another_kind_is_unknown(database: Documents, tmp_path: Path) -> None:
    """In a collection of books and films, a book's minutes are nobody's; vehicles may be cars and trucks."""
    design = variants()
    loaded(design, database, tmp_path)
    book = database["media"].find_one({"type": "book"})
    assert book is not None
    database["media"].update_many({}, {"$set": {"minutes": 90}})
    books = database["media"].count_documents({"type": "book"})
    database["vehicles"].update_many({}, {"$set": {"doors": 4}})
    (told,) = find_fields(database, unknown_fields(design))
    assert (told.path, told.documents) == ("minutes", books)


def test_json_is_kept_whole(database: Documents) -> None:
    """What lies inside a value of any form is part of that value."""
    database["things"].insert_one({"_id": 1, "a_json": {"x": [{"y": 1}]}, "a_any": {"z": 1}, "b": {"x": 1}})
    assert find_fields(database, unknown_fields(every_type())) == (FoundField("things", ("b",), 1, 1),)


def test_names_that_are_data(database: Documents) -> None:
    """Of very many names those in most documents are told."""
    database["things"].insert_many(
        [{"_id": number, f"n{number}": 1, "all": 1} for number in range(MOST_UNKNOWN_FIELDS + 50)]
    )
    told = find_fields(database, unknown_fields(every_type()))
    assert (len(told), told[0]) == (MOST_UNKNOWN_FIELDS, FoundField("things", ("all",), MOST_UNKNOWN_FIELDS + 50, 0))
