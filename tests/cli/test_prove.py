"""`nestling prove`: rivals measured, and what it refuses."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling.cli.parts import progress
from nestling.common.server import Server
from tests.cli.commands import nestling, process
from tests.cli.conftest import write_library

WORKLOAD = """
-- name: book_page, rate: 90/s
SELECT b.title, a.name FROM book b JOIN author a ON a.author_id = b.author_id WHERE b.book_id = :id;
-- name: publish, rate: 1/s
INSERT INTO book (book_id, author_id, title) VALUES (:id, :author, :title);
"""
BRIEFLY = ("--quick", "--seconds", "1", "--rounds", "4", "--open-seconds", "0.2")


@pytest.fixture
def books(tmp_path: Path) -> Path:
    """A folder with `library.db` and `workload.sql`."""
    write_library(tmp_path / "library.db", more_books=60)
    (tmp_path / "workload.sql").write_text(WORKLOAD, encoding="utf-8")
    return tmp_path


@pytest.mark.thorough
def test_the_table_and_the_report(mongod: Server, books: Path) -> None:
    """It prints the designs, the statements and the verdict, and writes the page; notes go to stderr."""
    ran = ("prove", "library.db", "--workload", "workload.sql", *BRIEFLY, "--html", "report.html", "--to", mongod.uri)
    done = process(*ran, cwd=books)
    assert done.code in (0, 1), done.err
    assert "times as long" in done.out
    assert "book_page" in done.out
    assert "The chosen design answers" in done.out.splitlines()[-1]
    assert (books / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "Wrote report.html" in done.err


@pytest.mark.thorough
def test_what_it_is_at_in_a_pipe(mongod: Server, books: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain lines on stderr, at a slow rhythm, name the phase and the design; none with --json."""
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.1)
    ran = ("prove", "library.db", "--workload", "workload.sql", *BRIEFLY, "--to", mongod.uri)
    done = nestling(*ran, cwd=books)
    assert done.code in (0, 1), done.err
    assert re.search(r"^[\d.]+ s: (designing|loading|comparing|round)", done.err, re.MULTILINE), done.err
    assert "\r" not in done.err
    assert "designing" not in done.out
    assert not re.search(r"^[\d.]+ s: ", nestling(*ran, "--json", cwd=books).err, re.MULTILINE)


def test_json(mongod: Server, books: Path) -> None:
    """With --json one document in the documented shape, a design file among the rivals."""
    made = nestling("design", "library.db", "--strategy", "embedded", "-o", "expert.yaml", cwd=books)
    assert made.code == 0, made.err
    options = ("--design", "expert.yaml", "--json", "--to", mongod.uri, "--clients", "2")
    done = nestling("prove", "library.db", "--workload", "workload.sql", *BRIEFLY, *options, cwd=books)
    assert done.code in (0, 1), done.err
    assert {"designs", "best", "advised", "regret", "noise", "equal", "verdict", "setting"} <= set(done.json)
    assert done.json["equal"] is True
    assert done.json["setting"]["clients"] == 2
    assert "chosen" in done.json["designs"]
    assert done.json["setting"]["left_out"] == 0
    assert {"throughput", "interval", "bytes", "statements"} <= set(done.json["designs"]["chosen"])


def test_statements_left_out(mongod: Server, books: Path) -> None:
    """Those that cannot be read and those that cannot be translated are named and counted, and the command exits 1."""
    more = "-- name: torn, rate: 1/s\nSELEC title FROM book;\n-- name: odd, rate: 1/s\nSELECT load_extension(title) FROM book;\n"
    (books / "workload.sql").write_text(WORKLOAD + more, encoding="utf-8")
    ran = ("prove", "library.db", "--workload", "workload.sql", *BRIEFLY, "--json", "--to", mongod.uri)
    done = nestling(*ran, cwd=books)
    assert done.code == 1
    assert done.json["setting"]["left_out"] == 2
    assert [note for note in done.json["notes"] if note.startswith("left out")] == [
        "left out, since they cannot be read: torn",
        "left out, since they cannot be translated: odd",
    ]


def test_somebodys_database_is_refused(mongod: Server, books: Path) -> None:
    """A database in the URI is somebody's: nothing is done to it, and the way out is told."""
    target = mongod.uri.replace("/?", "/shop?")
    done = nestling("prove", "library.db", "--workload", "workload.sql", "--to", target, cwd=books)
    assert done.code == 2
    assert "`shop` is not one of nestling's databases" in done.err
    assert "leave the database out of the URI" in done.err
    assert "mongodb://host, without a database." in " ".join(nestling("prove", "--help").out.split())


def test_without_statements(mongod: Server, books: Path) -> None:
    """There is nothing to run without a workload."""
    done = nestling("prove", "library.db", "--to", mongod.uri, cwd=books)
    assert done.code == 2
    assert "no statement to run" in done.err


def test_a_statement_without_possible_parameters(mongod: Server, books: Path) -> None:
    """A parameter for which neither the rows nor the file have a value is named."""
    (books / "workload.sql").write_text("-- name: page\nSELECT title FROM book LIMIT :many;", encoding="utf-8")
    done = nestling("prove", "library.db", "--workload", "workload.sql", "--to", mongod.uri, cwd=books)
    assert done.code == 2
    assert "many" in done.err
    assert "page" in done.err


@pytest.mark.thorough
def test_a_statement_without_values_among_others(mongod: Server, books: Path) -> None:
    """It is left out, here since a view computes what its parameter is compared with, and a note names both; others are run."""
    with closing(sqlite3.connect(books / "library.db")) as connection:
        connection.execute("CREATE VIEW busy AS SELECT author_id, count(*) AS books FROM book GROUP BY author_id")
    more = "-- name: busy_authors, rate: 2/s\nSELECT author_id FROM busy WHERE books = :many;"
    (books / "workload.sql").write_text(f"{WORKLOAD}{more}", encoding="utf-8")
    options = ("--workload", "workload.sql", *BRIEFLY, "--json", "--to", mongod.uri)
    done = nestling("prove", "library.db", *options, cwd=books)
    assert done.code in (0, 1), done.err
    assert set(done.json["designs"]["chosen"]["statements"]) == {"book_page", "publish"}
    assert [each for each in done.json["notes"] if "`busy_authors`: there is no value for its parameter `many`" in each]


@pytest.mark.thorough
def test_a_model_without_rows(mongod: Server, books: Path) -> None:
    """Rows are made from a model's statistics, as many times as is asked for."""
    made = nestling("inspect", "library.db", "--workload", "workload.sql", "-o", "model.yaml", cwd=books)
    assert made.code == 0, made.err
    options = ("--scale", "3", "--json", "--to", mongod.uri, "--random", "2")
    done = nestling("prove", "model.yaml", "--workload", "workload.sql", *BRIEFLY, *options, cwd=books)
    assert done.code in (0, 1), done.err
    assert done.json["equal"] is True
    assert done.json["setting"]["rows"] == 3 * 66
    assert "the rows are generated from the statistics of `library`, 3 times as many" in done.json["notes"]


def test_a_design_of_another_model(mongod: Server, books: Path) -> None:
    """It is refused before rows are made, or anything is loaded."""
    (books / "other.sql").write_text("CREATE TABLE club (id INTEGER PRIMARY KEY);", encoding="utf-8")
    made = nestling("design", "other.sql", "-o", "other.yaml", cwd=books)
    assert made.code == 0, made.err
    options = ("--workload", "workload.sql", "--design", "other.yaml", "--scale", "2", "--to", mongod.uri)
    done = nestling("prove", "library.db", *options, cwd=books)
    assert done.code == 2
    assert "is a design of a different model" in done.err
    assert "if this one was, the source has changed since: inspect and design again" in done.err
    assert "generating" not in done.err
