"""`nestling check`: clean, stale, repaired, and what nobody can repair."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.proposal import Proposal
from nestling.ir.rows import up
from nestling.ir.storage.names import CHECKPOINT_COLLECTION
from nestling.ir.text import write_proposal
from tests.cli.commands import nestling
from tests.executors.check.library import BOOKS, library, rows
from tests.sqlite_rows import sqlite_source

Documents = Database[dict[str, Any]]
_SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer);
INSERT INTO customer VALUES (0, 'a'), (1, 'b'), (2, 'c'), (3, 'd'), (4, 'e');
"""


@pytest.fixture
def shelf(tmp_path: Path, target: str) -> Path:
    """A folder with a design that keeps copies and computed values, its rows loaded into `target`."""
    sqlite_source(tmp_path / "library.db", rows().model, rows().rows)
    (tmp_path / "design.yaml").write_text(write_proposal(Proposal("", library())), encoding="utf-8")
    done = nestling("load", "design.yaml", "--from", "sqlite:///library.db", "--to", target, cwd=tmp_path)
    assert done.code == 0, done.err
    return tmp_path


@pytest.mark.thorough
def test_clean(shelf: Path, target: str) -> None:
    """Right after loading all is as it must be: exit code 0, and one sentence."""
    done = nestling("check", "design.yaml", target, cwd=shelf)
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert done.out.startswith("Clean: 2,060 documents in 8 checks")


def test_nothing_to_compare(tmp_path: Path, target: str, database: Documents) -> None:
    """Of a live database that keeps nothing twice: that is said, and which references nothing compares."""
    database["customers"].insert_many({"_id": number, "name": f"c{number}"} for number in range(20))
    database["orders"].insert_many({"_id": number, "customer_id": number % 25, "total": 5} for number in range(100))
    assert nestling("inspect", target, "--design-out", "today.yaml", cwd=tmp_path).code == 0
    done = nestling("check", "today.yaml", target, cwd=tmp_path)
    assert done.code == 0
    assert done.out == "Nothing to compare: this design has no copies and no computed values.\n"
    assert "`nestling doctor` finds the dangling ones: `orders` (customer_id)" in done.err


def test_nothing_has_changed(shelf: Path, target: str) -> None:
    """Since a time at which all was there already there is nothing to look at: not that the design keeps nothing."""
    done = nestling("check", "design.yaml", target, "--since", "2100-01-01", cwd=shelf)
    assert "Nothing to compare" not in done.out


def test_stale_then_repaired(shelf: Path, target: str, database: Documents) -> None:
    """A hand edit: exit code 1 and the document, path and both values; repaired it is 0, and clean after."""
    database["authors"].update_one({"_id": 4}, {"$set": {"books": 77}})
    done = nestling("check", "design.yaml", target, cwd=shelf)
    assert done.code == 1
    row = next(line.split() for line in done.out.splitlines() if line.startswith("authors"))
    assert row == ["authors", "4", "books", "20", "77"]
    assert "NOT clean: 1 difference, of 2,060 documents in 8 checks" in done.out
    mended = nestling("check", "design.yaml", target, "--repair", cwd=shelf)
    assert mended.code == 0
    assert "Repaired: 1 difference, of 2,060 documents in 8 checks" in mended.out
    assert nestling("check", "design.yaml", target, cwd=shelf).code == 0


@pytest.mark.thorough
def test_json_shape(shelf: Path, target: str, database: Documents) -> None:
    """`--json` has exactly the documented keys; a value that is not there has none."""
    database.command("collMod", "books", validationLevel="off")
    database["books"].update_one({"_id": 3}, {"$unset": {"author.name": 1}})
    done = nestling("check", "design.yaml", target, "--json", cwd=shelf)
    found = done.json
    assert done.code == 1
    assert list(found) == [
        "clean",
        "checked",
        "findings",
        "repaired",
        "passes",
        "checks",
        "strays",
        "unknown",
        "gaps",
        "seconds",
    ]
    assert (found["clean"], found["checked"], found["repaired"], found["gaps"]) == (False, 2_060, 0, [])
    assert found["findings"] == [
        {
            "kind": "copy",
            "collection": "books",
            "id": 3,
            "path": "author.name",
            "expected": "author 3",
            "repaired": False,
            "freshness": "transaction",
        }
    ]
    of_copy = next(each for each in found["checks"] if each["name"] == "books.author")
    assert of_copy == {
        "kind": "copy",
        "name": "books.author",
        "documents": BOOKS,
        "differing": 1,
        "values": 1,
        "repaired": 0,
    }


@pytest.mark.thorough
def test_a_sample(shelf: Path, target: str, database: Documents) -> None:
    """A share of the documents, and what it says of all."""
    database["books"].update_many({}, {"$set": {"author.name": "stale"}})
    done = nestling("check", "design.yaml", target, "--sample", "25%", cwd=shelf)
    assert done.code == 1
    assert "copy books.author: about 400 of 400 documents differ, 385 to 400 with 95 % confidence" in done.out
    as_json = nestling("check", "design.yaml", target, "--sample", "100", "--json", cwd=shelf).json
    of_copy = next(each for each in as_json["checks"] if each["name"] == "books.author")
    assert (of_copy["documents"], of_copy["differing"]) == (100, 100)
    assert of_copy["estimate"]["of"] == BOOKS
    whole = nestling("check", "design.yaml", target, "--sample", "100%", "--json", cwd=shelf).json
    assert next(each for each in whole["checks"] if each["name"] == "books.author")["documents"] == BOOKS


@pytest.mark.thorough
def test_a_sample_says_so_beside_its_verdict(shelf: Path, target: str) -> None:
    """What was looked at is no more than a sample, and how much of all it is; a sample of all is none."""
    done = nestling("check", "design.yaml", target, "--sample", "1", cwd=shelf)
    assert (done.code, done.out.split(" (")[0]) == (0, "Clean: a sample, 8 of 2,060 documents, in 8 checks")
    whole = nestling("check", "design.yaml", target, "--sample", "1000", cwd=shelf)
    assert whole.out.startswith("Clean: 2,060 documents in 8 checks")


def test_what_cannot_be_repaired_has_a_next_move(shelf: Path, target: str, database: Documents) -> None:
    """A reference that leads nowhere stays, with what to do: exit code 1."""
    database["books"].update_one({"_id": 3}, {"$set": {"author_id": 99}})
    done = nestling("check", "design.yaml", target, "--repair", cwd=shelf)
    assert done.code == 1
    assert "→ restore the row of `author`, or change or delete the row that refers to it" in done.out
    assert "dangling books → author" in done.out


@pytest.mark.thorough
def test_what_a_repair_leaves_is_counted(shelf: Path, target: str, database: Documents) -> None:
    """Where some is repaired, the last line says how much is left, and what to do with it."""
    database["books"].update_many({"_id": {"$in": [3, 4]}}, {"$set": {"author_id": 99}})
    database["books"].update_one({"_id": 5}, {"$set": {"author.name": "Nobody"}})
    done = nestling("check", "design.yaml", target, "--repair", cwd=shelf)
    assert done.code == 1
    said = re.search(
        r"^NOT clean: (\d+) differences, of .*, (\d+) repaired; (\d+) (?:is|are) left: see → above, then check again\.$",
        done.out,
        re.MULTILINE,
    )
    assert said, done.out
    differences, repaired, left = map(int, said.groups())
    assert repaired >= 1
    assert left == differences - repaired >= 2
    assert "\n→ restore the row of `author`" in done.out


@pytest.mark.thorough
def test_the_last_copy_of_what_is_gone_is_left(shelf: Path, target: str, database: Documents) -> None:
    """A repair does not take it away unless it is told to; what else differs is mended."""
    database["authors"].delete_one({"_id": 4})
    database["authors"].update_one({"_id": 5}, {"$set": {"books": 77}})
    of_four = {"author_id": 4, "author.name": {"$type": "string"}}
    there = database["books"].count_documents(of_four)
    done = nestling("check", "design.yaml", target, "--repair", cwd=shelf)
    assert (done.code, database["books"].count_documents(of_four)) == (1, there)
    assert there > 0
    assert "→ the row this was copied from no longer exists, and no document may lack the copy" in done.out
    assert database["authors"].count_documents({"_id": 5, "books": 77}) == 0
    assert nestling("check", "design.yaml", target, "--remove", cwd=shelf).code == 2
    done = nestling("check", "design.yaml", target, "--repair", "--remove", cwd=shelf)
    assert "→ the row this was copied from no longer exists, and no document may lack the copy" in done.out


@pytest.fixture
def needed(tmp_path: Path, target: str) -> Path:
    """Customers, and their purchases with a copy of the customer's name, which no purchase does without."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.executescript(_SHOP)
        connection.executemany("INSERT INTO purchase VALUES (?, ?)", [(n, n % 5) for n in range(100)])
        connection.commit()
    found = pipeline.design(pipeline.inspect(f"sqlite:///{tmp_path / 'shop.db'}"), "normalized")
    (link,) = found.design.model.relationships
    copied = Copy("customer", (up(link),), (Field("name", "name"),), Form.OBJECT, TRANSACTION)
    stored = tuple(
        replace(each, body=replace(each.body, copies=(copied,))) if each.name == "purchase" else each
        for each in found.design.collections
    )
    made = replace(found, design=replace(found.design, collections=stored))
    (tmp_path / "design.yaml").write_text(write_proposal(made), encoding="utf-8")
    done = nestling("load", "design.yaml", "--from", "sqlite:///shop.db", "--to", target, cwd=tmp_path)
    assert done.code == 0, done.err
    return tmp_path


def test_a_copy_that_has_to_be_there_is_not_taken_away(needed: Path, target: str, database: Documents) -> None:
    """Where its source is gone the row is an orphan: that is said, with what deletes it, and it is not tried in vain."""
    database["customer"].delete_many({"_id": {"$in": [3, 4]}})
    for options in ((), ("--repair",), ("--repair", "--remove")):
        done = nestling("check", "design.yaml", target, *options, cwd=needed)
        assert done.code == 1
        assert "the row itself is an orphan. Restore the row it was copied from, or delete the orphan too" in done.out
        assert "--remove" not in done.out
        assert "`--repair`" not in done.out
        assert "failed validation" not in done.out
        assert done.out.count("deleteMany") == 1
        assert 'db.getCollection("purchase").deleteMany({_id: {$in: [' in done.out
        assert "]}}) // 20 more remain: check again afterwards" in done.out
    synced = nestling("sync", "design.yaml", target, "--once", "--restart", "--remove", cwd=needed)
    assert synced.code == 1
    assert "purchase.customer of 99\n→ Document failed validation: `customer` is missing" in synced.out
    assert synced.out.count("→") == 1
    assert "nestling check" in synced.out.splitlines()[-1]


def test_a_repair_is_named_where_there_is_one(loaded: Path, target: str, database: Documents) -> None:
    """Only a reference that leads nowhere: nothing that `--repair` could do."""
    made = nestling("design", "sqlite:///library.db", "--strategy", "normalized", "-o", "flat.yaml", cwd=loaded)
    again = nestling("load", "flat.yaml", "--from", "sqlite:///library.db", "--to", target, "--replace", cwd=loaded)
    assert (made.code, again.code) == (0, 0), again.err
    database["book"].update_one({}, {"$set": {"author_id": 99}})
    done = nestling("check", "flat.yaml", target, cwd=loaded)
    assert (done.code, "NOT clean: 1 difference" in done.out) == (1, True)
    assert "`--repair`" not in done.out


@pytest.mark.thorough
def test_it_could_not_run(shelf: Path, target: str, database: Documents) -> None:
    """A collection that is missing, an option that cannot be read: exit code 2, in words."""
    for option in (
        ("--sample", "-3"),
        ("--sample", "1.5"),
        ("--sample", "200%"),
        ("--sample", "inf"),
        ("--sample", "nan"),
        ("--since", "yesterday"),
    ):
        assert nestling("check", "design.yaml", target, *option, cwd=shelf).code == 2
    database["authors"].drop()
    done = nestling("check", "design.yaml", target, cwd=shelf)
    assert done.code == 2
    assert "collections of the design do not exist: `authors`" in done.err


def test_a_wrong_database_gets_one_answer(loaded: Path, target: str, database: Documents) -> None:
    """Not "clean", nor unloaded without what is not found: what reads a database by a design says what is wrong with it."""
    for name in ("author", "book"):
        database[name].drop()
    for strategy in ("normalized", "embedded"):
        made = nestling("design", "sqlite:///library.db", "--strategy", strategy, "-o", f"{strategy}.yaml", cwd=loaded)
        assert made.code == 0, made.err

    def answers(design: str) -> set[str]:
        reading = (
            ("check", design, target),
            ("check", design, target, "--repair"),
            ("sync", design, target, "--once"),
            ("unload", design, "--from", target, "--to", "sqlite:///copy.db"),
            ("verify", design, "--from", "sqlite:///library.db", "--to", target),
        )
        refused = [nestling(*command, cwd=loaded) for command in reading]
        assert {each.code for each in refused} == {2}
        return {each.err for each in refused}

    (empty,) = answers("normalized.yaml")
    assert "collections of the design do not exist: `author`, `book`" in empty
    database["authors"].insert_one({})
    (mistyped,) = answers("embedded.yaml")
    assert "it has `authors`" in mistyped
    database["authors"].drop()
    done = nestling("load", "normalized.yaml", "--from", "sqlite:///library.db", "--to", target, cwd=loaded)
    assert done.code == 0, done.err
    assert nestling("check", "normalized.yaml", target, cwd=loaded).code == 0
    (other,) = answers("embedded.yaml")
    assert "author: the documents follow another design: none has `book`" in other
    database[CHECKPOINT_COLLECTION].insert_one({"collections": ["author"]})
    (unfinished,) = answers("embedded.yaml")
    assert "a load was interrupted, or is still running" in unfinished
    assert not (loaded / "copy.db").exists()


@pytest.mark.thorough
def test_documents_of_older_versions_and_with_gaps_are_no_other_designs(
    shelf: Path, target: str, database: Documents
) -> None:
    """A constant older documents lack, a copy nobody has written yet, one document spoilt by hand: all are checked as ever."""
    text = (shelf / "design.yaml").read_text(encoding="utf-8")
    (shelf / "design.yaml").write_text(
        text.replace("    books:\n", "    books:\n      constants: {schema_version: 2}\n", 1), encoding="utf-8"
    )
    assert "schema_version" in (shelf / "design.yaml").read_text(encoding="utf-8")
    for name in ("books", "authors"):
        database.command("collMod", name, validationLevel="off")
    database["books"].update_one({"_id": 3}, {"$unset": {"title": 1}})
    assert nestling("check", "design.yaml", target, cwd=shelf).code == 0
    database["books"].update_many({}, {"$unset": {"author": 1}})
    database["authors"].update_many({}, {"$unset": {"books": 1}})
    done = nestling("check", "design.yaml", target, cwd=shelf)
    assert done.code == 1
    assert "NOT clean: 420 differences" in done.out


@pytest.mark.thorough
def test_fields_that_are_not_in_the_design(shelf: Path, target: str, database: Documents) -> None:
    """They are notes, at whatever level, and the check stays clean; a sample is not asked."""
    database["authors"].update_many({"_id": {"$gt": 2}}, {"$set": {"nickname": "N"}})
    database["books"].update_one({"_id": 3}, {"$set": {"author.born": 1929}})
    done = nestling("check", "design.yaml", target, cwd=shelf)
    assert done.code == 0
    assert done.out.startswith("Clean: ")
    assert done.out.endswith("; 2 fields outside the design are read by no statement: see above.\n")
    count = database["authors"].count_documents({"nickname": "N"})
    assert f"note: `authors.nickname` in {count} documents, such as _id 3, is not in the design" in done.err
    assert "note: `books.author.born` in 1 document, such as _id 3, is not in the design" in done.err
    assert "write its changes again with statements of this design" in done.err
    assert (
        'db.getCollection("books").updateMany({"author.born": {$exists: true}}, {$unset: {"author.born": ""}})'
        in done.err
    )
    told = nestling("check", "design.yaml", target, "--json", cwd=shelf).json
    assert (told["clean"], told["unknown"]) == (
        True,
        [
            {"collection": "authors", "path": "nickname", "documents": count, "example": 3},
            {"collection": "books", "path": "author.born", "documents": 1, "example": 3},
        ],
    )
    sampled = nestling("check", "design.yaml", target, "--sample", "10", "--json", cwd=shelf)
    assert sampled.json["unknown"] == []
