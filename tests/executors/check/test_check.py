"""Checking by example: guards, samples, what changed since a time, going on after an interruption, servers of any kind."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import nan
from pathlib import Path
from typing import Any

import pytest
from bson import Int64
from pymongo import MongoClient
from pymongo.database import Database

from nestling.cli.check import verdict as said_of
from nestling.common.binary import find_mongod
from nestling.common.connection import connect
from nestling.common.errors import InputError, NoChangeStreams, ReadError, VerifyError
from nestling.common.supervised import free_port, supervised
from nestling.executors.check import CheckOptions, run_checks
from nestling.executors.check.differing_rows import Reader
from nestling.executors.check.pace import CommandPace
from nestling.executors.check.repairing import mend
from nestling.executors.check.report import CheckVerdict, estimate
from nestling.executors.pacing import RestingPace
from nestling.ir.drift import CompiledCheck, Drift, DriftKind
from nestling.ir.freshness import Freshness
from nestling.ir.programs.program import MISSING
from nestling.ir.proposal import Proposal
from nestling.ir.text import read_proposal
from nestling.pipeline.checking import compiled_check
from nestling.planner.checks import checks_of
from tests.executors.check.library import AUTHORS, BOOKS, library, rows
from tests.executors.check.loaded import checked, loaded
from tests.small_shop import small_shop

Documents = Database[dict[str, Any]]
Shelf = tuple[Proposal, Documents]


@pytest.fixture
def shelf(mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Shelf]:
    """The library, loaded."""
    with loaded(mongo_client, rows(), library()) as found:
        yield found


def compiled(proposal: Proposal, name: str) -> CompiledCheck:
    """The check of that name."""
    return next(compiled_check(each) for each in checks_of(proposal.design).checks if each.key == name)


def only(findings: tuple[Drift, ...]) -> Drift:
    """The one finding."""
    (found,) = findings
    return found


def test_a_stale_copy_is_named_and_repaired(shelf: Shelf) -> None:
    """A copy edited by hand: document, path, what must be there and what is; repaired once, and clean after."""
    proposal, database = shelf
    assert checked(proposal, database).clean
    database["books"].update_one({"_id": 7}, {"$set": {"loans.$[l].by": "nobody"}}, array_filters=[{"l.number": 2}])
    found = only(checked(proposal, database).findings)
    assert (found.kind, found.collection, found.id, found.path) == (DriftKind.COPY, "books", 7, "loans[number=2].by")
    assert (found.expected, found.found) == ("author 9", "nobody")
    report = checked(proposal, database, repair=True)
    assert (report.clean, report.repaired, only(report.findings).repaired) == (True, 1, True)
    book = database["books"].find_one({"_id": 7}) or {}
    assert [loan["by"] for loan in book["loans"]] == ["author 7", "author 8", "author 9"]
    assert checked(proposal, database).clean


@pytest.mark.thorough
def test_elements_that_share_a_key_are_told_by_what_they_refer_to(shelf: Shelf) -> None:
    """Two loans of one number, of two authors: each gets its own author's name, the right one keeps it, and both are named."""
    proposal, database = shelf
    stale = {"loans.1.number": 0, "loans.1.by": "author 7", "loans.2.by": "author 7"}
    database["books"].update_one({"_id": 7}, {"$set": stale})
    report = checked(proposal, database, repair=True)
    assert {each.kind for each in report.findings if each.repaired} == {DriftKind.COPY}
    assert {each.kind for each in report.findings if not each.repaired} == {DriftKind.DUPLICATE}
    loans = (database["books"].find_one({"_id": 7}) or {})["loans"]
    assert [(each["author_id"], each["by"]) for each in loans] == [(7, "author 7"), (8, "author 8"), (9, "author 9")]


def test_a_copy_whose_reference_changed_meanwhile_is_left(shelf: Shelf) -> None:
    """What was compared is not what the document refers to any more, though the copy still says the same."""
    proposal, database = shelf
    books, check = database["books"], compiled(proposal, "copy books.author")
    books.update_one({"_id": 1}, {"$set": {"author.name": "stale"}})
    found = Reader(database, 30).rows(check, [])
    books.update_one({"_id": 1}, {"$set": {"author_id": 5}})
    assert mend(database, check, found) == {}
    assert (books.find_one({"_id": 1}) or {})["author"]["name"] == "stale"


def test_one_repair_that_has_to_come_before_another(shelf: Shelf) -> None:
    """A value that is unique and still stands in a document repaired later is written in a second pass of the same run."""
    proposal, database = shelf
    authors = database["authors"]
    authors.create_index("newest.title", unique=True)
    taken = (authors.find_one({"_id": 1}) or {})["newest"]
    authors.update_one({"_id": 1}, {"$set": {"newest": [{"title": "none"}]}})
    authors.update_one({"_id": 2}, {"$set": {"newest": taken}})
    report = checked(proposal, database, repair=True)
    assert (report.clean, report.repaired, report.passes, len(report.findings)) == (True, 2, 2, 2)
    assert "Repaired: 2 differences in 2 passes" in said_of(report)
    assert checked(proposal, database).clean


@pytest.mark.thorough
def test_what_is_refused_ends_the_passes(shelf: Shelf) -> None:
    """Where nothing more is mended no pass follows, and each difference is counted once."""
    proposal, database = shelf
    database["authors"].update_many({"_id": {"$in": [1, 2]}}, {"$set": {"newest": [{"title": "none"}]}})
    validator = {"$or": [{"_id": {"$ne": 1}}, {"newest.title": "none"}]}
    database.command("collMod", "authors", validator=validator, validationLevel="strict", validationAction="error")
    report = checked(proposal, database, repair=True)
    assert (report.clean, report.repaired, report.passes, len(report.findings)) == (False, 1, 2, 2)
    assert sum(verdict.values for verdict in report.verdicts.values()) == 2


def test_whoever_wrote_last_is_not_overwritten(shelf: Shelf) -> None:
    """Between finding and repairing somebody writes: the repair leaves it, at the top and inside an array."""
    proposal, database = shelf
    books = database["books"]
    books.update_one({"_id": 1}, {"$set": {"author.name": "stale", "loans.0.by": "stale"}})
    reader = Reader(database, 30)
    both = [compiled(proposal, name) for name in ("copy books.author", "copy books.loans.by")]
    stale = [reader.rows(each, []) for each in both]
    books.update_one({"_id": 1}, {"$set": {"author.name": "newer", "loans.0.by": "newer"}})
    for each, found in zip(both, stale, strict=True):
        assert len(found) == 1
        assert mend(database, each, found) == {}
    book = books.find_one({"_id": 1}) or {}
    assert (book["author"]["name"], book["loans"][0]["by"]) == ("newer", "newer")


@pytest.mark.thorough
def test_a_document_that_cannot_be_for_arithmetic_stops_no_other(database: Documents) -> None:
    """A sum over 64 bits, and one of NaN: these are named and left, and what others hold is mended."""
    computed = "{spent: {sum: total, of: purchases, freshness: async(1s)}}"
    proposal = read_proposal(small_shop(computed=computed), "shop.yaml")
    database["customers"].insert_many([{"_id": n, "name": f"{n}", "spent": 0} for n in range(50)])
    total: list[object] = [*range(50)]
    total[7], total[20] = Int64(5 * 10**18), nan
    buys = [(n, n % 50, {"name": f"{n % 50}"}) for n in range(100)]
    database["purchases"].insert_many(
        {"_id": n, "customer_id": c, "total": total[c], "customer": copy} for n, c, copy in buys
    )
    report = checked(proposal, database, repair=True)
    left = [each for each in report.findings if not each.repaired]
    assert [(each.check, each.id, each.compared) for each in left] == [
        ("computed customers.spent", 7, False),
        ("computed customers.spent", 20, False),
    ]
    assert "a whole number exceeds 64 bits. Correct" in left[0].next_move
    assert "a number is NaN or infinite" in left[1].next_move
    assert (report.clean, report.repaired) == (False, 47)  # the sum of customer 0 is 0
    assert "NOT clean: 49 differences" in said_of(report)


def test_snapshots_are_not_compared(shelf: Shelf) -> None:
    """What a snapshot copy holds is nobody's business."""
    proposal, database = shelf
    database["books"].update_many({}, {"$set": {"author_then": "somebody else"}})
    assert checked(proposal, database).clean


@pytest.mark.thorough
def test_rounding_is_no_drift(shelf: Shelf) -> None:
    """The last digits of a sum of floats depend on the order of the rows; more than these is drift."""
    proposal, database = shelf
    for author in list(database["authors"].find({"_id": {"$in": [1, 2]}})):
        factor = 1 + 1e-12 if author["_id"] == 1 else 1 + 1e-6
        database["authors"].update_one({"_id": author["_id"]}, {"$set": {"worth": author["worth"] * factor}})
    assert only(checked(proposal, database).findings).id == 2


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kept", [0, 1, 7])
def test_a_count_of_no_rows(shelf: Shelf, kept: int) -> None:
    """Where nothing is left to count, 0 is right, and any other number is drift."""
    proposal, database = shelf
    database["books"].delete_many({"author_id": 5})
    database["authors"].update_one({"_id": 5}, {"$set": {"books": kept}})
    found = [each.found for each in checked(proposal, database).findings if each.path == "books"]
    assert found == ([kept] if kept else [])


@pytest.mark.thorough
def test_a_dangling_reference_has_a_next_move(shelf: Shelf) -> None:
    """A deleted parent: those that refer to it are named with what to do; a repair cannot bring it back, and says so."""
    proposal, database = shelf
    database["authors"].delete_one({"_id": 3})
    report = checked(proposal, database, repair=True)
    dangling = [each for each in report.findings if each.kind is DriftKind.DANGLING]
    assert {each.id for each in dangling if each.check == "dangling books → author"} == set(range(3, BOOKS, AUTHORS))
    assert all(
        each.found == 3 and each.expected is MISSING and "restore the row of `author`" in each.next_move
        for each in dangling
    )
    assert not report.clean
    assert not any(each.repaired for each in dangling)
    copies = [each for each in report.findings if each.kind is DriftKind.COPY]
    assert all(each.expected is MISSING and not each.repaired for each in copies)
    report = checked(proposal, database, repair=True, remove=True)
    assert all(each.repaired for each in report.findings if each.kind is DriftKind.COPY)


@pytest.mark.thorough
def test_what_the_server_refuses_is_told(shelf: Shelf) -> None:
    """A validator that does not let the document be: the finding stays, with the reason."""
    proposal, database = shelf
    database["books"].update_one({"_id": 1}, {"$set": {"author.name": "stale", "spoiled": True}})
    database.command(
        "collMod",
        "books",
        validator={"spoiled": {"$exists": False}},
        validationLevel="strict",
        validationAction="error",
    )
    found = only(checked(proposal, database, repair=True).findings)
    assert (found.repaired, found.next_move) == (False, "Document failed validation")


def test_another_database_is_refused(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """A database that is not of the design is a typed error that names the collections."""
    with pytest.raises(VerifyError, match="`authors`, `books`"):
        checked(Proposal("", library()), mongo_client["check_nothing_is_here"])


@pytest.mark.thorough
def test_a_sample_says_how_sure_it_is(shelf: Shelf) -> None:
    """A sample counts what it looked at, and its interval holds the truth."""
    proposal, database = shelf
    database["books"].update_many({"_id": {"$lt": 100}}, {"$set": {"author.name": "stale"}})
    report = checked(proposal, database, sample=0.5)
    key = "copy books.author"
    assert report.verdicts[key].documents == BOOKS / 2
    assert report.estimates[key].least <= 100 <= report.estimates[key].most or report.verdicts[key].differing in range(
        35, 66
    )
    assert report.estimates[key].most < BOOKS
    whole = checked(proposal, database, sample=BOOKS).estimates[key]
    assert (whole.least, whole.differing, whole.most) == (100, 100, 100)


def test_a_clean_sample_is_no_proof() -> None:
    """Of nothing found in 1,000 of 100,000 documents, up to 0.4 % may still differ."""
    found = estimate(CheckVerdict(1_000, 0), 100_000)
    assert (found.least, found.differing) == (0, 0)
    assert 350 < found.most < 400


def test_only_what_changed_since(shelf: Shelf) -> None:
    """Since a time: nothing else is looked at, and what changed is."""
    proposal, database = shelf
    database["books"].update_one({"_id": 5}, {"$set": {"author.name": "too early"}})
    now = database.client.admin.command("hello")["operationTime"].time + 1
    while database.client.admin.command("hello")["localTime"].replace(tzinfo=UTC).timestamp() < now:
        pass
    since = datetime.fromtimestamp(now, UTC)
    assert checked(proposal, database, since=since).checked == 0
    database["books"].update_one({"_id": 6}, {"$set": {"author.name": "stale"}})
    report = checked(proposal, database, since=since)
    assert {each.id for each in report.findings if each.check == "copy books.author"} == {6}
    assert report.verdicts["copy books.author"].documents == 1
    assert report.verdicts["computed authors.books"].documents == AUTHORS
    database["authors"].update_one({"_id": 6}, {"$set": {"name": "renamed"}})
    again = checked(proposal, database, since=since)
    assert {each.id for each in again.findings if each.check == "copy books.author"} == {5, *range(6, BOOKS, AUTHORS)}


def test_a_time_that_has_not_come_is_refused(shelf: Shelf) -> None:
    """Nothing can have changed since, and to say that all is clean would be untrue."""
    with pytest.raises(InputError, match="is in the future: the server's clock says"):
        checked(*shelf, since=datetime.now(UTC) + timedelta(hours=1))


def test_an_interrupted_check_goes_on(shelf: Shelf, tmp_path: Path) -> None:
    """Stopped in the middle: what was done is not done again, the report is the same, and the file goes in the end."""
    proposal, database = shelf
    database["books"].update_many({"_id": {"$lt": 10}}, {"$set": {"author.name": "stale"}})
    file, seen = tmp_path / "progress", list[str]()

    def stop(label: str, _: int, __: int | None) -> None:
        seen.append(label)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checked(proposal, database, checkpoint=file, watch=stop)
    first, seen[:] = list(seen), ["", "", "", "", ""]
    report = checked(proposal, database, checkpoint=file, watch=stop)
    assert not set(first) & set(seen)
    plain = checked(proposal, database)
    assert (report.verdicts, report.findings) == (plain.verdicts, plain.findings)
    assert not file.exists()


@pytest.mark.thorough
def test_progress_that_cannot_be_kept_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    """It says which file, and why."""
    with pytest.raises(InputError, match=r"none/progress: the progress cannot be saved: No such file"):
        checked(*shelf, checkpoint=tmp_path / "none" / "progress")


def test_progress_of_another_check_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    """A file that is not this check's progress is not gone on with."""
    proposal, database = shelf
    file = tmp_path / "progress"
    file.write_bytes(b"not a progress")
    with pytest.raises(InputError, match="is not the progress of a check"):
        checked(proposal, database, checkpoint=file)


@pytest.mark.thorough
def test_a_comparison_that_takes_too_long(shelf: Shelf) -> None:
    """A document that cannot be compared in time is an error that says what helps; smaller ranges are tried before."""
    proposal, database = shelf
    one = compiled(proposal, "copy authors.newest")
    none = {"$filter": {"input": {"$range": [0, 2_000_000]}, "cond": {"$lt": ["$$this", 0]}}}
    slow = {"$set": {"slow": {"$size": none}}}
    read = one.read
    stages = (slow, *read.pipeline)
    hindered = CompiledCheck(one.check, type(read)(**{**_fields(read), "pipeline": stages}), one.repair)
    with pytest.raises(ReadError, match=r"of a single document takes more than 0\.02 s"):
        run_checks([hindered], database, way=CheckOptions(seconds=0.02))


def _fields(read: Any) -> dict[str, Any]:
    return {name: getattr(read, name) for name in type(read).__slots__}


def test_pace_follows_the_clock() -> None:
    """More documents where it is fast, fewer where it is slow, never fewer than the least."""
    pace = CommandPace(1.0, 1_000)
    pace.took(0.01)
    assert pace.documents == 4_000
    pace.took(2.0)
    assert pace.documents == 2_000
    assert pace.too_slow()
    assert pace.documents == 125
    least = CommandPace(1.0, 100, least=100)
    assert not least.too_slow()


def test_a_check_ends_when_its_time_is_up(shelf: Shelf) -> None:
    """What is not over then is named, whether two checks run at once or they rest; nothing is said of it."""
    proposal, database = shelf
    checks = [compiled(proposal, name) for name in ("copy authors.newest", "copy books.author")]
    for rest in (0.0, 1.0):
        way = CheckOptions(until=time.monotonic() - 1, pace=RestingPace(rest))
        report = run_checks(checks, database, way=way)
        assert report.unfinished == {"copy authors.newest", "copy books.author"}
        assert report.checked == 0
        assert not run_checks(checks, database, way=CheckOptions(pace=RestingPace(rest))).unfinished


def test_a_few_documents_tell_whether_any_differs(shelf: Shelf) -> None:
    """Of many sources whose holders may differ only some are looked at."""
    proposal, database = shelf
    database["books"].update_many({}, {"$set": {"author.name": "nobody"}})
    (checked_whole, checked_few) = (
        run_checks([compiled(proposal, "copy books.author")], database, way=CheckOptions(few=few)).verdicts
        for few in (False, True)
    )
    assert checked_whole["copy books.author"].differing == BOOKS
    assert 0 < checked_few["copy books.author"].differing < BOOKS


def test_freshness_is_told(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """A difference of a value that may lag behind says by how much."""
    with loaded(mongo_client, rows(), library(freshness=Freshness.parse("async(5s)"))) as (proposal, database):
        database["books"].update_one({"_id": 1}, {"$set": {"author.name": "stale"}})
        assert str(only(checked(proposal, database).findings).freshness) == "async(5s)"


@pytest.mark.thorough
def test_the_same_with_and_without_an_index(mongo_client: MongoClient[dict[str, Any]]) -> None:
    """An index changes how fast a computed value is compared, and nothing else."""
    for indexed in (False, True):
        with loaded(mongo_client, rows(), library(indexed=indexed)) as (proposal, database):
            database["authors"].update_one({"_id": 4}, {"$set": {"books": 1}})
            database["authors"].update_one({"_id": 5}, {"$unset": {"books": 1}})
            found = {each.id: (each.expected, each.found) for each in checked(proposal, database).findings}
            assert found == {4: (BOOKS // AUTHORS, 1), 5: (BOOKS // AUTHORS, MISSING)}


@pytest.mark.thorough
def test_a_copy_and_its_reference_are_screened_at_once(shelf: Shelf) -> None:
    """One screen tells of both: sources nobody refers to are no suspects, a holder without copy and source is."""
    proposal, database = shelf
    copy, reference = compiled(proposal, "copy books.author"), compiled(proposal, "dangling books → author")
    assert copy.screen is not None
    assert copy.screen == reference.screen
    database["authors"].insert_one({"_id": AUTHORS + 1, "name": "nobody yet", "newest": [], "books": 0})
    assert Reader(database, seconds=10).suspects(copy, ()) is None
    database["books"].update_one({"_id": 3}, {"$set": {"author_id": -1}, "$unset": {"author": 1}})
    assert [(each.kind, each.id) for each in checked(proposal, database).findings if each.collection == "books"] == [
        (DriftKind.DANGLING, 3)
    ]


@pytest.mark.thorough
def test_a_standalone_server(tmp_path: Path) -> None:
    """Without a replica set all is compared and repaired; only what changed since a time cannot be told."""
    folder, port = tmp_path / "server", free_port()
    folder.mkdir()
    command = [
        str(find_mongod().path),
        "--port",
        str(port),
        "--bind_ip",
        "127.0.0.1",
        "--dbpath",
        ".",
        "--nounixsocket",
    ]
    with supervised(command, run_directory=folder, stop_signal=signal.SIGKILL) as server:
        assert server.wait_for("waiting for connections", timeout_seconds=30), server.log_text()
        with (
            connect(f"mongodb://127.0.0.1:{port}") as client,
            loaded(client, rows(), library()) as (proposal, database),
        ):
            database["books"].update_one({"_id": 1}, {"$set": {"author.name": "stale"}})
            assert not checked(proposal, database).clean
            assert checked(proposal, database, repair=True).clean
            with pytest.raises(NoChangeStreams):
                checked(proposal, database, since=datetime.now(UTC) - timedelta(hours=1))
