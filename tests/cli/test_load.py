"""`nestling load` on a real server: what it writes, what it refuses, and how it goes on after an interruption."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from tests.cli.commands import nestling, process, started
from tests.cli.conftest import write_library

FROM = ("--from", "sqlite:///library.db")


def test_documents_and_verdict(library: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """Authors hold their books, what was loaded is said, and every row is verified."""
    done = process("load", "design.yaml", *FROM, "--to", target, cwd=library)
    assert done.code == 0, done.err
    assert "Loaded 6 rows as 3 documents" in done.out
    assert "Verified: 6 rows of 2 entities read back equal" in done.out
    assert f"database {database.name}" in done.err
    assert f"Next: nestling check design.yaml {quote(target)}" in done.err, "a key could be there twice in a document"
    assert database["author"].find_one({"_id": 2}) == {
        "_id": 2,
        "name": "Stanisław Lem",
        "born": 1921,
        "book": [{"book_id": 3, "title": "Solaris"}],
    }


def test_json_shape(library: Path, target: str) -> None:
    """`--json` ends with exactly the documented document."""
    found = nestling("load", "design.yaml", *FROM, "--to", target, "--json", cwd=library).json
    assert set(found) == {"entities", "seconds", "peak_bytes", "verified", "left_out"}
    assert found["entities"] == {"author": {"rows": 3, "loaded": 3}, "book": {"rows": 3, "loaded": 3}}
    assert found["verified"] is True
    assert found["seconds"] > 0
    assert found["peak_bytes"] > 1_000_000


def test_without_verifying(library: Path, target: str) -> None:
    """`--no-verify` leaves the verdict open: null, not false."""
    found = nestling("load", "design.yaml", *FROM, "--to", target, "--no-verify", "--json", cwd=library).json
    assert found["verified"] is None


@pytest.mark.thorough
@pytest.mark.parametrize("source", [(), ("--from", "model.yaml"), ("--from", "schema.sql")])
def test_a_source_without_rows(
    library: Path, target: str, database: Database[dict[str, Any]], source: tuple[str, ...]
) -> None:
    """A model, DDL or no source creates what a load creates, says that no rows were loaded, and `check` takes the database."""
    nestling("inspect", FROM[1], "-o", "model.yaml", cwd=library)
    with closing(sqlite3.connect(library / "library.db")) as tables:
        ddl = ";\n".join(sql for (sql,) in tables.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    (library / "schema.sql").write_text(ddl, encoding="utf-8")
    nestling("load", "design.yaml", *FROM, "--to", target, cwd=library)
    wanted = [(name, database[name].options(), database[name].index_information()) for name in ("author",)]
    database.client.drop_database(database.name)
    done = nestling("load", "design.yaml", *source, "--to", target, cwd=library)
    assert done.code == 0, done.err
    assert "No rows were loaded: " + (f"{source[1]} has none" if source else "no --from was given") in done.out
    assert re.search(r"^author +0$", done.out, re.MULTILINE)
    assert [(name, database[name].options(), database[name].index_information()) for name in ("author",)] == wanted
    assert nestling("check", "design.yaml", target, cwd=library).code == 0
    (library / "other.sql").write_text("CREATE TABLE x (id integer PRIMARY KEY);", encoding="utf-8")
    other = nestling("load", "design.yaml", "--from", "other.sql", "--to", target, cwd=library)
    assert (other.code, "other.sql: no entity `author`" in other.err, "leave out --from" in other.err) == (
        2,
        True,
        True,
    )
    refused = nestling("verify", "design.yaml", "--from", "model.yaml", "--to", target, cwd=library)
    assert "model.yaml: holds no rows" in refused.err
    loaded = nestling("load", "design.yaml", *FROM, "--to", target, cwd=library)
    assert loaded.code == 0, "rows may be loaded afterwards"


def test_collections_with_data_are_refused(loaded: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """A second load stops, names the collection and its documents, says what to do, and changes nothing."""
    database["author"].insert_one({"_id": 99, "name": "added since", "book": []})
    done = nestling("load", "design.yaml", *FROM, "--to", target, cwd=loaded)
    assert (done.code, done.out) == (2, "")
    assert "`author` (4)" in done.err
    assert "--replace" in done.err
    assert "--resume" in done.err
    assert database["author"].count_documents({}) == 4


def test_replacing(loaded: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """`--replace` drops the design's collections and no others."""
    database["author"].insert_one({"_id": 99, "name": "added since", "book": []})
    database["bystander"].insert_one({"_id": 1})
    done = nestling("load", "design.yaml", *FROM, "--to", target, "--replace", cwd=loaded)
    assert done.code == 0, done.err
    assert database["author"].count_documents({}) == 3
    assert database["bystander"].count_documents({}) == 1


def test_replace_and_resume_exclude_each_other(library: Path, target: str) -> None:
    """Asking for both is misuse."""
    done = nestling("load", "design.yaml", *FROM, "--to", target, "--replace", "--resume", cwd=library)
    assert done.code == 2
    assert "choose one" in done.err


@pytest.mark.thorough
@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=["Ctrl-C", "SIGTERM", "kill -9"]
)
def test_an_interrupted_load_goes_on(
    tmp_path: Path, target: str, database: Database[dict[str, Any]], number: signal.Signals
) -> None:
    """Interrupted in the middle, a load is resumed to an equal end; Ctrl-C says how."""
    write_library(tmp_path / "library.db", more_books=30_000)
    designed = nestling("design", "sqlite:///library.db", "--strategy", "normalized", "-o", "design.yaml", cwd=tmp_path)
    assert designed.code == 0, designed.err
    process = started("load", "design.yaml", *FROM, "--to", target, cwd=tmp_path)
    _wait_for_documents(database)
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=60)
    assert database["book"].count_documents({}) < 30_003, "the load had ended before it was interrupted"
    if number is not signal.SIGKILL:
        assert process.returncode == 2
        assert "Traceback" not in err
        assert err.splitlines()[-1] == "Stopped; loaded documents are kept; continue with `--resume`"
    done = nestling("load", "design.yaml", *FROM, "--to", target, "--resume", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.json["verified"] is True
    assert done.json["entities"]["book"] == {"rows": 30_003, "loaded": 30_003}


def _wait_for_documents(database: Database[dict[str, Any]]) -> None:
    end = time.monotonic() + 30
    while database["book"].find_one() is None:
        assert time.monotonic() < end, "nothing was ever loaded"
        time.sleep(0.01)


@pytest.mark.thorough
def test_an_embedded_server_is_named_and_ends(library: Path) -> None:
    """Without a MongoDB one is started, said to be temporary, and gone afterwards."""
    done = nestling("load", "design.yaml", *FROM, cwd=library)
    assert done.code == 0, done.err
    assert "mongod" in done.err
    assert "are gone when the command ends" in done.err


@pytest.mark.thorough
def test_a_stopped_load_promises_nothing_of_an_embedded_server(mongod: Any, tmp_path: Path) -> None:
    """What was loaded into a MongoDB that ends with the command cannot be resumed, and nobody is told so."""
    write_library(tmp_path / "library.db", more_books=30_000)
    nestling("design", "sqlite:///library.db", "--strategy", "normalized", "-o", "design.yaml", cwd=tmp_path)
    process = started("load", "design.yaml", *FROM, cwd=tmp_path)
    assert process.stderr is not None
    named = re.search(r"mongodb://\S+", process.stderr.readline())
    assert named
    with MongoClient[dict[str, Any]](named.group()) as client:
        _wait_for_documents(client["library"])
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err.splitlines()[-1] == "Stopped"


def test_the_environment_names_the_server(library: Path, target: str, database: Database[dict[str, Any]]) -> None:
    """NESTLING_MONGODB_URI stands in for `--to`, and is said to have been used."""
    done = nestling("load", "design.yaml", *FROM, cwd=library, NESTLING_MONGODB_URI=target)
    assert done.code == 0, done.err
    assert "(NESTLING_MONGODB_URI)" in done.err
    assert database["author"].count_documents({}) == 3


@pytest.mark.thorough
def test_a_row_that_cannot_be_stored(tmp_path: Path, target: str) -> None:
    """A number of 40 digits stops the load, naming row and way out; with `--long-decimals text` it is loaded and equal."""
    with closing(sqlite3.connect(tmp_path / "library.db")) as connection, connection:
        connection.execute(
            "CREATE TABLE star (star_id INTEGER NOT NULL PRIMARY KEY, atoms DECIMAL_TEXT(40,0) NOT NULL)"
        )
        connection.execute("INSERT INTO star VALUES (7, ?)", ("1234567890" * 4,))
    nestling("design", "sqlite:///library.db", "-o", "design.yaml", cwd=tmp_path)
    arguments = ("load", "design.yaml", *FROM, "--to", target)
    refused = nestling(*arguments, cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert "has 40 digits" in refused.err
    assert "star" in refused.err
    assert "7" in refused.err.replace("1234567890" * 4, "")
    assert "--long-decimals text" in refused.err
    done = nestling(*arguments, "--replace", "--long-decimals", "text", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.json["verified"] is True
    again = nestling("verify", *arguments[1:], "--long-decimals", "text", cwd=tmp_path)
    assert again.code == 0, again.err


def test_a_database_whose_name_mongodb_refuses(tmp_path: Path, mongod: Any) -> None:
    """A source called `my.shop 2` or `admin` is loaded into a database that may be called so."""
    for name, expected in (("my.shop 2", "my_shop_2"), ("admin", "admin_data")):
        write_library(tmp_path / f"{name}.db")
        nestling("design", f"sqlite:///{name}.db", "-o", "design.yaml", cwd=tmp_path)
        done = nestling(
            "load", "design.yaml", "--from", f"sqlite:///{name}.db", "--to", mongod.uri, "--replace", cwd=tmp_path
        )
        assert done.code == 0, done.err
        assert f"database {expected}\n" in done.err
