"""`nestling verify`: equal, and every way of not being equal."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from tests.cli.commands import nestling, process

FROM = ("--from", "sqlite:///library.db")


@pytest.mark.thorough
def test_equal(loaded: Path, target: str) -> None:
    """Untouched data is equal: exit code 0, and one sentence."""
    done = nestling("verify", "design.yaml", *FROM, "--to", target, cwd=loaded)
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert done.out.startswith("Verified: 6 rows of 2 entities read back equal")


def test_json_shape_when_equal(loaded: Path, target: str) -> None:
    """`--json` has exactly the documented keys."""
    found = nestling("verify", "design.yaml", *FROM, "--to", target, "--json", cwd=loaded).json
    assert found == {
        "equal": True,
        "left_out": [],
        "entities": {name: {"rows": 3, "differing": 0, "extra": 0} for name in ("author", "book")},
        "differences": [],
    }


def test_an_edited_document(loaded: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """A value changed by hand inside an array: exit code 1, and entity, key, attribute and both values are named."""
    edit = {"$set": {"book.$[b].title": "Fiasco"}}
    database["author"].update_one({"_id": 2}, edit, array_filters=[{"b.book_id": 3}])
    arguments = ("verify", "design.yaml", *FROM, "--to", target)
    done = process(*arguments, cwd=loaded)
    assert done.code == 1
    row = next(line.split() for line in done.out.splitlines() if line.startswith("book") and "changed" in line)
    assert row == ["book", "3", "changed", "title", "Solaris", "Fiasco"]
    assert "NOT equal: 1 of 6 rows of the source differs or is missing; 1 difference listed." in done.out
    as_json = nestling(*arguments, "--json", cwd=loaded)
    assert as_json.code == 1
    assert as_json.json["equal"] is False
    assert as_json.json["entities"]["book"] == {"rows": 3, "differing": 1, "extra": 0}
    assert as_json.json["differences"] == [
        {
            "entity": "book",
            "kind": "changed",
            "key": [3],
            "attribute": "title",
            "expected": "Solaris",
            "found": "Fiasco",
        }
    ]


@pytest.mark.thorough
def test_differences_that_are_alike(loaded: Path, target: str) -> None:
    """Of many differences in one attribute the first few are shown, and how many more there are."""
    with closing(sqlite3.connect(loaded / "library.db")) as connection, connection:
        connection.executemany(
            "INSERT INTO author (author_id, name) VALUES (?, ?)", [(n, f"A {n}") for n in range(10, 18)]
        )
    done = nestling("verify", "design.yaml", *FROM, "--to", target, cwd=loaded)
    assert sum(line.startswith("author") and "missing" in line for line in done.out.splitlines()) == 5
    assert (
        "NOT equal: 8 of 14 rows of the source differ or are missing; 5 differences listed, 8 with --json." in done.out
    )


def test_values_that_look_the_same(loaded: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """All digits are shown, and the types of values that are written the same."""
    database.command("collMod", "author", validator={})
    database["author"].update_one({"_id": 1}, {"$set": {"born": 1921.0000001}})
    database["author"].update_one({"_id": 2}, {"$set": {"born": "1921"}})
    with closing(sqlite3.connect(loaded / "library.db")) as connection, connection:
        connection.execute("UPDATE author SET born = 1921")
    done = nestling("verify", "design.yaml", *FROM, "--to", target, cwd=loaded)
    assert "1921.0000001" in done.out
    assert "1921 (int)" in done.out
    assert "1921 (str)" in done.out


@pytest.mark.thorough
def test_null_on_one_side(loaded: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """A value that is missing on one side is shown as NULL, beside what the other side has."""
    database["author"].update_one({"_id": 1}, {"$unset": {"born": ""}})
    done = nestling("verify", "design.yaml", *FROM, "--to", target, cwd=loaded)
    assert done.code == 1
    cells = next(line.split() for line in done.out.splitlines() if "changed" in line)
    assert cells == ["author", "1", "changed", "born", "1929", "NULL"]


def test_blanks_that_cannot_be_seen(loaded: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """Texts that differ at their end are shown with their ends."""
    edit = {"$set": {"book.$[b].title": "Solaris "}}
    database["author"].update_one({"_id": 2}, edit, array_filters=[{"b.book_id": 3}])
    done = nestling("verify", "design.yaml", *FROM, "--to", target, cwd=loaded)
    row = next(line for line in done.out.splitlines() if line.startswith("book") and "changed" in line)
    assert row.split()[-3:] == ["Solaris", "'Solaris", "'"]


@pytest.mark.thorough
def test_rows_lost_and_rows_added(loaded: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """A deleted document takes its children with it; an added one is too many."""
    database["author"].delete_one({"_id": 1})
    database["author"].insert_one({"_id": 9, "name": "Extra", "book": []})
    found = nestling("verify", "design.yaml", *FROM, "--to", target, "--json", cwd=loaded).json
    kinds = sorted((each["entity"], each["kind"], each["key"]) for each in found["differences"])
    assert kinds == [
        ("author", "extra", [9]),
        ("author", "missing", [1]),
        ("book", "missing", [1]),
        ("book", "missing", [2]),
    ]


def test_rows_beyond_the_source_are_counted_apart(
    loaded: Path, target: str, database: Database[dict[str, Any]]
) -> None:
    """Rows that MongoDB has and the source has not are none of the source's rows that differ."""
    database["author"].insert_many([{"_id": n, "name": f"A {n}", "book": []} for n in range(10, 30)])
    database["author"].update_one({"_id": 1}, {"$set": {"name": "Other"}})
    arguments = ("verify", "design.yaml", *FROM, "--to", target)
    done = nestling(*arguments, cwd=loaded)
    said = "1 of 6 rows of the source differs or is missing, and MongoDB has 20 rows that the source does not; "
    assert f"NOT equal: {said}" in done.out
    found = nestling(*arguments, "--json", cwd=loaded).json["entities"]
    assert found["author"] == {"rows": 3, "differing": 1, "extra": 20}


@pytest.mark.thorough
def test_a_source_that_changed(loaded: Path, target: str) -> None:
    """Verify compares with the source as it is now."""
    with closing(sqlite3.connect(loaded / "library.db")) as connection, connection:
        connection.execute("UPDATE author SET born = NULL WHERE author_id = 2")
    found = nestling("verify", "design.yaml", *FROM, "--to", target, "--json", cwd=loaded).json
    assert [(d["attribute"], d["expected"], d["found"]) for d in found["differences"]] == [("born", None, 1921)]


def test_values_json_has_no_form_for(loaded: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """Infinities, binary data and dates found in place of a value come out as text, in valid JSON."""
    for value in (float("inf"), b"\x00\xff", {"nested": [1]}):
        database["author"].update_one({"_id": 3}, {"$set": {"name": value}}, bypass_document_validation=True)
        done = nestling("verify", "design.yaml", *FROM, "--to", target, "--json", cwd=loaded)
        assert done.code == 1, done.err
        assert [each["attribute"] for each in done.json["differences"]] == ["name"]


def test_a_fresh_server_is_never_started(library: Path) -> None:
    """There is nothing to verify in a MongoDB just started: one must be named."""
    done = nestling("verify", "design.yaml", *FROM, cwd=library)
    assert done.code == 2
    assert "no MongoDB given: give --to" in done.err


def test_a_database_without_the_rows(loaded: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """Not one row is there: that is said in one line, with what may be wrong, and no list of all of them."""
    for name in database.list_collection_names():
        database[name].delete_many({})
    done = nestling("verify", "design.yaml", *FROM, "--to", target, cwd=loaded)
    assert done.code == 1
    assert done.out == "NOT equal: MongoDB holds none of 6 rows.\n"
    assert "Was it loaded into this database?" in done.err


@pytest.mark.thorough
def test_what_the_design_does_not_hold_is_named(loaded: Path, target: str) -> None:
    """A column and a table that came after the design: neither loaded nor compared, and said beside the verdict."""
    with closing(sqlite3.connect(loaded / "library.db")) as connection, connection:
        connection.execute("ALTER TABLE author ADD COLUMN died INTEGER")
        connection.execute("CREATE TABLE loan (loan_id INTEGER PRIMARY KEY)")
    said = "the source also has `author.died`, `loan`, not in this design: neither loaded nor compared"
    places = ("design.yaml", "--from", "sqlite:///library.db", "--to", target)
    done = nestling("verify", *places, cwd=loaded)
    assert (done.code, said in done.err) == (0, True), done.err
    assert nestling("verify", *places, "--json", cwd=loaded).json["left_out"] == ["author.died", "loan"]
    for more in ((), ("--no-verify",)):
        done = nestling("load", *places, "--replace", *more, cwd=loaded)
        assert (done.code, done.err.count(said)) == (0, 1), done.err
    assert nestling("load", *places, "--replace", "--json", cwd=loaded).json["left_out"] == ["author.died", "loan"]


@pytest.mark.thorough
def test_rows_only_mongodb_has_are_no_part_of_the_sources(loaded: Path, target: str) -> None:
    """The source's rows are told apart from what differs."""
    with closing(sqlite3.connect(loaded / "library.db")) as connection, connection:
        connection.execute("DELETE FROM book WHERE book_id > 1")
    done = nestling("verify", "design.yaml", "--from", "sqlite:///library.db", "--to", target, cwd=loaded)
    assert done.code == 1
    assert "NOT equal: MongoDB has 2 rows more than the 4 of the source" in done.out
