"""Whatever is typed and whatever is in the files: an answer or an error in words, never a traceback."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.commands import Ran, nestling

WORDS = (
    *("inspect", "design", "explain", "emit", "verify", "unload", "--help", "-h", "--version", "--json"),
    *("--strategy", "tree", "embedded", "normalized", "--threshold", "few=3", "few=", "=", "--as", "mongosh", "mermaid"),
    *("--workload", "workload.sql", "--dialect", "mysql", "-o", "out/file", "--from", "--to", "--replace", "--resume"),
    *("sqlite:///shop.db", "sqlite://", "shop.db", "schema.sql", "model.yaml", "design.yaml", "product_review", "."),
    *("postgresql://127.0.0.1:1/x", "mongodb://", "", "-", "--", "\udcff", "é", "a" * 5000, "--long-decimals", "text"),
)  # fmt: skip
BYTES = (
    *(
        b"",
        b"\x00",
        b"\xff",
        b"\n",
        b"  ",
        b": ",
        b"- ",
        b"'",
        b'"',
        b"[",
        b"{",
        b"&a",
        b"*a",
        b"!!x",
        b"|",
        b"~",
        b"(",
    ),
    *(b"1e999", b"-1", b"null", b"product", b"999999999999999999999"),
)
SLOW = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large)


def _in_words(ran: Ran) -> None:
    """An answer, or one error: never both silence and failure."""
    assert ran.code in (0, 1, 2)
    assert ran.code == 0 or ran.err.strip()


@settings(suppress_health_check=SLOW)
@given(arguments=st.lists(st.sampled_from(WORDS) | st.text(st.characters(exclude_characters="\0")), max_size=7))
def test_any_arguments(tmp_path: Path, small: dict[str, bytes], arguments: list[str]) -> None:
    """Any words in any order, but for the commands that start servers: they have tests of their own."""
    for name, whole in small.items():  # an output file may have been written over one
        (tmp_path / name).write_bytes(whole)
    _in_words(nestling(*(word for word in arguments if word not in ("demo", "load", "prove", "server")), cwd=tmp_path))


@st.composite
def damage(draw: st.DrawFn) -> list[tuple[float, int, bytes]]:
    """Places (as a share of the file), how many bytes go there, and what comes instead."""
    edit = st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(BYTES) | st.binary(max_size=6))
    return draw(st.lists(edit, min_size=1, max_size=4))


def _damaged(whole: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    for place, length, instead in edits:
        start = int(place * len(whole))
        whole = whole[:start] + instead + whole[start + length :]
    return whole


COMMANDS = {
    "model.yaml": (("inspect", "model.yaml", "--json"), ("design", "model.yaml", "--json")),
    "design.yaml": (("explain", "design.yaml"), ("emit", "design.yaml", "--as", "mongosh"), ("inspect", "design.yaml")),
    "schema.sql": (("design", "schema.sql", "--json"),),
    "workload.sql": (("inspect", "schema.sql", "--workload", "workload.sql", "--json"),),
    "shop.db": (("inspect", "sqlite:///shop.db", "--json"),),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_any_file(tmp_path: Path, name: str, small: dict[str, bytes]) -> None:
    """A file with bytes lost, changed or added is read, or refused in words."""

    @settings(suppress_health_check=SLOW)
    @given(edits=damage())
    def check(edits: list[tuple[float, int, bytes]]) -> None:
        for other, whole in small.items():
            (tmp_path / other).write_bytes(_damaged(whole, edits) if other == name else whole)
        for command in COMMANDS[name]:
            _in_words(nestling(*command, cwd=tmp_path))

    check()


DDL = """
    CREATE TABLE author (author_id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, born DATE);
    CREATE TABLE book (
      book_id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (author_id), price DECIMAL(9, 2)
    );
    CREATE TABLE tag (tag_id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES tag (tag_id));
    CREATE TABLE book_tag (
      book_id INTEGER REFERENCES book, tag_id INTEGER REFERENCES tag, PRIMARY KEY (book_id, tag_id)
    );
"""
STATEMENTS = """
    -- freshness: author.name async(5s)
    -- atomic: author, book

    -- name: page, rate: 9/s
    -- params: {"id": 1}
    SELECT a.name, b.price FROM author a LEFT JOIN book b ON b.author_id = a.author_id
    WHERE a.author_id = :id ORDER BY b.price;

    -- name: add, rate: 2/min
    INSERT INTO book (book_id, author_id, price) VALUES (:b, :a, 2.5);
"""


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a small source by name, so that damage hits something that matters."""
    folder = tmp_path_factory.mktemp("small")
    ddl, statements = dedent(DDL), dedent(STATEMENTS)
    (folder / "schema.sql").write_text(ddl)
    (folder / "workload.sql").write_text(statements)
    with sqlite3.connect(folder / "shop.db") as connection:
        connection.executescript(ddl)
        connection.execute("INSERT INTO author VALUES (1, 'Ada', '1815-12-10')")
        connection.execute("INSERT INTO book VALUES (1, 1, 2.5)")
    connection.close()
    nestling("inspect", "sqlite:///shop.db", "--workload", "workload.sql", "-o", "model.yaml", cwd=folder)
    nestling("design", "model.yaml", "-o", "design.yaml", cwd=folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}
