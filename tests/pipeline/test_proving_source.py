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
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.words.proof_words import source_notes, verdict
from nestling.pipeline import convert, inspect
from nestling.pipeline.answer_choice import ANY_ROW, ANY_TEXTS, NO_ORDER
from nestling.pipeline.answer_choice import TIES as TIED
from nestling.pipeline.close_comparisons import LAST_DIGITS
from nestling.pipeline.parameter_values import bindings
from nestling.pipeline.proving import Effort, measured_server, prove, prove_source, statements
from nestling.pipeline.source_answers import AskedSource, opened_source
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
-- name: numbered, rate: 5/s
SELECT book_id, row_number() OVER (ORDER BY author_id) AS n FROM book;
-- name: a_title, rate: 5/s
SELECT author_id, title, count(*) AS books FROM book GROUP BY author_id;
"""
TIES_LEAVE = {
    "some": NO_ORDER,
    "first_authors": TIED,
    "later": TIED,
    "titles": ANY_TEXTS,
    "numbered": "ROW_NUMBER runs over rows that may be tied in its ORDER BY",
    "a_title": ANY_ROW,
}
CHANGE = "UPDATE book SET title = title || '!'"
ONE_READ = """
-- name: by_author, rate: 30/s
SELECT book_id, title FROM book WHERE author_id = :author ORDER BY title LIMIT 5;
"""
WINDOWS = {
    "numbered": (
        "SELECT book_id, ROW_NUMBER() OVER (ORDER BY book_id) AS n FROM book ORDER BY book_id",
        "SELECT book_id, ROW_NUMBER() OVER (ORDER BY book_id DESC) AS n FROM book ORDER BY book_id",
    ),
    "totals": (
        "SELECT book_id, SUM(book_id) OVER (PARTITION BY author_id) AS s FROM book",
        "SELECT book_id, SUM(author_id) OVER (PARTITION BY author_id) AS s FROM book",
    ),
    "first_ones": (
        "SELECT x.author_id, COUNT(*) AS n FROM (SELECT author_id FROM book ORDER BY book_id LIMIT 50) x GROUP BY x.author_id",
        "SELECT x.author_id, COUNT(*) AS n FROM (SELECT author_id FROM book ORDER BY book_id LIMIT 49) x GROUP BY x.author_id",
    ),
}
"""Statements without a choice, and what a wrong conversion takes them for."""
IMPOSSIBLE = {
    "a_title": (
        "SELECT author_id, title, COUNT(*) AS n FROM book WHERE book_id < :below GROUP BY author_id HAVING n > 0",
        "SELECT author_id, title || '?' AS title, COUNT(*) AS n FROM book WHERE book_id < :below GROUP BY author_id",
    ),
    "everything": (
        "SELECT * FROM book GROUP BY author_id",
        "SELECT book_id, author_id, title || '?' AS title FROM book GROUP BY author_id",
    ),
    "some": ("SELECT title FROM book LIMIT 3", "SELECT title || '?' AS title FROM book LIMIT 3"),
    "some_once": ("SELECT book_id FROM book LIMIT 3", "SELECT book_id % 2 + 1 AS book_id FROM book LIMIT 3"),
    "most": (
        "SELECT author_id, COUNT(*) AS n FROM book GROUP BY author_id ORDER BY n % 2 LIMIT 5",
        "SELECT author_id, COUNT(*) + 1 AS n FROM book GROUP BY author_id ORDER BY n % 2 LIMIT 5",
    ),
}
"""Statements that leave a choice, and what a wrong conversion takes them for."""
FINES = """
CREATE TABLE fine (fine_id INTEGER NOT NULL PRIMARY KEY, reader INTEGER NOT NULL, amount DECIMAL(6, 2) NOT NULL);
INSERT INTO fine (reader, amount) VALUES (1, 0.1), (1, 0.2), (1, 0.3), (2, 0.3), (2, 0.2), (2, 0.1), (3, 0.6), (4, 0.7), (5, 0.5);
"""
SUMS = """
-- name: by_sum, rate: 5/s
SELECT reader, SUM(amount) AS s FROM fine GROUP BY reader ORDER BY s DESC, reader;
-- name: at_least, rate: 5/s
SELECT reader FROM fine GROUP BY reader HAVING SUM(amount) > 0.6 ORDER BY reader;
-- name: given, rate: 5/s
-- params: {"least": 0.6}
SELECT reader FROM fine WHERE reader < 10 GROUP BY reader HAVING SUM(amount) > :least AND COUNT(*) > 0 ORDER BY reader;
-- name: named, rate: 5/s
SELECT reader, SUM(amount) AS s FROM fine GROUP BY reader HAVING s BETWEEN 0.1 AND 0.6 ORDER BY reader;
"""
BRIEF = replace(TINY, seconds=0.2, checks=1, open_seconds=0.0)


def compared(
    mongod: Server,
    address: str,
    reading: Reading,
    opener: Callable[[], AbstractContextManager[AskedSource]] | None = None,
    effort: Effort = TINY,
) -> Proof:
    """A tiny proof of two designs beside the source."""
    values = bindings(reading, open_rows(address, reading.model))
    opened = opener or (lambda: opened_source(address, reading.model))
    with measured_server(mongod.uri) as on:
        return prove(reading, two(reading), lambda m: open_rows(address, m), values, on, source=opened, effort=effort)


@contextmanager
def after(change: str, address: str, reading: Reading) -> Iterator[AskedSource]:
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
    assert any("the effects of writes are compared only between the designs" in note for note in source_notes(proof))
    assert "answers equal to the source&#x27;s (SQLite)" in html(proof)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def miscompiled(monkeypatch: pytest.MonkeyPatch, name: str, other: str, *, only: str = "") -> None:
    """From now on a statement is converted as if it were another one, on all designs or on one only."""
    every = statements.compiled

    def wrong(proposal: Proposal, reading: Reading) -> tuple[statements.CompiledByName, statements.Exact]:
        made, exact = every(proposal, reading)
        if only and proposal.design.model.name != only:
            return made, exact
        return {**made, name: convert(proposal, other, name=name)}, exact

    monkeypatch.setattr(statements, "compiled", wrong)


BY_AUTHOR = "SELECT book_id, title FROM book WHERE author_id = :author ORDER BY title DESC LIMIT 5"


def test_a_wrong_design_is_caught(
    mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A read that one of the designs answers wrong: it is named with an example, and the design is out."""
    address, reading = source(tmp_path, READS)
    miscompiled(monkeypatch, "by_author", BY_AUTHOR, only="embedded")
    proof = compared(mongod, address, reading)
    assert not proof.equal
    assert code(proof) == 1
    (other,) = proof.source.differences
    assert (other.statement, other.designs, other.everywhere) == ("by_author", ("embedded",), False)
    assert other.expected.startswith("5 rows, such as (")
    assert other.expected != other.found
    assert proof.source.reads == 1
    figures = proof.design("embedded")
    assert figures is not None
    assert "`by_author` gives another answer than the source (SQLite)" in figures.disqualified
    show(proof)
    shown = capsys.readouterr().out
    assert "WRONG: `by_author` with author = " in " ".join(shown.split())
    assert "gives another answer than the source (SQLite)" in html(proof)
    told = json.loads(json.dumps(proof_json(proof)))
    assert set(told["source"]["differences"][0]["values"]) == {"author"}
    assert "ANOTHER ANSWER THAN THE SOURCE'S (SQLite): `by_author`" in verdict(proof)


@pytest.mark.thorough
def test_a_wrong_conversion_is_caught(
    mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A read that all designs answer wrong in the same way is said once; no design is out, and the other reads are measured."""
    address, reading = source(tmp_path, READS)
    miscompiled(monkeypatch, "by_author", BY_AUTHOR)
    proof = compared(mongod, address, reading)
    assert not proof.equal
    assert code(proof) == 1
    (other,) = proof.source.differences
    assert (other.statement, other.designs, other.everywhere) == ("by_author", ("chosen", "embedded"), True)
    assert [each.disqualified for each in proof.designs] == ["", ""]
    assert [each.throughput is not None for each in proof.designs] == [True, True]
    assert [one.name for one in proof.designs[0].statements] == ["book_page"]
    assert proof.setting.left_out == 1
    show(proof)
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("WRONG: ") == 1
    assert "all designs gave 5 rows" in shown
    assert "This is a bug in the conversion, not in a design; the statement is not measured" in shown
    assert "DISQUALIFIED" not in shown
    assert (
        "ANOTHER ANSWER THAN THE SOURCE'S (SQLite): `by_author`; NOTHING IS PROVED OF 1 STATEMENT LEFT OUT"
        in verdict(proof)
    )


@pytest.mark.thorough
def test_the_only_conversion_is_wrong(mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When no statement is left, nothing is measured, and that is said."""
    address, reading = source(tmp_path, ONE_READ)
    miscompiled(monkeypatch, "by_author", BY_AUTHOR)
    proof = compared(mongod, address, reading)
    assert (code(proof), proof.setting.rounds) == (1, 0)
    assert verdict(proof) == (
        "Nothing was measured; ANOTHER ANSWER THAN THE SOURCE'S (SQLite): `by_author`;"
        " NOTHING IS PROVED OF 1 STATEMENT LEFT OUT"
    )


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(WINDOWS))
def test_a_wrong_window_is_caught(mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A window, or a LIMIT inside, over an order without ties: its values are compared."""
    right, wrong = WINDOWS[name]
    address, reading = source(tmp_path, f"-- name: {name}, rate: 5/s\n{right};")
    proof = compared(mongod, address, reading, effort=BRIEF)
    assert (proof.source.reads, proof.source.choices, proof.source.not_compared) == (1, (), ())
    assert proof.equal
    miscompiled(monkeypatch, name, wrong)
    proof = compared(mongod, address, reading, effort=BRIEF)
    assert [each.statement for each in proof.source.differences] == [name]
    assert not proof.equal


@pytest.mark.thorough
def test_where_sql_leaves_a_choice(mongod: Server, tmp_path: Path) -> None:
    """An answer that may be right is not called wrong, nor equal; what is equal is called so, a choice or not."""
    address, reading = source(tmp_path, TIES)
    with closing(sqlite3.connect(tmp_path / "books.db")) as connection, connection:
        connection.execute("CREATE INDEX odd ON book (author_id, title DESC)")
    proof = compared(mongod, address, reading)
    assert not proof.source.differences
    assert not proof.source.not_compared
    reads = len(reading.workload.statements)
    assert proof.source.reads + len(proof.source.choices) == reads
    assert dict(proof.source.choices).items() <= TIES_LEAVE.items()
    assert {"first_authors", "later", "numbered", "a_title"} <= set(dict(proof.source.choices))
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert f"{len(proof.source.choices)} reads answered differently where SQL leaves a choice" in verdict(proof)
    notes = [note for note in source_notes(proof) if "so equality cannot be shown" in note]
    assert len(notes) == len(proof.source.choices)


@pytest.mark.thorough
def test_what_is_fixed_beside_a_choice(mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column of any row of its group is open; the columns beside it are compared."""
    sql = "SELECT author_id, title, COUNT(*) AS n FROM book GROUP BY author_id ORDER BY author_id"
    address, reading = source(tmp_path, f"-- name: a_title, rate: 5/s\n{sql};")
    miscompiled(monkeypatch, "a_title", sql.replace("COUNT(*)", "COUNT(*) + 1"))
    proof = compared(mongod, address, reading, effort=BRIEF)
    assert [each.statement for each in proof.source.differences] == ["a_title"]


@pytest.mark.thorough
@pytest.mark.parametrize("choice", IMPOSSIBLE)
def test_what_no_choice_gives(choice: str, mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that no row of the group has, or a row that is nowhere without the LIMIT, is wrong whatever SQL leaves open."""
    sql, wrong = IMPOSSIBLE[choice]
    address, reading = source(tmp_path, f"-- name: {choice}, rate: 5/s\n{sql};")
    with closing(sqlite3.connect(tmp_path / "books.db")) as connection, connection:
        connection.execute("CREATE INDEX odd ON book (author_id, title DESC)")
    proof = compared(mongod, address, reading, effort=BRIEF)
    assert not proof.source.differences
    miscompiled(monkeypatch, choice, wrong)
    proof = compared(mongod, address, reading, effort=BRIEF)
    assert [each.statement for each in proof.source.differences] == [choice]


@pytest.mark.thorough
def test_last_digits_of_sums(mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in the order of sums, or rows HAVING keeps by them, may differ by last digits; no more than that is let pass."""
    address, reading = source(tmp_path, SUMS)
    with closing(sqlite3.connect(tmp_path / "books.db")) as connection, connection:
        connection.executescript(FINES)
    reading = inspect(address, workload=tmp_path / "workload.sql")
    proof = compared(mongod, address, reading, effort=BRIEF)
    assert proof.equal, proof.source.differences
    assert dict(proof.source.not_compared) == dict.fromkeys(("at_least", "given", "named"), LAST_DIGITS)
    assert proof.source.reads == 1, "the order of equal sums is that of the last digits"
    assert not proof.source.choices
    miscompiled(monkeypatch, "at_least", "SELECT reader FROM fine GROUP BY reader HAVING SUM(amount) >= 0.5")
    proof = compared(mongod, address, reading, effort=BRIEF)
    assert [each.statement for each in proof.source.differences] == ["at_least"]


@pytest.mark.thorough
def test_a_source_that_changes(mongod: Server, tmp_path: Path) -> None:
    """Rows that are not those that were loaded make no design wrong: which they are is said."""
    address, reading = source(tmp_path, READS + "-- name: authors, rate: 1/s\nSELECT name FROM author;")
    proof = compared(mongod, address, reading, lambda: after(CHANGE, address, reading))
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert dict(proof.source.not_compared) == dict.fromkeys(
        ("book_page", "by_author"), "the source's rows of `book` changed after they were loaded"
    )
    assert proof.source.reads == 1
    assert "2 READS NOT COMPARED WITH THE SOURCE" in verdict(proof)


@pytest.mark.thorough
def test_a_source_that_goes_away(mongod: Server, tmp_path: Path) -> None:
    """Where a table is gone when rows are looked at again, none is known to be as it was loaded, and no design is wrong."""
    address, reading = source(tmp_path, READS)
    proof = compared(mongod, address, reading, lambda: after(f"{CHANGE}; DROP TABLE author", address, reading))
    assert proof.equal, [each.disqualified for each in proof.designs]
    told = dict(proof.source.not_compared)
    assert told["book_page"] == "no such table: author"
    assert told["by_author"].startswith("the source's rows of ")


@pytest.mark.thorough
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
    assert any("no answer within" in why for why in dict(proof.source.not_compared).values())


@pytest.mark.thorough
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
