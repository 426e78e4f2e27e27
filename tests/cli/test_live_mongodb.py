"""A live MongoDB as the source of `inspect` and `design`."""

from __future__ import annotations

import os
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.server import Server
from tests.cli.commands import Ran, nestling

WORKLOAD = """\
-- name: lines_of_order, rate: 100/s
SELECT o._id, l.product, l.amount FROM orders o JOIN lines l ON l.order_id = o._id WHERE o._id = :id
"""


def write(database: Database[Any]) -> None:
    """Orders and their lines, in two collections that are always read together."""
    database.orders.insert_many([{"_id": n, "customer": f"c{n % 7}"} for n in range(60)])
    lines = [{"_id": n, "order_id": n % 60, "product": f"p{n % 9}", "amount": n % 5} for n in range(180)]
    database.lines.insert_many(lines)


@pytest.mark.thorough
def test_a_live_database_is_inspected_and_redesigned(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """Its model and design of today are written, unloading by them gives the rows, and a better design says what to change."""
    write(database)
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    done = nestling("inspect", uri, "-o", "model.yaml", "--design-out", "today.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "orders_lines" in done.out
    done = nestling("unload", "today.yaml", "--from", uri, "--to", "sqlite:///copy.db", cwd=tmp_path)
    assert done.code == 0, done.err
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT count(*), sum(amount) FROM lines WHERE order_id < 30").fetchone() == (90, 180)
    (tmp_path / "workload.sql").write_text(WORKLOAD, encoding="utf-8")
    done = nestling("design", uri, "--workload", "workload.sql", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    changes = done.json["changes"]
    assert changes[0]["gone"] == ["lines in a collection of its own"]
    assert changes[0]["come"] == ["lines in orders"]
    assert changes[0]["gain"] > 0
    assert done.json["today"]["cost"] > done.json["cost"]


def test_rows_known_from_some_documents_are_estimates(tmp_path: Path) -> None:
    """The table says so of a count that is extrapolated, and not of one that was counted or given."""
    counts = {"orders": "9839 (measured)", "items": "49879 (measured over 9839 rows)", "tags": "7"}
    entities = "".join(f"    {name}: {{key: id, attributes: {{id: integer!}}}}\n" for name in counts)
    known = "".join(f"    {name}: {{count: {count}}}\n" for name, count in counts.items())
    text = f"nestling: 1\nmodel:\n  name: m\n  entities:\n{entities}statistics:\n  entities:\n{known}"
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    lines = [line.split("  ") for line in nestling("inspect", "m.yaml", cwd=tmp_path).out.splitlines()]
    shown = {cells[0]: next(cell.strip() for cell in cells[1:] if cell) for cells in lines if cells[0] in counts}
    assert shown == {"orders": "9,839", "items": "about 49,879", "tags": "7"}
    found = nestling("inspect", "m.yaml", "--json", cwd=tmp_path).json["entities"]
    assert [name for name in found if found[name]["rows_estimated"]] == ["items"]
    assert found["items"]["rows"] == 49_879


@pytest.mark.thorough
def test_an_unchanged_database_is_read_the_same(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """By any process: texts among numbers, documents that are drawn and keys that are equally good change nothing."""
    write(database)
    names = ("part", "course", "about", "label", "what")
    menu = [{name: f"{name} {place}" for name in names} for place in range(3)]
    database.restaurants.insert_many([{"_id": n, "menu": menu, "pct": n % 9 or f"{n}%"} for n in range(90)])
    database.visits.insert_many([{"who": f"c{n % 7}", "restaurant_id": f"{n % 90}"} for n in range(4_000)])
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    for seed in ("1", "2", "3"):
        command = [sys.executable, "-m", "nestling", "inspect", uri, "-o", f"m{seed}", "--design-out", f"d{seed}"]
        subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
    for name in "md":
        texts = [(tmp_path / f"{name}{seed}").read_text(encoding="utf-8") for seed in "123"]
        assert texts[0] == texts[1] == texts[2]


def test_what_comes_next_can_be_done(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """Every command said to come next runs in a shell as it is said, up to the migration."""
    write(database)
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    inspected = nestling("inspect", uri, "-o", "live.yaml", cwd=tmp_path)
    assert said_next(inspected.err) == [["nestling", "design", uri, "-o", "design.yaml"]]
    designed = nestling("design", "live.yaml", "--strategy", "embedded", "-o", "better.yaml", cwd=tmp_path)
    commands = said_next(designed.err)
    assert [command[1] for command in commands] == ["explain", "inspect", "plan", "migrate"]
    for command in (*said_next(inspected.err), *commands):
        done = nestling(*command[1:], cwd=tmp_path)
        assert done.code == 0, done.err
    explain, _, *moves = commands
    assert said_next(nestling("design", uri, "-o", "better.yaml", cwd=tmp_path).err) == [explain, *moves]


def said_next(told: str) -> list[list[str]]:
    """The commands that a command says come next, as a shell reads them."""
    lines = told.partition("Next: ")[2].splitlines()
    return [shlex.split(line) for line in lines]


def test_only_a_mongodb_has_a_design_of_today(tmp_path: Path) -> None:
    """`--design-out` of a SQL database is a mistake in the command, and said to be."""
    done = nestling("inspect", "sqlite:///shop.db", "--design-out", "today.yaml", cwd=tmp_path)
    assert done.code == 2
    assert "mongodb://host/database" in done.err


def test_how_long_a_mongodb_is_looked_at(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """The options are those of the doctor; another source is not looked at, and says so."""
    database.things.insert_many({"_id": n, "name": f"thing {n}"} for n in range(20))
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (id INTEGER PRIMARY KEY);", encoding="utf-8")
    for command in ("inspect", "design"):
        assert nestling(command, uri, "--budget-seconds", "20", "--rest", "0", cwd=tmp_path).code == 0
        for option in ("--budget-seconds", "--rest"):
            done = nestling(command, "schema.sql", option, "20", cwd=tmp_path)
            assert done.code == 2
            assert f"{option} is only for a live MongoDB" in done.err


def events_moved(mongod: Server, database: Database[Any], folder: Path, values: list[Any]) -> Ran:
    """Users, and events of theirs that hold these values; moved to a design that copies the user's name into each."""
    database.events.insert_many([{"_id": n, "user": n % 3, "m": value} for n, value in enumerate(values)])
    database.users.insert_many([{"_id": n, "name": f"user {n}"} for n in range(3)])
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    (folder / "workload.sql").write_text(
        "-- name: page, rate: 100/s\nSELECT e.m, u.name FROM events e JOIN users u ON u._id = e.user WHERE e._id = :id;\n"
        "-- name: rename, rate: 1/day\nUPDATE users SET name = :name WHERE _id = :id\n",
        encoding="utf-8",
    )
    done = nestling("design", uri, "--workload", "workload.sql", "-o", "better.yaml", cwd=folder)
    assert done.code == 0, done.err
    moves = ("--from-design", "better.today.yaml", "--to-design", "better.yaml", uri)
    return nestling("migrate", *moves, "--offline", "--cutover", cwd=folder)


def test_the_commands_that_come_next_go_on_from_one_look(
    mongod: Server, database: Database[Any], tmp_path: Path
) -> None:
    """The current design is written beside the better one, of the same model, whatever another look at the data would show."""
    write(database)
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    done = nestling("design", uri, "--strategy", "embedded", "-o", "better.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "Wrote better.yaml, and the current design to better.today.yaml" in done.err
    assert "inspect" not in done.err[done.err.index("Next:") :]
    database.orders.insert_one({"_id": "another kind", "customer_id": None, "seen": [1, {"a": 2}]})
    planned = nestling("plan", "--from-design", "better.today.yaml", "--to-design", "better.yaml", uri, cwd=tmp_path)
    assert "moves from the collection" in planned.out, planned.err
    again = nestling("design", uri, "--strategy", "normalized", "-o", "better.yaml", cwd=tmp_path)
    assert "Kept the former design as better.yaml.bak" in again.err


@pytest.mark.thorough
def test_values_kept_whole_are_the_same_after_a_migration(
    mongod: Server, database: Database[Any], tmp_path: Path
) -> None:
    """Fields of many kinds of values, and what lies inside of them, to the type, where another field is copied beside them."""
    day, some = datetime(2026, 1, 2, 3, 4, 5, 678000), ObjectId()  # noqa: DTZ001 - BSON's are in UTC
    values: list[Any] = [
        {"kind": "login", "at": day}, [{"kind": "click", "at": day}], {str(some): day}, day, Decimal128("1.50"), some,
        "abc", 5, 2.5, True, {"a": {"b": [some, None, Decimal128("0.1")]}}, [], {}, b"xy", [1, [2, day]], {"n": None},
    ]  # fmt: skip
    done = events_moved(mongod, database, tmp_path, values)
    assert done.code == 0, done.err
    found = {each["_id"]: each for each in database.events.find()}
    assert {frozenset(each) - {"m"} for each in found.values()} != {frozenset({"_id", "user"})}, "a field has come"
    assert [repr(found[n].get("m")) for n in range(len(values))] == [*map(repr, values)]


@pytest.mark.thorough
def test_a_null_in_place_of_json_comes_along(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """It is no text that says `null`, and no field that is missing."""
    values: list[Any] = [None, {"a": 1}, "null", 5]
    done = events_moved(mongod, database, tmp_path, values)
    assert done.code == 0, done.err
    assert [database.events.find_one({"_id": n}, {"m": 1}) for n in range(4)] == [
        {"_id": n, "m": value} for n, value in enumerate(values)
    ]


@pytest.mark.thorough
def test_a_field_no_query_can_say_is_not_lost(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """It is a gap of the model, a risk of the plan, and refused by the migration; where a collection stays, it stays."""
    write(database)
    database.orders.update_many({"_id": {"$gte": 50}}, [{"$replaceWith": {"$setField": {
        "field": {"$literal": "$z"}, "input": "$$ROOT", "value": "kept"}}}])  # fmt: skip
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    done = nestling("inspect", uri, "-o", "model.yaml", "--design-out", "today.yaml", cwd=tmp_path)
    assert "`$z`" in done.err
    better = nestling("design", "model.yaml", "--strategy", "embedded", "-o", "better.yaml", cwd=tmp_path)
    assert better.code == 0, better.err
    moves = ("--from-design", "today.yaml", "--to-design", "better.yaml", uri)
    planned = nestling("plan", *moves, "--json", cwd=tmp_path).json
    assert planned["unknown"] == [{"collection": "orders", "path": "$z", "documents": 10, "example": 50}]
    assert "`orders.$z` in 10 documents, such as _id 50, is not in the designs" in planned["risks"][0]
    refused = nestling("migrate", *moves, "--cutover", cwd=tmp_path)
    assert refused.code == 2
    assert "`orders.$z` in 10 documents, such as _id 50" in refused.err
    same = ("--from-design", "today.yaml", "--to-design", "today.yaml", uri)
    assert nestling("plan", *same, "--json", cwd=tmp_path).json["unknown"] == []
    moved = nestling("migrate", *moves, "--cutover", "--drop-unknown", "--json", cwd=tmp_path)
    assert (moved.json["phase"], moved.json["unknown"]) == ("done", planned["unknown"])


POSTS = """\
-- name: post_page, rate: 500/s
SELECT p.title, u.name FROM posts p JOIN users u ON u._id = p.user_id WHERE p._id = :id;
"""


@pytest.mark.thorough
def test_what_stays_embedded_keeps_its_form(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """Plain values stay plain values where the documents around them are written anew."""
    database.users.insert_many([{"_id": n, "name": f"u{n}", "email": f"e{n}"} for n in range(50)])
    tags = ["apple", "mango", "zoo"]
    posts = [{"_id": n, "user_id": n % 50, "title": f"t{n}", "tags": tags[: 1 + n % 3]} for n in range(500)]
    database.posts.insert_many(posts)
    (tmp_path / "posts.sql").write_text(POSTS, encoding="utf-8")
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    for command in (
        ("inspect", uri, "-o", "model.yaml", "--design-out", "today.yaml"),
        ("design", uri, "--workload", "posts.sql", "-o", "new.yaml"),
    ):
        done = nestling(*command, cwd=tmp_path)
        assert done.code == 0, done.err
    assert "tags: {of: posts_tags, as: scalars" in (tmp_path / "new.yaml").read_text(encoding="utf-8")
    moves = ("--from-design", "today.yaml", "--to-design", "new.yaml", uri)
    planned = nestling("plan", *moves, "--json", cwd=tmp_path).json
    assert [each["way"] for each in planned["collections"] if each["collection"] == "posts"] != ["kept"]
    assert not any("tags" in each for each in (*planned["changes"], *planned["risks"]))
    moved = nestling("migrate", *moves, "--cutover", "--json", cwd=tmp_path)
    assert (moved.json["phase"], moved.json["equal"]) == ("done", True)
    assert {each["_id"]: each["tags"] for each in database.posts.find()} == {
        each["_id"]: each["tags"] for each in posts
    }


@pytest.mark.thorough
def test_an_order_no_value_tells_is_not_lost(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """It is a risk of the plan, and the migration is refused until it is told to go on without it."""
    database.users.insert_many([{"_id": n, "name": f"u{n}"} for n in range(20)])
    steps = ["peel", "cut", "boil"]
    database.posts.insert_many([{"_id": n, "user_id": n % 20, "steps": steps} for n in range(100)])
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    done = nestling("inspect", uri, "-o", "model.yaml", "--design-out", "today.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    better = nestling("design", "model.yaml", "--strategy", "normalized", "-o", "better.yaml", cwd=tmp_path)
    assert better.code == 0, better.err
    moves = ("--from-design", "today.yaml", "--to-design", "better.yaml", uri)
    lost = (
        "`posts.steps` in 100 documents, such as _id 0,"
        " is in an order that none of its values determine: the order would be lost"
    )
    planned = nestling("plan", *moves, "--json", cwd=tmp_path).json
    assert f"{lost}. `migrate` refuses this without `--drop-order`" in planned["risks"]
    refused = nestling("migrate", *moves, "--cutover", cwd=tmp_path)
    assert refused.code == 2
    assert lost in refused.err
    assert set(database.list_collection_names()) == {"users", "posts"}
    moved = nestling("migrate", *moves, "--cutover", "--drop-order", "--json", cwd=tmp_path)
    assert (moved.json["phase"], moved.json["equal"]) == ("done", True)


def test_what_only_copies_still_hold_is_not_lost(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """E-mails of users that are gone are data; where a design says they are copies, plan and migration stand up for them."""
    database.users.insert_many([{"_id": n, "name": f"n{n}", "email": f"u{n}@example.org"} for n in range(100)])
    orders = [{"_id": n, "user_id": n % 100, "user_email": f"u{n % 100}@example.org"} for n in range(500)]
    database.orders.insert_many(orders)
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    done = nestling("inspect", uri, "--design-out", "copied.yaml", cwd=tmp_path)
    assert "in all of 500 documents: taken for a copy" in done.err
    database.users.delete_many({"_id": {"$gte": 98}})
    done = nestling("inspect", uri, "-o", "model.yaml", "--design-out", "today.yaml", cwd=tmp_path)
    assert "`orders.user_email` is `users.email` of the row it refers to" in done.err
    assert "in 10 of 500 documents, such as _id 98" in done.err
    for today, model in (("copied.yaml", "copied.yaml"), ("today.yaml", "model.yaml")):
        new = f"better-{today}"
        made = nestling("design", model, "--strategy", "embedded", "-o", new, cwd=tmp_path)
        assert made.code == 0, made.err
        moves = ("--from-design", today, "--to-design", new, uri)
        planned = nestling("plan", *moves, "--json", cwd=tmp_path).json
        lost = "`orders.user_email` in 10 documents, such as _id 98, differs from its source: it would be lost"
        risk = f"{lost}. `migrate` refuses this without `--drop-copies`"
        assert (risk in planned["risks"]) is (today == "copied.yaml")
        moved = nestling("migrate", *moves, "--cutover", "--offline", cwd=tmp_path)
        if today == "copied.yaml":
            assert moved.code == 2
            assert lost in moved.err
        else:
            assert moved.code == 0, moved.err
    nestling("unload", "better-today.yaml", "--from", uri, "--to", "sqlite:///copy.db", cwd=tmp_path)
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        rows = copy.execute("SELECT _id, user_id, user_email FROM orders ORDER BY _id").fetchall()
    assert rows == [tuple(each.values()) for each in orders]


@pytest.mark.thorough
def test_a_copy_in_a_sub_document_that_is_read_stays(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """What the profiler noted of it is said as a join, as of one beside, so that a better design has a use for it."""
    names = [f"user {n}" for n in range(200)]
    database.users.insert_many([{"_id": n, "name": name} for n, name in enumerate(names)])
    users = [(n, n * 7 % 200) for n in range(3_000)]
    database.flat.insert_many([{"_id": n, "text": f"a{n}", "user_id": u, "user_name": names[u]} for n, u in users])
    database.nest.insert_many([{"_id": n, "text": f"b{n}", "user": {"id": u, "name": names[u]}} for n, u in users])
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    database.command("profile", 2)
    with MongoClient[Any](mongod.uri, appname="app") as client:
        for number in range(5):
            list(client[database.name].flat.find({"user_id": number}, {"text": 1, "user_name": 1}))
            list(client[database.name].nest.find({"user.id": number}, {"text": 1, "user.name": 1}))
    database.command("profile", 0)
    done = nestling("inspect", uri, "-o", "model.yaml", "--design-out", "today.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    done = nestling("capture", uri, "--design", "today.yaml", "-o", "workload.sql", cwd=tmp_path)
    assert done.code == 0, done.err
    said = (tmp_path / "workload.sql").read_text(encoding="utf-8")
    assert said.count("LEFT JOIN users u ON") == 2
    assert "Not said" not in said
    done = nestling("design", uri, "--workload", "workload.sql", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert [each for change in done.json["changes"] for each in change["gone"]] == []


def test_a_file_of_that_name_is_kept(mongod: Server, database: Database[Any], tmp_path: Path) -> None:
    """Whatever it is, nobody has named it; a design made from such a file leaves it alone."""
    write(database)
    uri = mongod.uri.replace("/?", f"/{database.name}?")
    (tmp_path / "better.today.yaml").write_text("notes of mine\n", encoding="utf-8")
    done = nestling("design", uri, "--strategy", "embedded", "-o", "better.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    assert (tmp_path / "better.today.yaml.bak").read_text(encoding="utf-8") == "notes of mine\n"
    inspected = nestling("inspect", uri, "-o", "again.today.yaml", cwd=tmp_path)
    assert inspected.code == 0, inspected.err
    done = nestling("design", "again.today.yaml", "--strategy", "embedded", "-o", "again.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
