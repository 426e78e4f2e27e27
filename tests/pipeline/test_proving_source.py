"""Proving beside the SQL source: what it answers is right, however many designs say otherwise."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from nestling.cli.prove import code, show
from nestling.common.server import Server
from nestling.emitters.proof import html, proof_json
from nestling.ir.proof import Proof
from nestling.ir.proof_words import source_notes, verdict
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.pipeline import convert
from nestling.pipeline.parameter_values import bindings
from nestling.pipeline.proving import Effort, measured_server, prove, prove_source, statements
from nestling.pipeline.source_answers import Source, opened_source
from nestling.sources.front import open_rows
from tests.pipeline.test_proving import READS, TINY, WRITES, source, two

TIES = """
-- name: some, rate: 5/s
SELECT title FROM book LIMIT 3;
-- name: first_authors, rate: 5/s
SELECT author_id, title FROM book ORDER BY author_id LIMIT 30;
-- name: later, rate: 5/s
SELECT author_id, title FROM book ORDER BY author_id LIMIT 30 OFFSET 7;
-- name: bag, rate: 5/s
SELECT title FROM book WHERE author_id = :author;
-- name: mean, rate: 5/s
SELECT author_id, avg(book_id * 0.1) AS mean FROM book GROUP BY author_id;
-- name: titles, rate: 5/s
SELECT author_id, group_concat(title) AS titles, count(*) AS books FROM book GROUP BY author_id;
"""


def compared(
    mongod: Server,
    address: str,
    reading: Reading,
    opener: Callable[[], AbstractContextManager[Source]] | None = None,
    effort: Effort = TINY,
) -> Proof:
    """A tiny proof of two designs beside the source."""
    values = bindings(reading, open_rows(address, reading.model))
    opened = opener or (lambda: opened_source(address, reading.model))
    with measured_server(mongod.uri) as on:
        return prove(reading, two(reading), lambda m: open_rows(address, m), values, on, source=opened, effort=effort)


@contextmanager
def after(change: str, address: str, reading: Reading) -> Iterator[Source]:
    """The source, to which somebody has done something since the rows were loaded."""
    with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as connection, connection:
        connection.executescript(change)
    with opened_source(address, reading.model) as opened:
        yield opened


def test_equal_answers(mongod: Server, tmp_path: Path) -> None:
    """It is said how many answers of how many reads are the source's, that writes are not, and the source stays as it was."""
    address, reading = source(tmp_path, READS + WRITES)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with measured_server(mongod.uri) as on:
        proof = prove_source(reading, address, on, variants=False, effort=TINY)
    assert proof.equal
    assert (proof.source.product, proof.source.reads) == ("SQLite", 2)
    assert proof.source.answers > 2, "other values each time"
    known = f"{proof.source.answers} answers of 2 reads equal to the source's (SQLite)"
    assert f"all answers and rows equal to one another; {known}" in verdict(proof)
    assert any("what writes change is compared between the designs only" in note for note in source_notes(proof))
    assert "answers equal to the source&#x27;s (SQLite)" in html(proof)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("wrong", ["two", "embedded"])
def test_a_wrong_conversion_is_caught(
    mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wrong: str
) -> None:
    """A read that all designs, or one of them, answer wrong in the same way: it is named with an example, and they are out."""
    address, reading = source(tmp_path, READS)
    every = statements.compiled

    def miscompiled(proposal: Proposal, reading: Reading) -> tuple[statements.Compiled, statements.Exact]:
        made, exact = every(proposal, reading)
        if wrong == "embedded" and proposal.design.model.name != "embedded":
            return made, exact
        other = "SELECT book_id, title FROM book WHERE author_id = :author ORDER BY title DESC LIMIT 5"
        return {**made, "by_author": convert(proposal, other, name="by_author")}, exact

    monkeypatch.setattr(statements, "compiled", miscompiled)
    proof = compared(mongod, address, reading)
    assert not proof.equal
    assert code(proof) == 1
    (other,) = proof.source.differences
    names = ("chosen", "embedded") if wrong == "two" else ("embedded",)
    assert (other.statement, other.designs) == ("by_author", names)
    assert other.expected.startswith("5 rows, such as (")
    assert other.expected != other.found
    assert proof.source.reads == 1
    for name in names:
        figures = proof.design(name)
        assert figures is not None
        assert "`by_author` gives another answer than the source (SQLite)" in figures.disqualified
    show(proof)
    shown = capsys.readouterr().out
    assert "WRONG: `by_author` with author = " in " ".join(shown.split())
    assert "gives another answer than the source (SQLite)" in html(proof)
    told = json.loads(json.dumps(proof_json(proof)))
    assert set(told["source"]["differences"][0]["values"]) == {"author"}
    said = verdict(proof)
    assert (
        "chosen design does not count" if wrong == "two" else "ANOTHER ANSWER THAN THE SOURCE'S (SQLite): `by_author`"
    ) in said


def test_what_a_statement_leaves_open_is_no_difference(mongod: Server, tmp_path: Path) -> None:
    """Ties under a LIMIT, rows and texts put together in no order, and the last digits of means."""
    address, reading = source(tmp_path, TIES)
    with closing(sqlite3.connect(tmp_path / "books.db")) as connection, connection:
        connection.execute("CREATE INDEX odd ON book (author_id, title DESC)")
    proof = compared(mongod, address, reading)
    assert not proof.source.differences
    assert not proof.source.not_compared
    assert proof.source.reads == 6
    assert proof.equal, [each.disqualified for each in proof.designs]


def test_a_source_that_changes(mongod: Server, tmp_path: Path) -> None:
    """Rows that are not those that were loaded make no design wrong: which they are is said."""
    address, reading = source(tmp_path, READS + "-- name: authors, rate: 1/s\nSELECT name FROM author;")
    change = "UPDATE book SET title = title || '!'"
    proof = compared(mongod, address, reading, lambda: after(change, address, reading))
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert dict(proof.source.not_compared) == dict.fromkeys(
        ("book_page", "by_author"), "the source's rows of `book` changed after they were loaded"
    )
    assert proof.source.reads == 1
    assert "2 READS NOT COMPARED WITH THE SOURCE" in verdict(proof)


def test_a_source_that_takes_long(mongod: Server, tmp_path: Path) -> None:
    """A statement is stopped when its time is over, and said to be not compared."""
    address, reading = source(tmp_path, READS + "-- name: authors, rate: 1/s\nSELECT name FROM author;")
    slow = """
    ALTER TABLE book RENAME TO books;
    CREATE VIEW book AS SELECT * FROM books WHERE (SELECT count(*) FROM books a, books b, books c, books d) > 0;
    """
    proof = compared(mongod, address, reading, lambda: after(slow, address, reading), replace(TINY, source_seconds=2.0))
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert {"book_page", "by_author"} <= set(dict(proof.source.not_compared))
    assert any("did not answer within" in why for why in dict(proof.source.not_compared).values())


def test_a_source_that_refuses(mongod: Server, tmp_path: Path) -> None:
    """What the source says is told; where it cannot be reached nothing is compared."""
    address, reading = source(tmp_path, READS)
    proof = compared(mongod, address, reading, lambda: after("DROP TABLE author", address, reading))
    assert dict(proof.source.not_compared) == {"book_page": "no such table: author"}
    gone = f"sqlite:///{tmp_path}/gone.db"
    address, reading = source(tmp_path, READS)
    proof = compared(mongod, address, reading, lambda: opened_source(gone, reading.model))
    assert "there is no such file" in proof.source.why_not
    assert "equal to one another; not compared with a source: " in verdict(proof)
