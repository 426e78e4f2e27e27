"""What the tests of commands work on: the bundled shop, and a library small enough to know by heart."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.server import Server
from nestling.shop import schema
from tests.bundled_shop import write_shop
from tests.cli.commands import nestling
from tests.designed_once import designed_once

LIBRARY = """
CREATE TABLE author (author_id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, born INTEGER);
CREATE TABLE book (
  book_id INTEGER NOT NULL PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (author_id), title TEXT NOT NULL
);
INSERT INTO author VALUES (1, 'Ursula K. Le Guin', 1929), (2, 'Stanisław Lem', 1921), (3, 'Nobody', NULL);
INSERT INTO book VALUES (1, 1, 'The Dispossessed'), (2, 1, 'Always Coming Home'), (3, 2, 'Solaris');
"""


@pytest.fixture(autouse=True)
def designs() -> Iterator[None]:
    """Each design is made once."""
    with designed_once():
        yield


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `shop.db`, `schema.sql`, `workload.sql`, `model.yaml` and `design.yaml`; not to be written to."""
    folder = tmp_path_factory.mktemp("shop")
    write_shop(folder)
    (folder / "schema.sql").write_text(schema(), encoding="utf-8")
    for command in (
        ("inspect", "sqlite:///shop.db", "--workload", "workload.sql", "-o", "model.yaml"),
        ("design", "model.yaml", "-o", "design.yaml"),
    ):
        with designed_once():
            done = nestling(*command, cwd=folder)
        assert done.code == 0, done.err
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A folder with `library.db` (three authors, three books) and `design.yaml` that embeds books in authors."""
    write_library(tmp_path / "library.db")
    done = nestling("design", "sqlite:///library.db", "--strategy", "embedded", "-o", "design.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    return tmp_path


def write_library(path: Path, *, more_books: int = 0) -> None:
    """Write the library, with more books by the first author if need be."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(LIBRARY)
        rows = ((number, number % 2 + 1, f"Book no. {number}") for number in range(4, 4 + more_books))
        connection.executemany("INSERT INTO book VALUES (?, ?, ?)", rows)


@pytest.fixture
def target(mongod: Server, database: Database[dict[str, Any]]) -> str:
    """The URI of a fresh database."""
    return mongod.uri.replace("/?", f"/{database.name}?")


@pytest.fixture
def loaded(library: Path, target: str) -> Path:
    """The library's folder, its rows loaded into `target`."""
    done = nestling("load", "design.yaml", "--from", "sqlite:///library.db", "--to", target, cwd=library)
    assert done.code == 0, done.err
    return library
