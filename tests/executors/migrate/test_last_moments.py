"""What is written to the old collections until they are set aside is in the new design, or refused; nothing comes back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from bson.datetime_ms import DatetimeMS
from pymongo import InsertOne
from pymongo.database import Database
from pymongo.errors import PyMongoError

from nestling import pipeline
from nestling.common.errors import MigrationError, Problem
from nestling.common.server import Server
from nestling.executors.migrate import cutover, late, migrating
from nestling.executors.migrate.state import States
from nestling.ir.migration import Phase
from nestling.pipeline.migrating import abort_migration
from tests.executors.migrate.test_array_orders import designs

Documents = Database[dict[str, Any]]
TICKETS = 400


@pytest.fixture
def tickets(database: Documents) -> Documents:
    """Tickets with comments."""
    database["tickets"].insert_many(
        {"_id": n, "at": n % 7, "comments": [{"no": k, "by": f"u{k}"} for k in range(n % 4)]} for n in range(TICKETS)
    )
    return database


def _ids(database: Documents) -> set[int]:
    return {each["_id"] for each in database["tickets"].find({}, {"_id": 1})}


def _at(monkeypatch: pytest.MonkeyPatch, name: str, what: Callable[[], object]) -> None:
    """Do something right before a step of the cutover."""
    step = getattr(migrating, name)

    def then(*given: Any) -> Any:
        what()
        return step(*given)

    monkeypatch.setattr(migrating, name, then)


@pytest.mark.thorough
def test_deletes_go_on_all_the_time(mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was deleted before the names change is gone with its comments, and what was refused is there."""
    moves = designs(mongod, tickets)
    assert pipeline.migrate(*moves, tickets).equal
    deleted, ended = set[int](), threading.Event()

    def delete() -> None:
        for number in range(TICKETS):
            if ended.is_set():
                return
            try:
                found = tickets["tickets"].delete_one({"_id": number}).deleted_count
            except PyMongoError:
                continue
            deleted.update([number] * found)
            time.sleep(0.01)

    def end() -> None:
        time.sleep(0.1)  # some are refused
        ended.set()
        thread.join()

    _at(monkeypatch, "switch", end)
    thread = threading.Thread(target=delete)
    thread.start()
    try:
        report = pipeline.migrate(*moves, tickets, cutover=True)
    finally:
        ended.set()
        thread.join()
    assert report.phase is Phase.DONE
    assert len(deleted) > 20
    assert deleted.isdisjoint(_ids(tickets))
    assert deleted.isdisjoint(each["_id"]["ticket_id"] for each in tickets["comments"].find())
    assert len(_ids(tickets)) == TICKETS - len(deleted)
    assert pipeline.check(moves[1], tickets).clean


@pytest.mark.thorough
def test_what_passes_by_the_validator_comes_over(
    mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who may bypass validators may write while writes are refused."""
    moves = designs(mongod, tickets)
    new = {"_id": 5000, "at": 1, "comments": [{"no": 0, "by": "late"}]}

    def write() -> None:
        tickets["tickets"].bulk_write([InsertOne(new)], bypass_document_validation=True)
        tickets["tickets"].update_one({"_id": 3}, {"$set": {"at": 99}}, bypass_document_validation=True)

    _at(monkeypatch, "set_aside", write)
    assert pipeline.migrate(*moves, tickets, cutover=True).phase is Phase.DONE
    assert tickets["tickets"].find_one({"_id": 5000}) == {"_id": 5000, "at": 1}
    assert [each["by"] for each in tickets["comments"].find({"_id.ticket_id": 5000})] == ["late"]


@pytest.mark.thorough
def test_what_was_there_before_is_not_told(mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server keeps no documents from before changes any more: those of a deleted one, and of one that lost its comments, are
    found by comparing, though nothing else is compared after the last writes.
    """
    moves = designs(mongod, tickets)

    def write() -> None:
        tickets.command("collMod", "tickets", changeStreamPreAndPostImages={"enabled": False})
        tickets["tickets"].delete_one({"_id": 7})
        tickets["tickets"].update_one({"_id": 3}, {"$set": {"comments": []}}, bypass_document_validation=True)

    _at(monkeypatch, "set_aside", write)
    assert tickets["tickets"].count_documents({"_id": {"$in": [3, 7]}, "comments": {"$size": 3}}) == 2
    assert pipeline.migrate(*moves, tickets, cutover=True).phase is Phase.DONE
    assert _ids(tickets) == {*range(TICKETS)} - {7}
    assert tickets["comments"].count_documents({"_id.ticket_id": {"$in": [3, 7]}}) == 0
    assert tickets["comments"].count_documents({"_id.ticket_id": 11}) == 3


def test_nothing_is_written_while_the_last_changes_are_carried_over(
    mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads are answered meanwhile."""
    moves, seen = designs(mongod, tickets), list[object]()
    aside = cutover.set_aside

    def then_try(*given: Any) -> None:
        aside(*given)
        seen.append(tickets["tickets"].count_documents({"at": 1}))
        for write in (
            lambda: tickets["tickets"].delete_one({"_id": 1}),
            lambda: tickets["tickets"].bulk_write([InsertOne({"_id": -1})], bypass_document_validation=True),
        ):
            with pytest.raises(PyMongoError):
                write()

    monkeypatch.setattr(migrating, "set_aside", then_try)
    assert pipeline.migrate(*moves, tickets, cutover=True).phase is Phase.DONE
    assert seen == [len([n for n in range(TICKETS) if n % 7 == 1])]
    assert len(_ids(tickets)) == TICKETS


@pytest.mark.thorough
@pytest.mark.parametrize("step", ["set_aside", "switch", "switch_indexes", "unfence"])
@pytest.mark.parametrize("on", [True, False])
def test_a_cutover_that_ends_halfway(
    step: str, on: bool, mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on, or is taken back; what was deleted last is gone either way."""
    moves = designs(mongod, tickets)
    assert pipeline.migrate(*moves, tickets).equal

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        _at(patch, "set_aside", lambda: tickets["tickets"].delete_many({"_id": {"$lt": 10}}))
        done = getattr(migrating, step)

        def then_killed(*given: Any) -> None:
            done(*given)
            killed()

        patch.setattr(migrating, step, then_killed)
        with pytest.raises(KeyboardInterrupt):
            pipeline.migrate(*moves, tickets, cutover=True)
    if on:
        assert pipeline.migrate(*moves, tickets, cutover=True).phase is Phase.DONE
        assert {*tickets["comments"].distinct("_id.ticket_id")} == {n for n in range(10, TICKETS) if n % 4}
    else:
        abort_migration(tickets)
        assert {*tickets.list_collection_names()} == {"tickets", "system.views"}
        tickets["tickets"].insert_one({"_id": -1, "at": 1, "comments": []})
        tickets["tickets"].delete_one({"_id": -1})
    assert _ids(tickets) == {*range(10, TICKETS)}
    assert not [*tickets.list_collections(filter={"type": "view"})]


@pytest.mark.thorough
@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("number", [0, 1])
def test_a_cutover_that_ends_between_two_names(
    number: int, on: bool, mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collection that has none of its names for that long gets the right one."""
    moves, calls = designs(mongod, tickets), list[str]()
    claimed = cutover._claimed

    def kill(database: Any, name: str, claim: Callable[[], object]) -> None:
        calls.append(name)
        if len(calls) > number:
            raise KeyboardInterrupt
        claimed(database, name, claim)

    with monkeypatch.context() as patch:
        patch.setattr(cutover, "_claimed", kill)
        with pytest.raises(KeyboardInterrupt):
            pipeline.migrate(*moves, tickets, cutover=True)
    if on:
        assert pipeline.migrate(*moves, tickets, cutover=True).phase is Phase.DONE
        assert {*tickets["comments"].distinct("_id.ticket_id")} == {n for n in range(TICKETS) if n % 4}
    else:
        abort_migration(tickets)
        tickets["tickets"].insert_one({"_id": -1, "at": 1, "comments": []})
        tickets["tickets"].delete_one({"_id": -1})
    assert _ids(tickets) == {*range(TICKETS)}
    assert not [*tickets.list_collections(filter={"type": "view"})]


def _write_first(tickets: Documents, monkeypatch: pytest.MonkeyPatch, *writes: list[dict[str, Any]]) -> None:
    """Insert these documents whenever no collection has the name: the first ones the first time."""
    claimed, waiting = cutover._claimed, [*writes]

    def write_first(database: Any, name: str, claim: Callable[[], object]) -> None:
        if name == "tickets" and waiting:
            tickets["tickets"].insert_many(waiting.pop(0))
        claimed(database, name, claim)

    monkeypatch.setattr(cutover, "_claimed", write_first)


LATE = {"at": 3, "comments": [{"no": 0, "by": "late"}]}


def test_what_is_written_between_two_names_is_kept(
    mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An insert where no collection has the name makes one. Before the last changes it is one of them; else it is told."""
    moves = designs(mongod, tickets)
    tickets["tickets.late"].insert_one({"_id": "somebody's own"})
    _write_first(tickets, monkeypatch, [{"_id": 7000, **LATE}, {"_id": 5, **LATE}], [{"_id": 8000, **LATE}])
    report = pipeline.migrate(*moves, tickets, cutover=True)
    assert report.phase is Phase.DONE
    assert report.late == ("tickets.before.late", "tickets.before.late1")
    assert [tickets[name].distinct("_id") for name in report.late] == [[5], [8000]]
    assert _ids(tickets) == {*range(TICKETS), 7000}
    assert [each["by"] for each in tickets["comments"].find({"_id.ticket_id": 7000})] == ["late"]
    assert pipeline.check(moves[1], tickets).clean


@pytest.mark.thorough
def test_a_name_is_given_up_that_others_take_again_and_again(
    mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so; run again where nobody does, nothing is lost."""
    moves = designs(mongod, tickets)
    _write_first(tickets, monkeypatch, [{"_id": 7000, **LATE}])
    with monkeypatch.context() as patch:
        patch.setattr(late, "_LATE_NAMES", 0)
        with pytest.raises(MigrationError, match="keeps writing to it"):
            pipeline.migrate(*moves, tickets, cutover=True)
    report = pipeline.migrate(*moves, tickets, cutover=True)
    assert (report.phase, report.late) == (Phase.DONE, ())
    assert _ids(tickets) == {*range(TICKETS), 7000}


@pytest.mark.thorough
@pytest.mark.parametrize("has_validator", [True, False])
def test_what_is_written_after_a_kill_is_there_after_an_abort(
    has_validator: bool, mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever goes on writing while a cutover lies dead between two names: what has no place in the old design is named."""
    if has_validator:
        tickets.command("collMod", "tickets", validator={"$jsonSchema": {"required": ["at", "comments"]}})
    moves = designs(mongod, tickets)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(cutover, "_claimed", killed)
        with pytest.raises(KeyboardInterrupt):
            pipeline.migrate(*moves, tickets, cutover=True, may_lose=["options"])
    assert "tickets" not in tickets.list_collection_names()
    tickets["tickets"].insert_many({"_id": 7000 + n, **LATE} for n in range(1500))
    tickets["tickets"].insert_many([{"_id": 5, **LATE}, {"_id": 9000}])
    tickets["tickets"].insert_one({"_id": 8500, **LATE, "until": DatetimeMS(253_402_300_800_000)})  # year 10000
    aborted = abort_migration(tickets)
    left = [5, 9000] if has_validator else [5]
    assert aborted.late == ("tickets.before.late",)
    assert [each["_id"] for each in tickets["tickets.before.late"].find()] == left
    assert _ids(tickets) == {*range(TICKETS), *range(7000, 8501), 9000} - {*left[1:]}
    assert tickets["tickets"].find_one({"_id": 7000}) == {"_id": 7000, **LATE}


@pytest.mark.thorough
def test_where_the_last_changes_cannot_be_told_the_old_design_goes_on(
    mongod: Server, tickets: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was set aside is back, and takes writes."""
    moves = designs(mongod, tickets)
    assert pipeline.migrate(*moves, tickets).equal

    def fail(*_: object) -> None:
        raise MigrationError(Problem("no more is known"))

    with monkeypatch.context() as patch:
        patch.setattr(migrating.Migration, "_complete_from", fail, raising=True)
        with pytest.raises(MigrationError):
            pipeline.migrate(*moves, tickets, cutover=True)
    state = States(tickets).read()
    assert state is not None
    assert state.phase is Phase.FOLLOWING
    tickets["tickets"].insert_one({"_id": -1, "at": 1, "comments": []})
    assert pipeline.migrate(*moves, tickets, cutover=True).phase is Phase.DONE
    assert _ids(tickets) == {-1, *range(TICKETS)}


@pytest.mark.thorough
def test_the_view_compares_as_the_collection_does(
    mongod: Server, database: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collection's own collation is that of what is in its place."""
    database.create_collection("tickets", collation={"locale": "en", "strength": 2})
    database["tickets"].insert_many({"_id": n, "by": "Ann", "comments": [{"no": 1}]} for n in range(20))
    moves, found = designs(mongod, database), list[int]()
    aside = cutover.set_aside

    def then_ask(*given: Any) -> None:
        aside(*given)
        found.append(database["tickets"].count_documents({"by": "ANN"}))

    monkeypatch.setattr(migrating, "set_aside", then_ask)
    report = pipeline.migrate(*moves, database, cutover=True, may_lose=["options"])
    assert report.phase is Phase.DONE
    assert found == [20]
