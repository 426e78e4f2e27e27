"""How old copies were when they were read: on a real server, with the background sync and without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from nestling.common.server import Server
from nestling.executors.drive import LoadedDesign, TimedExecution, driven, run_at_moments
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.programs.replayed_values import StandIns
from nestling.ir.proof import CopyAges
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.trace import Execution
from nestling.pipeline.proving.background_sync import copy_ages, kept_right
from nestling.pipeline.proving.loading import load_rows
from nestling.pipeline.proving.statements import compiled, shapes
from nestling.sources.front import open_rows
from tests.pipeline.test_proving import READS, WRITES, source, with_copy

ALLOWED = "-- freshness: author.name async(200ms)\n"
NOTHING_NEW = StandIns(datetime(2026, 6, 1, tzinfo=UTC), "")
PAGE, RENAME, AUTHOR = "book_page", "rename", "by_author"


@pytest.fixture
def books(
    mongod: Server, database: Database[Any], tmp_path: Path
) -> Iterator[tuple[Reading, Proposal, LoadedDesign, Database[Any]]]:
    """Books with their authors' names, loaded, and what runs statements on them."""
    address, reading = source(tmp_path, ALLOWED + READS + WRITES)
    proposal = with_copy(reading, "async(200ms)")
    load_rows(proposal, open_rows(address, reading.model), database, "books")
    statements, exact = compiled(proposal, reading)
    with MongoClient[dict[str, Any]](mongod.uri) as client:
        ready = {name: made for name, made in statements.items() if not isinstance(made, NotCompiled)}
        yield reading, proposal, driven("books", client[database.name], ready, exact), database


def run(on: LoadedDesign, *calls: tuple[str, dict[str, object]]) -> tuple[TimedExecution, ...]:
    """The calls, one after the other."""
    _, runs = run_at_moments(
        on, tuple(Execution(name, values, NOTHING_NEW) for name, values in calls), [0.0] * len(calls), clients=1
    )
    assert not any(each.failed for each in runs)
    return runs


def told(
    reading: Reading,
    proposal: Proposal,
    on: LoadedDesign,
    runs: Sequence[TimedExecution],
    began: float,
    *,
    synced: bool = False,
) -> CopyAges:
    """What is told of the only copy."""
    (found,) = copy_ages(proposal, reading, shapes(reading), on, runs, began, synced=synced)
    return found


def rename(author: int, name: str) -> tuple[str, dict[str, object]]:
    return RENAME, {"id": author, "name": name}


def page(book: int) -> tuple[str, dict[str, object]]:
    return PAGE, {"id": book}


@pytest.mark.thorough
def test_a_copy_nobody_mends(books: tuple[Reading, Proposal, LoadedDesign, Database[Any]]) -> None:
    """Its age is the time since its source changed, however often that or another changed since; others are right."""
    reading, proposal, on, _ = books
    began = perf_counter()
    before = run(on, page(1), rename(1, "Eve"))
    sleep(0.3)
    after = run(on, *(rename(n % 4 + 2, f"{n}") for n in range(13)), rename(1, "Mallory"), page(1), page(10))
    found = told(reading, proposal, on, (*before, *after), began)
    assert (found.copy, found.synced) == ("book.author_name", False)
    assert (found.reads, found.behind, found.late) == (3, 1, 1), "book 10 is by author 0, who kept his name"
    assert found.oldest == after[-2].answered - before[-1].answered
    assert found.p50 == 0.0


def test_a_copy_that_was_behind_from_the_start(books: tuple[Reading, Proposal, LoadedDesign, Database[Any]]) -> None:
    """Since when is not known then: its age is told from when the runs began."""
    reading, proposal, on, _ = books
    run(on, rename(1, "Eve"))
    began = perf_counter()
    (read,) = run(on, page(1))
    assert told(reading, proposal, on, (read,), began).oldest == pytest.approx(read.answered - began)


@pytest.mark.thorough
def test_a_copy_the_background_mends(books: tuple[Reading, Proposal, LoadedDesign, Database[Any]]) -> None:
    """What was behind before is mended at first; later changes are soon, and reads after that find nothing old."""
    reading, proposal, on, database = books
    run(on, rename(1, "Eve"))
    with kept_right(proposal, on) as background:
        began = perf_counter()
        runs = run(on, page(1), rename(4, "Trent"))
        while database["book"].count_documents({"author_id": 4, "author_name": {"$ne": "Trent"}}):
            sleep(0.01)
        runs += run(on, page(2), rename(9, "Peggy"), page(3))  # of author 4, and at once of author 9
    assert not background.missing
    found = told(reading, proposal, on, runs, began, synced=True)
    assert found.reads == 3
    assert found.behind <= 1
    assert found.oldest in (0.0, runs[-1].answered - runs[-2].answered), "only what the last change has left"


def test_reads_that_use_no_copy(books: tuple[Reading, Proposal, LoadedDesign, Database[Any]]) -> None:
    """They tell nothing of it."""
    reading, proposal, on, _ = books
    began = perf_counter()
    runs = run(on, (AUTHOR, {"author": 1}), rename(1, "Eve"), (AUTHOR, {"author": 1}))
    assert told(reading, proposal, on, runs, began).reads == 0


def test_without_a_background(books: tuple[Reading, Proposal, LoadedDesign, Database[Any]]) -> None:
    """Where the sync cannot run it is said why: here nothing is loaded that it could follow."""
    _, proposal, on, _ = books
    elsewhere = replace(on, database=on.database.client[f"{on.database.name}_empty"])
    with kept_right(proposal, elsewhere) as background:
        assert "collections of the design do not exist" in background.missing
