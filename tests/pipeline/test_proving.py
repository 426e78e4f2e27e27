"""Proving on a real server: rivals of a small shop of books, and those that go wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.common.errors import InputError, LoadError, Problem
from nestling.common.server import Server, start_server
from nestling.emitters.proof import html, proof_json
from nestling.executors.drive import LoadedDesign, TimedExecution, run_in_order, space
from nestling.ir.freshness import Freshness
from nestling.ir.model import Model
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proof import Proof
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Gap, GapKind, Reading
from nestling.ir.rows import Hop, RowSource
from nestling.ir.trace import Block
from nestling.ir.words.proof_words import source_notes, verdict
from nestling.pipeline import convert, design, inspect
from nestling.pipeline.parameter_values import bindings
from nestling.pipeline.proving import Effort, measured_server, prove, prove_source, rounds, statements
from nestling.sources.front import open_rows

TINY = Effort(seconds=0.6, rounds=4, checks=2, open_seconds=0.2)
BOOKS = """
CREATE TABLE author (author_id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE book (
  book_id INTEGER NOT NULL PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (author_id), title TEXT NOT NULL
);
"""
READS = """
-- name: book_page, rate: 90/s
SELECT b.title, a.name FROM book b JOIN author a ON a.author_id = b.author_id WHERE b.book_id = :id;
-- name: by_author, rate: 30/s
SELECT book_id, title FROM book WHERE author_id = :author ORDER BY title LIMIT 5;
"""
WRITES = """
-- name: rename, rate: 2/s
UPDATE author SET name = :name WHERE author_id = :id;
-- name: publish, rate: 1/s
INSERT INTO book (book_id, author_id, title) VALUES (:id, :author, :title);
"""


def source(folder: Path, statements: str) -> tuple[str, Reading]:
    """Ten authors and 200 books, and what was read of them."""
    path = folder / "books.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(BOOKS)
        connection.executemany("INSERT INTO author VALUES (?, ?)", [(n, f"Author no. {n}") for n in range(10)])
        rows = [(n, n * n % 10, f"Book no. {n}") for n in range(200)]
        connection.executemany("INSERT INTO book VALUES (?, ?, ?)", rows)
    (folder / "workload.sql").write_text(statements, encoding="utf-8")
    return f"sqlite:///{path}", inspect(f"sqlite:///{path}", workload=folder / "workload.sql")


@contextmanager
def _on(mongod: Server) -> Iterator[tuple[Server, Any]]:
    with MongoClient[dict[str, Any]](mongod.uri, serverSelectionTimeoutMS=2000) as client:
        before = set(client.list_database_names())
        yield mongod, client["nestling_prove"]
        assert set(client.list_database_names()) == before, "only databases of its own, and none is left"


def proved(
    mongod: Server,
    address: str,
    reading: Reading,
    rivals: Mapping[str, Proposal],
    rows: Callable[[Model], RowSource] | None = None,
    effort: Effort = TINY,
) -> Proof:
    """A tiny proof."""
    values = bindings(reading, open_rows(address, reading.model))
    with _on(mongod) as on:
        return prove(reading, rivals, rows or (lambda model: open_rows(address, model)), values, on, effort=effort)


def two(reading: Reading) -> dict[str, Proposal]:
    """The normalized design, advised, and the embedded one. Each model has its rival's name, which tells whose rows are read."""
    made = {"chosen": design(reading, "normalized"), "embedded": design(reading, "embedded")}
    return {
        name: replace(each, design=replace(each.design, model=replace(each.design.model, name=name)))
        for name, each in made.items()
    }


def wrong_rows_of(rival: str, folder: Path, address: str, change: str) -> Callable[[Model], RowSource]:
    """Opens the rows of the books for all but one rival, and those of a changed copy for that one."""
    folder.mkdir()
    wrong, _ = source(folder, READS)
    with closing(sqlite3.connect(folder / "books.db")) as connection, connection:
        connection.execute(change)
    return lambda model: open_rows(wrong if model.name == rival else address, model)


def no_rows_of(rivals: Container[str], address: str) -> Callable[[Model], RowSource]:
    """Opens the rows of the books for all but some rivals."""

    def rows(model: Model) -> RowSource:
        if model.name in rivals:
            raise LoadError(Problem("a row cannot be stored", where="book"))
        return open_rows(address, model)

    return rows


def with_copy(reading: Reading, freshness: str) -> Proposal:
    """The normalized design, with the author's name in each book."""
    made = design(reading, "normalized")
    link = next(iter(reading.model.relationships)).name
    name = Field("name", "author_name")
    copy = Copy("author_name", (Hop(link, up=True),), (name,), Form.INLINE, Freshness.parse(freshness))
    collections = tuple(
        replace(each, body=replace(each.body, copies=(copy,))) if each.root == "book" else each
        for each in made.design.collections
    )
    return replace(made, design=replace(made.design, collections=collections))


@pytest.mark.thorough
def test_rivals_of_a_source(mongod: Server, tmp_path: Path) -> None:
    """Every design has its figures, all answers and rows are equal after writes, and the report has the documented shape."""
    address, reading = source(tmp_path, READS + WRITES)
    seen: list[str] = []
    with _on(mongod) as on:
        proof = prove_source(
            reading, address, on, variants=False, effort=TINY, watch=lambda what, *_: seen.append(what)
        )
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert any(what.startswith("loading") for what in seen)
    assert f"round 4 of {TINY.rounds}" in seen
    shape = proof_json(proof)
    assert {"designs", "best", "advised", "regret", "noise", "equal"} <= set(shape)
    chosen = shape["designs"]["chosen"]
    assert {"throughput", "interval", "bytes", "statements"} <= set(chosen)
    assert {"p50", "p95", "p99", "predicted"} <= set(chosen["statements"]["book_page"])
    low, high = chosen["interval"]
    assert 0 < low <= chosen["throughput"] <= high
    assert chosen["statements"]["book_page"]["p50"] <= chosen["statements"]["book_page"]["p99"]
    assert chosen["bytes"] > 0
    assert chosen["statements"]["book_page"]["examined"]["keys"] > 0
    assert chosen["statements"]["publish"]["examined"]["documents_written"] >= 1
    assert chosen["upkeep"]["journal_bytes"] > 0
    assert chosen["open_loop"]["reached"] > 0
    assert "all answers and rows equal" in verdict(proof)
    assert "<svg" in html(proof)


def test_a_rival_with_other_rows_is_disqualified(mongod: Server, tmp_path: Path) -> None:
    """One row that is not the others': the answer that shows it costs the design its place, and says so loudly."""
    address, reading = source(tmp_path, READS)
    rows = wrong_rows_of("embedded", tmp_path / "other", address, "UPDATE book SET title = title || '!'")
    proof = proved(mongod, address, reading, two(reading), rows)
    embedded = proof.design("embedded")
    assert embedded is not None
    assert "gives another answer" in embedded.disqualified
    assert proof.design("chosen") in [each for each in proof.designs if each.counts]
    assert not proof.equal
    assert "DISQUALIFIED: embedded" in verdict(proof)
    assert "is disqualified" in html(proof)


@pytest.mark.thorough
def test_rows_nobody_asks_for_are_compared_too(mongod: Server, tmp_path: Path) -> None:
    """What no statement reads is found when the homes are compared in the end."""
    address, reading = source(tmp_path, READS)
    reading = replace(reading, workload=replace(reading.workload, statements=reading.workload.statements[1:]))
    change = "UPDATE author SET name = 'nobody' WHERE author_id = 7"
    rows = wrong_rows_of("embedded", tmp_path / "other", address, change)
    proof = proved(mongod, address, reading, two(reading), rows)
    embedded = proof.design("embedded")
    assert embedded is not None
    assert "rows of author differ from those of the other designs" in embedded.disqualified


@pytest.mark.thorough
def test_a_rival_that_cannot_be_loaded(mongod: Server, tmp_path: Path) -> None:
    """It is out, with the reason; the others are measured."""
    address, reading = source(tmp_path, READS)
    proof = proved(mongod, address, reading, two(reading), no_rows_of(("embedded",), address))
    embedded = proof.design("embedded")
    assert embedded is not None
    assert embedded.disqualified == "it cannot be loaded: book: a row cannot be stored"
    assert proof.best == "chosen"


@pytest.mark.thorough
def test_a_rival_that_cannot_answer_is_left_out(
    mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not measured, with the reason; nothing is said against the chosen design, which would be out for the same."""
    address, reading = source(tmp_path, READS)
    every = statements.compiled

    def lacking(proposal: Proposal, reading: Reading) -> tuple[statements.CompiledByName, statements.Exact]:
        made, exact = every(proposal, reading)
        if proposal.design.model.name != lacks:
            return made, exact
        gap = Gap(GapKind.NOTIMPL, "a walk along it")
        return {**made, "by_author": NotCompiled("by_author", "SELECT", gap)}, exact

    monkeypatch.setattr(statements, "compiled", lacking)
    lacks = "embedded"
    proof = proved(mongod, address, reading, two(reading))
    assert proof.equal
    assert proof.best == "chosen"
    assert [note for note in proof.notes if "embedded was not measured: it cannot answer `by_author`: a walk" in note]
    lacks = "chosen"
    proof = proved(mongod, address, reading, two(reading))
    assert not proof.equal
    assert verdict(proof).startswith("The chosen design does not count: it cannot answer `by_author`")


@pytest.mark.thorough
def test_a_stale_copy_is_no_wrong_answer(mongod: Server, tmp_path: Path) -> None:
    """An answer that is behind as far as the requirements allow is counted as stale; one beyond them would disqualify. In the
    open loop a background sync runs, and how old the copy was when it was read is told.
    """
    allowed = "-- freshness: author.name async(1h)\n"
    address, reading = source(tmp_path, allowed + READS + WRITES)
    chosen = design(reading, "normalized")
    copied = with_copy(reading, "async(1h)")
    rivals = {"chosen": copied, "normalized": chosen}  # with its twin the stale one has the majority
    proof = proved(mongod, address, reading, rivals, effort=replace(TINY, checks=12))
    stale, fresh = proof.design("chosen"), proof.design("normalized")
    assert stale is not None
    assert fresh is not None
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert stale.stale > 0
    assert fresh.stale == 0
    (age,) = stale.copies
    assert (age.copy, age.allowed, age.synced) == ("book.author_name", 3600.0, True)
    assert age.reads > 0
    assert not fresh.copies
    assert "book.author_name" in html(proof)


@pytest.mark.thorough
def test_several_clients_end_with_the_same_rows(mongod: Server, tmp_path: Path) -> None:
    """Writes that race are ordered where it matters: after four clients all homes are equal."""
    address, reading = source(
        tmp_path, READS + WRITES + "-- name: drop, rate: 2/s\nDELETE FROM book WHERE book_id = :id;"
    )
    proof = proved(mongod, address, reading, two(reading), effort=replace(TINY, clients=4))
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert proof.setting.clients == 4


@pytest.mark.thorough
def test_no_time_for_all_rounds(mongod: Server, tmp_path: Path) -> None:
    """On a machine too busy for the rounds asked for, those done are told, and seldom statements are in the first of them."""
    address, reading = source(tmp_path, READS + "-- name: all_authors, rate: 1/day\nSELECT name FROM author;")
    hurried = replace(TINY, rounds=40, seconds=1.0, within_seconds=0.0, open_seconds=0.0)
    proof = proved(mongod, address, reading, two(reading), effort=hurried)
    assert proof.setting.rounds == 4
    assert proof.equal
    assert all(one.latency is not None for each in proof.designs for one in each.statements)


@pytest.mark.thorough
def test_designs_that_choose_in_different_ways(mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where SQL leaves a choice no design is wrong; the verdict does not say that these answers are equal."""
    address, reading = source(tmp_path, READS + "-- name: some, rate: 5/s\nSELECT title FROM book LIMIT 3;")
    every = statements.compiled

    def others(proposal: Proposal, reading: Reading) -> tuple[statements.CompiledByName, statements.Exact]:
        made, exact = every(proposal, reading)
        order = "DESC" if proposal.design.model.name == "embedded" else "ASC"
        some = convert(proposal, f"SELECT title FROM book ORDER BY book_id {order} LIMIT 3", name="some")
        return {**made, "some": some}, exact

    monkeypatch.setattr(statements, "compiled", others)
    proof = proved(mongod, address, reading, two(reading))
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert proof.choices == ("some",)
    assert "all answers and rows equal to one another, but for `some`, where SQL leaves a choice" in verdict(proof)


@pytest.mark.thorough
def test_warming_up_has_an_end(mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow statement is executed less often to warm up, so that this takes no longer than it may."""
    address, reading = source(tmp_path, READS)
    blocks: list[int] = []

    def slow(on: LoadedDesign, block: Block, **options: Any) -> tuple[TimedExecution, ...]:
        blocks.append(len(block))
        sleep(0.05 * len(block))
        return run_in_order(on, block, **options)

    monkeypatch.setattr("nestling.pipeline.proving.rounds.run_in_order", slow)
    monkeypatch.setattr(rounds.Rounds, "_fitting", lambda *_: {"book_page": 4, "by_author": 4})
    proof = proved(mongod, address, reading, two(reading), effort=replace(TINY, seconds=4.0, open_seconds=0.0))
    assert proof.setting.rounds == TINY.rounds
    assert sum(blocks) < 100, "a block of 60, three times on three databases, are 540 executions"


def test_no_rival_that_can_be_loaded(mongod: Server, tmp_path: Path) -> None:
    """There is nothing to go on with then, and the reason of each is told."""
    address, reading = source(tmp_path, READS)
    with pytest.raises(LoadError, match="embedded: it cannot be loaded: book: a row cannot be stored"):
        proved(mongod, address, reading, two(reading), no_rows_of(("chosen", "embedded"), address))


@pytest.mark.thorough
def test_rates_that_cannot_be_reached(mongod: Server, tmp_path: Path) -> None:
    """The ceiling is told, and less is asked for; rates within it are asked for as they are."""
    address, reading = source(tmp_path, READS.replace("rate: 90/s", "rate: 900000/s"))
    proof = proved(mongod, address, reading, two(reading), effort=replace(TINY, open_seconds=0.5))
    chosen = proof.designs[0]
    assert chosen.opened is not None
    assert chosen.throughput is not None
    assert chosen.opened.asked == pytest.approx(chosen.throughput / 2)
    ceiling = f"the ceiling of the chosen design is {chosen.throughput:,.0f}"
    assert any("asks for 900,030 statements a second" in note and ceiling in note for note in proof.notes)


def test_no_room_on_the_disk(mongod: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said before anything is loaded."""
    address, reading = source(tmp_path, READS)
    monkeypatch.setattr(space, "SPARE_BYTES", 2**60)
    with pytest.raises(LoadError, match="the server's disk has only 0 bytes to spare"):
        proved(mongod, address, reading, two(reading))


def test_somebodys_database_is_refused(mongod: Server) -> None:
    """A URI may name no database but nestling's own."""
    somebodys = mongod.uri.replace("/?", "/shop?")
    with pytest.raises(InputError, match="not one of nestling's databases"), measured_server(somebodys):
        pass
    with measured_server(mongod.uri.replace("/?", "/nestling_prove?")) as (_, database):
        assert database.name == "nestling_prove"


def test_the_cache_of_somebodys_server_is_not_bounded(mongod: Server, tmp_path: Path) -> None:
    """Another server's cache is not ours to change."""
    address, reading = source(tmp_path, READS)
    foreign = replace(mongod, data_directory=None)
    values = bindings(reading, open_rows(address, reading.model))
    with _on(foreign) as on, pytest.raises(InputError, match="only on nestling's own server"):
        prove(reading, two(reading), lambda m: open_rows(address, m), values, on, effort=replace(TINY, cache_ratio=2.0))


@pytest.mark.soak
def test_a_bounded_cache(tmp_path: Path) -> None:
    """The server is given as much less cache as is asked for, or as little as it takes, which is said."""
    address, reading = source(tmp_path, READS)
    values = bindings(reading, open_rows(address, reading.model))
    with start_server() as server, MongoClient[dict[str, Any]](server.uri) as client:
        rows = lambda model: open_rows(address, model)  # noqa: E731
        on = (server, client["nestling_prove"])
        proof = prove(reading, two(reading), rows, values, on, effort=replace(TINY, cache_ratio=5.0))
    assert proof.setting.cache_bytes == space.LEAST_CACHE_BYTES
    assert any("the server allows no cache below 4.2 MB" in note for note in proof.notes)


@pytest.mark.thorough
def test_a_statement_no_design_can_answer(mongod: Server, tmp_path: Path) -> None:
    """It is left out with the reason, and costs no design its place; when it is the only one, that is the error."""
    never = '-- name: some, rate: 5/s\n-- params: {"many": "x"}\nSELECT title FROM book LIMIT :many;\n'
    address, reading = source(tmp_path, READS + never)
    proof = proved(mongod, address, reading, two(reading))
    assert proof.equal, [each.disqualified for each in proof.designs]
    assert any("`some` is left out, since no design can answer it" in note for note in proof.notes)
    assert proof.setting.left_out == 1
    assert [one.name for one in proof.designs[0].statements] == ["book_page", "by_author"]
    address, reading = source(tmp_path, never)
    with pytest.raises(InputError, match="no design can answer it"):
        proved(mongod, address, reading, two(reading))


def test_nothing_to_run(mongod: Server, tmp_path: Path) -> None:
    """Without a statement there is nothing to measure."""
    address, reading = source(tmp_path, READS)
    empty = replace(reading, workload=replace(reading.workload, statements=()))
    with _on(mongod) as on, pytest.raises(InputError, match="no statement to run"):
        prove(empty, two(reading), lambda model: open_rows(address, model), {}, on)


@pytest.mark.thorough
def test_rates_that_round_to_nothing(mongod: Server, tmp_path: Path) -> None:
    """Where no statement would be due in the time of the open loop there is none, and that is said."""
    seldom = READS.replace("rate: 90/s", "rate: 2/day").replace("rate: 30/s", "rate: 1/day")
    address, reading = source(tmp_path, seldom)
    proof = proved(mongod, address, reading, two(reading))
    assert [each.opened for each in proof.designs] == [None, None]
    assert any(note.startswith("no open loop was run: in its 0.2 s") for note in proof.notes)


def test_what_is_refused_each_time_is_told(mongod: Server, tmp_path: Path) -> None:
    """A book of no author measures nothing but its refusal; one that is refused at times is no such statement."""
    astray = "-- name: astray, rate: 5/s\nINSERT INTO book (book_id, author_id, title) VALUES (:id, 999, 'x');\n"
    address, reading = source(tmp_path, READS + WRITES + astray)
    proof = proved(mongod, address, reading, two(reading))
    assert proof.refused == ("astray",)
    assert any(note.startswith("`astray` was refused every time") for note in source_notes(proof))
