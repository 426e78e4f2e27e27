"""`nestling plan` and `nestling migrate`: from one design to another, and every way of not getting there."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from pymongo.database import Database

from nestling.cli import migrate
from nestling.common.binary import find_mongod
from nestling.common.connection import connect
from nestling.common.supervised import free_port, supervised
from nestling.executors.migrate import refuse_writes
from nestling.executors.migrate.migration_lease import alone
from nestling.ir.migration import Loss
from nestling.pipeline import read_proposal
from tests.cli.commands import nestling, started

DESIGNS = ("--from-design", "design.yaml", "--to-design", "new.yaml")
Documents = Database[dict[str, Any]]


@pytest.fixture
def moving(loaded: Path) -> Path:
    """The loaded library, and a second design of it: books in a collection of their own."""
    done = nestling("design", "sqlite:///library.db", "--strategy", "normalized", "-o", "new.yaml", cwd=loaded)
    assert done.code == 0, done.err
    return loaded


def names(database: Documents) -> set[str]:
    """The collections there are."""
    return {name for name in database.list_collection_names() if name != "system.views"}


def test_every_loss_has_its_option() -> None:
    """What may be lost only if the user says so can be said."""
    assert {each.flag for each in Loss} <= {name for option in migrate.command.params for name in option.opts}


def test_from_one_design_to_the_other(moving: Path, target: str, database: Documents) -> None:
    """Ready, then switched, then the old collections dropped; `verify` finds the rows in the new design."""
    ready = nestling("migrate", *DESIGNS, target, cwd=moving)
    assert ready.code == 0, ready.err
    assert "6 rows of 2 entities equal in both designs." in ready.out
    assert names(database) == {"author", "author.new", "book", "_nestling_migrate"}
    done = nestling("migrate", *DESIGNS, target, "--cutover", "--json", cwd=moving)
    assert (done.code, done.json["phase"], done.json["equal"]) == (0, "done", True)
    told = {"phase", "equal", "rows", "differing", "repeated", "changes", "documents", "unknown", "lagging", "seconds"}
    assert set(done.json) == {*told, "refused_seconds", "late"}
    assert names(database) == {"author", "author.before", "book", "_nestling_migrate"}
    again = nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving)
    assert again.err.rstrip().endswith(f"nestling check new.yaml {quote(target)}")
    verified = nestling("verify", "new.yaml", "--from", "sqlite:///library.db", "--to", target, cwd=moving)
    assert verified.code == 0, verified.out
    dropped = nestling("migrate", *DESIGNS, target, "--drop-old", "--json", cwd=moving)
    assert dropped.json == {"dropped": ["author.before"], "unknown": []}
    assert names(database) == {"author", "book"}


@pytest.mark.thorough
def test_what_changes_meanwhile_comes_along(moving: Path, target: str, database: Documents) -> None:
    """Edits by hand between two runs are carried over by the second: changed, moved, added and removed rows."""
    assert nestling("migrate", *DESIGNS, target, cwd=moving).code == 0
    authors = database["author"]
    authors.update_one({"_id": 1}, {"$set": {"name": "Ursula", "book.0.title": "Rocannon's World"}})
    authors.update_one({"_id": 1}, {"$pull": {"book": {"book_id": 2}}})
    authors.update_one({"_id": 3}, {"$push": {"book": {"book_id": 2, "title": "Always Coming Home"}}})
    authors.delete_one({"_id": 2})
    authors.insert_one({"_id": 4, "name": "Iain M. Banks", "book": [{"book_id": 9, "title": "Excession"}]})
    done = nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving)
    assert done.code == 0, done.err
    assert "Carried over 5 changes made in the meantime." in done.out
    assert {book["_id"]: (book["author_id"], book["title"]) for book in database["book"].find()} == {
        1: (1, "Rocannon's World"),
        2: (3, "Always Coming Home"),
        9: (4, "Excession"),
    }
    assert {author["_id"]: author["name"] for author in database["author"].find()} == {
        1: "Ursula",
        3: "Nobody",
        4: "Iain M. Banks",
    }


@pytest.mark.thorough
def test_rows_that_differ_are_shown(moving: Path, target: str, database: Documents) -> None:
    """With the key that repeats and the document it is in, as text and JSON; what to do is not about the case of letters."""
    assert nestling("migrate", *DESIGNS, target, cwd=moving).code == 0
    database["author"].update_one({"_id": 1}, {"$push": {"book": {"book_id": 2, "title": "Again"}}})
    done = nestling("migrate", *DESIGNS, target, cwd=moving)
    assert done.code == 1, done.err
    assert "compared: some still DIFFER." in done.out
    assert "  `book` with book_id 2: 2 times in the old design" in done.out
    assert 'author: `{"book.book_id": 2}`, the key of `book`, occurs 2 times' in done.out
    assert "change or remove all but one" in done.out
    assert "case" not in done.out
    found = nestling("migrate", *DESIGNS, target, "--json", cwd=moving).json
    assert [each["key"] for each in found["differing"]] == [{"book_id": 2}]
    assert [each["key"] for each in found["repeated"]] == [{"book.book_id": 2}]


@pytest.mark.thorough
def test_copies_are_kept_right_for_the_design_in_use_alone(moving: Path, target: str) -> None:
    """Until the cutover that is the old one, from then on the new one; the other is refused, and nothing is written for it."""
    for options, used, other, why in (
        ((), "design.yaml", "new.yaml", "a migration to this design has not taken over yet"),
        (("--cutover",), "new.yaml", "design.yaml", "another design has replaced this one"),
    ):
        assert nestling("migrate", *DESIGNS, target, *options, cwd=moving).code == 0
        for command in (("check",), ("check", "--repair"), ("sync", "--once")):
            assert nestling(*command, used, target, cwd=moving).code == 0
            refused = nestling(*command, other, target, cwd=moving)
            assert refused.code == 2
            assert why in refused.err


def test_abort_leaves_the_old_design_whole(moving: Path, target: str, database: Documents) -> None:
    """Whatever had been built is gone, and so is what was changed about the old collections."""
    before = [(each["name"], each["options"]) for each in database.list_collections()]
    assert nestling("migrate", *DESIGNS, target, cwd=moving).code == 0
    done = nestling("migrate", *DESIGNS, target, "--abort", cwd=moving)
    assert (done.code, done.out) == (0, "Aborted: the old design is unchanged.\n")
    after = [(each["name"], each["options"]) for each in database.list_collections()]
    assert [name for name, _ in after] == [name for name, _ in before]
    assert after[0][1]["validator"] == before[0][1]["validator"]
    assert not after[0][1].get("changeStreamPreAndPostImages", {}).get("enabled")
    verified = nestling("verify", "design.yaml", "--from", "sqlite:///library.db", "--to", target, cwd=moving)
    assert verified.code == 0
    again = nestling("migrate", *DESIGNS, target, "--abort", cwd=moving)
    assert again.code == 2
    assert "no migration has begun" in again.err


def test_abort_needs_no_design(moving: Path, target: str, database: Documents) -> None:
    """Whatever its designs, also where their files are gone or no designs; then the URI names the database."""
    assert nestling("migrate", *DESIGNS, target, cwd=moving).code == 0
    (moving / "design.yaml").write_text("gone", encoding="utf-8")
    done = nestling("migrate", target, "--abort", "--from-design", "design.yaml", cwd=moving)
    assert (done.code, done.out) == (0, "Aborted: the old design is unchanged.\n"), done.err
    assert names(database) == {"author"}
    (moving / "design.yaml").unlink()
    again = nestling("migrate", target, "--abort", cwd=moving)
    assert (again.code, "no migration has begun" in again.err) == (2, True), again.err
    nameless = nestling("migrate", target.replace(database.name, ""), "--abort", cwd=moving)
    assert (nameless.code, "name the database: mongodb://host/database" in nameless.err) == (2, True), nameless.err


@pytest.mark.parametrize("lacking", [0, 1])
def test_designs_are_needed_but_to_abort(lacking: int, tmp_path: Path) -> None:
    """As any option that must be given."""
    option, other = (DESIGNS[:2], DESIGNS[2:])[:: -1 if lacking else 1]
    (tmp_path / other[1]).touch()
    done = nestling("migrate", *other, "mongodb://localhost/library", cwd=tmp_path)
    assert (done.code, f"Missing option '{option[0]}'" in done.err) == (2, True), done.err


@pytest.mark.thorough
def test_abort_when_the_design_has_changed(moving: Path, target: str, database: Documents) -> None:
    """What one has begun can be ended although its target is another by now, which can then be migrated to."""
    first = (moving / "new.yaml").read_text(encoding="utf-8")
    assert nestling("migrate", *DESIGNS, target, cwd=moving).code == 0
    assert names(database) == {"author", "author.new", "book", "_nestling_migrate"}
    other = first.replace("    book:\n      root: book", "    volumes:\n      root: book")
    (moving / "new.yaml").write_text(other.replace("collection: book", "collection: volumes"), encoding="utf-8")
    refused = nestling("migrate", *DESIGNS, target, cwd=moving)
    assert refused.code == 2
    assert "between other designs, or with other `--renamed`" in " ".join(refused.err.split())
    done = nestling("migrate", *DESIGNS, target, "--abort", cwd=moving)
    assert done.code == 0, done.err
    assert names(database) == {"author"}
    verified = nestling("verify", "design.yaml", "--from", "sqlite:///library.db", "--to", target, cwd=moving)
    assert verified.code == 0, verified.out
    assert nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving).code == 0
    assert names(database) == {"author", "author.before", "volumes", "_nestling_migrate"}
    (moving / "new.yaml").write_text(first, encoding="utf-8")
    refused = nestling("migrate", *DESIGNS, target, cwd=moving)
    assert refused.code == 2
    assert "end it with `--drop-old` and its designs" in refused.err


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("options", "left_out", "why"),
    [
        ((), {"author.new", "book"}, "built by a migration"),
        (
            ("--cutover",),
            {"author.before"},
            "set aside by a migration: `nestling migrate … --drop-old` drops what it set aside",
        ),
    ],
)
def test_what_a_migration_keeps_is_nobodys_data(
    options: tuple[str, ...], left_out: set[str], why: str, moving: Path, target: str, database: Documents
) -> None:
    """`inspect` and `doctor` leave out what it builds and what it has set aside, and say so; what is in use they see."""
    assert nestling("migrate", *DESIGNS, target, *options, cwd=moving).code == 0
    in_use = names(database) - left_out - {"_nestling_migrate"}
    inspected = nestling("inspect", target, "--design-out", "today.yaml", cwd=moving)
    assert inspected.code == 0, inspected.err
    assert {each.name for each in read_proposal(moving / "today.yaml").design.collections} == in_use
    told = [f"{database.name}.{name}" for name in left_out]
    (note,) = [line for line in inspected.err.splitlines() if " left out, " in line]
    assert note.endswith(why) or f"left out, {why}:" in note
    assert all(f"`{name}`" in note for name in told)
    assert "could not be looked at" not in inspected.err
    looked = nestling("doctor", target, "--save", "facts.json", cwd=moving).out
    left = [line for line in looked.splitlines() if line.startswith("Not looked at") and f": {why}" in line]
    assert all(any(name in line for line in left) for name in told)
    facts = json.loads((moving / "facts.json").read_text(encoding="utf-8"))
    assert {each["name"] for each in facts["collections"]} - {"system.views"} == in_use


@pytest.mark.thorough
def test_after_the_cutover_there_is_no_abort(moving: Path, target: str) -> None:
    """The new design may have been written to since."""
    assert nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving).code == 0
    done = nestling("migrate", *DESIGNS, target, "--abort", cwd=moving)
    assert done.code == 2
    assert "has already taken over" in done.err
    assert nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving).code == 0


@pytest.mark.thorough
def test_what_is_null_is_named(moving: Path, target: str, database: Documents) -> None:
    """Applications of other makers write null for an array too: it may go on as an empty one. A field stays null."""
    database.command("collMod", "author", validator={})
    database["author"].update_one({"_id": 1}, {"$set": {"born": None}})
    database["author"].update_one({"_id": 3}, {"$set": {"book": None}})
    planned = nestling("plan", *DESIGNS, target, cwd=moving)
    assert "`author.book` in 1 document, such as _id 3, is null, and would become a missing field" in planned.out
    refused = "`migrate` would REFUSE this without `--drop-nulls`: the risks say what would be lost."
    assert (planned.code, refused in planned.out) == (1, True)
    done = nestling("migrate", *DESIGNS, target, cwd=moving)
    assert done.code == 2
    assert "`author.book` in 1 document, such as _id 3, is null" in done.err
    assert "born" not in done.err
    assert "`--drop-nulls`" in done.err
    done = nestling("migrate", *DESIGNS, target, "--cutover", "--drop-nulls", cwd=moving)
    assert done.code == 0, done.err
    assert database["author"].find_one({"_id": 1}, {"_id": 0, "born": 1}) == {"born": None}


@pytest.mark.thorough
def test_an_array_that_is_missing_is_an_empty_one(moving: Path, target: str, database: Documents) -> None:
    """Applications of other makers leave it out until there is something to put in."""
    database.command("collMod", "author", validator={})
    database["author"].update_one({"_id": 3}, {"$unset": {"book": ""}})
    done = nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving)
    assert done.code == 0, done.err
    assert "6 rows of 2 entities equal in both designs." in done.out


@pytest.mark.thorough
def test_fields_that_no_design_knows_are_not_lost(moving: Path, target: str, database: Documents) -> None:
    """A plan names them; migrating is refused before anything is written, until it is told to leave them behind."""
    database["author"].update_many({}, {"$set": {"nickname": "N"}})
    database["author"].update_one({"_id": 2}, {"$set": {"book.0.pages": 204}})
    database["mine"].insert_one({"_id": 1})
    planned = nestling("plan", *DESIGNS, target, cwd=moving)
    assert "Not touched, in neither design: mine." in planned.out
    assert "`author.nickname` in 3 documents, such as _id 1; `author.book[].pages` in 1 document" in planned.out
    assert ", such as _id 2: each is not in the designs: it would be lost" in planned.out
    told = [
        {"collection": "author", "path": "nickname", "documents": 3, "example": 1},
        {"collection": "author", "path": "book[].pages", "documents": 1, "example": 2},
    ]
    assert nestling("plan", *DESIGNS, target, "--json", cwd=moving).json["unknown"] == told
    for options in ((), ("--cutover",)):
        refused = nestling("migrate", *DESIGNS, target, *options, cwd=moving)
        assert refused.code == 2
        assert "`author.nickname` in 3 documents, such as _id 1, is not in the designs" in refused.err
        assert "`author.book[].pages` in 1 document, such as _id 2, is not in the designs" in refused.err
        assert "nestling inspect URI" in refused.err
        assert "--drop-unknown" in refused.err
        assert names(database) == {"author", "mine"}
    done = nestling("migrate", *DESIGNS, target, "--cutover", "--drop-unknown", cwd=moving)
    assert done.code == 0, done.err
    assert "Left behind, not in the designs: `author.nickname` in 3 documents, such as _id 1." in done.out
    kept = nestling("migrate", *DESIGNS, target, "--drop-old", cwd=moving)
    assert kept.code == 2
    assert "`author.before.nickname` in 3 documents, such as _id 1, is not in the designs" in kept.err
    assert "author.before" in names(database)
    gone = nestling("migrate", *DESIGNS, target, "--drop-old", "--drop-unknown", "--json", cwd=moving)
    aside = [{**each, "collection": "author.before"} for each in told]
    assert gone.json == {"dropped": ["author.before"], "unknown": aside}
    assert names(database) == {"author", "book", "mine"}
    assert database["mine"].find_one() == {"_id": 1}


@pytest.mark.thorough
def test_a_field_that_comes_between_two_runs_is_not_lost(moving: Path, target: str, database: Documents) -> None:
    """What was ready is refused again, and goes on once the field is gone."""
    assert nestling("migrate", *DESIGNS, target, cwd=moving).code == 0
    database["author"].update_one({"_id": 2}, {"$set": {"nickname": "N"}})
    refused = nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving)
    assert refused.code == 2
    assert "`author.nickname` in 1 document, such as _id 2" in refused.err
    database["author"].update_one({"_id": 2}, {"$unset": {"nickname": 1}})
    assert nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving).code == 0


@pytest.mark.thorough
def test_a_database_of_another_design_is_refused(moving: Path, target: str, database: Documents) -> None:
    """A missing collection, documents of another shape and a name that is taken are all said at once; nothing is written."""
    database["author"].drop()
    database["author"].insert_one({"_id": "x", "books": 3})
    database["book"].insert_one({"_id": 1})
    done = nestling("migrate", *DESIGNS, target, cwd=moving)
    assert done.code == 2
    assert 'author: 1 document is not valid in the old design, such as _id "x"' in done.err
    assert "book: the new design needs this name" in done.err
    assert names(database) == {"author", "book"}
    wrong = nestling("migrate", "--from-design", "new.yaml", "--to-design", "design.yaml", target, cwd=moving)
    assert wrong.code == 2


def test_a_column_under_another_name_is_not_lost_without_a_word(moving: Path, target: str) -> None:
    """It is one that is gone and one that is new: the plan says what to do, and the migration names what would be lost."""
    text = (moving / "new.yaml").read_text(encoding="utf-8")
    (moving / "new.yaml").write_text(text.replace("born", "birth"), encoding="utf-8")
    plan = nestling("plan", *DESIGNS, target, cwd=moving)
    assert "`author.birth` is new" in plan.out
    assert "if it is `born` under a new name" in plan.out
    done = nestling("migrate", *DESIGNS, target, cwd=moving)
    assert done.code == 2
    assert "born` in" in done.err
    assert "would be lost" in done.err


@pytest.mark.thorough
def test_another_migration_is_refused(moving: Path, target: str) -> None:
    """One at a time."""
    assert nestling("migrate", *DESIGNS, target, cwd=moving).code == 0
    other = nestling("migrate", "--from-design", "new.yaml", "--to-design", "design.yaml", target, cwd=moving)
    assert other.code == 2
    assert "another migration of this database has begun" in other.err


@pytest.mark.thorough
def test_a_second_process_is_refused(moving: Path, target: str, database: Documents) -> None:
    """While one is at it another waits for some seconds, and gives up."""
    with alone(database, "_nestling_migrate"):
        done = nestling("migrate", *DESIGNS, target, cwd=moving)
    assert done.code == 2
    assert "another process is running this migration" in done.err
    assert nestling("migrate", *DESIGNS, target, cwd=moving).code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_cutover_that_is_stopped_takes_writes_again(
    number: signal.Signals, moving: Path, target: str, database: Documents
) -> None:
    """It says so, and how it goes on, and then does."""
    process = started("migrate", *DESIGNS, target, "--cutover", cwd=moving)
    end = time.monotonic() + 60
    while not refuse_writes(database, ["author"]):
        assert time.monotonic() < end, "no write was ever refused"
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "Traceback" not in err
    told = err.splitlines()[-1]
    assert told.startswith(
        "Stopped; the old design is in use, and accepts writes again, and what has been built is kept: "
    )
    assert told.endswith("the same command continues; `nestling migrate --abort` undoes it")
    assert not refuse_writes(database, ["author"])
    assert nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving).code == 0


@pytest.mark.thorough
def test_options_that_exclude_each_other(moving: Path, target: str) -> None:
    """A usage error."""
    done = nestling("migrate", *DESIGNS, target, "--abort", "--cutover", cwd=moving)
    assert done.code == 2
    assert "choose one of" in done.err


def test_a_plan_says_what_there_is_to_do(moving: Path, target: str, database: Documents) -> None:
    """Differences in words, a line for each collection, indexes, risks; nothing is written."""
    done = nestling("plan", *DESIGNS, target, cwd=moving)
    assert done.code == 0, done.err
    assert "`book` moves from the array `book` of `author` to the collection `book`" in done.out
    assert "6 rows; building and comparing" in done.out
    found = nestling("plan", *DESIGNS, target, "--json", cwd=moving).json
    told = {"phase", "collections", "left", "untouched", "changes", "indexes", "risks", "unknown", "rows", "seconds"}
    assert set(found) == {*told, "refused", "refused_seconds", "changes_per_second"}
    assert found["refused"] == []
    assert found["phase"] is None
    assert (found["untouched"], found["unknown"]) == ([], [])
    assert [(each["collection"], each["staged"], each["way"]) for each in found["collections"]] == [
        ("author", "author.new", "server"),
        ("book", "book", "server"),
    ]
    assert found["rows"] == {"author": 3, "book": 3}
    assert names(database) == {"author"}


@pytest.mark.thorough
def test_a_plan_of_indexes_alone(moving: Path, target: str) -> None:
    """Designs that store the same, one with an index more: not "nothing" above an index that is built."""
    own = (moving / "design.yaml").read_text(encoding="utf-8")
    more = "  indexes: [{collection: author, keys: [name]}, "
    (moving / "indexed.yaml").write_text(own.replace("  indexes: [", more, 1), encoding="utf-8")
    done = nestling("plan", "--from-design", "design.yaml", "--to-design", "indexed.yaml", target, cwd=moving)
    assert done.code == 0, done.err
    assert "What changes:\n  only indexes: both designs store the same documents\n" in done.out
    assert "Indexes to build:\n  author: name" in done.out


@pytest.mark.thorough
def test_a_plan_of_a_migration_that_is_under_way(moving: Path, target: str, database: Documents) -> None:
    """How far it is; what it has built is not in its way. One between other designs is."""
    assert nestling("migrate", *DESIGNS, target, cwd=moving).code == 0
    done = nestling("plan", *DESIGNS, target, cwd=moving)
    assert done.code == 0, done.err
    assert done.out.startswith("This migration was ready when `migrate` last ran: `migrate --cutover`")
    assert "would be refused" not in done.out
    found = nestling("plan", *DESIGNS, target, "--json", cwd=moving).json
    assert found["phase"] == "ready"
    assert not [risk for risk in found["risks"] if "refused:" in risk]
    back = ("--from-design", "new.yaml", "--to-design", "design.yaml")
    other = nestling("plan", *back, target, cwd=moving)
    assert other.code == 1
    assert "it would be refused: _nestling_migrate: another migration of this database has begun" in other.out
    assert nestling("migrate", *DESIGNS, target, "--cutover", cwd=moving).code == 0
    after = nestling("plan", *DESIGNS, target, cwd=moving).out
    assert after.startswith("The new design has taken over: `migrate --drop-old`")
    assert "would be refused" not in after


@pytest.fixture
def standalone(tmp_path: Path) -> Iterator[str]:
    """The address of a server that is part of no replica set."""
    port = free_port()
    places = (f"--dbpath={tmp_path}/data", f"--unixSocketPrefix={tmp_path}", f"--port={port}", "--bind_ip=127.0.0.1")
    (tmp_path / "data").mkdir()
    with supervised([str(find_mongod().path), *places], run_directory=tmp_path):
        uri = f"mongodb://127.0.0.1:{port}/library"
        with connect(uri, selection_seconds=60):
            yield uri


@pytest.mark.thorough
def test_a_standalone_server_moves_offline(library: Path, standalone: str) -> None:
    """Without change streams it is refused, with what to do; with `--offline` it works."""
    nestling("design", "sqlite:///library.db", "--strategy", "normalized", "-o", "new.yaml", cwd=library)
    done = nestling("load", "design.yaml", "--from", "sqlite:///library.db", "--to", standalone, cwd=library)
    assert done.code == 0, done.err
    planned = nestling("plan", *DESIGNS, standalone, cwd=library)
    assert planned.code == 1
    assert "it would be refused: " in planned.out
    assert "the server is standalone: it cannot report what is written while the migration runs" in planned.out
    assert "`--offline`" in planned.out
    same = ("--from-design", "design.yaml", "--to-design", "design.yaml")
    assert (
        nestling("plan", *same, standalone, cwd=library).code,
        nestling("migrate", *same, standalone, cwd=library).code,
    ) == (0, 0)
    refused = nestling("migrate", *DESIGNS, standalone, cwd=library)
    assert refused.code == 2
    assert "nothing may be written until the cutover" in refused.err
    moved = nestling("migrate", *DESIGNS, standalone, "--offline", "--cutover", cwd=library)
    assert moved.code == 0, moved.err
    verified = nestling("verify", "new.yaml", "--from", "sqlite:///library.db", "--to", standalone, cwd=library)
    assert verified.code == 0


@pytest.mark.thorough
def test_a_workload_that_grew_by_a_join(tmp_path: Path, target: str, database: Documents) -> None:
    """A relationship that only the new workload's join tells is no other model; nor is one that is gone again."""
    with closing(sqlite3.connect(tmp_path / "log.db")) as connection:
        connection.executescript("""
            CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE log (id INTEGER PRIMARY KEY, actor_id INTEGER, what TEXT);
            INSERT INTO u VALUES (1, 'Ann'), (2, 'Bob');
            INSERT INTO log VALUES (1, 1, 'x'), (2, 2, 'y'), (3, NULL, 'z'), (4, 77, 'nobody');
        """)
    plain = "-- name: q0, rate: 5/s\nSELECT id, what FROM log WHERE id = :id;\n"
    joined = (
        "-- name: q, rate: 5/s\nSELECT l.id, u.name FROM log l LEFT JOIN u ON u.id = l.actor_id WHERE l.id = :id;\n"
    )
    for name, text in (("design", plain), ("new", plain + joined)):
        (tmp_path / f"{name}.sql").write_text(text)
        done = nestling("design", "sqlite:///log.db", "--workload", f"{name}.sql", "-o", f"{name}.yaml", cwd=tmp_path)
        assert done.code == 0, done.err
    assert read_proposal(tmp_path / "design.yaml").design.model != read_proposal(tmp_path / "new.yaml").design.model
    assert nestling("load", "design.yaml", "--from", "sqlite:///log.db", "--to", target, cwd=tmp_path).code == 0
    back = ("--from-design", "new.yaml", "--to-design", "design.yaml")
    for designs, now in ((DESIGNS, "new.yaml"), (back, "design.yaml")):
        planned = nestling("plan", *designs, target, cwd=tmp_path)
        assert planned.code == 0, planned.err
        moved = nestling("migrate", *designs, target, "--cutover", cwd=tmp_path)
        assert moved.code == 0, moved.err
        verified = nestling("verify", now, "--from", "sqlite:///log.db", "--to", target, cwd=tmp_path)
        assert verified.code == 0, verified.out
        assert nestling("migrate", *designs, target, "--drop-old", cwd=tmp_path).code == 0
